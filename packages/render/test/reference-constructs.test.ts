import { beforeAll, describe, expect, test } from 'vitest';
import type { Output } from './output.ts';
import { renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';
import { rows } from './reference-rows.ts';

const folder = (index: number): string => `d${index}`;

/** One site with a folder for each row, so that its fixed costs are paid once. */
function filesOfRows(): Record<string, string> {
  const files: Record<string, string> = {};
  const groups = rows.map(({ construct, of, page }, index) => {
    const written = Object.entries(of).every(
      ([name, value]) => /\.(?:json|yaml)$/.test(name) && typeof value === 'string',
    )
      ? (of as Record<string, string>)
      : { 'api.json': JSON.stringify(of) };
    for (const [name, content] of Object.entries(written)) files[`${folder(index)}/${name}`] = content;
    const source = `${folder(index)}/${'api.yaml' in written ? 'api.yaml' : 'api.json'}`;
    if (page === undefined) return { group: construct, openapi: { source, directory: `c${index}` } };
    files[`c${index}/page.mdx`] = page;
    return { group: construct, pages: [`c${index}/page`] };
  });
  files['index.mdx'] = '---\ntitle: Start\n---\n\nText\n';
  files['docs.json'] = JSON.stringify({
    name: 'Site',
    theme: 'mint',
    colors: { primary: '#166e3f' },
    navigation: { groups: [{ group: 'Start', pages: ['index'] }, ...groups] },
  });
  return files;
}

let output: Output;
let pages: (string | undefined)[];
beforeAll(async () => {
  output = await renderFiles(filesOfRows());
  const all = [...output.files.keys()].filter((path) => path.endsWith('.html'));
  pages = rows.map((_, index) => all.find((path) => path.startsWith(`c${index}/`)));
});

describe('constructs of API descriptions', () => {
  test('are listed from the most frequent one', () => {
    const counts = rows.map(({ seen }) => seen);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(new Set(rows.map(({ construct }) => construct)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(90);
  });

  for (const [index, { construct, at, shows, warns, twin }] of rows.entries()) {
    test(`a page shows ${construct}`, () => {
      const path = pages[index] ?? 'no page';
      expect(outline(textOf(output, path), path, at)).toEqual(shows);
      for (const text of twin ?? []) expect(textOf(output, path.replace(/html$/, 'md'))).toContain(text);
      const own = output.result.warnings.filter(
        ({ file }) => /^[cd](\d+)\//.exec(file)?.[1] === String(index),
      );
      const shown = own.map(({ code, file, line, message }) =>
        warns === undefined ? message : `${code} ${file.replace(/^d\d+\//, '')}:${line}`,
      );
      expect(shown).toEqual(warns ?? []);
    });
  }
});
