import { GitError, type GitFault, redact } from './error.ts';
import type { Repository } from './repository.ts';

/** What git says (LC_ALL=C), most telling first. `{url}` is the repository, `{detail}` git's own last line. */
const SIGNS: readonly [RegExp, GitFault, string][] = [
  [
    /redirect|returned error: 30\d/i,
    'host-refused',
    '{url} redirects to another URL, which is not followed. Set the new URL on the project.',
  ],
  [
    /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    'host-refused',
    'The SSH host key of {url} has changed. If the change is legitimate, an operator must remove the old key from the known-hosts file.',
  ],
  [
    /Permission denied \(|Load key .*(?:invalid|error)|Too many authentication failures/i,
    'auth',
    '{url} rejected the SSH key. Add its public key as a read-only deploy key, or set another key on the project.',
  ],
  [
    /returned error: 403|HTTP 403|Authentication failed|invalid credentials|access denied/i,
    'auth',
    "{url} denied access. Check that the project's credential is valid and may read this repository.",
  ],
  [
    /could not read (?:Username|Password)|terminal prompts disabled|HTTP 401|returned error: 401|unable to read askpass/i,
    'auth',
    '{url} does not exist or is not public. Check the URL, or set a credential on the project that may read it.',
  ],
  [
    /Repository not found|returned error: 404|HTTP 404|repository '.*' not found|does not appear to be a git repository|No such (?:project|repo)|project .* could not be found/i,
    'not-found',
    'Repository {url} not found, or the credential has no access to it. Check the URL.',
  ],
  [
    /couldn't find remote ref|not our ref|unadvertised object/i,
    'ref-not-found',
    '{url} does not have the requested branch, tag or commit.',
  ],
  [
    /SSL certificate|SSL: |server certificate|certificate verif|SSL routines|gnutls_handshake/i,
    'unreachable',
    'The TLS certificate of {url} is not from a certificate authority that this server trusts. An operator can add certificate authorities with OFFPRINT_CA_FILE.',
  ],
  [
    /not valid: is this a git repository/i,
    'invalid',
    '{url} responds, but not as a Git server. Use the URL that git clone uses.',
  ],
  [
    /Connection refused|Couldn't connect|Could not connect/i,
    'unreachable',
    '{url} refuses the connection. Check host and port, and that the server is running.',
  ],
  [
    /dumb http transport|does not support shallow/i,
    'invalid',
    '{url} does not support the smart HTTP protocol of Git, which is required.',
  ],
  // A transfer that breaks off leaves an incomplete pack, which Git reports after the cause.
  [
    /RPC failed; curl (?!2[23]\b)\d|operation too slow|early EOF|unexpected disconnect|bytes of body are still expected|Connection (?:reset|closed|timed out)|hung up/i,
    'unreachable',
    'The transfer from {url} was interrupted or too slow. The request is retried; if the error persists, check the network between this server and the host.',
  ],
  [
    /fsck|index-pack failed|invalid index-pack|corrupt|bad object|malformed|inflate|unpack-objects|bad pack/i,
    'invalid',
    'The repository {url} contains objects that Git rejects as malformed or unsafe: {detail}',
  ],
  [/timed out|timeout/i, 'unreachable', '{url} did not respond in time.'],
  [
    /Could not resolve|Failed to connect|unreachable|RPC failed|returned error: 5\d\d/i,
    'unreachable',
    '{url} could not be reached. The request is retried; if the error persists, check the URL and the network of the server.',
  ],
  [/transport '.*' not allowed/i, 'invalid', '{url} uses a transport that is not allowed.'],
];

/** The error of a git process that talked to a repository and failed; `verb` is what it was about to do. */
export function failureOf(repository: Repository, stderr: string, verb = 'read'): GitError {
  const url = redact(repository.url);
  const detail = lastLines(stderr);
  for (const [sign, code, sentence] of SIGNS) {
    if (!sign.test(stderr)) continue;
    return new GitError(
      code,
      sentence.replace('{url}', () => url).replace('{detail}', () => detail),
    );
  }
  return new GitError('unreachable', `The repository ${url} could not be ${verb}: ${detail}`);
}

function lastLines(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|remote: error):/.test(line));
  const line = lines[0] ?? stderr.trim().split('\n').at(-1) ?? '';
  const words = redact(line.replace(/^(?:fatal|error): /, ''));
  // Where the server works is nobody's business.
  return words.replace(/(^|[\s'"(=])\/[^\s'")]+/g, '$1[path]').slice(0, 300) || 'git reported no reason.';
}
