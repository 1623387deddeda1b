import { isAllowedHost, normalizeHost } from '../net/host.ts';
import { GitError, redact } from './error.ts';
import type { HttpHosts } from './policy.ts';

/** A repository address that was checked for form. Its host was not. */
export interface Repository {
  transport: 'https' | 'http' | 'ssh';
  /** As in normalizeHost. */
  host: string;
  /** The port that a connection uses. */
  port: number;
  /** Account of an ssh address; null otherwise. */
  user: string | null;
  /** Normal form, without a password; safe to store, to log and to give to git. */
  url: string;
}

const FORMS = 'https://host/path.git, ssh://git@host/path.git or git@host:path.git';

/**
 * Reads a repository address: `https:`, `ssh:` and the scp form, `http:` only for the hosts of `allowHttp`. Everything else that
 * git would take (`file:`, `ext::`, helpers, local paths, options) is refused by form.
 *
 * Throws GitError `invalid`.
 */
export function parseRepository(address: string, options: { allowHttp: HttpHosts }): Repository {
  const shown = redact(address.slice(0, 200));
  const fault: Fault = (why) =>
    new GitError('invalid', `The repository URL "${shown}" ${why}. Use the form ${FORMS}.`);
  checkForm(address, fault);
  const scp = /^([A-Za-z0-9_][A-Za-z0-9._-]*)@(\[[0-9A-Fa-f:.]+\]|[^:/@]+):(?!\/\/|:)(.+)$/.exec(address);
  if (scp !== null) {
    const path = scp[3] ?? '';
    if (/[?#@]|:\/\//.test(path)) throw fault('contains a character in its path that is not allowed');
    const checked = sshRepository(
      scp[1] ?? '',
      scp[2] ?? '',
      22,
      path.startsWith('/') ? path : `/${path}`,
      fault,
    );
    // Stays in this form: its path starts at the account's home, that of an ssh: URL at the root.
    return { ...checked, url: `${checked.user}@${bracket(checked.host)}:${path}` };
  }
  if (address.includes('::') && !/^(https?|ssh):\/\//i.test(address)) throw fault('names a remote helper');
  // The URL parser would resolve these away, and git would then ask for another path than the one written.
  if (/(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i.test(address))
    throw fault('has a path with a part that is not allowed');
  const url = URL.parse(address);
  if (url === null) throw fault('is not a URL');
  if (!/^[a-z]+:\/\/[^/]/i.test(address)) throw fault('has no host');
  if (url.search !== '' || url.hash !== '') throw fault('has a query or a fragment');
  if (url.protocol === 'ssh:') {
    if (url.password !== '') throw fault('contains a password; set a credential on the project instead');
    return sshRepository(url.username || 'git', url.hostname, Number(url.port || 22), url.pathname, fault);
  }
  if (url.protocol === 'https:') return webRepository('https', url, fault);
  if (url.protocol === 'http:') {
    const repository = webRepository('http', url, fault);
    if (mayUseHttp(repository, options.allowHttp)) return repository;
    throw fault(
      `uses http:, which sends code and credentials unencrypted. An operator can allow it for ${repository.host} (OFFPRINT_ALLOW_HTTP_GIT_HOSTS)`,
    );
  }
  throw fault('has an unsupported scheme');
}

type Fault = (why: string) => GitError;

function mayUseHttp({ host, port }: Repository, hosts: HttpHosts): boolean {
  return hosts.some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, only] = /^(\[.*\]|[^:]*):(\d{1,5})$/.exec(entry) ?? [];
    const isPort = only === undefined || Number(only) === port;
    return isPort && isAllowedHost(host, { allowPrivate: false, allowedHosts: [name] });
  });
}

function checkForm(address: string, fault: Fault): void {
  if (address.length === 0 || address.length > 2048) throw fault('is empty or too long');
  if (/[\s\0-\x20\x7f\\"'`<>^{}|]/.test(address))
    throw fault('contains a space or a character that is not allowed');
  if (address.startsWith('-')) throw fault('starts with a dash');
}

function webRepository(transport: 'https' | 'http', url: URL, fault: Fault): Repository {
  if (url.username !== '' || url.password !== '') {
    throw fault('contains a user name or token; set a credential on the project instead');
  }
  const host = normalizeHost(url.hostname);
  if (host === null) throw fault('has no valid host');
  checkPath(url.pathname, fault);
  const usual = transport === 'https' ? 443 : 80;
  const port = url.port === '' ? usual : Number(url.port);
  if (port === 0) throw fault('has no valid port');
  const authority = `${bracket(host)}${port === usual ? '' : `:${port}`}`;
  return { transport, host, port, user: null, url: `${transport}://${authority}${url.pathname}` };
}

function sshRepository(user: string, hostname: string, port: number, path: string, fault: Fault): Repository {
  // URL leaves hosts of schemes it does not know as they are, so the same reader as for https: decides.
  const host = normalizeHost(decodeHost(hostname));
  if (host === null) throw fault('has no valid host');
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(user)) throw fault('has no valid user');
  if (port === 0) throw fault('has no valid port');
  checkPath(path, fault);
  const authority = `${user}@${bracket(host)}${port === 22 ? '' : `:${port}`}`;
  return { transport: 'ssh', host, port, user, url: `ssh://${authority}${path}` };
}

function checkPath(path: string, fault: Fault): void {
  if (path === '/' || path === '') throw fault('has no path');
  const parts = path.slice(1).split('/');
  if (parts.some((part) => part === '..' || part === '.' || part.startsWith('-'))) {
    throw fault('has a path with a part that is not allowed');
  }
  if (/%(00|0a|0d|2e|2f|5c)/i.test(path))
    throw fault('has a path with an encoded character that is not allowed');
}

function decodeHost(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return '';
  }
}

function bracket(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Full object name of SHA-1 or SHA-256. */
export function isCommitId(ref: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
}

/** Throws GitError `invalid` if a text is not a full object name. */
export function checkObjectId(id: string): void {
  if (!isCommitId(id))
    throw new GitError('invalid', `"${redact(id.slice(0, 100))}" is not a full commit id.`);
}

/**
 * Checks the name of a branch, tag or commit by the rules of git-check-ref-format.
 * Throws GitError `invalid`.
 */
export function checkRef(ref: string): string {
  const bad =
    ref === '' ||
    ref.length > 255 ||
    ref === '@' ||
    /^[-/.]|[/.]$|\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)|[\0-\x20\x7f~^:?*[\\]/.test(ref);
  if (bad) {
    throw new GitError(
      'invalid',
      `"${redact(ref.slice(0, 100))}" is not the name of a branch, tag or commit.`,
    );
  }
  return ref;
}
