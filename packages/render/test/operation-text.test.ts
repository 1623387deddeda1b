import { describe, expect, test } from 'vitest';
import { renderFiles, textOf } from './output.ts';

/** A site with one operation of the description given, and a page that links to it by a card list. */
async function renderOperation(
  description: string,
  files: Record<string, string> = {},
  path = 'api-reference/list-users',
) {
  const output = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: {
        groups: [
          { group: 'Start', pages: ['index'] },
          { group: 'API', openapi: 'spec.json' },
        ],
      },
    }),
    'index.mdx': '---\ntitle: Start\n---\n\nText\n',
    'spec.json': JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'API', version: '1' },
      paths: { '/users': { get: { summary: 'List users', description } } },
    }),
    ...files,
  });
  const html = textOf(output, `${path}.html`);
  return {
    output,
    html,
    content: html.slice(html.indexOf('<div id="content"'), html.indexOf('</main>')),
    header: /<header id="header">[\s\S]*?<\/header>/.exec(html)?.[0] ?? '',
    meta: /<meta name="description" content="([^"]*)"/.exec(html)?.[1] ?? '',
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
    const { html, header, warnings } = await renderOperation(RICH);
    expect(header).not.toContain('Lists');
    expect(html).toContain(
      '<p>Lists <strong>users</strong> of <code>a</code>.<br>Second line.<br>Third.</p>',
    );
    expect(html).toContain('<li>two with <a href="https://example.com/x"');
    expect(html).toContain('data-language="json"');
    expect(html).toContain('<td><code>id</code></td>');
    expect(html).toContain('Call /users/{id} with &lt;YOUR_KEY&gt; as List&lt;String&gt;.');
    expect(warnings).toEqual([]);
  });

  test('is plain text where text is needed: meta tags, search, llms.txt', async () => {
    const { output, html, meta, twin } = await renderOperation(RICH);
    expect(meta).toBe('Lists users of a. Second line. Third.');
    expect(/property="og:description" content="([^"]*)"/.exec(html)?.[1]).toBe(meta);
    expect(textOf(output, 'llms.txt')).toContain('): Lists users of a. Second line. Third.\n');
    expect(twin.match(/Lists \*\*users\*\*/g)).toHaveLength(1);
    expect(textOf(output, 'llms-full.txt').match(/Lists \*\*users\*\*/g)).toHaveLength(1);
    const search = [...output.files].filter(([path]) => path.startsWith('_offprint/search'));
    const text = search.map(([, bytes]) => Buffer.from(bytes).toString()).join('');
    expect(text).toContain('Lists users of a. Second line. Third.');
    expect(text).not.toMatch(/<br ?\/?>Second|\*\*users/);
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
    expect(header).toContain('List users</h1>');
    expect(content).toMatch(/<p>Lists <strong>[\s\S]*Own text\./);
  });

  test('names the API description in warnings about its links', async () => {
    const { warnings } = await renderOperation('See [more](/no-such-page).\n\n- x');
    expect(warnings).toMatchObject([{ file: 'spec.json', code: 'broken-link', line: null }]);
  });

  test('never runs: expressions, modules, components, scripts and handlers are text or removed', async () => {
    const hostile =
      'A\n\n{alert(1)} {`x`}\n\nimport X from "/index.mdx"\n\nexport const y = 1\n\n<Card title="c">card</Card>\n\n' +
      '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n<a href="javascript:alert(1)">x</a>\n\n' +
      '<iframe src="https://e.example"></iframe>\n\n<div style="background:url(https://e.example/y)" onclick="alert(1)">d</div>\n\n' +
      '<b>never closed\n\n</p></div></td>\n\n<!-- comment -->\n\nend';
    const { content } = await renderOperation(hostile);
    expect(content).toContain('<p>end</p>');
    expect(content).toContain('{alert(1)} {<code>x</code>}');
    expect(content).toContain('import X from');
    expect(content).toContain('export const y = 1');
    expect(content).toContain('&lt;Card title=');
    expect(content).toContain('&lt;script&gt;');
    expect(content).not.toMatch(
      /<(?:script|iframe|img)|href="javascript|onerror=a|onclick|e\.example\/y|comment/,
    );
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
    expect(html).toContain('Start');
  });
});

test('a description of one paragraph is the description of the page, with its inline Markdown', async () => {
  const { header, content } = await renderOperation('Lists *users* of\nthe `team`.');
  expect(header).toContain('Lists <em>users</em> of\nthe <code>team</code>.</p>');
  expect(content).not.toContain('<em>users');
});
