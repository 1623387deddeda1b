import { parseDocument } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { SHELL_IDS } from '../src/theme/shell-ids.ts';
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
      expect([...new Set(ids)].filter((id) => !SHELL_IDS.has(id))).toEqual([]);
    },
  );
});

test('badges in headings are plain text in the table of contents', () => {
  const { toc } = renderBody('## Workspace <Badge>Cloud</Badge>\n');
  expect(toc.map(({ html }) => html)).toEqual(['Workspace Cloud']);
});
