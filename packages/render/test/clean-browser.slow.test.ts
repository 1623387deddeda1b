/**
 * Generated style texts and SVG files, opened in Chromium without any policy: after they were cleaned, they request
 * nothing of another host. Before, they do, which shows that the browser would. 400 style texts and 300 files in the
 * usual run, 6,000 and 4,000 with OFFPRINT_TEST=full.
 */
import { globSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generate, parse } from 'css-tree';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { isFull } from '../../../test/support/size.ts';
import { cleanCss, cleanValue } from '../src/clean/css.ts';
import { cleanFile } from '../src/clean/files.ts';
import { definitions } from '../src/components/index.ts';
import { styleText } from '../src/mdx/guard/style.ts';
import { hostileCss } from './css-samples.ts';
import { hostileSvg } from './svg-samples.ts';

const [STYLES, DRAWINGS] = isFull ? [6_000, 4_000] : [400, 300];
const SEED = Number(process.env.OFFPRINT_TEST_SEED ?? 14);
/** Frames that are open at a time. */
const BATCH = 100;

interface Sample {
  /** Style sheet, `style` attribute and SVG attribute; null sets none. */
  sheet: string;
  style: string | null;
  attribute: string | null;
}

let browser: Browser;
let server: Server;
let origin: string;
let drawings: readonly Uint8Array[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const drawing = /^\/drawing\/(\d+)\.svg$/.exec(pathname)?.[1];
    if (drawing !== undefined) {
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(drawings[Number(drawing)]);
    } else if (pathname === '/')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

/** What a page requests of other hosts while it does something, up to a request of its own at the end. */
async function requestsOf(act: (page: Page) => Promise<void>): Promise<string[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const far: string[] = [];
  const open = new Set<unknown>();
  page.on('request', (request) => {
    open.add(request);
    const url = request.url();
    if (!url.startsWith(origin) && !/^(?:data|about|blob):/.test(url)) far.push(url);
  });
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  await context.route('**/*', async (route) => {
    if (route.request().url().startsWith(origin)) await route.continue();
    else await route.abort();
  });
  page.on('dialog', (dialog) => void dialog.dismiss());
  await page.goto(`${origin}/`);
  await act(page);
  const last = page.waitForRequest(`${origin}/last.png`);
  await page.evaluate(() => {
    const style = document.createElement('style');
    style.textContent = 'html{background:url(/last.png)}';
    document.head.append(style);
    return document.body.getBoundingClientRect().width;
  });
  await last;
  await expect.poll(() => open.size).toBe(0);
  await context.close();
  return far;
}

async function showStyles(page: Page, samples: readonly Sample[]): Promise<void> {
  for (let at = 0; at < samples.length; at += BATCH) {
    await page.evaluate(
      (batch) => {
        document.body.replaceChildren();
        for (const { sheet, style, attribute } of batch) {
          const frame = document.createElement('iframe');
          document.body.append(frame);
          const inner = frame.contentDocument;
          if (inner === null) continue;
          inner.body.innerHTML =
            '<p class="a">x</p><ul><li>x</ul><i>x</i><svg><rect width="9" height="9"/><g><path d="M0 0L9 9"/></g></svg>';
          if (style !== null) inner.querySelector('i')?.setAttribute('style', style);
          if (attribute !== null) {
            for (const name of ['mask', 'fill', 'stroke', 'clip-path', 'filter', 'marker-start', 'cursor'])
              inner.querySelector('path')?.setAttribute(name, attribute);
          }
          const element = inner.createElement('style');
          element.textContent = sheet;
          inner.head.append(element);
          inner.body.getBoundingClientRect();
        }
      },
      samples.slice(at, at + BATCH),
    );
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  }
}

async function showDrawings(page: Page, files: readonly Uint8Array[]): Promise<void> {
  drawings = files;
  for (let at = 0; at < files.length; at += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, files.length - at) }, (_, index) => at + index);
    await page.evaluate(
      (batch) =>
        Promise.all(
          batch.map((number) => {
            const frame = document.createElement('iframe');
            frame.src = `/drawing/${number}.svg`;
            const isLoaded = new Promise<void>((resolve) => {
              frame.onload = () => resolve();
            });
            document.body.append(frame);
            return isLoaded;
          }),
        ).then(() => document.body.replaceChildren()),
      numbers,
    );
  }
}

