import { existsSync, statSync } from 'node:fs';
import type { Kernel } from './open-kernel.ts';

/** Access rights of Landlock, as in <linux/landlock.h>. */
const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_DIR = 1 << 3;
const MAKE_DIR = 1 << 7;
const MAKE_REG = 1 << 8;
const TRUNCATE = 1 << 14;
/** Rights that a file can have; a rule for a file with others is invalid. */
const OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;

/** All rights of a version of the interface: 13 at first, links between folders (2), truncating (3), devices (5). */
const fileRights = (version: number): number =>
  (1 << (version >= 5 ? 16 : version >= 3 ? 15 : version === 2 ? 14 : 13)) - 1;
/** Bind and connect (4). */
const networkRights = (version: number): number => (version >= 4 ? 0b11 : 0);
/** Abstract Unix sockets and signals of processes outside (6). */
const scopes = (version: number): number => (version >= 6 ? 0b11 : 0);

/** Parts of the system that Node needs to start. */
const SYSTEM = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib', '/nix/store', '/gnu/store'];
const SYSTEM_FILES = [
  '/etc/ld.so.cache',
  '/etc/ssl/openssl.cnf',
  '/usr/local/ssl/openssl.cnf',
  '/dev/urandom',
];
/** The kernel starts these for a program that is linked dynamically. */
const LOADERS = [
  '/lib64/ld-linux-x86-64.so.2',
  '/lib/ld-linux-aarch64.so.1',
  '/lib/ld-musl-x86_64.so.1',
  '/lib/ld-musl-aarch64.so.1',
];

const LANDLOCK_CREATE_RULESET = 444;
const GET_VERSION = 1;

/** Version of the interface that this kernel offers; less than 1 where it offers none. */
export const landlockVersion = (kernel: Kernel): number =>
  kernel.systemCall(LANDLOCK_CREATE_RULESET, null, 0, GET_VERSION, 0);

export interface LandlockRules {
  /** `struct landlock_ruleset_attr`, as long as the version of the interface defines it. */
  attributes: string;
  /** Rights below a path, which is there. */
  paths: readonly (readonly [path: string, rights: number])[];
}

/**
 * The files that a render process reaches: it reads what is granted and the parts of the system that Node needs, creates
 * and writes files below `writable`, and starts `program` only. Everything else is refused, /proc too.
 */
export function landlockRules(
  version: number,
  paths: { program: string; readOnly: readonly string[]; writable: readonly string[] },
): LandlockRules {
  const handled = fileRights(version);
  const attributes = Buffer.alloc(version >= 6 ? 24 : version >= 4 ? 16 : 8);
  attributes.writeBigUInt64LE(BigInt(handled), 0);
  if (version >= 4) attributes.writeBigUInt64LE(BigInt(networkRights(version)), 8);
  if (version >= 6) attributes.writeBigUInt64LE(BigInt(scopes(version)), 16);
  const read = READ_FILE | READ_DIR;
  const wanted: [string, number][] = [
    ...[paths.program, ...LOADERS].map((path): [string, number] => [path, READ_FILE | EXECUTE]),
    ...[...SYSTEM, ...SYSTEM_FILES, ...paths.readOnly].map((path): [string, number] => [path, read]),
    ['/dev/null', READ_FILE | WRITE_FILE],
    ...paths.writable.map((path): [string, number] => [
      path,
      read | WRITE_FILE | MAKE_DIR | MAKE_REG | TRUNCATE,
    ]),
  ];
  const rules = wanted
    .filter(([path]) => existsSync(path))
    .map(
      ([path, rights]) => [path, rights & handled & (statSync(path).isDirectory() ? -1 : OF_FILES)] as const,
    );
  return { attributes: attributes.toString('base64'), paths: rules };
}
