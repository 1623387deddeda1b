import { describe, expect, test } from 'vitest';
import { checkSite } from '../src/check/check-site.ts';
import { memorySource } from '../src/index.ts';
import { byRole, byText, findOne, has, readHtml, readText, textsOf, valuesOf } from './dom.ts';
import { apiSite, renderFiles, textOf } from './output.ts';

/** A site with one operation of the description given, and a page that links to it by a card list. */
async function renderOperation(
  description: string,
  files: Record<string, string> = {},
  path = 'api-reference/list-users',
) {
  const output = await renderFiles({
    ...apiSite(
      {
        openapi: '3.1.0',
        info: { title: 'API', version: '1' },
        paths: { '/users': { get: { summary: 'List users', description } } },
      },
      'spec.json',
    ),
    ...files,
  });
  const html = textOf(output, `${path}.html`);
  return {
    output,
    html,
    content: findOne(html, { id: 'content' }),
    header: findOne(html, { id: 'header' }),
    meta: findOne(html, { tag: 'meta', attributes: { name: 'description' } }).attributes.content,
    twin: textOf(output, `${path}.md`),
    warnings: output.result.warnings.filter(({ file }) => file !== 'docs.json'),
  };
}

const RICH =
  'Lists **users** of `a`.<br/>Second line.<br>Third.\n\n' +
  '- one\n- two with [a link](https://example.com/x)\n\n' +
  '```json\n{"a": "<br>"}\n```\n\n' +
  '| Field | Use |\n| --- | --- |\n| `id` | The id |\n\n' +
  'Call /users/{id} with <YOUR_KEY> as List<String>.\n';

describe('the description of an operation with blocks or HTML', () => {
  test('is rendered as Markdown on the page, once', async () => {
    const { content, header, warnings } = await renderOperation(RICH);
    expect(header.text).not.toContain('Lists');
    const first = byText(content, 'Lists users of a. Second line. Third.');
    expect(first).toMatchObject([{ role: 'paragraph' }]);
    expect(first[0]?.children.map(({ tag, text }) => [tag, text])).toEqual([
      ['strong', 'users'],
      ['code', 'a'],
      ['br', ''],
      ['br', ''],
    ]);
    const link = findOne(content, {
      role: 'link',
      name: 'a link',
      within: { role: 'listitem', text: 'two with a link' },
    });
    expect(link.attributes.href).toBe('https://example.com/x');
    expect(textsOf(content, { attributes: { 'data-language': 'json' } })).toEqual(['{"a": "<br>"}']);
    expect(has(content, { role: 'cell', has: { role: 'code', text: 'id' } })).toBe(true);
    expect(byText(content, 'Call /users/{id} with <YOUR_KEY> as List<String>.')).toMatchObject([
      { children: [] },
    ]);
    expect(warnings).toEqual([]);
  });

  test('is plain text where text is needed: meta tags, search, llms.txt', async () => {
    const { output, html, meta, twin } = await renderOperation(RICH);
    expect(meta).toBe('Lists users of a. Second line. Third.');
    expect(valuesOf(html, 'content', { attributes: { property: 'og:description' } })).toEqual([meta]);
    expect(textOf(output, 'llms.txt')).toContain('): Lists users of a. Second line. Third.\n');
    expect(twin.match(/Lists \*\*users\*\*/g)).toHaveLength(1);
    expect(textOf(output, 'llms-full.txt').match(/Lists \*\*users\*\*/g)).toHaveLength(1);
    const search = [...output.files].filter(([path]) => path.startsWith('_offprint/search'));
    const text = search.map(([, bytes]) => Buffer.from(bytes).toString()).join('');
    expect(text).toContain('Lists users of a. Second line. Third.');
    const marks = /<br ?\/?>Second|\*\*users/;
    expect(text).not.toMatch(marks);
  });

  test('is rendered on a written page of the operation that has no description of its own', async () => {
    const { content, header } = await renderOperation(
      RICH,
      {
        'own.mdx': '---\nopenapi: GET /users\n---\n\nOwn text.\n',
        'docs.json': JSON.stringify({
          name: 'Site',
          colors: { primary: '#166e3f' },
          navigation: { groups: [{ group: 'A', openapi: 'spec.json', pages: ['index', 'own'] }] },
        }),
      },
      'own',
    );
    expect(byRole(header, 'heading', 'List users')).toMatchObject([{ level: 1 }]);
    expect(content.text).toMatch(/^Lists users of a\..*Own text\.$/);
    expect(textsOf(content, { role: 'strong' })).toEqual(['users']);
  });

  test('names the API description in warnings about its links', async () => {
    const { warnings } = await renderOperation('See [more](/no-such-page).\n\n- x');
    expect(warnings).toMatchObject([{ file: 'spec.json', code: 'broken-link', line: 1 }]);
  });

  test('never runs: expressions, modules, components, scripts and handlers are text or removed', async () => {
    const hostile =
      'A\n\n{alert(1)} {`x`}\n\nimport X from "/index.mdx"\n\nexport const y = 1\n\n<Card title="c">card</Card>\n\n' +
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n<a href="javascript:alert(1)">x</a>\n\n' +
      '<iframe src="https://e.example"></iframe>\n\n<div style="background:url(https://e.example/y)" onclick="alert(1)">d</div>\n\n' +
      '<b>never closed\n\n</p></div></td>\n\n<!-- comment -->\n\nend';
    const { content } = await renderOperation(hostile);
    expect(byText(content, 'end')).toMatchObject([{ role: 'paragraph' }]);
    expect(byText(content, '{alert(1)} {x}')).toMatchObject([{ children: [{ role: 'code', text: 'x' }] }]);
    for (const text of ['import X from', 'export const y = 1', '<Card title=', '<script>'])
      expect(content.text).toContain(text);
    const elements = readHtml(content);
    expect(elements.filter(({ tag }) => /^(?:script|iframe|img|card)$/.test(tag))).toEqual([]);
    expect(elements.flatMap(({ comments }) => comments)).toEqual([]);
    const attributes = elements.flatMap((each) => Object.entries(each.attributes));
    const isUnsafe = ([name, value]: [string, string]) =>
      /^on/.test(name) || /javascript:|e\.example\/y/.test(value);
    expect(attributes.filter(isUnsafe)).toEqual([]);
    expect(content.text).not.toContain('comment');
  });

  test.each([
    ['<br>'.repeat(2000)],
    ['<'.repeat(20_000)],
    ['- '.repeat(5000)],
    ['> '.repeat(5000)],
    ['`'.repeat(20_001)],
    [`\n\n${'{'.repeat(20_000)}`],
    ['<b>'.repeat(3000)],
    ['| a '.repeat(5000)],
  ])('may be of any shape: %.20s', async (description) => {
    const { html } = await renderOperation(`Start\n\n${description}\n\nx`);
    expect(readText(html)).toContain('Start');
  });
});

