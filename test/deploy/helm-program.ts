/** Helm 3 itself: the one that an npm package carries, which is for Linux on x64; elsewhere that of the system. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/helm', import.meta.url));

/** Path of the program; null if it is not installed. A bare name could be another program in another environment. */
export function findHelm(): string | null {
  if (process.platform === 'linux' && process.arch === 'x64') {
    const program = join(CACHE, 'helm');
    if (!existsSync(program)) unpack(program);
    if (isHelm(program)) return program;
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => resolve(folder, 'helm')).find(isHelm) ?? null;
}

function unpack(program: string): void {
  const require = createRequire(import.meta.url);
  const archive = readFileSync(join(require.resolve('@aws-cdk/asset-kubectl-v20'), '..', 'layer.zip'));
  mkdirSync(CACHE, { recursive: true });
  const work = `${program}.${process.pid}`;
  writeFileSync(work, zipEntry(archive, 'helm/helm'));
  chmodSync(work, 0o755);
  renameSync(work, program);
}

/** Content of one file of a zip archive, found by the list at its end (PKWARE APPNOTE 4.3.12). */
function zipEntry(archive: Buffer, name: string): Buffer {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = archive.readUInt32LE(end + 16);
  while (archive.readUInt32LE(at) === 0x02014b50) {
    const size = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = archive.readUInt32LE(at + 42);
      const content = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      return inflateRawSync(archive.subarray(content, content + size));
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`no ${name} in the archive`);
}

/** Helm 4 speaks to a cluster in another format than the Kubernetes API of the tests. */
function isHelm(program: string): boolean {
  const { status, stdout } = spawnSync(program, ['version', '--short'], { encoding: 'utf8' });
  return status === 0 && stdout.startsWith('v3.');
}
