import { BundleError } from './error.ts';
import { blockSize, checksum, paddingOf } from './tar-header.ts';

/** Kind of an entry. `other`: devices, FIFOs, sparse and multi-volume files, unknown types. */
export type TarKind = 'file' | 'folder' | 'link' | 'other';

export interface TarEntry {
  kind: TarKind;
  /** As in the archive: not validated. */
  path: string;
  /** Bytes of content. */
  size: number;
  /** The content, readable once. What is not read is skipped. */
  content: AsyncIterable<Buffer>;
}

const maxExtendedBytes = 1024 * 1024;
/** Extended headers before one entry; tar programs write three at most. */
const maxExtendedHeaders = 16;
/** Zeros after the end: tar programs fill a record of 10 kB, or of a configured size. */
const maxPaddingBytes = 1024 * 1024;

/** pax for the next entry and for all that follow; GNU long name and long link name. */
const extendedTypes = new Set(['x', 'g', 'L', 'K']);

/** Values of an extended header that override the header of the entry. */
interface Overrides {
  path?: string;
  size?: number;
}

/**
 * The entries of a tar stream: ustar, pax (`path`, `size`), GNU long names, and the old V7 header. Every
 * header checksum is verified. Throws a BundleError for a damaged or truncated stream and for anything but
 * zeros after the end.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void, undefined> {
  const reader = createReader(source);
  let next: Overrides = {};
  let global: Overrides = {};
  let extended = 0;
  for (;;) {
    const block = await reader.take(blockSize);
    if (block === null) throw cut();
    if (isZero(block)) break;
    const header = parseHeader(block);
    if (extendedTypes.has(header.type)) {
      if (++extended > maxExtendedHeaders) throw damaged('an entry has too many extended headers');
      const found = parseExtended(header.type, await readExtended(reader, header.size));
      if (header.type === 'g') global = { ...global, ...found };
      else next = { ...next, ...found };
      continue;
    }
    const path = next.path ?? global.path ?? header.path;
    const kind = kindOf(header.type, path);
    // links and folders have no content, whatever their size field says (POSIX pax, "size")
    const size = kind === 'file' || kind === 'other' ? (next.size ?? global.size ?? header.size) : 0;
    next = {};
    extended = 0;
    let left = size;
    const content = async function* (): AsyncGenerator<Buffer, void, undefined> {
      while (left > 0) {
        const piece = await reader.some(left);
        if (piece === null) throw cut();
        left -= piece.length;
        yield piece;
      }
    };
    yield { kind, path, size, content: content() };
    await reader.skip(left + paddingOf(size));
  }
  await readPadding(reader);
}

/** The second block of zeros that ends an archive, and the zeros that fill its record. */
async function readPadding(reader: Reader): Promise<void> {
  let padding = 0;
  for (let rest = await reader.take(blockSize); ; rest = await reader.some(64 * 1024)) {
    if (rest === null && padding === 0) throw cut();
    if (rest === null) return;
    padding += rest.length;
    if (!isZero(rest) || padding > maxPaddingBytes) {
      throw new BundleError('trailing_data', 'Data follows the end of the tar archive.');
    }
  }
}

function cut(): BundleError {
  return new BundleError('truncated', 'The archive ends too early.');
}

function damaged(what: string): BundleError {
  return new BundleError('tar_invalid', `The archive is damaged: ${what}.`);
}

function kindOf(type: string, path: string): TarKind {
  if (type === '5' || ((type === '0' || type === '\0') && path.endsWith('/'))) return 'folder';
  if (type === '0' || type === '\0' || type === '7') return 'file';
  return type === '1' || type === '2' ? 'link' : 'other';
}

function isZero(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}

function zeroIn(bytes: Buffer): number {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes.length : end;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    const shown = Buffer.from(bytes)
      .toString('latin1')
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, 200);
    throw new BundleError('path_unsafe', 'The name of the entry is not UTF-8.', shown);
  }
}

