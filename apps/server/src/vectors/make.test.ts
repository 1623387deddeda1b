import { expect, test } from 'vitest';
import { config, exportSite, page } from '../../../../packages/search/test/site.ts';
import type { EmbeddingPort } from '../platform/model/embed.ts';
import { ModelError } from '../platform/model/port.ts';
import {
  type Draft,
  embedMissing,
  OtherDimensionsError,
  readDraft,
  takeKnown,
  VectorsError,
  vectorsOf,
} from './make.ts';

const site = (pages: Readonly<Record<string, string>>) =>
  exportSite({
    'docs.json': config({
      groups: [{ group: 'G', pages: Object.keys(pages).map((path) => path.replace('.mdx', '')) }],
    }),
    ...pages,
  });

const PAGES = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `p${at}.mdx`,
    page(`Page ${at}`, `Text ${at}.\n\n## Same\n\nThe same.`),
  ]),
);

/** A model that counts letters, and the texts that it was asked for. */
function countingModel(
  dimensions = 4,
  longest = Number.POSITIVE_INFINITY,
): EmbeddingPort & { asked: string[][] } {
  const asked: string[][] = [];
  return {
    asked,
    async embed(texts) {
      if (texts.some((text) => text.length > longest)) throw new ModelError('context-overflow', 'Too long.');
      asked.push([...texts]);
      return texts.map((text) =>
        Array.from({ length: dimensions }, (_, at) => text.length % (at + 2)).with(0, 1),
      );
    },
  };
}

const run = (draft: Draft, read: Parameters<typeof embedMissing>[1], model: EmbeddingPort) =>
  embedMissing(draft, read, model, {
    signal: new AbortController().signal,
    timeoutMs: 1_000,
    onBatch: async () => undefined,
  });

test('each text is sent once, at most 32 in a request, and all sections have a vector', async () => {
  const { read } = await site(PAGES);
  const draft = await readDraft(read, 's');
  const model = countingModel();
  await run(draft, read, model);
  const texts = model.asked.flat();
  expect(new Set(texts).size).toBe(texts.length);
  expect(Math.max(...model.asked.map((batch) => batch.length))).toBe(32);
  const { count, values } = vectorsOf(draft);
  expect(count).toBe(draft.texts.length);
  for (let row = 0; row < count; row++)
    expect(values.subarray(row * 4, row * 4 + 4).some(Boolean)).toBe(true);
});

test('vectors of unchanged texts are taken, of any place, and only in their space and dimensions', async () => {
  const before = await site(PAGES);
  const known = await readDraft(before.read, 's');
  await run(known, before.read, countingModel());
  const after = await site({
    'new.mdx': page('New', 'New.'),
    ...PAGES,
    'p3.mdx': page('Page 3', 'Changed.'),
  });
  const draft = await readDraft(after.read, 's');
  takeKnown(draft, vectorsOf(known));
  const model = countingModel();
  expect(await run(draft, after.read, model)).toBe(2);
  expect(model.asked.flat().map((text) => text.split('\n')[0])).toEqual(['G > New', 'G > Page 3']);

  const other = await readDraft(after.read, 'another space');
  expect(takeKnown(other, vectorsOf(known))).toBe(0);
  await expect(run(draft, after.read, countingModel(7))).resolves.toBe(0);
  const changed = await readDraft(after.read, 's');
  takeKnown(changed, vectorsOf(known));
  await expect(run(changed, after.read, countingModel(7))).rejects.toBeInstanceOf(OtherDimensionsError);
});

test('texts that are too long for the model are shortened, and one that takes nothing is an error', async () => {
  const { read } = await site({
    'long.mdx': page('Long', 'word '.repeat(1_000)),
    'short.mdx': page('Short', 'Text.'),
  });
  const model = countingModel(4, 900);
  const draft = await readDraft(read, 's');
  await run(draft, read, model);
  expect(Math.max(...model.asked.flat().map((text) => text.length))).toBeGreaterThan(400);
  await expect(run(await readDraft(read, 's'), read, countingModel(4, 10))).rejects.toBeInstanceOf(
    VectorsError,
  );
});

test('a site without a search, and vectors that are too long, are errors that name the reason', async () => {
  await expect(readDraft(async () => null, 's')).rejects.toThrow(/no search index/);
  const { read } = await site(PAGES);
  await expect(run(await readDraft(read, 's'), read, countingModel(5_000))).rejects.toThrow(
    /at most 4096 dimensions/,
  );
});