test('a description of one paragraph is the description of the page, with its inline Markdown', async () => {
  const { header, content } = await renderOperation('Lists *users* of\nthe `team`.');
  expect(byText(header, 'Lists users of the team.')).toMatchObject([
    {
      role: 'paragraph',
      children: [
        { role: 'emphasis', text: 'users' },
        { role: 'code', text: 'team' },
      ],
    },
  ]);
  expect(byRole(content, 'emphasis')).toEqual([]);
});

describe('a link of a description that leads nowhere', () => {
  test('is a warning of the API description, not of docs.json', async () => {
    for (const description of ['See [it](/nope).', 'See [it](/nope).\n\n- more\n']) {
      const { output } = await renderOperation(description);
      expect(output.result.warnings.map(({ file, message }) => [file, message])).toEqual([
        ['spec.json', expect.stringContaining('/nope')],
      ]);
    }
  });

  test('is a warning of the page, where the page describes itself', async () => {
    const page = '---\ntitle: Own\ndescription: See [it](/nope).\n---\n\nText\n';
    const { output } = await renderOperation('Fine.', { 'index.mdx': page });
    expect(output.result.warnings.map(({ file }) => file)).toEqual(['index.mdx']);
  });
});

test('warnings of the content that a description adds to a page name the description and the operation', async () => {
  const content = 'Text\n\n[a](/nowhere) [b](/#missing)\n';
  const spec = {
    openapi: '3.1.0',
    info: { title: 'API', version: '1' },
    paths: { '/users': { get: { summary: 'List users', 'x-mint': { content } } } },
  };
  const files = { 'spec.json': JSON.stringify(spec) };
  const { warnings } = await renderOperation('', files);
  const place = { file: 'spec.json', line: 1 };
  expect(warnings).toMatchObject([
    { ...place, code: 'anchor-not-found' },
    { ...place, code: 'broken-link' },
  ]);
  for (const { message } of warnings) expect(message).toMatch(/\. It is in the page of GET \/users\.$/);
  const { findings } = checkSite(
    memorySource({
      ...files,
      'docs.json': JSON.stringify({
        name: 'Site',
        theme: 'mint',
        navigation: { openapi: 'spec.json', pages: [] },
      }),
    }),
  );
  expect(findings.filter(({ code }) => code === 'broken-link')).toMatchObject([place]);
});
