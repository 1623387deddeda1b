/** What readers download of the pages of public API descriptions: their compressed HTML. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { NO_DESCRIPTIONS, publicDescriptions } from '../../../test/support/public-descriptions.ts';
import { memorySource, renderSite } from '../src/index.ts';

const descriptions = publicDescriptions();

const MAX_USUAL = 30_000;
const MAX_OF_ALL = 150_000;

/** Compressed bytes of the pages of operations, ascending, and of all pages of the reference with those of schemas. */
async function weigh(name: string, file: string): Promise<{ operations: number[]; all: number[] }> {
  const operations: number[] = [];
  const all: number[] = [];
  const docs = {
    name: 'Site',
    theme: 'mint',
    colors: { primary: '#166e3f' },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'API', openapi: { source: name, directory: 'ref' } },
      ],
    },
  };
  await renderSite({
    source: memorySource({
      'docs.json': JSON.stringify(docs),
      'index.mdx': '---\ntitle: Start\n---\n\nText\n',
      [name]: readFileSync(file, 'utf8'),
    }),
    siteUrl: 'https://docs.example.com',
    emit(path, content) {
      if (!path.startsWith('ref/') || !path.endsWith('.html')) return;
      const size = gzipSync(content).byteLength;
      all.push(size);
      if (!path.startsWith('ref/schemas/')) operations.push(size);
    },
  });
  return { operations: operations.sort((a, b) => a - b), all };
}

/** The size that this part of the pages does not exceed. */
const quantile = (sizes: readonly number[], part: number): number =>
  sizes[Math.max(0, Math.ceil(sizes.length * part) - 1)] ?? 0;

describe.skipIf(descriptions.length === 0)(
  descriptions.length === 0 ? NO_DESCRIPTIONS : 'weight of API pages',
  () => {
    test.each(descriptions)(
      '95% of the pages of $name have at most 30 kB, and none has 150 kB',
      async ({ name, file }) => {
        const { operations, all } = await weigh(name, file);
        const [half, usual] = [0.5, 0.95].map((part) => quantile(operations, part));
        const most = Math.max(...all);
        const found = `${operations.length} pages: half up to ${half} bytes, 95% up to ${usual}, all up to ${most}`;
        expect(operations.length, found).toBeGreaterThan(0);
        expect(usual, found).toBeLessThanOrEqual(MAX_USUAL);
        expect(most, found).toBeLessThanOrEqual(MAX_OF_ALL);
      },
    );
  },
);
