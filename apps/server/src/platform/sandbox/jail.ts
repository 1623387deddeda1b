import { existsSync, lstatSync, statSync } from 'node:fs';

/** Paths that a jailed process sees at their own names; everything else is not there. */
export interface JailPaths {
  readOnly: readonly string[];
  writable: readonly string[];
}

/** Where the new root is put together: a folder that every system has, hidden by it in this process only. */
const PLACES = ['/mnt', '/media', '/srv', '/opt', '/boot', '/home'];

/** Programs and libraries of the system, and the link cache of its loader. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc/ld.so.cache'];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/urandom'];

/**
 * Makes a root file system of bind mounts and starts the command in it. Runs in fresh user, mount and process
 * namespaces, with their privileges; `setpriv` gives them all up before the command. Words: place, then
 * `link|ro|rw path` pairs, `--`, command.
 */
const SCRIPT = `set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1; shift
mount -t tmpfs -o mode=755,size=4m tmpfs "$root"
while [ "$1" != -- ]; do
  at="$root$2"
  if [ "$1" = link ]; then
    ln -s "$(readlink "$2")" "$at"
  else
    if [ -d "$2" ]; then mkdir -p "$at"
    elif [ ! -e "$at" ]; then mkdir -p "\${at%/*}"; : > "$at"
    fi
    if [ "$1" = ro ]; then mount -o bind,ro "$2" "$at"; else mount -o bind "$2" "$at"; fi
  fi
  shift 2
done
shift
mkdir -p "$root/proc" "$root/tmp"
mount -t proc proc "$root/proc"
mount -o remount,ro "$root"
exec chroot "$root" "$@"`;

/**
 * The words that run `command` in a jail, to stand behind `unshare` and its flags; null where no place for the
 * jail is free. Programs are absolute paths; `keep` names capabilities that are not given up.
 */
export function jailCommand(
  command: readonly string[],
  paths: JailPaths,
  programs: { sh: string; setpriv: string; env: string; keep: readonly string[] },
): string[] | null {
  const place = PLACES.find((folder) => isFree(folder, [...paths.readOnly, ...paths.writable, ...command]));
  if (place === undefined) return null;
  const mounts: [kind: 'link' | 'ro' | 'rw', path: string][] = [];
  for (const path of SYSTEM.filter(existsSync)) {
    mounts.push([lstatSync(path).isSymbolicLink() ? 'link' : 'ro', path]);
  }
  for (const path of DEVICES.filter(existsSync)) mounts.push(['rw', path]);
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
  return [programs.sh, '-c', SCRIPT, 'jail', place, ...mounts.flat(), '--', ...emptied, ...command];
}

function isFree(place: string, paths: readonly string[]): boolean {
  const folder = statSync(place, { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true || lstatSync(place).isSymbolicLink()) return false;
  return paths.every((path) => path !== place && !path.startsWith(`${place}/`));
}
