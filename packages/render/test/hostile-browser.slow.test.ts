/**
 * Every hostile payload on a page of one site, opened in Chromium without a policy that would stop it: nothing may run,
 * no dialog open, nothing be asked of another host. The policy of the export is only reported against, so that what it
 * would have to stop is seen too.
 *
 * In the usual run markup and expressions share pages, six to a page; one that keeps what follows it from being read as
 * a page of its own gets one. With OFFPRINT_TEST=full each has a page of its own.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { isFull } from '../../../test/support/size.ts';
import { type StaticServer, serveStatic } from '../../../test/support/static-server.ts';
import { documentStart } from '../src/theme/policy.ts';
import { frontMatters, hostileConfig } from './hostile-config.ts';
import { expressions, islandCode, markup, urlContexts, urls } from './hostile-payloads.ts';
import { renderFiles } from './output.ts';

/** Pages open at a time. */
const TABS = 4;
const HEAD = 'export const list = ["a", "b"];\nexport const fn = () => "called";\n\n';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Payloads that may share a page. */
const SHARED = 6;

/** Words after a payload that are a paragraph of the page unless the payload swallowed them. */
const after = (name: string): string => `**After ${name}**`;
const afterHtml = (name: string): string => `<strong>After ${name}</strong>`;

/** Payloads that stand alone in the text of a page, by name. */
const inText: Readonly<Record<'markup' | 'expressions', ReadonlyMap<string, string>>> = {
  markup: new Map(markup.map((text, at) => [`m${at}`, text])),
  expressions: new Map(
    expressions.map((text, at) => [
      `e${at}`,
      `{${text}}\n\n<div title={${text}}>x</div>\n\n<Card title={${text}} href={${text}}>x</Card>`,
    ]),
  ),
};

/** One page with these payloads of a kind. */
function sharedPage(kind: keyof typeof inText, names: readonly string[]): [path: string, text: string] {
  const parts = names.map((name) => `${inText[kind].get(name)}\n\n${after(name)}\n`);
  const head = kind === 'expressions' ? HEAD : '';
  return [`${kind}/${names.join('-')}.mdx`, `${head}${parts.join('\n')}`];
}

/** Names of the payloads that share a page, by kind and page. */
async function shareOut(): Promise<[kind: keyof typeof inText, names: string[]][]> {
  const groups = (Object.keys(inText) as (keyof typeof inText)[]).flatMap((kind) => {
    const names = [...inText[kind].keys()];
    const size = isFull ? 1 : SHARED;
    return Array.from({ length: Math.ceil(names.length / size) }, (_, at): [typeof kind, string[]] => [
      kind,
      names.slice(at * size, (at + 1) * size),
    ]);
  });
  if (isFull) return groups;
  const { files } = await renderFiles({
    'docs.json': JSON.stringify({ theme: 'mint', name: 'x', colors: { primary: '#0f766e' }, navigation: {} }),
    ...Object.fromEntries(groups.map(([kind, names]) => sharedPage(kind, names))),
  });
  return groups.flatMap(([kind, names]) => {
    const html = String(files.get(sharedPage(kind, names)[0].replace(/mdx$/, 'html')) ?? '');
    const isWhole = names.every((name) => html.includes(afterHtml(name)));
    return isWhole ? [[kind, names]] : names.map((name): [typeof kind, string[]] => [kind, [name]]);
  });
}

/** Source files by path; URLs in the same kind of place share a page. */
function payloadPages(shares: Awaited<ReturnType<typeof shareOut>>): Record<string, string> {
  const pages: Record<string, string> = Object.fromEntries(
    shares.map(([kind, names]) => sharedPage(kind, names)),
  );
  for (const [at, text] of islandCode.entries()) pages[`islands/i${at}.mdx`] = `${text}\n\nAfter.\n`;
  for (const [at, context] of Object.values(urlContexts).entries()) {
    pages[`urls/u${at}.mdx`] = urls.map((url) => context(url)).join('\n\n');
  }
  for (const [at, yaml] of frontMatters.entries())
    pages[`front/f${at}.mdx`] = `---\n${yaml}\n---\n\nWords.\n`;
  return pages;
}

