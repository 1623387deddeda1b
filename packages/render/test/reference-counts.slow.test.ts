import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NO_DESCRIPTIONS, publicDescriptions } from '../../../test/support/public-descriptions.ts';
import { isObject, type JsonObject } from '../src/config/json.ts';
import { memorySource, renderSite, type Warning } from '../src/index.ts';
import { rows } from './reference-rows.ts';
import { METHODS, readIndependently, walk } from './reference-walk.ts';

const descriptions = publicDescriptions();

/**
 * Warnings that the export of a public description may have, each with the words of its message that the file must
 * contain: these texts were written for another site, so they link to pages, headings and images which only that site has.
 * A link that we make, a reference that we cannot follow or a limit that we exceed is none of these.
 */
const EXPLAINED: Readonly<Record<string, RegExp>> = {
  'anchor-not-found': /with the id "([^"]+)"/,
  'broken-link': /The link `([^`]+)`/,
  'link-not-found': /The link "([^"]+)"/,
  'unsafe-link': /^`([^`]+)` uses the scheme/,
  'missing-asset': /"([^"]+)"|`([^`]+)`/,
  'remote-file': /(https?:\/\/[^\s`"]+)/,
  // Two pairs of dollar signs in the text of one description.
  'invalid-math': /The formula `(.{20})/,
};

function isExplained({ code, message }: Warning, text: string, document: JsonObject): boolean {
  // Another test compares these with a second validator.
  if (code === 'description-example') return true;
  // Some descriptions refer to schemas or security schemes that they do not have.
  if (code === 'description-reference') {
    const scheme = /^The security scheme "([^"]+)" is not defined/.exec(message)?.[1];
    if (scheme !== undefined)
      return (
        valueAt(document, ['components', 'securitySchemes', scheme]) === undefined && text.includes(scheme)
      );
    const pointer = /^The reference "#\/([^"]+)" does not exist/.exec(message)?.[1];
    return pointer !== undefined && valueAt(document, pointer.split('/')) === undefined;
  }
  const [, one, other] = EXPLAINED[code]?.exec(message) ?? [];
  const words = (one ?? other)?.replace(/…$/, '');
  return words !== undefined && (text.includes(words) || text.includes(encodeURI(words)));
}

function valueAt(value: unknown, [key, ...keys]: readonly string[]): unknown {
  if (key === undefined) return value;
  return isObject(value) ? valueAt(value[key.replaceAll('~1', '/').replaceAll('~0', '~')], keys) : undefined;
}

/** Operations and webhooks of a description, counted without the code under test. */
function count(document: JsonObject): { operations: number; webhooks: number } {
  const items = (value: unknown): JsonObject[] =>
    isObject(value) ? Object.values(value).filter(isObject) : [];
  const methods = (item: JsonObject): number => METHODS.filter((method) => isObject(item[method])).length;
  const webhooks = [...items(document.webhooks), ...items(document['x-webhooks'])];
  return {
    operations: items(document.paths).reduce((sum, item) => sum + methods(item), 0),
    webhooks: webhooks.filter((item) => methods(item) > 0).length,
  };
}

/** The line of an operation or webhook in the Markdown copy of its page. */
const OPERATION = /^`(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|QUERY|WEBHOOK) \S[^`]*`$/m;

interface Export {
  /** Paths of the Markdown copies of pages of operations. */
  pages: string[];
  warnings: readonly Warning[];
}

async function exportReference(name: string, text: string): Promise<Export> {
  const pages: string[] = [];
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
  const result = await renderSite({
    source: memorySource({
      'docs.json': JSON.stringify(docs),
      'index.mdx': '---\ntitle: Start\n---\n\nText\n',
      [name]: text,
    }),
    siteUrl: 'https://docs.example.com',
    emit(path, content) {
      // Pages of schemas, which are added for content that exceeds a page, have no line with method and path.
      if (/^ref\/.*\.md$/.test(path) && typeof content === 'string' && OPERATION.test(content))
        pages.push(path);
    },
  });
  return { pages, warnings: result.warnings };
}

describe.skipIf(descriptions.length === 0)(
  descriptions.length === 0 ? NO_DESCRIPTIONS : 'public API descriptions',
  () => {
    test.each(descriptions)('each operation and webhook of $name has its page', async ({ name, file }) => {
      const text = readFileSync(file, 'utf8');
      const document = readIndependently(file);
      const { operations, webhooks } = count(document);
      const { pages, warnings } = await exportReference(name, text);
      expect(pages).toHaveLength(operations + webhooks);
      expect(new Set(pages.map((path) => path.toLowerCase())).size).toBe(pages.length);
      const unexplained = warnings.filter((warning) => !isExplained(warning, text, document));
      expect(
        unexplained.map(({ code, file: at, line, message }) => `${code} ${at}:${line} ${message}`),
      ).toEqual([]);
    });

    test('the table of constructs states how often each occurs', () => {
      const counts = rows.map(() => 0);
      for (const { file } of descriptions)
        walk(readIndependently(file), (kind, value, place) => {
          for (const [index, { counts: rule }] of rows.entries())
            if (rule[0] === kind && rule[1](value, place)) counts[index]!++;
        });
      const found = rows.map(({ construct }, index) => `${counts[index]} ${construct}`);
      expect(found).toEqual(rows.map(({ construct, seen }) => `${seen} ${construct}`));
    });
  },
);
