/** A forge that is known by its host, for help with tokens and for links into the source. */
export type ForgeName = 'GitHub' | 'GitLab' | 'Gitea' | 'Forgejo' | 'Bitbucket' | 'Azure DevOps';

/** What a pasted address of a repository says. */
export interface RepositoryAddress {
  /** URL for Git, without credentials. The server decides which hosts may be reached by http. */
  repository: string;
  transport: 'https' | 'http' | 'ssh';
  host: string;
  /** Branch and folder of a page of the forge, not yet separated: `feature/x/docs`. */
  tree: string | null;
  /** Whether `tree` ends in a file, not in a folder. */
  isFile: boolean;
  /** User name and token from the URL. */
  credential: { username: string; token: string } | null;
}

const HOSTS: Readonly<Record<string, ForgeName>> = {
  'github.com': 'GitHub',
  'gitlab.com': 'GitLab',
  'gitea.com': 'Gitea',
  'codeberg.org': 'Forgejo',
  'bitbucket.org': 'Bitbucket',
  'dev.azure.com': 'Azure DevOps',
};

/** The forge of a host; null where the name does not tell. */
export function forgeOf(host: string): ForgeName | null {
  const known = HOSTS[host];
  if (known !== undefined) return known;
  if (/(^|\.)github\.|\.ghe\.com$/.test(host)) return 'GitHub';
  if (/(^|\.)gitlab\./.test(host)) return 'GitLab';
  if (/(^|\.)gitea\./.test(host)) return 'Gitea';
  if (/(^|\.)forgejo\./.test(host)) return 'Forgejo';
  return null;
}

/** The host of the URL of a repository; empty for text without one. */
export function hostOf(repository: string): string {
  const scp = /^[\w.-]+@([\w.-]+):(?!\/\/)/.exec(repository);
  if (scp !== null) return scp[1]!.toLowerCase();
  return URL.parse(repository)?.hostname ?? '';
}

/** The repository without scheme, host and `.git`: `acme/docs`. */
export function repositoryName(repository: string): string {
  const path =
    /^[\w.-]+@[\w.-]+:(?!\/\/)(.+)$/.exec(repository)?.[1] ?? URL.parse(repository)?.pathname ?? repository;
  return path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}

const TREE = /^(.+?)\/(?:-\/)?(?:tree|blob|src\/branch|src\/tag|src)\/(.+)$/;
/** Pages of a forge other than files; the path after them is not part of the repository. */
const PAGES =
  /\/(?:-\/.*|(?:issues|pulls?|merge_requests|actions|wiki|releases|commits?|branches|tags|settings|pull-requests|discussions)(?:\/.*)?)$/;
/** Hosts whose repositories are always two names deep. */
const TWO_DEEP = new Set<ForgeName | null>(['GitHub', 'Gitea', 'Forgejo', 'Bitbucket']);

/**
 * Parses what people paste: the URL for cloning, the URL of the repository or of one of its
 * folders in the browser, a whole `git clone` command. Null for text that is not a URL.
 */
