/** Runs Node as an ordinary user, and as an ordinary container does. */
import { fileURLToPath } from 'node:url';
import { openKernel } from '../src/platform/sandbox/open-kernel.ts';
import { assemble } from '../src/platform/sandbox/seccomp.ts';

/** The user of the images. */
export const CONTAINER_USER = 65532;

const AS_USER = [
  '--reuid',
  `${CONTAINER_USER}`,
  '--regid',
  `${CONTAINER_USER}`,
  '--clear-groups',
  '--inh-caps=-all',
];

/**
 * The words that run Node with `args` by a user without root, capabilities and new privileges. Only root can change the
 * user; everyone else keeps their own.
 */
export function asOrdinaryUser(args: readonly string[]): string[] {
  const asUser = process.getuid?.() === 0 ? [...AS_USER, '--bounding-set=-all'] : [];
  return ['setpriv', ...asUser, '--no-new-privs', process.execPath, '--no-warnings', ...args];
}

/**
 * The same as in an ordinary container. What a container runtime does is done here without one: a seccomp filter refuses
 * what creates namespaces, like the default profiles of Docker and Kubernetes. The file system and the network stay those
 * of this machine, which makes more reachable than in a container, not less.
 */
export function inContainer(args: readonly string[]): string[] {
  return asOrdinaryUser([SELF, 'container', ...args]);
}

/** The same on a system without Landlock, such as gVisor or a kernel before Linux 5.13. */
export function withoutLandlock(args: readonly string[]): string[] {
  return asOrdinaryUser([SELF, 'no-landlock', ...args]);
}

const SELF = fileURLToPath(import.meta.url);

const NUMBERS = {
  x64: { seccomp: 317, clone: 56, unshare: 272, setns: 308, clone3: 435 },
  arm64: { seccomp: 277, clone: 220, unshare: 97, setns: 268, clone3: 435 },
};

/** `clone3`, whose flags are in memory, and `missing` do not exist; the others fail with EPERM. */
function refusing(
  { clone, unshare, setns, clone3 }: Omit<(typeof NUMBERS)['x64'], 'seccomp'>,
  missing: number,
): Buffer {
  const [load, jumpIfEqual, jumpIfSet, end] = [0x20, 0x15, 0x45, 0x06];
  const [eperm, enosys, allow] = [0x00050001, 0x00050026, 0x7fff0000];
  return assemble([
    [load, 0, 0, 0],
    [jumpIfEqual, 1, 0, missing],
    [jumpIfEqual, 0, 1, clone3],
    [end, 0, 0, enosys],
    [jumpIfEqual, 5, 0, unshare],
    [jumpIfEqual, 4, 0, setns],
    [jumpIfEqual, 0, 2, clone],
    [load, 0, 0, 16],
    [jumpIfSet, 1, 0, 0x7e020000],
    [end, 0, 0, allow],
    [end, 0, 0, eperm],
  ]);
}

const LANDLOCK_CREATE_RULESET = 444;

if (process.argv[1] === SELF) {
  const [place, ...args] = process.argv.slice(2);
  const opened = openKernel();
  if ('missing' in opened) throw new Error(opened.missing);
  const { seccomp, ...calls } = NUMBERS[process.arch === 'arm64' ? 'arm64' : 'x64'];
  const missing = place === 'no-landlock' ? LANDLOCK_CREATE_RULESET : calls.clone3;
  if (opened.kernel.addFilter(seccomp, refusing(calls, missing), false) !== 0)
    throw new Error('the filter cannot be added');
  process.execve?.(process.execPath, [process.execPath, ...args], process.env);
}
