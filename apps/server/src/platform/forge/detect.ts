import type { GitCredential } from '../git/policy.ts';
import { parseRepository, type Repository } from '../git/repository.ts';
import { ForgeError, type ForgeKind, type ForgeSettings } from './port.ts';

/** What a project says of its forge. The secret that goes with it is kept apart, sealed. */
export interface StoredForge {
  kind: ForgeKind;
  /** Default: the usual place on the host of the repository. */
  apiUrl?: string;
  /** GitHub App: both or none; the secret is its private key then, else a token. */
  appId?: string;
  installationId?: string;
  /** Account of the token, for git over https (Gitea, Forgejo). */
  username?: string;
}

const KNOWN_HOSTS: Readonly<Record<string, Exclude<ForgeKind, 'git'>>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
};

/** Where ssh is reached by another name, as behind firewalls. */
const SSH_HOSTS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
};

const API_PATHS = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' };

/**
 * How the forge of a repository is reached: as the project says, else by the host where it is a known one, else as
 * plain Git. The project's token for git serves the API too when there is no secret for it.
 *
 * Throws GitError `invalid` for an address that is none, ForgeError `auth` or `rejected` for settings that cannot work.
 */
export function forgeSettingsFor(input: {
  /** Address as parseRepository takes it. */
  repository: string;
  credential: GitCredential | null;
  stored: StoredForge | null;
  secret: string | null;
}): ForgeSettings {
  const { credential, stored } = input;
  const repository = parseRepository(input.repository, { allowHttp: ['*'] });
  const host = SSH_HOSTS[repository.host] ?? repository.host;
  const plain: ForgeSettings = { kind: 'git', credential };
  const kind = stored?.kind ?? KNOWN_HOSTS[host] ?? (isGithubCloud(host) ? 'github' : 'git');
  if (kind === 'git') return plain;

  const token = (input.secret ?? (credential?.kind === 'token' ? credential.token : null))?.trim() ?? null;
  if (token === null) {
    // Known by its host alone, and only a key for git: branches can be pushed, and that is all.
    if (stored === null) return plain;
    throw new ForgeError(
      'auth',
      'The project has a forge kind but no token for it. Set a forge token on the project.',
    );
  }
  const apiUrl = stored?.apiUrl === undefined ? usualApi(kind, repository, host) : checkApi(stored.apiUrl);
  const path = repositoryPath(repository, kind, apiUrl);
  const git = credential?.kind === 'ssh-key' ? { git: credential } : {};
  if (kind === 'gitlab') return { ...git, kind, apiUrl, repository: path, token };
  if (!/^[^/]+\/[^/]+$/.test(path)) {
    throw new ForgeError(
      'rejected',
      `The repository URL ends with "${path}" instead of an owner and a name. Check the URL or the forge kind.`,
    );
  }
  if (kind === 'gitea') {
    const own = credential?.kind === 'token' ? credential.username : undefined;
    // The forge uses the token, whatever name precedes it.
    const username = stored?.username ?? own ?? 'x-access-token';
    return { ...git, kind, apiUrl, repository: path, token, username };
  }
  const { appId, installationId } = stored ?? {};
  if (appId === undefined && installationId === undefined)
    return { ...git, kind, apiUrl, repository: path, auth: { kind: 'token', token } };
  if (appId === undefined || installationId === undefined || input.secret === null) {
    throw new ForgeError(
      'auth',
      'A GitHub App needs three values on the project: its id, its installation id and its private key.',
    );
  }
  return {
    ...git,
    kind,
    apiUrl,
    repository: path,
    auth: { kind: 'app', appId, installationId, privateKey: input.secret },
  };
}

function usualApi(kind: 'github' | 'gitlab' | 'gitea', repository: Repository, host: string): string {
  if (kind === 'github' && (host === 'github.com' || isGithubCloud(host))) return `https://api.${host}`;
  // An ssh URL does not contain the port of the API.
  const web = repository.transport === 'ssh' ? `https://${bracket(host)}` : new URL(repository.url).origin;
  return `${web}${API_PATHS[kind]}`;
}

/** Enterprise Cloud with data residency: `SUBDOMAIN.ghe.com`. */
function isGithubCloud(host: string): boolean {
  return host.endsWith('.ghe.com');
}

function bracket(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function checkApi(address: string): string {
  const url = URL.parse(address);
  const isFit =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  if (!isFit) {
    throw new ForgeError(
      'rejected',
      "The API URL of the project's forge is invalid. Use the form https://forge.example.com/api/v1, without user, query or fragment.",
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** `owner/name` of a URL of any kind; for a forge below a path, the part after that path. */
function repositoryPath(repository: Repository, kind: 'github' | 'gitlab' | 'gitea', apiUrl: string): string {
  const scp = /^[^/:]+@(?:\[[^\]]+\]|[^:/]+):(.+)$/.exec(repository.url);
  let path = scp?.[1] ?? new URL(repository.url).pathname;
  path = path.replace(/^\/+/, '');
  const api = new URL(apiUrl);
  const below = api.pathname.endsWith(API_PATHS[kind]) ? api.pathname.slice(1, -API_PATHS[kind].length) : '';
  if (repository.transport !== 'ssh' && below !== '' && path.startsWith(`${below}/`))
    path = path.slice(below.length + 1);
  return decode(path)
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
