import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { directorySource } from '@offprint/render/source-directory';
import { expect, test } from 'vitest';
import { corpora, NO_CORPORA } from '../../../../test/support/corpora.ts';
import { exportsOf } from './page-cache.fixture.ts';

const sites = corpora().filter(({ name }) => /^(?:hoppscotch|traceloop)__/.test(name));
/** One to skip, with the reason in its name, where the sites are missing. */
const cases =
  sites.length === 0
    ? [{ name: NO_CORPORA, folder: '' }]
    : sites.map(({ name, folder }) => ({ name, folder }));
const EDITS = process.env.OFFPRINT_TEST === 'full' ? 40 : 5;

/** Numbers below a limit, always the same (mulberry32). */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Changes a page: lines are removed, repeated or added. Returns what was done, for the report of a failure. */
function editPage(file: string, next: (limit: number) => number): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = Math.min(lines.length, lines.indexOf('---', 1) + 1 + next(lines.length));
  const kind = next(4);
  if (kind === 0) lines.splice(at, 1 + next(3));
  else if (kind === 1) lines.splice(at, 0, lines[next(lines.length)] ?? '');
  else if (kind === 2) lines.splice(at, 0, '', `## Heading ${next(1000)}`, '');
  else lines.splice(at, 0, '', `A sentence with the word w${next(100_000)}.`, '');
  writeFileSync(file, lines.join('\n'));
  return `${file}:${at} kind ${kind}`;
}

test.skipIf(sites.length === 0).each(cases)(
  'after random changes, an export of $name is the one without a cache',
  async ({ folder }) => {
    const work = mkdtempSync(join(tmpdir(), 'offprint-random-edits-'));
    try {
      const docs = join(work, 'docs');
      cpSync(folder, docs, { recursive: true });
      const config = directorySource(docs).paths.find((path) => /(?:^|\/)(?:docs|mint)\.json$/.test(path));
      const root = join(docs, dirname(config ?? 'docs.json'));
      const exports = exportsOf(root, work, 'https://docs.example.com');
      const next = numbers(7);
      await exports.warm();
      const done: string[] = [];
      for (let edit = 0; edit < EDITS; edit++) {
        const pages = directorySource(root).paths.filter((path) => /\.mdx?$/.test(path));
        const page = join(root, pages[next(pages.length)] ?? '');
        if (next(8) === 0) renameSync(page, page.replace(/(\.mdx?)$/, `-${edit}$1`));
        else done.push(editPage(page, next));
        const { renderedPages: _warm, ...warm } = await exports.warm();
        const { renderedPages: _cold, ...cold } = await exports.cold();
        expect(warm, done.join('\n')).toEqual(cold);
      }
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  },
);