export function parseRepositoryAddress(pasted: string): RepositoryAddress | null {
  const words = pasted
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/^(["'<])(.*)["'>]$/, '$2'));
  // of a whole command, the first word that can be an address
  const text = words.length === 1 ? words[0]! : (words.find((word) => /[/@].*[/:]/.test(word)) ?? '');
  const ssh = parseSsh(text);
  if (ssh !== null) return ssh;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    ? text
    : /^[\w-]+(\.[\w-]+)+(:\d+)?\/./.test(text)
      ? `https://${text}`
      : null;
  const url = address === null ? null : URL.parse(address);
  if (url === null || url.hostname === '') return null;
  if (url.protocol === 'https:') return parseWeb(url, 'https');
  return url.protocol === 'http:' ? parseWeb(url, 'http') : null;
}

function parseSsh(text: string): RepositoryAddress | null {
  const isSsh =
    /^ssh:\/\/[\w.-]+@[\w.-]+(?::\d{1,5})?\/[^\s?#]+$/.test(text) ||
    /^[\w.-]+@[\w.-]+:(?!\/\/)[^\s?#]+$/.test(text);
  if (!isSsh) return null;
  const repository = text.replace(/\/+$/, '');
  return {
    repository,
    transport: 'ssh',
    host: hostOf(repository),
    tree: null,
    isFile: false,
    credential: null,
  };
}

function parseWeb(url: URL, transport: 'https' | 'http'): RepositoryAddress | null {
  const forge = forgeOf(url.hostname);
  const azure = /^(.*\/_git\/[^/]+)/.exec(url.pathname);
  let path = url.pathname.replace(/\/+$/, '');
  let tree: string | null = null;
  let isFile = false;
  if (azure !== null) {
    path = azure[1]!;
    const branch = url.searchParams.get('version')?.replace(/^GB/, '') ?? null;
    const folder = (url.searchParams.get('path') ?? '').replace(/^\/+|\/+$/g, '');
    if (branch !== null) tree = folder === '' ? branch : `${branch}/${folder}`;
  } else {
    const found = TREE.exec(path);
    if (found !== null && found[1]!.split('/').length > 1) {
      isFile = /\/(?:-\/)?blob\//.test(path.slice(found[1]!.length));
      path = found[1]!;
      tree = decodePath(found[2]!);
    } else if (!path.endsWith('.git')) path = path.replace(PAGES, '');
    const names = path.split('/').filter((name) => name !== '');
    if (TWO_DEEP.has(forge)) path = `/${names.slice(0, 2).join('/')}`;
    if (forge !== null && forge !== 'Azure DevOps' && names.length >= 2 && !path.endsWith('.git'))
      path += '.git';
  }
  if (path === '' || path === '/') return null;
  const username = decodePath(url.username);
  const password = decodePath(url.password);
  return {
    repository: `${transport}://${url.host}${path}`,
    transport,
    host: url.hostname,
    tree,
    isFile,
    // a name alone is how some forges write clone addresses; it opens nothing
    credential: password === '' ? null : { username, token: password },
  };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Separates branch and folder. Branches may have slashes, so the longest known one wins; without a known
 * one the branch is the first name. A file stands for its folder.
 */
export function splitTree(
  address: Pick<RepositoryAddress, 'tree' | 'isFile'>,
  branches: readonly string[] = [],
): { branch: string; folder: string } | null {
  if (address.tree === null) return null;
  const tree = address.tree.replace(/\/+$/, '');
  const known = branches
    .filter((branch) => tree === branch || tree.startsWith(`${branch}/`))
    .sort((a, b) => b.length - a.length)[0];
  const branch = known ?? tree.split('/')[0]!;
  const names = tree
    .slice(branch.length)
    .split('/')
    .filter((name) => name !== '');
  if (address.isFile || /^(?:docs|mint)\.json$/.test(names.at(-1) ?? '')) names.pop();
  return { branch, folder: names.join('/') };
}

/** Where to create the token or key for a forge, and the minimum permissions to read a repository. */
export function tokenHelp(forge: ForgeName | null): { text: string; username: string } {
  switch (forge) {
    case 'GitHub':
      return {
        text: 'A fine-grained personal access token for this repository with read-only access to Contents. Create it in GitHub under Settings, Developer settings, Fine-grained tokens.',
        username: 'Not needed.',
      };
    case 'GitLab':
      return {
        text: 'A project access token with the role Reporter and the scope read_repository, or a deploy token with that scope. Create it in GitLab under Settings, Access tokens of the repository.',
        username: 'Only for a deploy token: its user name in GitLab.',
      };
    case 'Gitea':
    case 'Forgejo':
      return {
        text: `An access token with read permission for repository. Create it in ${forge} under Settings, Applications.`,
        username: 'The account that the token belongs to.',
      };
    case 'Bitbucket':
      return {
        text: 'A repository access token with the permission Repositories: read. Create it in Bitbucket under Repository settings, Access tokens.',
        username: 'x-token-auth',
      };
    case 'Azure DevOps':
      return {
        text: 'A personal access token with the scope Code: Read. Create it in Azure DevOps under User settings, Personal access tokens.',
        username: 'Any name works.',
      };
    case null:
      return {
        text: 'A token or password that can read this repository.',
        username: 'If your Git server requires one.',
      };
  }
}

/** Where the public half of a deploy key is entered. */
export function deployKeyPlace(forge: ForgeName | null): string {
  switch (forge) {
    case 'GitHub':
      return 'in the repository under Settings, Deploy keys, without write access';
    case 'GitLab':
      return 'in the project under Settings, Repository, Deploy keys';
    case 'Gitea':
    case 'Forgejo':
      return 'in the repository under Settings, Deploy keys';
    case 'Bitbucket':
      return 'in the repository under Repository settings, Access keys';
    default:
      return 'on the forge as a key that can read the repository';
  }
}

/** How to create your own key. */
export function deployKeyHelp(forge: ForgeName | null): string {
  return `Create a key pair without a passphrase (ssh-keygen -t ed25519 -N "" -f offprint), add offprint.pub ${deployKeyPlace(forge)}, and paste the content of the file offprint here.`;
}
