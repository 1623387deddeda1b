import type * as crypto from 'node:crypto';
import type * as fs from 'node:fs';
import type * as zlib from 'node:zlib';
import type { ArtifactChunk } from './artifact.ts';

/** Modules of Node that the work needs. */
interface Modules {
  crypto: Pick<typeof crypto, 'createHash' | 'hash'>;
  fs: Pick<typeof fs, 'fsyncSync' | 'readSync' | 'writeSync'>;
  zlib: Pick<typeof zlib, 'crc32' | 'deflateRawSync'>;
}

/** Descriptors of the new bundle, and of the file in which its chunks are collected. */
export interface PackFiles {
  bundle: number;
  chunks: number;
  /** A bundle with chunks to copy. */
  earlier?: number;
}

/** A part of the collected chunks, or a chunk of an earlier bundle with its digest. */
export interface PackRange {
  from: number;
  to: number;
  sha256?: string;
}

export type PackWork = ReturnType<typeof createPackWork>;

/**
 * What compresses and writes the chunks of a bundle. It also runs as the text of this function in a thread (for which
 * the packed program has no file of its own), so it must refer to nothing outside.
 */
export function createPackWork({ crypto, fs, zlib }: Modules, files: PackFiles) {
  const writeAll = (file: number, bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at);
  };
  const damaged = (): Error =>
    Object.assign(new Error('a chunk of an earlier bundle is damaged'), { code: 'chunk_damaged' });
  const buffer = new Uint8Array(1024 * 1024);
  const copy = ({ from, to, sha256 }: PackRange, write: (bytes: Uint8Array) => void): void => {
    const own = sha256 === undefined ? null : crypto.createHash('sha256');
    const file = own === null ? files.chunks : files.earlier;
    if (file === undefined) throw damaged();
    for (let at = from; at < to; ) {
      const count = fs.readSync(file, buffer, 0, Math.min(buffer.length, to - at), at);
      if (count === 0) throw own === null ? new Error('the collected chunks end too early') : damaged();
      const piece = buffer.subarray(0, count);
      own?.update(piece);
      write(piece);
      at += count;
    }
    if (own !== null && own.digest('hex') !== sha256) throw damaged();
  };
  return {
    compress(raw: Uint8Array, options: zlib.ZlibOptions): { chunk: ArtifactChunk; packed: Uint8Array } {
      const packed = zlib.deflateRawSync(raw, options);
      const chunk = {
        sha256: crypto.hash('sha256', packed),
        bytes: packed.length,
        rawBytes: raw.length,
        crc32: zlib.crc32(raw),
      };
      return { chunk, packed };
    },
    append: (packed: Uint8Array): void => writeAll(files.chunks, packed),
    /**
     * Writes the bundle: these bytes, the parts of the chunks, and these bytes. Returns its SHA-256 once it is on disk.
     * Throws an error with the code `chunk_damaged` for a chunk of an earlier bundle that is not what it was.
     */
    join(start: Uint8Array, ranges: readonly PackRange[], end: Uint8Array): string {
      const digest = crypto.createHash('sha256');
      const write = (bytes: Uint8Array): void => {
        digest.update(bytes);
        writeAll(files.bundle, bytes);
      };
      write(start);
      for (const range of ranges) copy(range, write);
      write(end);
      fs.fsyncSync(files.bundle);
      return digest.digest('hex');
    },
  };
}