/** Runs in the page before anything else: notes what must not happen. */
const WATCH = `
  window.seen = [];
  window.canary = (...args) => { window.seen.push('canary ' + args.join()); };
  for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = () => { window.seen.push(name); };
  window.open = (url) => { window.seen.push('open ' + url); return null; };
  document.addEventListener('securitypolicyviolation', (event) => {
    // Mermaid gives the menu of an actor an inline handler of its own while it draws. The policy refuses it, and what
    // is shown of the drawing has none, which is looked at below.
    if (event.violatedDirective === 'script-src-attr' && event.sourceFile.includes('/_offprint/diagrams-')) return;
    window.seen.push('policy ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample);
  });
  addEventListener('error', (event) => {
    if (event.message) window.seen.push('error ' + event.message);
  });
`;

/** Points at, focuses and clicks everything that can be, once. Links that lead elsewhere are not followed. */
const TOUCH = `(async () => {
  const bad = (url) => /^(?:javascript|vbscript|data|blob|file|filesystem|view-source):/i.test(url ?? '');
  const stay = (event) => {
    const link = event.target.closest?.('a[href], area[href]');
    const url = typeof link?.href === 'string' ? link.href : link?.href?.baseVal;
    if (bad(url)) window.seen.push('link ' + url);
    else if (link) event.preventDefault();
    if (event.type === 'submit') event.preventDefault();
  };
  addEventListener('click', stay);
  addEventListener('submit', stay);
  for (const link of document.querySelectorAll('[href], [src], [action], [formaction]')) {
    for (const name of ['href', 'src', 'action', 'formAction']) {
      const url = typeof link[name] === 'string' ? link[name] : link[name]?.baseVal;
      const isOwn = link.localName === 'link' && link.rel === 'icon' || /^data:image\\//.test(url ?? '') && ['img', 'image'].includes(link.localName);
      if (bad(url) && !isOwn) window.seen.push(link.localName + ' ' + name + ' ' + url);
    }
  }
  for (let waited = 0; waited < 4_000 && document.querySelector('[data-pending]'); waited++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  if (document.querySelector('[data-pending]')) window.seen.push('a diagram was not drawn');
  const drawn = [...document.querySelectorAll('.op-diagram-host')].flatMap((host) => [...host.shadowRoot.querySelectorAll('*')]);
  for (const element of drawn) {
    for (const { name, value } of element.attributes)
      if (/^on/i.test(name) || bad(value)) window.seen.push('drawn ' + element.localName + ' ' + name);
    if (/^(?:script|iframe|object|embed)$/.test(element.localName)) window.seen.push('drawn ' + element.localName);
    for (const type of ['mouseover', 'click'])
      element.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }));
  }
  const parts = document.querySelectorAll('#content-area :is(a, area, button, input, select, summary, details, svg, img, [tabindex], [role=tab], [onclick], [onfocus])');
  for (const part of [...parts].slice(0, 400)) {
    for (const type of ['pointerover', 'pointerenter', 'mouseover', 'mouseenter', 'pointerdown', 'mousedown'])
      part.dispatchEvent(new MouseEvent(type, { bubbles: true }));
    part.focus?.();
    part.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    if (typeof part.click === 'function') part.click();
    else part.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    part.dispatchEvent(new MouseEvent('mouseout', { bubbles: true }));
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  return window.seen;
})()`;

