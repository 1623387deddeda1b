/** Page of a forge for a line of a file; line null: for the file. */
export type SourceLink = (file: string, line: number | null) => string | null;

/** What a repository is known by on its forge. */
interface Place {
  /** Address of the repository's page. */
  web: string;
  forge: Forge;
}

/** The forms of addresses of a forge. */
interface Forge {
  link(web: string, at: { commit: string; path: string; line: number | null }): string;
  commit(web: string, commit: string): string;
}

const MARKDOWN = /\.mdx?$/i;

const github: Forge = {
  link: (web, { commit, path, line }) =>
    // Without `plain` a page is shown rendered, where lines have no numbers.
    `${web}/blob/${commit}/${path}${plain(path)}${line === null ? '' : `#L${line}`}`,
  commit: (web, commit) => `${web}/commit/${commit}`,
};

const gitlab: Forge = {
  link: (web, { commit, path, line }) =>
    `${web}/-/blob/${commit}/${path}${plain(path)}${line === null ? '' : `#L${line}`}`,
  commit: (web, commit) => `${web}/-/commit/${commit}`,
};

const gitea: Forge = {
  link: (web, { commit, path, line }) =>
    `${web}/src/commit/${commit}/${path}${MARKDOWN.test(path) ? '?display=source' : ''}${line === null ? '' : `#L${line}`}`,
  commit: (web, commit) => `${web}/commit/${commit}`,
};

const bitbucket: Forge = {
  link: (web, { commit, path, line }) =>
    `${web}/src/${commit}/${path}${line === null ? '' : `#lines-${line}`}`,
  commit: (web, commit) => `${web}/commits/${commit}`,
};

const bitbucketServer: Forge = {
  link: (web, { commit, path, line }) =>
    `${web}/browse/${path}?at=${commit}${line === null ? '' : `#${line}`}`,
  commit: (web, commit) => `${web}/commits/${commit}`,
};

const azure: Forge = {
  link: (web, { commit, path, line }) => {
    const end =
      line === null
        ? ''
        : `&line=${line}&lineEnd=${line + 1}&lineStartColumn=1&lineEndColumn=1&lineStyle=plain`;
    return `${web}?path=/${path}&version=GC${commit}${end}&_a=contents`;
  },
  commit: (web, commit) => `${web}/commit/${commit}`,
};

/** Where ssh is reached by another name, as behind firewalls. */
const SSH_HOSTS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
};

/** Forges by the host or its usual first label. */
const FORGES: readonly (readonly [RegExp, Forge])[] = [
  [/^(?:github\.com|github\..+|[^.]+\.ghe\.com)$/, github],
  [/^(?:gitlab\.com|gitlab\..+)$/, gitlab],
  [/^(?:codeberg\.org|gitea\.com|gitea\..+|forgejo\..+)$/, gitea],
  [/^bitbucket\.org$/, bitbucket],
];

/**
 * Links to the files of a commit of a repository whose forge is known by its host or by the form of its address; each
 * link is null for the others. `repository`: as `parseRepository` gives it. `folder`: what file names are below.
 */
export function sourceLinks(source: { repository: string; folder: string; commit: string }): SourceLink {
  const place = placeOf(source.repository);
  if (place === null) return () => null;
  return (file, line) => {
    const path = [source.folder, file]
      .flatMap((part) => part.split('/'))
      .filter((part) => part !== '' && part !== '.')
      .map(encodeURIComponent)
      .join('/');
    return place.forge.link(place.web, { commit: source.commit, path, line });
  };
}

/** Page of a commit at the forge of its repository; null for forges that are not known, as for `sourceLinks`. */
export function commitLink(repository: string, commit: string): string | null {
  const place = placeOf(repository);
  return place === null ? null : place.forge.commit(place.web, commit);
}

function plain(path: string): string {
  return MARKDOWN.test(path) ? '?plain=1' : '';
}

function placeOf(repository: string): Place | null {
  const address = readAddress(repository);
  if (address === null) return null;
  const { host, origin, path } = address;
  const server = /^\/scm\/(~?)([^/]+)\/([^/]+)$/.exec(path);
  if (server !== null) {
    const [, personal, project, name] = server;
    const owner = personal === '~' ? 'users' : 'projects';
    return { web: `${origin}/${owner}/${project}/repos/${name}`, forge: bitbucketServer };
  }
  const azureWeb = azurePage(host, path);
  if (azureWeb !== null) return { web: azureWeb, forge: azure };
  const forge = FORGES.find(([hosts]) => hosts.test(host))?.[1];
  if (forge === undefined || path.split('/').length < 3) return null;
  const web = URL.parse(origin + path)?.href;
  return web === undefined ? null : { web, forge };
}

function azurePage(host: string, path: string): string | null {
  const ssh = /^(?:ssh\.dev\.azure\.com|vs-ssh\.visualstudio\.com)$/.test(host)
    ? /^\/v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path)
    : null;
  if (ssh !== null) return `https://dev.azure.com/${ssh[1]}/${ssh[2]}/_git/${ssh[3]}`;
  const isAzure = host === 'dev.azure.com' || host.endsWith('.visualstudio.com');
  return isAzure && /\/_git\/[^/]+$/.test(path) ? `https://${host}${path}` : null;
}

/** Host, web origin and path (no slash or `.git` at the end) of a repository address. */
function readAddress(repository: string): { host: string; origin: string; path: string } | null {
  const scp = /^[^@/]+@([^:/]+|\[[^\]]+\]):(.+)$/.exec(repository);
  const url = scp === null ? URL.parse(repository) : null;
  const given = scp?.[1] ?? url?.hostname ?? '';
  if (given === '') return null;
  const host = SSH_HOSTS[given] ?? given;
  const path = (scp === null ? (url?.pathname ?? '') : `/${scp[2]?.replace(/^\/+/, '')}`)
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  // An ssh URL does not contain the port of the pages.
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return { host, origin: isWeb ? url.origin : `https://${host}`, path };
}
