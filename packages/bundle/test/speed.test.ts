import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPacker, directoryChunks, unpackBundle, verifyBundle } from '../src/index.ts';
import { head, join as joinBytes } from './craft.ts';

it('10,000 small files are packed, verified and unpacked within seconds', async () => {
  const root = mkdtempSync(join(tmpdir(), 'offprint-speed-'));
  try {
    const page = '<p>Some words of a page, and the same shell around them.</p>\n'.repeat(60);
    const time = async <Result>(work: () => Promise<Result>): Promise<[Result, number]> => {
      const start = performance.now();
      return [await work(), Math.round(performance.now() - start)];
    };
    const store = directoryChunks(join(root, 'chunks'));
    const [index, packed] = await time(() => {
      const packer = createPacker({ store });
      for (let i = 0; i < 10_000; i++)
        packer.add(`guides/part-${i % 100}/page-${i}.html`, `<h1>${i}</h1>${page}`);
      return packer.finish(head);
    });
    const file = join(root, 'site.tar.gz');
    writeFileSync(file, await joinBytes(index, store.get));
    const [, verified] = await time(() => verifyBundle(file, { sha256: index.bundle.sha256 }));
    const [, unpacked] = await time(() => unpackBundle(file, join(root, 'site'), { durable: false }));
    console.info(
      `10,000 files of ${page.length} bytes: pack ${packed} ms, verify ${verified} ms, unpack ${unpacked} ms, bundle ${index.bundle.bytes} bytes`,
    );
    expect(packed).toBeLessThan(10_000);
    expect(verified).toBeLessThan(10_000);
    expect(unpacked).toBeLessThan(20_000);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}, 180_000);
