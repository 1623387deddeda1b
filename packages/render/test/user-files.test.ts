import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { valuesOf } from './dom.ts';
import { type Output, renderFiles, textOf } from './output.ts';

/** What existing style sheets of docs name, by the page on which it must stand. */
const HOOKS: Readonly<Record<string, readonly string[]>> = {
  index: [
    '#navbar',
    '#sidebar',
    '#sidebar-content',
    '#content-area',
    '#content',
    '#header',
    '#banner',
    '#footer',
    '#page-title',
    '#page-context-menu',
    '#page-context-menu-button',
    '#pagination',
    '#table-of-contents',
    '#search-bar-entry',
    '#topbar-cta-button > a > .bg-primary-dark:first-child',
    '#topbar-cta-button > a > div > span',
    'a.bg-primary-dark span',
    '#body-content',
    '.mdx-content',
    '.nav-tabs',
    '.nav-tabs-item',
    '.nav-logo',
    '.sidebar-group',
    '.sidebar-title',
    '.toc',
    '.toc-item',
    '.eyebrow',
    '.breadcrumb-list',
    '.card',
    '.callout',
    '.accordion',
    '.code-block',
    '.code-block > .code-block-background',
    '.code-group',
    '.frame',
    '.steps',
    '.step',
    '.tabs',
    '.update.update-container',
    '.tooltip',
    '.tile',
    '.field',
    '[data-component-part]',
    '[data-component-name]',
    'html[data-current-path="/"]',
    '[data-active]',
    'html.dark, html.light',
  ],
  'guides/panel': ['#panel', 'html[data-current-path="/guides/panel"]'],
  'guides/endpoint': ['.api-section', '.method-pill'],
};

const SITE: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Hooks',
    colors: { primary: '#166e3f' },
    styling: { eyebrows: 'breadcrumbs' },
    banner: { content: 'News' },
    navbar: { primary: { type: 'button', label: 'Start', href: 'https://example.com' } },
    footer: { socials: { github: 'https://github.com/a/b' } },
    navigation: {
      tabs: [
        {
          tab: 'Guides',
          groups: [{ group: 'Start', pages: ['index', 'table', 'guides/panel', 'guides/endpoint'] }],
        },
        { tab: 'More', href: 'https://example.com' },
      ],
    },
  }),
  'index.mdx': `---
title: Home
---

## One

## Two

<Card title="a" href="/guides/panel">b</Card>
<Note>

c

</Note>

<Accordion title="d">e</Accordion>
<Frame>f</Frame>
<Steps><Step title="g">h</Step></Steps>
<Tabs><Tab title="i">j</Tab></Tabs>
<Update label="k">l</Update>
<Tooltip tip="m">n</Tooltip>
<Tile title="o" href="/guides/panel">p</Tile>
<ParamField path="q" type="string">r</ParamField>

<CodeGroup>
\`\`\`js a
1
\`\`\`
\`\`\`js b
2
\`\`\`
</CodeGroup>

<p id="element" className="mine mt-4 text-lg">x</p>
`,
  'table.mdx':
    '---\ntitle: Table\n---\n\n| A | B |\n| - | - |\n| 1 | 2 |\n\n<table className="rows"><tbody><tr><th>C</th><td>3</td></tr></tbody></table>\n',
  'guides/panel.mdx': '---\ntitle: Panel\n---\n\n<Panel>side</Panel>\n\ntext\n',
  'guides/endpoint.mdx': '---\ntitle: Endpoint\napi: "GET https://api.example.com/a/{id}"\n---\n\ntext\n',
  'landing.mdx':
    '---\ntitle: Landing\nmode: custom\n---\n\n<section className="bg-primary p-8 text-white">wide</section>\n\n## Text\n\ntext\n',
  'b/later.js': 'window.order = (window.order ?? "") + "later";',
  'a.js': `window.order = (window.order ?? "") + "first ";
window.names = [typeof window.mintlify.api.playground.setServerVariables, typeof window.mintlify.user];
document.addEventListener("mintlify:user", (event) => { window.user = JSON.stringify(event.detail); });`,
  'style.css': `${Object.values(HOOKS)
    .flat()
    .map((hook, at) => `${hook} { --hook-${at}: "on"; }`)
    .join('\n')}
* { margin: 0; padding: 0 }
h2 { letter-spacing: 9px }
.mine { letter-spacing: 3px; margin-top: 40px }
#page-title { font-size: 51px }
table thead { background: rgb(1, 2, 3); color: rgb(250, 251, 252) }
.rows th { background: rgb(4, 5, 6) }
`,
};

let browser: Browser;
let folder: string;
let output: Output;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-'));
  output = await renderFiles(SITE);
  expect(output.result.warnings).toEqual([]);
  for (const [path, content] of output.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`file://${folder}/${path}.html`);
  return page;
}

