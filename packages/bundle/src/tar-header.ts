/** Bytes of a tar block; headers and padded contents are multiples of it. */
export const blockSize = 512;

/** 1980-01-01T00:00:00Z, for every entry: tar programs warn about the year 1970. */
const mtime = 315532800;
const maxSize = 0o77777777777;

/** Padding of a content up to the next block. */
export function paddingOf(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}

/**
 * The header blocks of a regular file (POSIX ustar; a pax extended header before it where the path needs one).
 * Owner, mode and time are fixed.
 */
export function fileHeader(path: string, size: number): Buffer {
  if (size > maxSize) throw new RangeError(`A file of ${size} bytes does not fit a tar header (8 GiB).`);
  const place = ustarPlace(path);
  if (place !== null) return header(place.name, place.prefix, size, '0');
  const record = paxRecord('path', path);
  const extended = header('PaxHeader/path', '', record.length, 'x');
  const standIn = path
    .replace(/[^\x21-\x7e]/g, '_')
    .slice(-100)
    .replace(/^\/+/, '');
  return Buffer.concat([
    extended,
    record,
    Buffer.alloc(paddingOf(record.length)),
    header(standIn, '', size, '0'),
  ]);
}

/** Bytes of the header blocks for a path. */
export function headerLength(path: string): number {
  // most paths fit the plain header; only the others need a computed one
  return path.length <= 100 && /^[\x20-\x7e]+$/.test(path) ? blockSize : fileHeader(path, 0).length;
}

/** Splits a path into the ustar fields: ASCII, 100 bytes, or 155 + 100 split at a slash. */
function ustarPlace(path: string): { name: string; prefix: string } | null {
  if (!/^[\x20-\x7e]{1,256}$/.test(path)) return null;
  if (path.length <= 100) return { name: path, prefix: '' };
  const slash = path.indexOf('/', path.length - 101);
  if (slash < 1 || slash > 155 || slash === path.length - 1) return null;
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) };
}

/** `<length> <key>=<value>\n`, where the length includes itself. */
function paxRecord(key: string, value: string): Buffer {
  const body = Buffer.from(` ${key}=${value}\n`);
  let length = body.length + 1;
  while (String(length).length + body.length !== length) length = String(length).length + body.length;
  return Buffer.concat([Buffer.from(String(length)), body]);
}

const template = Buffer.alloc(blockSize);
template.write('0000644\0', 100, 'latin1');
template.write('0000000\0', 108, 'latin1');
template.write('0000000\0', 116, 'latin1');
template.write(`${mtime.toString(8).padStart(11, '0')}\0`, 136, 'latin1');
template.write('        ', 148, 'latin1');
template.write('ustar\x0000', 257, 'latin1');
template.write('0000000\0', 329, 'latin1');
template.write('0000000\0', 337, 'latin1');

function header(name: string, prefix: string, size: number, type: '0' | 'x'): Buffer {
  const block = Buffer.from(template);
  block.write(name, 0, 100, 'latin1');
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  block.write(type, 156, 'latin1');
  block.write(prefix, 345, 155, 'latin1');
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Sum of the bytes of a header, its checksum field read as spaces. */
export function checksum(block: Uint8Array): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < blockSize; i++) if (i < 148 || i >= 156) sum += block[i]!;
  return sum;
}
