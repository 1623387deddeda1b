import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { directorySource } from '@offprint/render/source-directory';
import { expect, test } from 'vitest';
import { corpora, NO_CORPORA } from '../../../../test/support/corpora.ts';
import { exportsOf } from './page-cache.fixture.ts';

const sites = corpora().filter(({ name }) => /^(?:fishaudio|hoppscotch|traceloop)__/.test(name));
/** One to skip, with the reason in its name, where the sites are missing. */
const cases =
  sites.length === 0
    ? [{ name: NO_CORPORA, folder: '' }]
    : sites.map(({ name, folder }) => ({ name, folder }));
const EDITS = process.env.OFFPRINT_TEST === 'full' ? 30 : 8;

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
  const kind = next(5);
  const title = lines.findIndex((line) => /^title:/.test(line));
  if (kind === 4 && title > 0) lines[title] = `title: "Title ${next(1000)}"`;
  else if (kind === 0) lines.splice(at, 1 + next(3));
  else if (kind === 1) lines.splice(at, 0, lines[next(lines.length)] ?? '');
  else if (kind === 2) lines.splice(at, 0, '', `## Heading ${next(1000)}`, '');
  else lines.splice(at, 0, '', `A sentence with the word w${next(100_000)}.`, '');
  writeFileSync(file, lines.join('\n'));
  return `${file}:${at} kind ${kind}`;
}

/** Adds, changes, renames or removes a page, an image or another file. Returns what was done. */
function editFiles(root: string, next: (limit: number) => number): string {
  const { paths } = directorySource(root);
  const images = paths.filter((path) => /\.(?:png|svg|jpe?g|webp)$/.test(path));
  const pages = paths.filter((path) => /\.mdx?$/.test(path));
  const others = paths.filter(
    (path) => !/\.mdx?$|^(?:docs|mint)\.json$/.test(path) && !images.includes(path),
  );
  const image = images[next(images.length)] ?? 'added.png';
  const page = pages[next(pages.length)] ?? '';
  const write = (file: string, content: string): string => {
    writeFileSync(join(root, file), content);
    return `${file} written`;
  };
  const remove = (file: string): string => {
    rmSync(join(root, file), { force: true });
    return `${file} removed`;
  };
  const addPage = (): string =>
    write(
      join(dirname(page), `added-${next(1000)}.mdx`),
      `---\ntitle: Added\n---\n\n![Image](/${image}) [Page](/${page.replace(/\.mdx?$/, '')})\n`,
    );
  const moveImage = (): string => {
    const content = readFileSync(join(root, image));
    const moved = image.replace(/(\.\w+)$/, '-moved$1');
    writeFileSync(join(root, moved), content);
    return `${remove(image)}, ${moved} written`;
  };
  const addSpace = (file: string): string => write(file, `${readFileSync(join(root, file), 'utf8')}\n`);
  const kinds = [
    addPage,
    () => write(image, `image ${next(1000)}`),
    () => write(`added-${next(1000)}.png`, `image ${next(1000)}`),
    () => remove(page),
    () => remove(image),
    moveImage,
    () => write(`notes-${next(3)}.txt`, `note ${next(1000)}`),
    () => addSpace(others[next(others.length)] ?? page),
  ];
  return kinds[next(kinds.length)]?.() ?? '';
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Changes a list of pages of the configuration: one is moved, or removed. Returns what was done. */
function editNavigation(file: string, next: (limit: number) => number): string {
  const config: Json = JSON.parse(readFileSync(file, 'utf8'));
  const lists: Json[][] = [];
  const visit = (value: Json): void => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value) && Array.isArray(value.pages)) lists.push(value.pages);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(config);
  const pages = lists[next(lists.length)] ?? [];
  const [moved] = pages.splice(next(pages.length), 1);
  const kind = next(3);
  if (moved !== undefined && kind > 0) pages.splice(next(pages.length + 1), 0, moved);
  writeFileSync(file, JSON.stringify(config, null, 2));
  return `${file}: ${JSON.stringify(moved)?.slice(0, 80)} kind ${kind}`;
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
      let rendered = 0;
      let all = 0;
      for (let edit = 0; edit < EDITS; edit++) {
        const pages = directorySource(root).paths.filter((path) => /\.mdx?$/.test(path));
        const page = join(root, pages[next(pages.length)] ?? '');
        const kind = next(14);
        if (kind > 7) done.push(editFiles(root, next));
        else if (kind > 5) done.push(editNavigation(join(docs, config ?? 'docs.json'), next));
        else if (kind === 0) renameSync(page, page.replace(/(\.mdx?)$/, `-${edit}$1`));
        else done.push(editPage(page, next));
        const { renderedPages, cached: _same, ...warm } = await exports.warm();
        const { renderedPages: _cold, cached: _none, ...cold } = await exports.cold();
        expect(warm, done.join('\n')).toEqual(cold);
        rendered += renderedPages;
        all += warm.pageCount;
      }
      expect(rendered).toBeLessThan(all);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  },
);
