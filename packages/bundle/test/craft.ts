import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type ArtifactIndex,
  createPacker,
  type ManifestFile,
  type ManifestHead,
  memoryChunks,
} from '../src/index.ts';
import { joinBundle } from '../src/join.ts';

/** A tar header written field by field, so that it can be wrong. */
export interface RawHeader {
  name: string | Buffer;
  type?: string;
  size?: number | string | Buffer;
  prefix?: string;
  link?: string;
  magic?: string;
  checksum?: string;
}

export function rawHeader(fields: RawHeader): Buffer {
  const block = Buffer.alloc(512);
  const put = (value: string | Buffer, at: number, length: number) =>
    void (typeof value === 'string' ? block.write(value, at, length) : value.copy(block, at, 0, length));
  put(fields.name, 0, 100);
  put('0000644\0', 100, 8);
  put('0000000\0', 108, 8);
  put('0000000\0', 116, 8);
  const size = fields.size ?? 0;
  put(typeof size === 'number' ? `${size.toString(8).padStart(11, '0')}\0` : size, 124, 12);
  put('00000000000\0', 136, 12);
  put('        ', 148, 8);
  put(fields.type ?? '0', 156, 1);
  put(fields.link ?? '', 157, 100);
  put(fields.magic ?? 'ustar\x0000', 257, 8);
  put(fields.prefix ?? '', 345, 155);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(fields.checksum ?? `${sum.toString(8).padStart(6, '0')}\0 `, 148, 8);
  return block;
}

/** An entry: header, content, padding. */
export function entry(fields: RawHeader & { content?: string | Buffer }): Buffer {
  const content = Buffer.from(fields.content ?? '');
  const header = rawHeader({ size: content.length, ...fields });
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** A pax extended header with these records. */
export function pax(records: Record<string, string>, type = 'x'): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const body = Buffer.from(` ${key}=${value}\n`);
    let length = body.length + 1;
    while (String(length).length + body.length !== length) length = String(length).length + body.length;
    return Buffer.concat([Buffer.from(String(length)), body]);
  });
  return entry({ name: 'PaxHeader', type, content: Buffer.concat(lines) });
}

export const tarEnd = Buffer.alloc(1024);

export function tarGz(...parts: Buffer[]): Buffer {
  return gzipSync(Buffer.concat([...parts, tarEnd]));
}

export const head: ManifestHead = {
  site: { domain: 'docs.example.com', name: 'Docs', url: 'https://docs.example.com' },
  version: '1',
  commit: null,
  renderer: { name: 'offprint', version: '0.1.0' },
  redirects: [{ source: '/old', destination: '/new', permanent: true }],
  features: { search: true },
};

export function listed(path: string, content: string | Buffer): ManifestFile {
  const bytes = Buffer.from(content);
  return { path, sha256: hash('sha256', bytes), size: bytes.length, contentType: 'text/html; charset=utf-8' };
}

/** The manifest entry of a crafted bundle; `change` makes it wrong. */
export function manifestEntry(files: readonly unknown[], change: Record<string, unknown> = {}): Buffer {
  const manifest = { formatVersion: 1, ...head, files, ...change };
  return entry({ name: 'offprint.json', content: JSON.stringify(manifest) });
}

/** Packs files in memory. */
export async function pack(
  files: Iterable<readonly [string, string | Uint8Array]>,
): Promise<{ index: ArtifactIndex; bundle: Buffer }> {
  const store = memoryChunks();
  const packer = createPacker({ store });
  for (const [path, content] of files) packer.add(path, content);
  const index = await packer.finish(head);
  return { index, bundle: await join(index, store.get) };
}

export async function join(
  index: ArtifactIndex,
  readChunk: Parameters<typeof joinBundle>[1],
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of joinBundle(index, readChunk)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Bytes as a stream of pieces. */
export async function* stream(bytes: Uint8Array, pieceSize = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceSize) yield bytes.subarray(from, from + pieceSize);
}
