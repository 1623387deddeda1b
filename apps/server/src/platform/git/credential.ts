import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostAddress } from '../net/host.ts';
import { GitError } from './error.ts';
import type { GitCredential, GitPolicy } from './policy.ts';
import type { Repository } from './repository.ts';

/** What one git process needs to reach one repository: environment and settings, none of them secret. */
export interface Access {
  environment: Readonly<Record<string, string>>;
  settings: readonly string[];
}

/**
 * Calls `use` with access to a repository at the addresses that were checked. A secret is written to files
 * that only this account can read, never to arguments, environment or configuration, and is deleted before
 * this returns.
 *
 * Throws GitError `auth` when the kind of credential does not fit the address.
 */
export async function withAccess<T>(
  repository: Repository,
  addresses: readonly HostAddress[],
  credential: GitCredential | undefined,
  policy: GitPolicy,
  folder: string,
  use: (access: Access) => Promise<T>,
): Promise<T> {
  const secrets = join(folder, `access-${randomBytes(6).toString('hex')}`);
  await mkdir(secrets, { mode: 0o700 });
  try {
    return await use(
      repository.transport === 'ssh'
        ? await sshAccess(repository, addresses, credential, policy, secrets)
        : await httpAccess(repository, addresses, credential, policy, secrets),
    );
  } finally {
    await rm(secrets, { recursive: true, force: true });
  }
}

const ASKPASS = `#!/bin/sh
case "$1" in
  [Uu]sername*) cat "\${0%/*}/username" ;;
  *) cat "\${0%/*}/password" ;;
esac
`;

async function httpAccess(
  repository: Repository,
  addresses: readonly HostAddress[],
  credential: GitCredential | undefined,
  policy: GitPolicy,
  secrets: string,
): Promise<Access> {
  const environment: Record<string, string> = { GIT_ALLOW_PROTOCOL: repository.transport };
  if (policy.caFile !== undefined) environment.GIT_SSL_CAINFO = policy.caFile;
  if (credential !== undefined) {
    if (credential.kind !== 'token') {
      throw new GitError(
        'auth',
        `An SSH key cannot be used with an ${repository.transport}: URL. Set an access token.`,
      );
    }
    const username =
      credential.username ?? (repository.host === 'bitbucket.org' ? 'x-token-auth' : 'x-access-token');
    await writeSecret(secrets, 'username', `${oneLine(username)}\n`);
    await writeSecret(secrets, 'password', `${oneLine(credential.token)}\n`);
    await writeSecret(secrets, 'askpass', ASKPASS, 0o700);
    environment.GIT_ASKPASS = join(secrets, 'askpass');
  }
  return { environment, settings: pinSettings(repository, addresses) };
}

/** Makes curl connect to checked addresses without a look-up of its own. */
function pinSettings(repository: Repository, addresses: readonly HostAddress[]): string[] {
  const list = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address)).join(',');
  return [`http.curloptResolve=${repository.host}:${repository.port}:${list}`];
}

async function sshAccess(
  repository: Repository,
  addresses: readonly HostAddress[],
  credential: GitCredential | undefined,
  policy: GitPolicy,
  secrets: string,
): Promise<Access> {
  if (credential !== undefined && credential.kind !== 'ssh-key') {
    throw new GitError(
      'auth',
      'An access token cannot be used with an ssh URL. Set an SSH key, or use the https: URL.',
    );
  }
  const identity = join(secrets, 'identity');
  if (credential !== undefined) await writeSecret(secrets, 'identity', `${credential.privateKey.trim()}\n`);
  const pinnedHosts = credential?.knownHosts?.trim() ?? '';
  if (pinnedHosts !== '') await writeSecret(secrets, 'known_hosts', `${pinnedHosts}\n`);
  const options = {
    BatchMode: 'yes',
    CheckHostIP: 'no',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '20',
    GlobalKnownHostsFile: '/dev/null',
    // The checked address is what is connected to; the name is what the host key is kept under.
    HostKeyAlias: repository.port === 22 ? repository.host : `[${repository.host}]:${repository.port}`,
    HostName: addresses[0]?.address ?? repository.host,
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    IdentityFile: credential === undefined ? 'none' : identity,
    PasswordAuthentication: 'no',
    PermitLocalCommand: 'no',
    ProxyCommand: 'none',
    ServerAliveInterval: '15',
    StrictHostKeyChecking: pinnedHosts === '' ? 'accept-new' : 'yes',
    UpdateHostKeys: 'no',
    UserKnownHostsFile:
      pinnedHosts === '' && policy.knownHostsFile !== undefined
        ? policy.knownHostsFile
        : join(secrets, 'known_hosts'),
  };
  const words = [
    'ssh',
    '-F',
    'none',
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${configQuote(value)}`]),
  ];
  return {
    environment: {
      GIT_ALLOW_PROTOCOL: 'ssh',
      GIT_SSH_COMMAND: words.map(shellQuote).join(' '),
      GIT_SSH_VARIANT: 'ssh',
    },
    settings: [],
  };
}

async function writeSecret(folder: string, name: string, text: string, mode = 0o600): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, text, { mode, flag: 'wx' });
  await chmod(file, mode);
}

function oneLine(secret: string): string {
  if (/[\r\n\0]/.test(secret.trim()))
    throw new GitError('auth', "The project's credential contains a line break.");
  return secret.trim();
}

/** ssh splits values at blanks unless quoted; its quoting knows no escape for a quote. */
function configQuote(value: string): string {
  if (!/[\s"#]/.test(value)) return value;
  if (value.includes('"')) throw new GitError('invalid', 'The path of the data folder contains a quote.');
  return `"${value}"`;
}

/** GIT_SSH_COMMAND is read by a shell. */
function shellQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