const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue(${JSON.stringify(property)})`,
  );

test.each(Object.keys(HOOKS))('a style sheet of the site finds every name it may use on %s', async (path) => {
  const all = Object.values(HOOKS).flat();
  const page = await open(path);
  const missing: string[] = [];
  for (const hook of HOOKS[path] ?? []) {
    const found = await page.evaluate(`document.querySelector(${JSON.stringify(hook)}) !== null`);
    if (!found || (await styleOf(page, hook, `--hook-${all.indexOf(hook)}`)) !== '"on"') missing.push(hook);
  }
  expect(missing).toEqual([]);
  await page.close();
});

test('a rule of the site wins over the theme and over utilities, a reset of it does not', async () => {
  const page = await open('index');
  expect(await styleOf(page, '#page-title', 'font-size')).toBe('51px');
  expect(await styleOf(page, '.mine', 'letter-spacing')).toBe('3px');
  expect(await styleOf(page, '.mine', 'margin-top')).toBe('40px');
  expect(await styleOf(page, '.mine', 'font-size')).toBe('18px');
  expect(await styleOf(page, '#content > h2', 'letter-spacing')).not.toBe('9px');
  expect(
    Number.parseInt(await styleOf(page, '.card', 'padding-left'), 10) +
      Number.parseInt(await styleOf(page, '.op-card-main', 'padding-left'), 10),
  ).toBeGreaterThan(0);
  expect(Number.parseInt(await styleOf(page, '.op-navbar-bar', 'padding-left'), 10)).toBeGreaterThan(0);
  await page.close();
});

test('a color of a site for the head of tables is behind the words that it colors', async () => {
  const page = await open('table');
  /** The background that shows behind an element. */
  const ground = (selector: string): Promise<string> =>
    page.evaluate(`(() => {
      let at = document.querySelector(${JSON.stringify(selector)});
      while (getComputedStyle(at).backgroundColor === 'rgba(0, 0, 0, 0)') at = at.parentElement;
      return getComputedStyle(at).backgroundColor;
    })()`);
  for (const cell of ['thead th', 'thead th:last-child']) {
    expect(await ground(`#content ${cell}`), cell).toBe('rgb(1, 2, 3)');
    expect(await styleOf(page, `#content ${cell}`, 'color'), cell).toBe('rgb(250, 251, 252)');
  }
  expect(await ground('.rows th')).toBe('rgb(4, 5, 6)');
  await page.close();
});

test('a style sheet can hide the sidebar or the contents, and the text keeps its place', async () => {
  const page = await open('index');
  const placeOfText = (): Promise<unknown> =>
    page.evaluate(
      '(({ left, width }) => ({ left, width }))(document.querySelector("#content > p").getBoundingClientRect())',
    );
  const before = await placeOfText();
  for (const id of ['sidebar', 'table-of-contents']) {
    await page.addStyleTag({ content: `body:has(#page-title) #${id} { display: none !important }` });
    expect(await placeOfText(), id).toEqual(before);
  }
  await page.close();
});

test('scripts of the site run on every page, after ours and in order, and find the names they may use', async () => {
  for (const path of Object.keys(HOOKS)) {
    const page = await open(path);
    expect(await page.evaluate('window.order')).toBe('first later');
    expect(await page.evaluate('window.names')).toEqual(['function', 'object']);
    await expect.poll(() => page.evaluate('window.user')).toBe('{}');
    await page.close();
  }
});

test('a site without scripts of its own has no names for them', async () => {
  const { 'a.js': _a, 'b/later.js': _b, ...rest } = SITE;
  const plain = await renderFiles(rest as Record<string, string>);
  expect([...plain.files.keys()].filter((path) => path.startsWith('_offprint/api-'))).toEqual([]);
  const scripts = valuesOf(textOf(output, 'index.html'), 'src', { tag: 'script' });
  expect(scripts[scripts.indexOf('a.js') - 1]).toMatch(/^_offprint\/api-/);
});

test('content of a custom page has the whole window, and plain text on it a column', async () => {
  for (const width of [390, 1440, 2000]) {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.goto(`file://${folder}/landing.html`);
    const box = async (selector: string): Promise<{ left: number; width: number }> =>
      page.evaluate(
        `(({ left, width }) => ({ left, width }))(document.querySelector('#content > ${selector}').getBoundingClientRect())`,
      );
    expect(await box('section')).toEqual({ left: 0, width });
    const text = await box('p');
    expect(text.width).toBeLessThanOrEqual(720);
    expect(text.left).toBeGreaterThanOrEqual(20);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await page.evaluate('document.querySelector("#content h2").id')).toBe('');
    expect(await page.locator('#footer, #pagination, #table-of-contents, #header').count()).toBe(0);
    await page.close();
  }
});
