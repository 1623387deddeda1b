/** Names by which scripts of exported pages find their elements: the content has none of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'htmlparser2';
import { describe, expect, test } from 'vitest';
import { assetPath } from '../src/assets.ts';
import { RESERVED_CONTROLS, RESERVED_IDS } from '../src/theme/reserved.ts';
import { renderBody } from './mdx-page.ts';
import { renderFiles, textOf } from './output.ts';

/** Every script that pages load, as it is written. */
function readScripts(): Map<string, string> {
  const scripts = new Map<string, string>();
  for (const folder of ['theme/client', 'components/client', 'islands/client']) {
    const path = assetPath(`packages/render/src/${folder}`);
    for (const name of readdirSync(path)) scripts.set(name, readFileSync(join(path, name), 'utf8'));
  }
  scripts.set('diagrams', readFileSync(assetPath('packages/render/src/diagrams/client.js'), 'utf8'));
  return scripts;
}

const scripts = readScripts();
const all = (pattern: RegExp): [script: string, match: RegExpMatchArray][] =>
  [...scripts].flatMap(([script, text]) =>
    [...text.matchAll(pattern)].map((match): [string, RegExpMatchArray] => [script, match]),
  );

/** Ids that the content may have: a heading of this name is what the script then leads to. */
const SHARED_IDS = new Set(['search']);

/** Attributes that authors write for the scripts. */
const PUBLIC_ATTRIBUTES = new Set(['data-nozoom']);

/** Selectors of parts below an element of ours that was found before. */
const BELOW_OWN = new Set(['[data-component-name=Steps]']);

const texts = String.raw`(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|${'`'}([^${'`'}]*)${'`'})`;
const textIn = (match: RegExpMatchArray): string => match[1] ?? match[2] ?? match[3] ?? '';

/** Selectors by which a script starts from any element of the page. */
function selectorsOfPage(): [script: string, selector: string][] {
  const calls = [
    String.raw`document\.querySelector(?:All)?\(\s*`,
    String.raw`\.(?:closest|matches)(?:\?\.)?\(\s*`,
    String.raw`\beach\(document,\s*`,
    String.raw`\bsetUp\(\s*`,
  ];
  return calls.flatMap((call) =>
    all(new RegExp(call + texts, 'g')).map(([script, match]): [string, string] => [script, textIn(match)]),
  );
}

/** Parts of a selector list; commas inside parentheses do not divide. */
function partsOf(selector: string): string[] {
  let depth = 0;
  let parts = [''];
  for (const char of selector) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === ',' && depth === 0) parts = [...parts, ''];
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim());
}

