/**
 * Time to pack, verify and unpack a bundle of small files.
 *
 *   node bench/bundle.ts [--files 10000] [--runs 3]
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createPacker, directoryChunks, joinBundle, unpackBundle, verifyBundle } from '@offprint/bundle';

const { values } = parseArgs({
  options: { files: { type: 'string', default: '10000' }, runs: { type: 'string', default: '3' } },
});
const files = Number(values.files);
const page = '<p>Some words of a page, and the same shell around them.</p>\n'.repeat(60);
const head = {
  site: { domain: 'docs.example.com', name: 'Bench', url: 'https://docs.example.com' },
  version: 'bench',
  commit: null,
  renderer: { name: 'bench', version: '0' },
  redirects: [],
  features: {},
};

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return Math.round(performance.now() - start);
}

const rows: string[] = [];
for (let run = 1; run <= Number(values.runs); run++) {
  const root = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
  try {
    const store = directoryChunks(join(root, 'chunks'));
    const file = join(root, 'site.tar.gz');
    const packed = await time(async () => {
      const packer = createPacker({ store });
      for (let n = 0; n < files; n++) packer.add(`part-${n % 100}/page-${n}.html`, `<h1>${n}</h1>${page}`);
      const index = await packer.finish(head);
      await pipeline(joinBundle(index, store.get), createWriteStream(file));
    });
    const verified = await time(() => verifyBundle(file, {}));
    const unpacked = await time(() => unpackBundle(file, join(root, 'site'), { durable: false }));
    rows.push(`| ${[run, packed, verified, unpacked, (statSync(file).size / 1e6).toFixed(2)].join(' | ')} |`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
process.stdout.write(
  [
    `${files} files of ${page.length} bytes, Node ${process.versions.node}`,
    '',
    '| run | pack ms | verify ms | unpack ms | bundle MB |',
    '| ---: | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
  ].join('\n'),
);