const own = (url: string): string => url;
const clean = (css: string): string => cleanCss(css, { resolve: ({ url }) => url });

test(`${STYLES} style texts request nothing of other hosts after they were cleaned`, {
  timeout: 1_800_000,
}, async () => {
  const texts = fc.sample(hostileCss, { numRuns: STYLES, seed: SEED });
  const cleaned = texts.map((css) => ({
    sheet: clean(css),
    style: styleText(css, own),
    attribute: cleanValue(css, own),
  }));
  expect(await requestsOf((page) => showStyles(page, cleaned))).toEqual([]);
  const written = texts.map((css) => ({ sheet: css, style: css, attribute: css }));
  const asked = await requestsOf((page) => showStyles(page, written));
  expect(asked.length).toBeGreaterThan(STYLES / 20);
});

test(`${DRAWINGS} SVG files request nothing of other hosts after they were cleaned`, {
  timeout: 1_800_000,
}, async () => {
  const texts = fc.sample(hostileSvg, { numRuns: DRAWINGS, seed: SEED }).map((text) => Buffer.from(text));
  const cleaned = texts.map((content) => cleanFile('a.svg', content).content);
  expect(await requestsOf((page) => showDrawings(page, cleaned))).toEqual([]);
  expect((await requestsOf((page) => showDrawings(page, texts))).length).toBeGreaterThan(DRAWINGS / 10);
});

test('real style sheets mean the same after they were cleaned', async () => {
  const root = new URL('../../../', import.meta.url);
  const sheets = [
    ...globSync('packages/render/src/theme/styles/*.css', { cwd: root }),
    ...globSync(
      'node_modules/{katex/dist,@fortawesome/fontawesome-free/css,tailwindcss,@fontsource/inter}/*.css',
      { cwd: root },
    ),
  ].map((path) => ({ path, before: readFileSync(new URL(path, root), 'utf8') }));
  for (const { name, style } of definitions)
    if (style !== undefined) sheets.push({ path: name, before: style });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  const read = (texts: readonly string[]) =>
    page.evaluate(
      (all) =>
        all.map((css) => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(css);
          // Values of custom properties are kept as written; all others are what the browser read.
          const custom: string[] = [];
          const visit = (rules: Iterable<CSSRule>): void => {
            for (const rule of rules) {
              const { style, cssRules } = rule as CSSStyleRule;
              for (const name of [...(style ?? [])].filter((each) => each.startsWith('--'))) {
                custom.push(`${name}: ${style.getPropertyValue(name)}`);
                style.removeProperty(name);
              }
              visit(cssRules ?? []);
            }
          };
          visit(sheet.cssRules);
          return { rules: [...sheet.cssRules].map((rule) => rule.cssText), custom };
        }),
      texts,
    );
  const normal = ({ rules, custom }: Awaited<ReturnType<typeof read>>[number]) => ({
    // Values with var() and conditions are kept as written too.
    rules: rules.map((rule) => rule.replace(/(?:\/\*[\s\S]*?\*\/|\s)+/g, ' ').replace(/ ?([,{};]) ?/g, '$1')),
    custom: custom.map((text) =>
      generate(parse(text, { context: 'declaration', parseCustomProperty: true })),
    ),
  });
  const before = await read(sheets.map((sheet) => sheet.before));
  for (const isMinified of [false, true]) {
    const after = await read(
      sheets.map((sheet) => cleanCss(sheet.before, { resolve: ({ url }) => url, isMinified })),
    );
    for (const [at, { path }] of sheets.entries()) {
      const [was, is] = [before[at], after[at]];
      if (was === undefined || is === undefined) throw new Error(path);
      expect(normal(is), path).toEqual(normal(was));
    }
  }
  await context.close();
  expect(sheets.length).toBeGreaterThan(30);
});
