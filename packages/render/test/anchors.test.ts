import { parseDocument } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { RESERVED_IDS } from '../src/theme/reserved.ts';
import { byId, findOne, readHtml, textsOf } from './dom.ts';
import { renderBody } from './mdx-page.ts';
import { renderFiles, textOf } from './output.ts';

type DomNode = ReturnType<typeof parseDocument> | ReturnType<typeof parseDocument>['children'][number];

/** Attributes of every element of a page, in document order, outside the element with the id given. */
function elementsOf(html: string, outside: string | null = null): Record<string, string>[] {
  const found: Record<string, string>[] = [];
  const visit = (node: DomNode): void => {
    if ('attribs' in node) {
      found.push(node.attribs);
      if (outside !== null && node.attribs.id === outside) return;
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(parseDocument(html));
  return found;
}

const linksOf = (html: string): string[] =>
  elementsOf(html).flatMap(({ href, class: name }) =>
    href?.includes('#') && name === undefined ? [decodeURIComponent(href)] : [],
  );

/** A site of two pages: one with the links given, one with the headings, in either order. */
async function renderPair(links: string, headings: string, linksFirst = true) {
  const output = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: { pages: linksFirst ? ['links', 'target'] : ['target', 'links'] },
    }),
    'links.mdx': `---\ntitle: Links\n---\n\n${links}\n`,
    'target.mdx': `---\ntitle: Target\n---\n\n${headings}\n`,
  });
  const dead = output.result.warnings.filter(({ code }) => code === 'anchor-not-found');
  return { html: textOf(output, 'links.html'), target: textOf(output, 'target.html'), dead, output };
}

describe('a link to a field of an API page in the form of the hosted service', () => {
  const config = {
    type: 'object',
    additionalProperties: { type: 'object', properties: { user_scopes: { type: 'string' } } },
  };
  const body = {
    type: 'object',
    properties: { location: { type: 'string' }, all_defaults: config },
  };
  const content = (schema: object) => ({ content: { 'application/json': { schema } } });
  const files = (links: string) => ({
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: { pages: ['links', 'target', 'other'] },
    }),
    'links.mdx': `---\ntitle: Links\n---\n\n${links}\n`,
    'target.mdx': '---\ntitle: Target\nopenapi: openapi.json POST /a\n---\n',
    'other.mdx': '---\ntitle: Other\n---\n\n## Request body location\n',
    'openapi.json': JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'A', version: '1' },
      paths: {
        '/a': {
          post: {
            parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
            requestBody: content(body),
            responses: { 200: { description: 'Good', ...content(body) } },
          },
        },
      },
    }),
  });

  test('leads to the field', async () => {
    const output = await renderFiles(
      files(
        '[a](/target#body-location) [b](/target#param-limit) [c](/target#response-location) [d](/target#body-all-defaults-key-user_scopes) [e](/target#param-all_defaults)',
      ),
    );
    expect(linksOf(textOf(output, 'links.html'))).toEqual(
      expect.arrayContaining([
        'target.html#request-body-location',
        'target.html#parameter-limit',
        'target.html#response-body-location',
        'target.html#request-body-all_defaults-user_scopes',
        'target.html#request-body-all_defaults',
      ]),
    );
    expect(output.result.warnings.filter(({ code }) => code === 'anchor-not-found')).toEqual([]);
  });

  test('is reported if the page has no such field, or is not an API page', async () => {
    const output = await renderFiles(files('[a](/target#body-none) [b](/other#body-location)'));
    expect(output.result.warnings.filter(({ code }) => code === 'anchor-not-found')).toHaveLength(2);
  });
});

