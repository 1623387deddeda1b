import type * as crypto from 'node:crypto';
import type * as fs from 'node:fs';
import type * as zlib from 'node:zlib';
import type { Encoding } from '@offprint/bundle';

/** Modules of Node that the work needs. */
interface Modules {
  crypto: Pick<typeof crypto, 'hash'>;
  fs: Pick<
    typeof fs,
    'closeSync' | 'constants' | 'fstatSync' | 'openSync' | 'readlinkSync' | 'readSync' | 'writeFileSync'
  >;
  zlib: Pick<typeof zlib, 'brotliCompressSync' | 'gzipSync'>;
}

/** A compressed copy to make. */
export interface CopyTask {
  /** Path of the file, without links. */
  source: string;
  /** Digest of the content. */
  sha256: string;
  size: number;
  encoding: Encoding;
  options: zlib.BrotliOptions & zlib.ZlibOptions;
  /** Path of the new file: the digest of the copy, then the copy. One that saves too little is empty. */
  target: string;
  /** The largest size of a copy that is worth it, relative to the file. */
  worthwhile: number;
}

/**
 * What makes a compressed copy. It runs as the text of this function in a thread (for which the packed program has no
 * file of its own), so it must refer to nothing outside.
 */
export function createCopyWork({ crypto, fs, zlib }: Modules) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const damaged = (): Error => new Error('A file of the release is missing or damaged.');

  /** The same checks as `openFile`. */
  const read = (path: string, size: number): Buffer => {
    const file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const there = fs.fstatSync(file);
      if (!there.isFile() || there.size !== size) throw damaged();
      let place = path;
      try {
        place = fs.readlinkSync(`/proc/self/fd/${file}`);
      } catch {}
      if (place !== path) throw damaged();
      const content = Buffer.allocUnsafeSlow(size);
      if (fs.readSync(file, content, 0, size, 0) !== size) throw damaged();
      return content;
    } finally {
      fs.closeSync(file);
    }
  };

  return ({ source, sha256, size, encoding, options, target, worthwhile }: CopyTask): void => {
    const content = read(source, size);
    if (crypto.hash('sha256', content) !== sha256) throw damaged();
    const encoded =
      encoding === 'gzip' ? zlib.gzipSync(content, options) : zlib.brotliCompressSync(content, options);
    const kept = encoded.length < size * worthwhile ? encoded : Buffer.alloc(0);
    const bytes = Buffer.concat([crypto.hash('sha256', kept, 'buffer'), kept]);
    fs.writeFileSync(target, bytes, { flag: 'wx', mode: 0o644 });
  };
}
