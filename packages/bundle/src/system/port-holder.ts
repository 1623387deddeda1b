import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** A process that listens on a port. */
export interface PortHolder {
  pid: number;
  /** The program, with its script where it runs one: `node server.mjs`. Arguments are left out: they may be secrets. */
  command: string;
}

const LISTEN = '0A';
const WILDCARD = /^0+$/;
const MAX_COMMAND = 80;

/**
 * The process that listens on a TCP port of this machine; null when the system does not say: anything but Linux, and
 * processes of other users.
 */
export function findPortHolder(port: number, address?: string): PortHolder | null {
  const inodes = listenersOf(port, address);
  if (inodes.size === 0) return null;
  for (const pid of list('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of list(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1];
      if (inode !== undefined && inodes.has(inode)) return { pid: Number(pid), command: commandOf(pid) };
    }
  }
  return null;
}

/** Socket inodes of the listeners that keep others from the port. */
function listenersOf(port: number, address: string | undefined): Set<string> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const own = address === undefined ? null : ipv4Hex(address);
  const found = new Set<string>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of read(file).split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state !== LISTEN || !local.endsWith(wanted)) continue;
      const host = local.slice(0, -wanted.length);
      const isOther =
        own !== null && host.length === 8 && host !== own && !WILDCARD.test(host) && !WILDCARD.test(own);
      if (!isOther) found.add(inode);
    }
  }
  return found;
}

/** The form of /proc/net/tcp; null for anything but an IPv4 address. */
function ipv4Hex(address: string): string | null {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || !parts.every((part) => part >= 0 && part <= 255)) return null;
  return parts
    .reverse()
    .map((part) => part.toString(16).toUpperCase().padStart(2, '0'))
    .join('');
}

function commandOf(pid: string): string {
  const [program = '', script = ''] = read(`/proc/${pid}/cmdline`).split('\0');
  const name = program === '' ? read(`/proc/${pid}/comm`).trim() : basename(program);
  const isScript = /\.[cm]?[jt]s$|\.py$|\.rb$/.test(script);
  return (isScript ? `${name} ${basename(script)}` : name)
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_COMMAND);
}

// Processes come and go while they are read, and those of other users are closed.
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