describe('a redirect to a heading', () => {
  const report = async (redirects: readonly object[]) => {
    const output = await renderFiles({
      'docs.json': JSON.stringify(
        {
          name: 'Site',
          theme: 'mint',
          colors: { primary: '#166e3f' },
          redirects,
          navigation: { pages: ['target'] },
        },
        null,
        1,
      ),
      'target.mdx': '---\ntitle: Target\n---\n\n## Part one\n',
    });
    return output.result.warnings.filter(({ code }) => code === 'anchor-not-found');
  };

  test('that does not exist is reported with its line', async () => {
    expect(
      await report([
        { source: '/a', destination: '/target#part-one' },
        { source: '/b', destination: '/target/#part-two' },
      ]),
    ).toEqual([
      expect.objectContaining({
        file: 'docs.json',
        line: 14,
        message: expect.stringMatching(
          /^The redirect from "\/b" leads to \/target, which has no .*"part-two"/,
        ),
      }),
    ]);
  });

  test('that another redirect leads away from is reported where they end', async () => {
    const found = await report([
      { source: '/a', destination: '/old#part-two' },
      { source: '/b', destination: '/old#part-one' },
      { source: '/old', destination: '/target' },
      { source: '/c', destination: '/c#part-two' },
    ]);
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The redirect from "\/a" leads to \/target, which has no .*"part-two"/),
    ]);
  });

  test('is reported if the id is spelled differently, since browsers compare it exactly', async () => {
    expect(await report([{ source: '/a', destination: '/target#Part_One' }])).toHaveLength(1);
  });

  test.each([
    ['of another host', { source: '/a', destination: 'https://example.com/target#none' }],
    ['of a missing page', { source: '/a', destination: '/missing#none' }],
    ['with an encoded id', { source: '/a', destination: '/target#part%2Done' }],
    ['to text', { source: '/a', destination: '/target#:~:text=Part' }],
    ['of a pattern', { source: '/a/:slug', destination: '/target#:slug' }],
  ])('%s is not reported', async (_, redirect) => {
    expect(await report([redirect])).toEqual([]);
  });
});

describe('a link whose anchor follows the rule of another tool', () => {
  test.each([[true], [false]])(
    'gets the id of the one heading with the same letters (links first: %s)',
    async (first) => {
      const { html, dead } = await renderPair(
        '[a](/target#GettingStarted) [b](/target#one---two) [c](/target#no-such) [d](/target#Caf%C3%A9-Menu)',
        '## Getting Started\n\n## One & Two\n\n## Café menu',
        first,
      );
      expect(linksOf(html)).toEqual(
        expect.arrayContaining([
          'target.html#getting-started',
          'target.html#one-&-two',
          'target.html#no-such',
          'target.html#café-menu',
        ]),
      );
      expect(dead.map(({ message }) => /id "(.*?)"/.exec(message)?.[1])).toEqual(['no-such']);
    },
  );

  test('is corrected on its own page too', async () => {
    const { html, dead } = await renderPair('## What is it?\n\n[up](#WhatIsIt)', '## Other');
    expect(linksOf(html)).toContain('#what-is-it');
    expect(dead).toEqual([]);
  });

  test('is not reported where the page lacks its API description, which is reported', async () => {
    const output = await renderFiles({
      'docs.json': JSON.stringify({
        name: 'Site',
        theme: 'mint',
        colors: { primary: '#166e3f' },
        api: { openapi: 'https://api.example/openapi.json' },
        navigation: { pages: ['links', 'one', 'two', 'text'] },
      }),
      'links.mdx': '[a](/one#body-name) [b](/two#response-id) [c](/text#body-name)',
      'one.mdx': '---\nopenapi: POST /one\n---\n',
      'two.mdx': '---\nopenapi: https://api.example/openapi.json GET /two\n---\n',
      'text.mdx': 'Text.',
    });
    const { warnings } = output.result;
    const dead = warnings.filter(({ code }) => code === 'anchor-not-found');
    expect(dead.map(({ message }) => /page (\S+)/.exec(message)?.[1])).toEqual(['/text']);
    expect(warnings.map(({ file, code }) => `${file} ${code}`)).toEqual(
      expect.arrayContaining(['one.mdx operation-missing', 'two.mdx remote-description']),
    );
  });

  test('leads to an `<a name>` as browsers do, which takes no id from a heading', async () => {
    const { html, target, dead } = await renderPair(
      '[a](/target#install-it) [b](/target#usage) [c](/target#USAGE)',
      '## <a name="install-it">1. Install</a>\n\n## <a name="usage"></a>Usage',
    );
    expect(dead).toEqual([]);
    expect(linksOf(html)).toEqual(expect.arrayContaining(['target.html#install-it', 'target.html#usage']));
    expect(byId(target, 'usage')?.role).toBe('heading');
    expect(byId(target, '1-install')?.role).toBe('heading');
  });

  test('stays as written, with a warning, where two headings have those letters', async () => {
    const { html, dead } = await renderPair('[a](/target#setUp)', '## Set up\n\n## Se tup');
    expect(linksOf(html)).toContain('target.html#setUp');
    expect(dead).toHaveLength(1);
  });
});

