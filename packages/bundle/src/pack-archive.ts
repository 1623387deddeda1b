import { gzipSync } from 'node:zlib';
import { createPathGuard } from './path.ts';
import { blockSize, fileHeader, paddingOf } from './tar-header.ts';

/**
 * A tar.gz of small files, sorted by path in code units, without times and owners: the same files give the
 * same bytes. Throws a BundleError for an invalid path.
 */
export function packArchive(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const guard = createPathGuard();
  const blocks: Uint8Array[] = [];
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, content] of sorted) {
    guard(path);
    blocks.push(fileHeader(path, content.byteLength), content, Buffer.alloc(paddingOf(content.byteLength)));
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]), { level: 9 });
}