function parseHeader(block: Buffer): { path: string; size: number; type: string } {
  if (parseNumber(block.subarray(148, 156)) !== checksum(block)) {
    throw damaged('the checksum of a tar header does not match');
  }
  const text = (from: number, length: number) => {
    const field = block.subarray(from, from + length);
    return decode(field.subarray(0, zeroIn(field)));
  };
  const name = text(0, 100);
  const posix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = posix ? text(345, 155) : '';
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    size: parseNumber(block.subarray(124, 136)),
    type: String.fromCharCode(block[156]!),
  };
}

/** An octal number, or the base-256 form of GNU tar for large ones. */
function parseNumber(field: Buffer): number {
  if (field[0]! & 0x80) {
    let value = BigInt(field[0]! & 0x7f);
    for (const byte of field.subarray(1)) value = (value << 8n) | BigInt(byte);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged('a number in a tar header is too large');
    return Number(value);
  }
  const digits = field
    .toString('latin1')
    .replace(/^ +/, '')
    .replace(/[ \0].*$/s, '');
  if (!/^[0-7]{0,12}$/.test(digits)) throw damaged('a number in a tar header is not octal');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

async function readExtended(reader: Reader, size: number): Promise<Buffer> {
  if (size > maxExtendedBytes) throw damaged('an extended header is larger than 1 MB');
  const data = size === 0 ? Buffer.alloc(0) : await reader.take(size);
  if (data === null) throw cut();
  await reader.skip(paddingOf(size));
  return data;
}

function parseExtended(type: string, data: Buffer): Overrides {
  if (type === 'K') return {};
  return type === 'L' ? { path: decode(data.subarray(0, zeroIn(data))) } : parsePax(data);
}

/** The relevant records of a pax header: `<length> <key>=<value>\n`. */
function parsePax(data: Buffer): Overrides {
  const found: Overrides = {};
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    // Without this, a rest without a length would be parsed again and again.
    if (space < 0) throw damaged('a pax record is not valid');
    const digits = data.toString('latin1', at, space);
    const length = /^[1-9][0-9]{0,6}$/.test(digits) ? Number(digits) : 0;
    const end = at + length;
    if (end <= space || end > data.length || data[end - 1] !== 0x0a)
      throw damaged('a pax record is not valid');
    const record = data.subarray(space + 1, end - 1);
    const equals = record.indexOf(0x3d);
    if (equals < 1) throw damaged('a pax record has no key');
    const key = record.toString('latin1', 0, equals);
    const value = record.subarray(equals + 1);
    if (key.startsWith('GNU.sparse.'))
      throw new BundleError(
        'entry_kind',
        'The archive contains a sparse file. Create it without sparse files.',
      );
    if (key === 'path') found.path = decode(value);
    if (key === 'size') {
      const digits = value.toString('latin1');
      const size = /^[0-9]{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
      if (!Number.isSafeInteger(size)) throw damaged('a pax size is not valid');
      found.size = size;
    }
    at = end;
  }
  return found;
}

interface Reader {
  /** Exactly this number of bytes; null if the stream ends before. */
  take(length: number): Promise<Buffer | null>;
  /** Between one and this number of bytes; null at the end. */
  some(most: number): Promise<Buffer | null>;
  skip(length: number): Promise<void>;
}

function createReader(source: AsyncIterable<Buffer>): Reader {
  const input = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const fill = async () => {
    while (held.length === 0) {
      const { value, done } = await input.next();
      if (done) return false;
      held = value;
    }
    return true;
  };
  const some = async (most: number) => {
    if (!(await fill())) return null;
    const piece = held.subarray(0, most);
    held = held.subarray(piece.length);
    return piece;
  };
  return {
    some,
    async take(length) {
      if (held.length >= length) {
        const whole = held.subarray(0, length);
        held = held.subarray(length);
        return whole;
      }
      const pieces: Buffer[] = [];
      for (let left = length; left > 0; ) {
        const piece = await some(left);
        if (piece === null) return null;
        pieces.push(piece);
        left -= piece.length;
      }
      return Buffer.concat(pieces, length);
    },
    async skip(length) {
      for (let left = length; left > 0; ) {
        const piece = await some(left);
        if (piece === null) throw cut();
        left -= piece.length;
      }
    },
  };
}
