import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getLanguageService, type JSONSchema, TextDocument } from 'vscode-json-languageservice';
import { corpora, NO_CORPORA } from '../../../test/support/corpora.ts';
import { loadConfig } from '../src/config/config.ts';
import { docsJsonSchema } from '../src/config/docs-schema.ts';
import type { Keys } from '../src/config/key.ts';
import { docsKeys } from '../src/config/keys/index.ts';
import { memorySource } from '../src/source.ts';

const sites = corpora();
const DOCS = new URL('../../../docs/', import.meta.url).pathname;
const schema = JSON.stringify(docsJsonSchema());
// The part of VS Code that completes, explains and checks JSON files.
const service = getLanguageService({ schemaRequestService: () => Promise.resolve(schema) });
service.configure({
  validate: true,
  schemas: [{ uri: 'file:///docs.schema.json', fileMatch: ['docs.json'] }],
});

function open(text: string) {
  const document = TextDocument.create('file:///docs.json', 'json', 1, text);
  return { document, json: service.parseJSONDocument(document) };
}

/** Messages of an editor with the line of each. */
async function problems(text: string): Promise<string[]> {
  const { document, json } = open(text);
  const found = await service.doValidation(document, json, undefined, JSON.parse(schema) as JSONSchema);
  return found.map(({ range, message }) => `${range.start.line + 1}: ${message}`);
}

const site = (keys: object): string => JSON.stringify({ name: 'Docs', navigation: {}, ...keys }, null, 1);

/** Suggestions at `|`. */
async function suggestions(written: string): Promise<string[]> {
  const { document, json } = open(written.replace('|', ''));
  const list = await service.doComplete(document, document.positionAt(written.indexOf('|')), json);
  return list?.items.map(({ label }) => label) ?? [];
}

async function hover(written: string): Promise<string> {
  const { document, json } = open(written.replace('|', ''));
  const found = await service.doHover(document, document.positionAt(written.indexOf('|')), json);
  return JSON.stringify(found?.contents);
}

