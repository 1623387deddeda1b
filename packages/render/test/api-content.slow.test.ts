import { describe, expect, test } from 'vitest';
import { memorySource, renderSite, type Warning } from '../src/index.ts';
import { type Shown as Element, findOne } from './dom.ts';
import { expressions, markup, urlContexts, urls } from './hostile-payloads.ts';

/*
 * `x-mint.content` of a description is MDX. It has to go through the guards of pages: the same text gives the same
 * elements, attributes and defects as on a page.
 */

interface Shown {
  html: string;
  warnings: Warning[];
}

const navigation = (entry: object) => ({ groups: [{ group: 'G', pages: ['index'] }, entry] });

async function render(texts: readonly string[], isPage: boolean): Promise<Map<number, Shown>> {
  const operation = (content: string, index: number): [string, object] => [
    `/p${index}`,
    { get: { summary: `P${index}`, 'x-mint': { content, href: `/api/p${index}` } } },
  ];
  const spec = {
    openapi: '3.1.0',
    info: { title: 'API', version: '1' },
    paths: Object.fromEntries(
      texts.map((text, index) => (isPage ? operation('', index) : operation(text, index))),
    ),
  };
  const written = texts.map((text, index) => [
    `api/p${index}.mdx`,
    `---\ntitle: P${index}\nopenapi: GET /p${index}\n---\n${text}`,
  ]);
  const pages = new Map<string, string>();
  const result = await renderSite({
    source: memorySource({
      'docs.json': JSON.stringify({
        name: 'Site',
        theme: 'mint',
        colors: { primary: '#166e3f' },
        navigation: navigation(
          isPage
            ? { group: 'A', openapi: 'spec.json', pages: texts.map((_, index) => `api/p${index}`) }
            : { group: 'A', openapi: 'spec.json' },
        ),
      }),
      'index.mdx': 'Text',
      'spec.json': JSON.stringify(spec),
      'snippets/a.mdx': 'A snippet.',
      ...(isPage ? Object.fromEntries(written) : {}),
    }),
    siteUrl: 'https://docs.example.com',
    emit(path, content) {
      if (typeof content === 'string') pages.set(path, content);
    },
  });
  return new Map(
    texts.map((_, index) => [
      index,
      {
        html: pages.get(`api/p${index}.html`) ?? '',
        warnings: result.warnings.filter(
          ({ file, message }) =>
            file === `api/p${index}.mdx` || message.endsWith(` It is in the page of GET /p${index}.`),
        ),
      },
    ]),
  );
}

/** Elements of the text of a page, with their attributes; names of generated files differ between sites. */
function elementsOf(html: string): string[] {
  const found: string[] = [];
  const visit = ({ tag, attributes, rawText, children }: Element): void => {
    const own = Object.entries(attributes).map(
      ([name, value]) => `${name}=${value.replace(/[0-9a-f]{10,}/g, '#')}`,
    );
    found.push(`${tag} ${own.sort().join(' ')} ${rawText}`);
    children.forEach(visit);
  };
  visit(findOne(html, { id: 'content' }));
  return found;
}
const codesOf = ({ warnings }: Shown): string[] => warnings.map(({ code }) => code).sort();

describe('x-mint.content has the guards of a page', () => {
  test.each<[string, readonly string[]]>([
    ['markup', markup],
    ['expressions', expressions],
    ['URLs', urls.slice(0, 14).flatMap((url) => Object.values(urlContexts).map((context) => context(url)))],
    [
      'imports and code',
      [
        'import A from "/snippets/a.mdx"\n\n<A />',
        'import A from "../../../etc/passwd"\n\n<A />',
        'import fs from "fs"\n\n{fs.readFileSync("/etc/passwd")}',
        'export const A = () => <button onClick={() => canary(1)}>x</button>\n\n<A />',
      ],
    ],
  ])('for %s', async (_name, texts) => {
    const [pages, contents] = [await render(texts, true), await render(texts, false)];
    for (const [index, text] of texts.entries()) {
      const [page, content] = [pages.get(index), contents.get(index)];
      if (page === undefined || content === undefined) throw new Error('no page');
      expect(page.html).not.toBe('');
      expect(elementsOf(content.html), text).toEqual(elementsOf(page.html));
      expect(codesOf(content), text).toEqual(codesOf(page));
    }
  });
});
