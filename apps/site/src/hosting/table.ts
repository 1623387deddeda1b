import { createHash, hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import {
  BundleError,
  formatManifest,
  isTextFile,
  type Manifest,
  manifestPath,
  parseManifestInTurns,
} from '@offprint/bundle';
import { openFile } from '../releases/open-file.ts';
import { DamagedFileError } from './verified-file.ts';

/**
 * The list of files of a release, as one file that is read by position. Records of a fixed size are sorted by a digest
 * of the path, so that the place of a record can be computed. The manifest without its files follows, then the content
 * types, then a digest of all of it.
 */
export interface Table {
  /** Number of files. */
  count: number;
  /** The manifest without its files. */
  head: Manifest;
  /** Bytes of the text of `head`. */
  headBytes: number;
  /** The record of the file at a path of the bundle; null without one. */
  find(path: string): Promise<TableRecord | null>;
  /** All records. */
  records(): AsyncGenerator<TableRecord>;
  close(): Promise<void>;
}

export interface TableRecord {
  /** Number of the record. */
  index: number;
  /** Digest of the content. */
  sha256: string;
  size: number;
  contentType: string;
  isText: boolean;
  /** A page with a Markdown version. */
  hasTwin: boolean;
}

const magic = Buffer.from('OFFPTAB1');
const headerBytes = 32;
const recordBytes = 64;
const keyBytes = 16;
const digestBytes = 32;
/** Records of a block, which are read at a time: four kilobytes. */
const atATime = 64;
/** Content types of one bundle; sites have some dozens. */
const maxContentTypes = 1000;
const [textFlag, twinFlag] = [1, 2];
/** Records that are made, and groups that are sorted, between two turns of the event loop: other sites are served. */
const [recordsAtATime, groupsAtATime] = [500, 2];

/** The bytes of a table, in pieces. Rejects with a BundleError if the bundle has too many content types. */
export async function formatTable(manifest: Manifest): Promise<Buffer[]> {
  const { files } = manifest;
  const types = [...new Set(files.map(({ contentType }) => contentType))];
  if (types.length > maxContentTypes)
    throw new BundleError(
      'too_large',
      `The bundle has more than ${maxContentTypes} content types.`,
      manifestPath,
    );
  const places = new Map(types.map((type, place) => [type, place]));
  const markdown = new Set(files.flatMap(({ path }) => (path.endsWith('.md') ? [path] : [])));
  // by the first byte of the key, so that a group is sorted in one turn
  const groups: Buffer[][] = Array.from({ length: 256 }, () => []);
  for (const [number, file] of files.entries()) {
    if (number % recordsAtATime === recordsAtATime - 1) await turn();
    const record = Buffer.alloc(recordBytes);
    keyOf(file.path).copy(record);
    record.write(file.sha256, keyBytes, 'hex');
    record.writeUIntBE(file.size, 48, 6);
    record.writeUInt16BE(places.get(file.contentType) ?? 0, 54);
    const hasTwin = file.path.endsWith('.html') && markdown.has(file.path.replace(/html$/, 'md'));
    record.writeUInt8((isTextFile(file) ? textFlag : 0) + (hasTwin ? twinFlag : 0), 56);
    groups[record.readUInt8(0)]?.push(record);
  }
  const head = Buffer.from(formatManifest(manifest, []));
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt32BE(files.length, 8);
  header.writeUInt32BE(head.length, 12);
  const pieces = [header];
  const digest = createHash('sha256').update(header);
  for (const [number, group] of groups.entries()) {
    if (number % groupsAtATime === groupsAtATime - 1) await turn();
    const piece = Buffer.concat(group.sort((a, b) => Buffer.compare(a, b)));
    digest.update(piece);
    pieces.push(piece);
  }
  for (const piece of [head, Buffer.from(JSON.stringify(types))]) {
    digest.update(piece);
    pieces.push(piece);
  }
  return [...pieces, digest.digest()];
}

/** Whether a table is the one that was written. */
export async function verifyTable(folder: string, name: string): Promise<boolean> {
  const handle = await openFile(folder, name).catch(() => null);
  if (handle === null) return false;
  try {
    const all = await handle.readFile();
    const end = all.length - digestBytes;
    return end > headerBytes && digestOf(all.subarray(0, end)).equals(all.subarray(end));
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}

/** The records of a block, which were kept or are read. */
export type KeepBlock = (block: number, read: () => Promise<Buffer>) => Buffer | Promise<Buffer>;

/** Opens a table. `keep` decides which blocks `find` reads again. Throws if it is not one, or a file system error. */
export async function openTable(
  folder: string,
  name: string,
  keep: KeepBlock = (_, read) => read(),
): Promise<Table> {
  const handle = await openFile(folder, name);
  try {
    const { size } = await handle.stat();
    const header = await readAt(handle, 0, headerBytes);
    if (!header.subarray(0, magic.length).equals(magic)) throw damaged();
    const [count, headLength] = [header.readUInt32BE(8), header.readUInt32BE(12)];
    const start = headerBytes + count * recordBytes;
    const rest = size - digestBytes - start;
    if (rest < headLength) throw damaged();
    const text = await readAt(handle, start, rest);
    const head = await parseManifestInTurns(text.toString('utf8', 0, headLength));
    const types: unknown = JSON.parse(text.toString('utf8', headLength));
    return createTable(handle, keep, {
      count,
      head,
      headBytes: headLength,
      types: Array.isArray(types) ? types : [],
    });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function createTable(
  handle: FileHandle,
  keep: KeepBlock,
  { types, ...rest }: Pick<Table, 'count' | 'head' | 'headBytes'> & { types: readonly unknown[] },
): Table {
  const { count } = rest;
  const read = (block: number): Promise<Buffer> => {
    const first = block * atATime;
    return readAt(handle, headerBytes + first * recordBytes, Math.min(atATime, count - first) * recordBytes);
  };
  const recordOf = (block: Buffer, place: number, index: number): TableRecord => {
    const record = block.subarray(place * recordBytes, (place + 1) * recordBytes);
    const flags = record.readUInt8(56);
    return {
      index,
      sha256: record.toString('hex', keyBytes, keyBytes + digestBytes),
      size: record.readUIntBE(48, 6),
      contentType: String(types[record.readUInt16BE(54)] ?? 'application/octet-stream'),
      isText: (flags & textFlag) !== 0,
      hasTwin: (flags & twinFlag) !== 0,
    };
  };
  return {
    ...rest,
    async find(path) {
      const key = keyOf(path);
      let [low, high] = [0, Math.ceil(count / atATime)];
      // digests are spread evenly; after the first block, halving limits the number of reads for any others
      let number = Math.floor((key.readUIntBE(0, 6) / 2 ** 48) * (count / atATime));
      while (low < high) {
        const block = await keep(number, () => read(number));
        const place = placeOf(block, key);
        if (place !== null) return recordOf(block, place, number * atATime + place);
        if (compareKey(block, 0, key) > 0) high = number;
        else if (compareKey(block, block.length / recordBytes - 1, key) < 0) low = number + 1;
        else return null;
        number = Math.floor((low + high) / 2);
      }
      return null;
    },
    async *records() {
      for (let number = 0; number * atATime < count; number++) {
        const block = await read(number);
        for (let place = 0; place < block.length / recordBytes; place++)
          yield recordOf(block, place, number * atATime + place);
      }
    },
    close: () => handle.close(),
  };
}

/** The place of a key in a block; null without one. */
function placeOf(block: Buffer, key: Buffer): number | null {
  let [low, high] = [0, block.length / recordBytes - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compareKey(block, middle, key);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

function compareKey(block: Buffer, place: number, key: Buffer): number {
  const start = place * recordBytes;
  return block.compare(key, 0, keyBytes, start, start + keyBytes);
}

/** Half of a digest: nobody can make two paths with the same one. */
function keyOf(path: string): Buffer {
  return digestOf(path.normalize('NFC')).subarray(0, keyBytes);
}

function digestOf(content: string | Buffer): Buffer {
  return hash('sha256', content, 'buffer');
}

async function readAt(handle: FileHandle, start: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  const { bytesRead } = await handle.read(buffer, 0, bytes, start);
  if (bytesRead !== bytes) throw damaged();
  return buffer;
}

function damaged(): Error {
  return new DamagedFileError('The list of files of a release is damaged.');
}
