/** What readers who know an operation type to find its page: on sites of four public API descriptions. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NO_DESCRIPTIONS, publicDescriptions } from '../../../test/support/public-descriptions.ts';
import { isFull } from '../../../test/support/size.ts';
import { isObject } from '../src/config/json.ts';
import { memorySource, renderSite } from '../src/index.ts';
import { METHODS, readIndependently } from './reference-walk.ts';
import { openSearch } from './search-site.ts';

const NAMES = ['github.json', 'stripe.json', 'openai.yaml', 'digitalocean.json'];
const descriptions = publicDescriptions().filter(({ name }) => NAMES.includes(name));
/** Operations of each description that are searched for, evenly distributed; all of them in a full run. */
const SAMPLE = isFull ? Number.POSITIVE_INFINITY : 150;

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

interface Sought {
  endpoint: string;
  summary: string | null;
  id: string | null;
  parameters: readonly string[];
}

/** The value at a reference inside of a description. */
function valueAt(document: unknown, reference: string): unknown {
  return decodeURIComponent(reference)
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((value: unknown, key) => {
      if (Array.isArray(value)) return value[Number(key)];
      return isObject(value) ? value[key] : undefined;
    }, document);
}

/** Operations of a description, read without the code under test. */
function readSought(file: string): Sought[] {
  const document = readIndependently(file);
  const { paths } = document;
  if (!isObject(paths)) return [];
  const nameOf = (parameter: unknown): string | null => {
    if (!isObject(parameter)) return null;
    const { $ref } = parameter;
    return typeof $ref === 'string' ? nameOf(valueAt(document, $ref)) : text(parameter.name);
  };
  return Object.entries(paths).flatMap(([path, item]) => {
    if (!isObject(item)) return [];
    return METHODS.flatMap((method) => {
      const operation = item[method];
      if (!isObject(operation)) return [];
      const parameters = [operation.parameters, item.parameters].flatMap((list) =>
        Array.isArray(list) ? list.flatMap((parameter: unknown) => nameOf(parameter) ?? []) : [],
      );
      return {
        endpoint: `${method.toUpperCase()} ${path}`,
        summary: text(operation.summary),
        id: text(operation.operationId),
        parameters,
      };
    });
  });
}

async function exportSearch(name: string, file: string) {
  const files = new Map<string, string | Uint8Array>();
  const pages = new Map<string, string>();
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
      if (path.startsWith('_offprint/search')) files.set(path, content);
      // The line with method and path in the Markdown copy.
      const endpoint =
        /^ref\/.*\.md$/.test(path) && typeof content === 'string'
          ? /^`([A-Z]+ \/[^`]*)`$/m.exec(content)
          : null;
      if (endpoint?.[1] !== undefined) pages.set(endpoint[1], path.replace(/\.md$/, '.html'));
    },
  });
  return { search: openSearch({ files }), pages };
}

describe.skipIf(descriptions.length === 0)(
  descriptions.length === 0 ? NO_DESCRIPTIONS : 'search of API pages',
  () => {
    test.each(descriptions)(
      'method and path, summary or id find the operation of $name first, a parameter among ten',
      async ({ name, file }) => {
        const { search, pages } = await exportSearch(name, file);
        const all = readSought(file);
        const sample = all.filter((_, at) => at % Math.max(1, Math.floor(all.length / SAMPLE)) === 0);
        const titled = (summary: string): (string | undefined)[] =>
          all.filter((other) => other.summary === summary).map(({ endpoint }) => pages.get(endpoint));
        const taking = (parameter: string): (string | undefined)[] =>
          all
            .filter((other) => other.parameters.includes(parameter))
            .map(({ endpoint }) => pages.get(endpoint));
        const counts = { endpoint: [0, 0], summary: [0, 0], id: [0, 0], parameter: [0, 0] };
        const look = async (
          kind: keyof typeof counts,
          query: string | null,
          wanted: readonly (string | undefined)[],
          places = 1,
        ): Promise<void> => {
          if (query === null) return;
          const found = await search.find(query);
          counts[kind][1]!++;
          if (found.pages.slice(0, places).some((page) => wanted.includes(page))) counts[kind][0]!++;
        };
        for (const { endpoint, summary, id, parameters } of sample) {
          const page = pages.get(endpoint);
          await look('endpoint', endpoint, [page]);
          // Operations with the same summary have the same title.
          await look('summary', summary, summary === null ? [] : titled(summary));
          await look('id', id, [page]);
          // Its name is often a word of other titles, too, such as `owner`.
          const [parameter] = parameters;
          if (parameter !== undefined) await look('parameter', parameter, taking(parameter), 10);
        }
        for (const [kind, [first = 0, total = 0]] of Object.entries(counts))
          expect(first, `${kind}: ${first} of ${total}`).toBeGreaterThanOrEqual(total * 0.95);
        expect(counts.endpoint[1]).toBeGreaterThan(100);
      },
    );
  },
);
