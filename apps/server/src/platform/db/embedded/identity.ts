import { spawnSync } from 'node:child_process';
import { lchown, lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How PostgreSQL's programs are started so that they do not run as root and do not outlive the guard. */
export interface Identity {
  /** Put before the program and its arguments. */
  prefix: string[];
  /** Another user than this process, where it has to be one. */
  user: { uid: number; gid: number } | null;
}

const USER_NAMESPACE = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];
const DEATH_SIGNAL = ['setpriv', '--pdeathsig', 'INT', '--'];

/**
 * PostgreSQL refuses to run as root. Root therefore starts it in a user namespace in which it is user 1000:
 * files keep their owner and a home folder that only root can enter stays usable. Where the kernel refuses
 * user namespaces, it runs as the user `postgres` or `nobody`. On Linux the kernel also makes the server shut
 * down when the guard dies.
 */
export async function chooseIdentity(works: (command: string[]) => boolean = runs): Promise<Identity> {
  const outlive = works([...DEATH_SIGNAL, 'true']) ? DEATH_SIGNAL : [];
  if (process.getuid?.() !== 0) return { prefix: outlive, user: null };
  if (works([...USER_NAMESPACE, 'true'])) return { prefix: [...USER_NAMESPACE, ...outlive], user: null };
  return { prefix: outlive, user: await unprivilegedUser() };
}

/** So long that a busy machine is not taken for one that offers less. */
const TRIAL_MS = 60_000;

function runs([program, ...args]: string[]): boolean {
  return spawnSync(program!, args, { stdio: 'ignore', timeout: TRIAL_MS }).status === 0;
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const entry = ['postgres', 'nobody'].map((name) => lines.find((line) => line[0] === name)).find(Boolean);
  if (!entry) {
    throw new Error(
      'PostgreSQL does not run as root, this system does not allow user namespaces and has no user named postgres or nobody. ' +
        'Run Offprint as an ordinary user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** Throws, with the way out, when the user that PostgreSQL has to run as cannot use these paths. */
export function requireAccess(identity: Identity, program: string, folder: string): void {
  if (!identity.user) return;
  const script = 'test -x "$1" && test -x "$2" && test -w "$2"';
  const check = spawnSync('sh', ['-c', script, 'sh', program, folder], {
    ...identity.user,
    cwd: '/',
    stdio: 'ignore',
  });
  if (check.status === 0) return;
  throw new Error(
    `PostgreSQL does not run as root, and this system does not allow user namespaces, so it has to run as user ${identity.user.uid}, ` +
      `which has no access to ${program} or ${folder}. Run Offprint as an ordinary user, move both out of folders that only ` +
      'root can access (OFFPRINT_DATA_DIR moves the data), or set DATABASE_URL.',
  );
}

/**
 * Gives a tree to the user PostgreSQL will run as; root's data may come from a run with another identity. The
 * top changes hands last, so that an interrupted walk is taken up again.
 */
export async function giveTree(top: string, identity: Identity): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = identity.user ?? { uid: 0, gid: 0 };
  if ((await lstat(top)).uid === uid) return;
  try {
    for (const name of await readdir(top, { recursive: true })) await lchown(join(top, name), uid, gid);
    await lchown(top, uid, gid);
  } catch (error) {
    throw new Error(
      `Cannot change the owner of ${top} to user ${uid}, as which PostgreSQL has to run: ${(error as Error).message}. ` +
        'Run Offprint as an ordinary user, or set DATABASE_URL.',
    );
  }
}
