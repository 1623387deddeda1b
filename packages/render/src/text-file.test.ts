import { describe, expect, test } from 'vitest';
import { renderFiles, textOf } from '../test/output.ts';
import { checkSite } from './check/check-site.ts';
import { memorySource } from './source.ts';
import { invalidLine } from './text-file.ts';

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const config = (more: object = {}): string =>
  JSON.stringify({ name: 'Docs', colors: { primary: '#1d4ed8' }, navigation: { pages: ['index'] }, ...more });

async function findingsOf(files: Record<string, string | Uint8Array>) {
  const output = await renderFiles({ 'docs.json': config(), 'index.mdx': 'Home', ...files });
  const { warnings } = output.result;
  return { output, found: warnings.filter(({ code }) => code === 'not-utf-8') };
}

describe('files that are not UTF-8', () => {
  test('are those with invalid bytes: a replacement character that was written is shown and not reported', async () => {
    const { output, found } = await findingsOf({
      'docs.json': config({
        name: 'Docs \ufffd',
        navigation: { groups: [{ group: 'API', openapi: 'api.json' }] },
      }),
      'index.mdx':
        '---\ntitle: A \ufffd\n---\nimport Part from "/snippets/part.mdx"\n\nShown as \ufffd.\n\n<Part />',
      'snippets/part.mdx': 'Part \ufffd',
      'api.json': JSON.stringify({ openapi: '3.1.0', info: { title: '\ufffd' }, paths: {} }),
      'style.css': '/* \ufffd */',
      '.mintignore': '# \ufffd\n',
    });
    expect(textOf(output, 'index.html')).toContain('Shown as \ufffd.');
    expect(found).toEqual([]);
  });

  test.each([
    ['a page', { 'index.mdx': latin1('One\n\nCaf\xe9\n') }, 'index.mdx', 3],
    ['the front matter of a page', { 'index.mdx': latin1('---\ntitle: Caf\xe9\n---\nOne') }, 'index.mdx', 2],
    ['a page cut off inside a character', { 'index.mdx': utf8('One\né').subarray(0, -1) }, 'index.mdx', 2],
    [
      'a snippet',
      {
        'index.mdx': 'import Part from "/snippets/part.mdx"\n\n<Part />',
        'snippets/part.mdx': latin1('\xe9'),
      },
      'snippets/part.mdx',
      1,
    ],
    ['docs.json', { 'docs.json': latin1(config({ name: 'Caf\xe9' })) }, 'docs.json', 1],
    [
      'a part of docs.json',
      { 'docs.json': config({ footer: { $ref: 'footer.json' } }), 'footer.json': latin1('{\n"x": "\xe9"}') },
      'footer.json',
      2,
    ],
    [
      'an API description',
      {
        'docs.json': config({ navigation: { groups: [{ group: 'API', openapi: 'api.json' }] } }),
        'api.json': latin1('{"openapi": "3.1.0",\n"info": {"title": "\xe9"}, "paths": {}}'),
      },
      'api.json',
      2,
    ],
    ['a style sheet', { 'style.css': latin1('a {}\n/* \xe9 */') }, 'style.css', 2],
    ['.mintignore', { '.mintignore': latin1('caf\xe9/\n') }, '.mintignore', 1],
  ])('are reported once with the line: %s', async (_name, files, file, line) => {
    const { found } = await findingsOf(files);
    expect(found).toEqual([
      {
        file,
        line,
        code: 'not-utf-8',
        message: 'The file is not UTF-8, so some characters are lost. Save it as UTF-8.',
      },
    ]);
  });

  test('are not reported when they are not part of the site', async () => {
    const { found } = await findingsOf({
      'README.md': latin1('\xe9'),
      'build/x.mdx': latin1('\xe9'),
      'logo.bin': latin1('\xe9'),
    });
    expect(found).toEqual([]);
  });

  test('stop the export with this reason when docs.json is in UTF-16', () => {
    const bytes = new Uint8Array(Buffer.from(`\ufeff${config()}`, 'utf16le'));
    const { findings } = checkSite(memorySource({ 'docs.json': bytes, 'index.mdx': '' }));
    expect(findings).toContainEqual(
      expect.objectContaining({
        file: 'docs.json',
        line: 1,
        code: 'invalid-json',
        message: 'The file is not UTF-8. Save it as UTF-8.',
      }),
    );
  });
});

test('the first line that is not UTF-8 is found in any bytes', () => {
  expect(invalidLine(utf8('é\nü'))).toBeNull();
  expect(invalidLine(latin1(''))).toBeNull();
  expect(invalidLine(latin1('a\nb\n\xff'))).toBe(3);
  expect(invalidLine(Uint8Array.of(0xed, 0xa0, 0x80))).toBe(1);
});