describe('hostile pages in a browser', () => {
  let browser: Browser;
  let server: StaticServer;
  let folder: string;
  let pages: Record<string, string>;
  const seen = new Map<string, string[]>();

  function watch(context: BrowserContext, note: (what: string) => void): void {
    context.on('dialog', (dialog) => {
      note(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${server.url}/`) && !url.startsWith('data:')) note(`request ${url}`);
    });
    context.on('page', (page) => {
      if (context.pages().length > 1) note(`window ${page.url()}`);
    });
  }

  async function visit(tab: Page, path: string, found: string[]): Promise<void> {
    await tab.goto(`${server.url}/${path}`, { waitUntil: 'load' });
    found.push(...((await tab.evaluate(TOUCH)) as string[]));
    if (!tab.url().startsWith(`${server.url}/${path}`)) found.push(`left for ${tab.url()}`);
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-hostile-'));
    pages = payloadPages(await shareOut());
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({ ...hostileConfig, navigation: { pages: ['index'] } }),
      'index.mdx': '---\ntitle: Home\n---\n\nAfter the canary word.\n',
      'a.png': PNG,
      ...pages,
    });
    for (const [path, content] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      const isPage = typeof content === 'string' && path.endsWith('.html');
      writeFileSync(
        join(folder, path),
        isPage ? content.replace(documentStart, '<meta charset="utf-8">') : content,
      );
    }
    const policy = String(files.get('_headers')).match(/Content-Security-Policy: (default-src[^\n]+)/)?.[1];
    if (policy === undefined) throw new Error('the export has no policy');
    server = await serveStatic(folder, '/docs', { 'content-security-policy-report-only': policy });
    browser = await launchBrowser();
    const rest = Object.keys(pages)
      .map((path) => path.replace(/\.mdx$/, '.html'))
      .filter((path) => files.has(path));
    const worker = async (): Promise<void> => {
      const context = await browser.newContext();
      await context.addInitScript({ content: WATCH });
      let found: string[] = [];
      watch(context, (what) => found.push(what));
      const tab = await context.newPage();
      for (let path = rest.shift(); path !== undefined; path = rest.shift()) {
        found = [];
        await visit(tab, path, found).catch((error: Error) => found.push(`fault ${error.message}`));
        seen.set(path, found);
      }
      await context.close();
    };
    await Promise.all(Array.from({ length: TABS }, worker));
  }, 1_800_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('all of them were opened', () => {
    const restricted = 3;
    expect(seen.size).toBeGreaterThanOrEqual(Object.keys(pages).length - restricted);
    const opened = new Set([...seen.keys()].flatMap((path) => path.match(/[em]\d+/g) ?? []));
    expect(opened.size).toBe(markup.length + expressions.length);
    process.stdout.write(`${seen.size} hostile pages\n`);
  });

  test.each(['markup', 'expressions', 'urls', 'front'])(
    'nothing of %s runs, opens, asks or breaks the policy',
    (kind) => {
      const faults = [...seen].filter(([path, found]) => path.startsWith(`${kind}/`) && found.length > 0);
      expect(Object.fromEntries(faults)).toEqual({});
    },
  );

  test('islands run the code of their page and nothing else', () => {
    const found = [...seen].filter(([path]) => path.startsWith('islands/')).flatMap(([, what]) => what);
    expect(found).toContain('canary 1');
    expect(found.filter((what) => what !== 'canary 1' && what !== 'policy script-src-attr inline ')).toEqual(
      [],
    );
  });

  test('nothing of the search results runs', async () => {
    const context = await browser.newContext();
    await context.addInitScript({ content: WATCH });
    const found: string[] = [];
    watch(context, (what) => found.push(what));
    const tab = await context.newPage();
    await tab.goto(`${server.url}/index.html`);
    for (const query of ['canary', '<img src=x onerror=canary(1)>', 'script']) {
      await tab.keyboard.press('Control+k');
      await tab.getByRole('combobox').fill(query);
      await tab.locator('[role=option]').first().waitFor();
      found.push(...((await tab.evaluate('window.seen')) as string[]));
      await tab.keyboard.press('Escape');
      await tab.keyboard.press('Escape');
    }
    await context.close();
    expect(found).toEqual([]);
  });
});