describe('ids of headings', () => {
  test('hold the text of components, and the id without it leads there too', () => {
    const { ids } = renderBody('## Workspace <Badge>Cloud</Badge>\n');
    expect([...ids]).toEqual(expect.arrayContaining(['workspace-cloud', 'workspace']));
  });

  test('have a hyphen for an underscore, and the written form leads there too', () => {
    const { ids } = renderBody('## _meta\n\n## `on_my_event`\n');
    expect([...ids]).toEqual(expect.arrayContaining(['meta', 'on-my-event', 'on_my_event']));
  });

  test('are also found with the punctuation that the reference keeps', () => {
    const { ids } = renderBody('## Lists, or arrays\n\n## Is empty?\n\n## A?-:\n');
    expect([...ids]).toEqual(expect.arrayContaining(['lists,-or-arrays', 'is-empty?', 'is-empty']));
  });

  test('never take an id of the page around the content, and links to them lead to the heading', async () => {
    const names = ['Content', 'Header', 'Pagination', 'Table of contents', 'Navbar', 'Panel'];
    const { html, target } = await renderPair(
      '[a](/target#content) [b](/target#table-of-contents)',
      names.map((name) => `## ${name}`).join('\n\nText\n\n'),
    );
    expect(linksOf(html)).toEqual(
      expect.arrayContaining(['target.html#content-2', 'target.html#table-of-contents-2']),
    );
    const ids = elementsOf(target).flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(ids).toEqual([...new Set(ids)]);
  });

  test.each(['mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'])(
    'cannot be those that the layout %s has around the content: all are reserved',
    async (theme) => {
      const output = await renderFiles({
        'docs.json': JSON.stringify({
          name: 'Site',
          theme,
          colors: { primary: '#166e3f' },
          banner: { content: 'Hello', dismissible: true },
          contextual: { options: ['copy', 'view'] },
          footer: { socials: { github: 'https://github.com/example' } },
          navigation: { tabs: [{ tab: 'One', pages: ['one', 'two'] }] },
        }),
        'one.mdx': '---\ntitle: One\nrelated: ["two"]\n---\n\n## A\n\n## B\n\n<Panel>Side</Panel>\n',
        'two.mdx': '---\ntitle: Two\n---\n\n## A\n\n## B\n',
      });
      const ids = ['one.html', 'two.html'].flatMap((path) =>
        elementsOf(textOf(output, path), 'content').flatMap(({ id }) => (id === undefined ? [] : [id])),
      );
      expect(ids.length).toBeGreaterThan(5);
      expect([...new Set(ids)].filter((id) => !RESERVED_IDS.has(id))).toEqual([]);
    },
  );
});

