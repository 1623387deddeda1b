/** What an encoder makes of one image, as it is kept: a head as JSON, then the variants one after the other. */

export type ImageFormat = 'webp' | 'avif';

export interface ImageVariant {
  /** Pixels. */
  width: number;
  content: Uint8Array;
}

/** Without variants, pages show the original alone. */
export interface ImageRecord {
  /** Pixels of the image as it is shown, after the orientation that its file names. */
  width: number;
  height: number;
  /** By width. */
  variants: readonly ImageVariant[];
  /** Why the file cannot be read: the end of "The image cannot be read: "; null if it can. */
  fault: string | null;
}

interface Head extends Omit<ImageRecord, 'variants'> {
  variants: readonly [width: number, bytes: number][];
}

const LENGTH_BYTES = 4;
const MAX_VARIANTS = 8;
const MAX_FAULT = 200;

export function packImage({ width, height, variants, fault }: ImageRecord): Uint8Array {
  const sizes = variants.map((variant): [number, number] => [variant.width, variant.content.byteLength]);
  const head = Buffer.from(JSON.stringify({ width, height, fault, variants: sizes } satisfies Head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.byteLength);
  return Buffer.concat([length, head, ...variants.map(({ content }) => content)]);
}

/** Reads a record that a process on hostile content may have written; null for anything else. */
export function unpackImage(record: Uint8Array): ImageRecord | null {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  if (bytes.byteLength < LENGTH_BYTES) return null;
  const start = LENGTH_BYTES + bytes.readUInt32LE(0);
  const head = readHead(bytes.toString('utf8', LENGTH_BYTES, start));
  if (head === null) return null;
  let at = start;
  const variants = head.variants.map(([width, size]) => {
    at += size;
    return { width, content: bytes.subarray(at - size, at) };
  });
  return at === bytes.byteLength ? { ...head, variants } : null;
}

function readHead(text: string): Head | null {
  try {
    const head: Partial<Head> | null = JSON.parse(text);
    if (!isCount(head?.width) || !isCount(head.height) || !Array.isArray(head.variants)) return null;
    if (head.variants.length > MAX_VARIANTS) return null;
    if (!head.variants.every(([width, bytes]) => isCount(width) && isCount(bytes))) return null;
    const fault = typeof head.fault === 'string' ? head.fault.slice(0, MAX_FAULT) : null;
    return { width: head.width, height: head.height, variants: head.variants, fault };
  } catch {
    return null;
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