describe('scripts of exported pages', () => {
  test('look up ids only that the content cannot have', () => {
    const ids = [
      ...all(new RegExp(String.raw`getElementById\(\s*${texts}`, 'g')).map(([, match]) => textIn(match)),
      ...selectorsOfPage().flatMap(([, selector]) =>
        [...selector.matchAll(/#([a-z][\w-]*)/gi)].map(([, id]) => id!),
      ),
      ...all(/\.id = '([\w-]+)'|\bid: '([a-z][\w-]*)'/g).map(([, match]) => match[1] ?? match[2] ?? ''),
    ];
    expect(ids.length).toBeGreaterThan(20);
    const open = ids.filter((id) => !RESERVED_IDS.has(id) && !SHARED_IDS.has(id) && !id.includes('$'));
    expect([...new Set(open)]).toEqual([]);
  });

  test('find elements by classes and attributes only that the content cannot have', () => {
    const selectors = selectorsOfPage();
    expect(selectors.length).toBeGreaterThan(50);
    const open = selectors.flatMap(([script, selector]) =>
      partsOf(selector)
        .filter((part) => !BELOW_OWN.has(part) && !isSafe(part))
        .map((part) => `${script}: ${part}`),
    );
    expect([...new Set(open)]).toEqual([]);
  });

  test('keep nothing in global variables that an id of the content can stand for', () => {
    const names = all(/(?:window|globalThis)\.(offprint\w*|mintlify)/g).map(([, match]) => match[1]!);
    expect(names.length).toBeGreaterThan(5);
    expect([...new Set(names)].filter((name) => !RESERVED_IDS.has(name))).toEqual([]);
  });

  test('use no member of the target of an event that a control of a form can hide', () => {
    const members = all(/\btarget\??\.(closest|matches|[a-z]\w*)/g).map(([, match]) => match[1]!);
    // Of controls, of links and of the figure that is dragged.
    const others = new Set(['value', 'pathname', 'host', 'style']);
    expect(members.length).toBeGreaterThan(5);
    const open = members.filter((name) => !RESERVED_CONTROLS.has(name) && !others.has(name));
    expect([...new Set(open)]).toEqual([]);
  });
});

/** Whether a selector matches an element only where the renderer wrote one of its own names. */
function isSafe(part: string): boolean {
  const isOwn = /\.op-|\[data-op-|offprint-(?:island|slot)/.test(part);
  const ids = [...part.matchAll(/#([a-z][\w-]*)/gi)].map(([, id]) => id!);
  if (isOwn || ids.some((id) => RESERVED_IDS.has(id))) return true;
  const names = part.replaceAll(/\[(data-[\w-]+)[^\]]*\]/g, (all, name: string) =>
    PUBLIC_ATTRIBUTES.has(name) ? '' : all,
  );
  return !/\.[a-z$]|\[data-/i.test(names);
}

/** Attributes of all elements. */
function attributesOf(html: string): Record<string, string>[] {
  const found: Record<string, string>[] = [];
  type DomNode = ReturnType<typeof parseDocument>['children'][number];
  const visit = (nodes: readonly DomNode[]): void => {
    for (const node of nodes) {
      if ('attribs' in node) found.push(node.attribs);
      if ('children' in node) visit(node.children as DomNode[]);
    }
  };
  visit(parseDocument(html).children);
  return found;
}

const SPELLINGS: [name: string, body: string][] = [
  [
    'JSX',
    '<div id="search-bar-entry" className="op-view mine" data-op-tabs="" data-op-copy="x" data-search="//evil/x.js">x</div>',
  ],
  ['HTML', '<div id="search-bar-entry" class="mine op-view" data-op-tabs data-op-copy="x">x</div>'],
  [
    'other case',
    '<div id="search-bar-entry" className="mine op-view" data-OP-tabs="" DATA-op-copy="x">x</div>',
  ],
  [
    'a spread',
    '<div {...{ id: "search-bar-entry", class: "op-view mine", "data-op-tabs": "", "data-op-copy": "x" }}>x</div>',
  ],
  [
    'an expression',
    '{<div id={"search-bar-" + "entry"} className={"op-view " + "mine"} data-op-tabs={true} data-op-copy="x">x</div>}',
  ],
  [
    'a component of the page',
    'export const A = (props) => <div {...props}>x</div>\n\n<A id="search-bar-entry" className="op-view mine" data-op-tabs="" data-op-copy="x" />',
  ],
  [
    'a built-in component',
    '<Card id="search-bar-entry" className="op-view mine" data-op-tabs="" title="x">x</Card>',
  ],
  [
    'SVG',
    '<svg id="search-bar-entry" className="op-view mine" data-op-tabs=""><path d="M0 0" data-op-copy="x" /></svg>',
  ],
];

describe('content', () => {
  test.each(SPELLINGS)('cannot have a reserved name, written as %s', (_spelling, body) => {
    const { html, warnings } = renderBody(body);
    const attributes = attributesOf(html);
    expect(attributes.some(({ class: names }) => names?.split(' ').includes('mine'))).toBe(true);
    for (const element of attributes) {
      expect(RESERVED_IDS.has(element.id ?? '')).toBe(false);
      expect(element.class ?? '').not.toMatch(/\bop-view\b/);
      expect(Object.keys(element).filter((name) => name.startsWith('data-op-'))).toEqual([]);
    }
    expect(warnings.filter(({ code }) => code === 'reserved-name').length).toBeGreaterThan(0);
    for (const { message } of warnings) expect(message).toMatch(/Choose another/);
  });

  test('gets a warning for a reserved id of a heading, and none for a reserved text', () => {
    const explicit = renderBody('## One {#navbar}\n\n<h2 id="sidebar">Two</h2>\n');
    expect(explicit.html).toContain('id="navbar-2"');
    expect(explicit.html).toContain('id="sidebar-2"');
    expect(explicit.warnings.map(({ code }) => code)).toEqual(['reserved-name', 'reserved-name']);
    const silent = renderBody('## Navbar\n\n## Search bar entry\n\n## Op announcements\n');
    expect(silent.ids).toEqual(new Set(['navbar-2', 'search-bar-entry-2', 'op-announcements-2']));
    expect(silent.warnings).toEqual([]);
  });

  test('keeps references to an element whose id was reserved', async () => {
    const output = await renderFiles({
      'docs.json': JSON.stringify({
        name: 'Site',
        theme: 'mint',
        colors: { primary: '#166e3f' },
        navigation: { pages: ['one'] },
      }),
      'one.mdx': [
        '---\ntitle: One\n---\n',
        '<label htmlFor="search-input">A</label><input id="search-input" aria-describedby="footer other" />',
        '<p id="footer">Text</p>\n\n[link](#footer)\n',
      ].join('\n'),
    });
    const html = textOf(output, 'one.html');
    expect(html).toContain('<label for="search-input-2">');
    expect(html).toContain('id="search-input-2" aria-describedby="footer-2 other"');
    expect(html).toContain('<p id="footer-2">');
    expect(html).toMatch(/<a href="#footer-2"/);
  });

  test('cannot take the place of a member of a form, or of the document', () => {
    const { html, warnings } = renderBody(
      '<form name="querySelector" id="cookie"><input name="closest" /><button id="matches">x</button><input name="email" /><img name="documentElement" id="documentElement" src="/x.png" alt="" /></form>',
      { files: { 'x.png': '' } },
    );
    const attributes = attributesOf(html);
    expect(attributes.flatMap(({ name }) => name ?? [])).toEqual(['email']);
    expect(attributes.flatMap(({ id }) => id ?? []).filter((id) => RESERVED_CONTROLS.has(id))).toEqual([]);
    expect(warnings.filter(({ code }) => code === 'reserved-name')).toHaveLength(2);
  });
});