describe('an id at the end of a heading', () => {
  test.each([
    ['## Title {#own-id}'],
    ['## Title \\{#own-id\\}'],
    ['## Title \\{#own-id}'],
    ['## Title {/*#own-id*/}'],
    ['## Title {/* #own-id */}'],
    ['## Title {#own-id} ##'],
    ['> ## Title {#own-id}'],
    ['- ## Title {#own-id}'],
    ['Title {#own-id}\n----'],
    ['Title \\{#own-id\\}\n----'],
    ['<Note>\n  ## Title {#own-id}\n</Note>'],
  ])('is the id of the heading and nothing of it is visible: %s', (written) => {
    const { html, toc, markdown, warnings } = renderBody(`${written}\n`);
    const heading = findOne(html, { role: 'heading', level: 2, id: 'own-id', name: 'Title' });
    expect(heading.rawText).toBe('Title');
    expect(heading.children).toMatchObject([{ tag: 'a', attributes: { href: '#own-id' } }]);
    expect(toc.map(({ id, html: label }) => [id, label])).toEqual([['own-id', 'Title']]);
    expect(markdown).toMatch(/## Title\n$/);
    expect(warnings).toEqual([]);
  });

  test('may follow code, links and components', () => {
    const { html, ids, toc } = renderBody(
      '## Use `x` \\{#a\\}\n\n## [Link](https://e.example) {#b}\n\n## `x` <Badge>New</Badge> {/* #c */}\n',
    );
    expect([...ids].sort()).toEqual(['a', 'b', 'c']);
    expect(toc.map(({ html: label }) => label)).toEqual(['Use <code>x</code>', 'Link', '<code>x</code> New']);
    expect(html).not.toContain('{#');
  });

  test('is text where it does not end a heading or is code', () => {
    for (const body of ['## Title `{#id}`', '## Title \\{#id\\} more', 'Text \\{#id\\}'])
      expect(renderBody(`${body}\n`).html).toContain('{#id}');
    expect(renderBody('```md\n## Title {#id}\n```\n\n## B {#c}\n').html).toContain('## Title {#id}');
  });

  test('gets a number where it is taken, by another heading or by the page around the content', () => {
    const { toc } = renderBody('## A {#x}\n\n## B \\{#x\\}\n\n## X\n\n## C {/* #header */}\n');
    expect(toc.map(({ id }) => id)).toEqual(['x', 'x-2', 'x-3', 'header-2']);
  });

  test.each([
    ['"><script>alert(1)</script>'],
    ['"onclick=alert(1)'],
    ["'><img/src=x/onerror=alert(1)>"],
    ['&quot;><b>'],
    ['__proto__'],
    ['constructor'],
    ['\ud800'],
    ['x'.repeat(100_000)],
  ])('cannot add markup or break the page: %j', (id) => {
    for (const heading of [`## T \\{#${id}\\}`, `## T {#${id}}`, `## T {/*#${id}*/}`]) {
      const elements = elementsOf(renderBody(`${heading}\n\nafter\n`).html);
      expect(
        elements.map((attributes) => Object.keys(attributes).filter((name) => name.startsWith('on'))),
      ).toEqual(elements.map(() => []));
      const { html } = renderBody(`${heading}\n\nafter\n`);
      expect(readHtml(html).filter(({ tag }) => /^(?:script|img)$/.test(tag))).toEqual([]);
      expect(textsOf(html, { role: 'paragraph' })).toContain('after');
    }
  });

  test('is found in time linear in the length of the line', () => {
    const lines = [
      `## A {#b}${' '.repeat(300_000)}x`,
      `## A ${'{#b}'.repeat(2_000)}x`,
      `## A \\{#b\\}${' '.repeat(300_000)}`,
      `## A {#b} ${'#'.repeat(300_000)}x`,
      `${'> '.repeat(60)}## A {#b}`,
    ];
    for (const line of lines)
      expect(textsOf(renderBody(`${line}\n\nafter\n`).html, { role: 'paragraph' })).toContain('after');
  });

  test('appears in no title, table of contents, search index or Markdown copy, and links lead to it', async () => {
    const { html, target, dead, output } = await renderPair(
      '[a](/target#wordone) [b](/target#wordtwo) [c](/target#wordthree)',
      '## First \\{#wordone\\}\n\nText\n\n## Second {#wordtwo}\n\nText\n\n## Third {/* #wordthree */}\n\nText',
    );
    expect(dead).toEqual([]);
    expect(linksOf(html)).toEqual(
      expect.arrayContaining(['target.html#wordone', 'target.html#wordtwo', 'target.html#wordthree']),
    );
    expect(target).not.toMatch(/\{#|\{\/\*/);
    for (const [path, content] of output.files)
      if (/\.(?:md|txt|js|json)$/.test(path))
        expect(Buffer.from(content).toString(), path).not.toMatch(/\{#word|\{\/\*\s?#word/);
  });
});

test('badges in headings are plain text in the table of contents', () => {
  const { toc } = renderBody('## Workspace <Badge>Cloud</Badge>\n');
  expect(toc.map(({ html }) => html)).toEqual(['Workspace Cloud']);
});

describe('the anchor of a first heading that repeats the title', () => {
  test.each([
    ['/target#target', '# Target\n\nText.'],
    ['/target#own', '# Target {#own}\n\nText.'],
    ['/target#target', '# `Target`\n\n## Other'],
  ])('%s leads to the page', async (link, target) => {
    const id = link.split('#')[1] ?? '';
    const page = await renderPair(`[link](${link})`, target);
    expect(page.dead).toEqual([]);
    expect(linksOf(page.html)).toContain(`target.html#${id}`);
    expect(findOne(page.target, { id }).tag).toBe('span');
    expect(textsOf(page.target, { tag: 'h1' })).toHaveLength(1);
  });
  test('belongs to another heading that has it', async () => {
    const page = await renderPair('[link](/target#target)', '# Target\n\n## Target');
    expect(page.dead).toEqual([]);
    expect(findOne(page.target, { id: 'target' }).tag).toBe('h2');
  });
  test('does not exist if no heading repeats the title', async () => {
    expect((await renderPair('[link](/target#target)', 'Text.')).dead).toHaveLength(1);
  });
});
