import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Paths that a jailed process sees at their own names; everything else is not there. */
export interface JailPaths {
  readOnly: readonly string[];
  writable: readonly string[];
}

/** Where the new root is put together: a folder that every system has, hidden by it in this process only. */
const PLACES = ['/mnt', '/media', '/srv', '/opt', '/boot', '/home'];

type Kind = 'ro' | 'rw' | 'device';

/** What is written there cannot be run or loaded as a library. */
const OPTIONS: Readonly<Record<Kind, string>> = {
  ro: 'ro,nosuid,nodev',
  rw: 'rw,nosuid,nodev,noexec',
  device: 'rw,nosuid,noexec',
};

/** Programs and libraries of the system, and the link cache of its loader. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc/ld.so.cache'];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/urandom'];

/**
 * The arguments that run `command` in a jail, to follow `unshare` and its flags; null if no place for the
 * jail is free. Programs are absolute paths; `keep` names capabilities that are not given up.
 */
export function jailCommand(
  command: readonly string[],
  paths: JailPaths,
  programs: { sh: string; setpriv: string; env: string; keep: readonly string[] },
): string[] | null {
  const place = PLACES.find((folder) => isFree(folder, [...paths.readOnly, ...paths.writable, ...command]));
  if (place === undefined) return null;
  const links = SYSTEM.filter((path) => isLink(path));
  const mounts: [kind: Kind, path: string][] = [];
  for (const path of SYSTEM) if (existsSync(path) && !isLink(path)) mounts.push(['ro', path]);
  for (const path of DEVICES.filter(existsSync)) mounts.push(['device', path]);
  const within = (path: string): boolean =>
    mounts.some(([kind, outer]) => kind === 'ro' && (path === outer || path.startsWith(`${outer}/`)));
  for (const path of paths.readOnly.toSorted())
    if (existsSync(path) && !within(path)) mounts.push(['ro', path]);
  for (const path of paths.writable) mounts.push(['rw', path]);
  const givingUp = [
    programs.setpriv,
    '--no-new-privs',
    '--inh-caps=-all',
    `--bounding-set=${['-all', ...programs.keep.map((name) => `+${name}`)].join(',')}`,
  ];
  // The shell has put variables of its own into the environment.
  const emptied = [programs.env, '-i', ...givingUp];
  return [programs.sh, '-c', script(place, mounts, links), 'jail', ...emptied, ...command];
}

/**
 * Makes a root file system of bind mounts and starts the command in it. Runs in fresh user, mount and process
 * namespaces, with their privileges; `setpriv` gives them all up before the command. One `mount` makes all mounts,
 * since each process costs milliseconds.
 */
function script(
  place: string,
  mounts: readonly (readonly [Kind, string])[],
  links: readonly string[],
): string {
  const inside = (path: string): string => quote(place + path);
  const folders = new Set<string>();
  const files: string[] = [];
  for (const [, path] of mounts) {
    const isFolder = statSync(path).isDirectory();
    folders.add(inside(isFolder ? path : dirname(path)));
    if (!isFolder) files.push(inside(path));
  }
  const table = [
    ...mounts.map(([kind, path]) => `${octal(path)} ${octal(place + path)} none bind,${OPTIONS[kind]} 0 0`),
    `proc ${place}/proc proc nosuid,nodev,noexec 0 0`,
  ];
  return [
    'set -e',
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    `mount -t tmpfs -o mode=755,size=4m tmpfs ${place}`,
    `mkdir -p ${place}/proc ${place}/tmp ${[...folders].join(' ')}`,
    // A file within a folder that is mounted read-only is there already when its turn comes.
    ...files.map((file) => `: > ${file}`),
    ...links.map((path) => `ln -s ${quote(readlinkSync(path))} ${inside(path)}`),
    `printf '%s\\n' ${table.map(quote).join(' ')} > ${place}/tmp/table`,
    `mount -a -T ${place}/tmp/table`,
    // Of the mount and not of the file system, whose options name users that a user namespace does not have.
    `mount -o remount,bind,ro,nosuid,nodev ${place}`,
    `exec chroot ${place} "$@"`,
  ].join('\n');
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** As in fstab(5). */
function octal(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function isFree(place: string, paths: readonly string[]): boolean {
  const folder = statSync(place, { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true || lstatSync(place).isSymbolicLink()) return false;
  return paths.every((path) => path !== place && !path.startsWith(`${place}/`));
}