describe('an editor with docs.schema.json', () => {
  test('suggests the keys of docs.json, but not those that have no effect', async () => {
    const found = await suggestions('{ "|" }');
    expect(found).toEqual(expect.arrayContaining(['name', 'navigation', 'colors', 'thumbnails', '$schema']));
    for (const other of ['feedback', 'css', 'appearance.default']) expect(found).not.toContain(other);
  });

  test.each([
    ['{ "appearance": { "|" } }', ['default', 'strict']],
    ['{ "navbar": { "links": [{ "|" }] } }', ['label', 'href', 'icon', 'type']],
    ['{ "banner": { "|" } }', ['content', 'dismissible']],
    ['{ "footer": { "socials": { "|" } } }', ['github', 'x']],
    ['{ "navigation": { "|" } }', ['tabs', 'groups', 'pages', 'global']],
    ['{ "navigation": { "groups": [{ "|" }] } }', ['group', 'pages', 'expanded']],
    ['{ "navigation": { "tabs": [{ "tab": "A", "pages": [{ "|" }] }] } }', ['group', 'pages']],
    ['{ "theme": "|" }', ['"mint"', '"luma"']],
    ['{ "appearance": { "default": | } }', ['"system"', '"light"', '"dark"']],
    ['{ "styling": { "latex": | } }', ['true', 'false']],
    ['{ "contextual": { "options": ["|"] } }', ['"copy"', '"claude"']],
  ])('suggests at %s', async (written, expected) => {
    expect(await suggestions(written)).toEqual(expect.arrayContaining(expected));
  });

  test('suggests only what has an effect at the place', async () => {
    expect(await suggestions('{ "navigation": { "tabs": [{ "|" }] } }')).not.toContain('expanded');
    expect(await suggestions('{ "navigation": { "groups": [{ "|" }] } }')).not.toContain('collapsed');
    expect(await suggestions('{ "contextual": { "options": ["|"] } }')).not.toContain('"mcp"');
    expect(await suggestions('{ "theme": | }')).not.toContain('null');
  });

  test('explains a key and its default', async () => {
    expect(await hover('{ "met|adata": {} }')).toContain('Facts about pages');
    const boost = await hover('{ "navigation": { "groups": [{ "boo|st": 2 }] } }');
    expect(boost).toContain('Rank of its pages in the search. Default: `1`.');
    expect(await hover('{ "navigation": { "groups": [{ "pub|lic": true }] } }')).toContain(
      'No effect in an export',
    );
  });

  test.each([
    [{ theme: 'night' }, 'Valid values: "mint", "maple"'],
    [{ name: [] }, 'Incorrect type'],
    [{ appearance: { defalt: 'dark' } }, 'Property defalt is not allowed'],
    [{ colors: { primary: 'red' } }, 'Invalid color format'],
    [{ fonts: { weight: 2000 } }, 'maximum of 1000'],
    [{ redirects: [{ source: '/a', destinaton: '/b' }] }, 'Property destinaton is not allowed'],
    [{ navigation: { groups: [{ group: 'A', pages: [5] }] } }, 'Incorrect type'],
    [{ css: ['a.css'] }, 'Has no effect in an export. Remove it.'],
    [{ styling: { css: 'a.css' } }, 'every .css file in the docs folder is loaded'],
  ])('reports %j', async (keys, message) => {
    expect(await problems(site(keys))).toEqual([expect.stringContaining(message)]);
  });

  test('reports a missing name, unless another file may contain it', async () => {
    expect(await problems('{ "navigation": {} }')).toEqual(['1: Missing property "name".']);
    expect(await problems('{ "$ref": "./base.json" }')).toEqual([]);
  });

  test('accepts what an export accepts', async () => {
    const accepted = {
      $schema: './docs.schema.json',
      name: 5,
      theme: ' Mint ',
      logo: null,
      public: 'true',
      redirects: { $ref: './redirects.json' },
      colors: { $ref: './colors.json', primary: '#ABC' },
      favicon: '/a.svg',
      banner: 'Text',
      styling: { codeblocks: { theme: { light: 'github-light', dark: 'nord' } } },
      api: { openapi: ['a.json', { source: 'b.json' }] },
      navigation: { groups: ['index', { group: 'A', pages: ['b', { group: 'B', icon: { name: 'star' } }] }] },
    };
    expect(await problems(site(accepted))).toEqual([]);
  });

  test("reports nothing in this project's own docs.json", async () => {
    expect(await problems(readFileSync(join(DOCS, 'docs.json'), 'utf8'))).toEqual([]);
  });

  test.skipIf(sites.length === 0)(
    `reports only true mistakes of real sites${sites.length === 0 ? ` (${NO_CORPORA})` : ''}`,
    async () => {
      const found: string[] = [];
      for (const { name, folder } of sites) {
        const file = join(folder, 'docs.json');
        if (!existsSync(file)) continue;
        for (const problem of await problems(readFileSync(file, 'utf8'))) found.push(`${name}:${problem}`);
      }
      // "collapsed" is a key of an older format. It gets a warning in an export too.
      expect(found.filter((problem) => !problem.includes('nested groups are collapsed'))).toEqual([]);
    },
  );

  test('never reports a random docs.json that an export reads without a warning', async () => {
    await fc.assert(
      fc.asyncProperty(objectOf(docsKeys, 3), async (keys) => {
        const text = site({ ...keys, navigation: {} });
        const codes: string[] = [];
        loadConfig(memorySource({ 'docs.json': text, 'a.json': '{}' }), ({ code }) => codes.push(code));
        if (codes.length > 0) return;
        // An editor asks to remove a key without effect even if it is null.
        const found = await problems(text);
        expect(found.filter((problem) => !problem.includes('Has no effect'))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

const scalar: fc.Arbitrary<unknown> = fc.constantFrom(
  ...[null, true, 'true', 5, '', '/a.svg', 'a.json', '#abc', '#12345678', 'DARK', 'light', 'copy', 'x'],
  ...['https://example.com', 'full', 'woff', 400, 'all', 'bearer', 'rocket', 'nord', ' section '],
);

/** Objects with keys of the format and values that are often accepted. */
function objectOf(keys: Keys, depth: number): fc.Arbitrary<object> {
  const members = Object.entries(keys).map(([name, { type }]) => {
    const inner: fc.Arbitrary<unknown> =
      type.members === undefined || depth === 0 ? scalar : objectOf(type.members, depth - 1);
    const value = fc.oneof(scalar, inner, inner, fc.array(inner, { maxLength: 2 }));
    return value.map((written) => [name, written] as const);
  });
  return fc
    .uniqueArray(fc.oneof(...members), { maxLength: 2, selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries));
}
