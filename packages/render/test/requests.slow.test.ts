/**
 * A site whose scripts, components and styles try every way to reach another host, opened in Chromium from files and
 * from a host that sends no policy. The other host is a real server that counts what it receives.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../test/support/static-server.ts';
import { documentStart } from '../src/theme/policy.ts';
import { renderFiles } from './output.ts';

/** Ways of a script to another host, by the name that the path of the request has. */
const WAYS: Readonly<Record<string, string>> = {
  fetch: 'fetch(url).catch(() => {})',
  xhr: 'const request = new XMLHttpRequest(); request.open("GET", url); request.send()',
  beacon: 'navigator.sendBeacon(url, "x")',
  socket: 'new WebSocket(url.replace("http", "ws"))',
  events: 'new EventSource(url)',
  image: 'new Image().src = url',
  script: 'append("script", { src: url })',
  module: 'append("script", { src: url, type: "module" })',
  style: 'append("link", { rel: "stylesheet", href: url })',
  prefetch: 'append("link", { rel: "prefetch", href: url })',
  preload: 'append("link", { rel: "preload", as: "image", href: url })',
  frame: 'append("iframe", { src: url })',
  object: 'append("object", { data: url })',
  embed: 'append("embed", { src: url })',
  video: 'append("video", { src: url, preload: "auto" })',
  poster: 'append("video", { poster: url })',
  audio: 'append("audio", { src: url, preload: "auto" })',
  attribute: 'append("p", { style: "background: url(" + url + ")", textContent: "x" })',
  sheet: 'append("style", { textContent: "@import url(" + url + ");" })',
  background: 'append("style", { textContent: "body { background: url(" + url + ") }" })',
  font: 'new FontFace("Far", "url(" + url + ")").load().catch(() => {})',
  markup: 'document.body.insertAdjacentHTML("beforeend", "<img src=" + url + ">")',
  document: 'append("iframe", { srcdoc: "<img src=" + url + ">" })',
  ping: 'const link = append("a", { href: "#content", ping: url, textContent: "x" }); link.click()',
  form: 'append("iframe", { name: "elsewhere" }); append("form", { action: url, target: "elsewhere" }).submit()',
  base: 'append("base", { href: url + "/" }); append("img", { src: "image.png" })',
};

const SCRIPT = `
const append = (name, properties) => {
  const element = Object.assign(document.createElement(name), properties);
  if (properties.style) element.setAttribute('style', properties.style);
  (document.body ?? document.head).append(element);
  return element;
};
const reach = {${Object.entries(WAYS)
  .map(([name, code]) => `\n  ${name}(url) { ${code} },`)
  .join('')}
};
window.reachAll = (host) => {
  for (const [name, way] of Object.entries(reach)) {
    try { way(host + '/' + name); } catch (error) { console.debug(name, error.message); }
  }
};
append('style', { textContent: 'h1 { letter-spacing: 7px }' });
document.documentElement.dataset.ownScript = 'ran';
`;

const PAGE = (host: string): string => `---
title: Page
---

import { Far } from '/snippets/far.jsx';

<Far />

<img src="${host}/written-image.png" alt="Far" />
<iframe src="${host}/written-frame"></iframe>
<video src="${host}/written-video.mp4"></video>
<script src="${host}/written-script.js"></script>
<p style={{ backgroundImage: "url(${host}/written-style.png)" }}>Text with $x^2$.</p>

[Elsewhere](${host}/followed)
`;

const FAR = (host: string): string => `export const Far = () => {
  const [state, setState] = useState('waiting');
  useEffect(() => {
    fetch('${host}/component-fetch').then(() => setState('answered'), () => setState('refused'));
  }, []);
  return <div data-testid="far" data-state={state}><img src="${host}/component-image.png" alt="" />{state}</div>;
};
`;

let browser: Browser;
let folder: string;
let bare: string;
let host: StaticServer;
let bareHost: StaticServer;
let far: Server;
let farUrl: string;
let received: string[] = [];

beforeAll(async () => {
  far = createServer((request, response) => {
    received.push((request.url ?? '').replace(/\?.*/, ''));
    response
      .writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' })
      .end('<p>far');
  });
  far.on('upgrade', (request, socket) => {
    received.push(request.url ?? '');
    socket.destroy();
  });
  await new Promise<void>((resolve) => void far.listen(0, '127.0.0.1', resolve));
  farUrl = `http://127.0.0.1:${(far.address() as AddressInfo).port}`;
  const { files } = await renderFiles({
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: 'Site',
      colors: { primary: '#166e3f' },
      navigation: { pages: ['guides/page'] },
      redirects: [{ source: '/old', destination: '/guides/page' }],
      errors: { 404: { description: '<Card title="Lost" href="/guides/page">Start again</Card>' } },
    }),
    'guides/page.mdx': PAGE(farUrl),
    'snippets/far.jsx': FAR(farUrl),
    'ways.js': SCRIPT,
    'look.css': `@import "${farUrl}/sheet-import.css";\n.x { background: u\\72l(${farUrl}/sheet-escape.png) }`,
  });
  folder = mkdtempSync(join(tmpdir(), 'offprint-requests-'));
  bare = join(folder, 'bare');
  for (const [path, content] of files) {
    for (const [root, text] of [
      [join(folder, 'site'), content],
      [
        bare,
        typeof content === 'string' ? content.replace(documentStart, '<meta charset="utf-8">') : content,
      ],
    ] as const) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  }
  folder = join(folder, 'site');
  host = await serveStatic(folder, '/some/docs');
  bareHost = await serveStatic(bare, '/some/docs');
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await host?.stop();
  await bareHost?.stop();
  far?.close();
  rmSync(dirname(folder), { recursive: true, force: true });
});

/** Opens the page, takes every way, and waits until the browser has nothing under way. */
async function reachAll(url: string): Promise<Page> {
  received = [];
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForSelector('html[data-own-script=ran]');
  await page.waitForSelector('[data-testid=far]:not([data-state=waiting])');
  await page.evaluate((to) => (window as unknown as { reachAll(host: string): void }).reachAll(to), farUrl);
  await page.waitForLoadState('networkidle');
  return page;
}

describe.each([
  ['from files', () => `file://${folder}`],
  ['below a path of a host that sends no policy', () => host.url],
])('a page opened %s', (_, base) => {
  test('sends no request to another host, whatever its scripts, components and styles try', async () => {
    const page = await reachAll(`${base()}/guides/page.html`);
    expect(received).toEqual([]);
    expect(await page.getAttribute('[data-testid=far]', 'data-state')).toBe('refused');
    await page.close();
  });

  test('runs its own scripts, components, styles and search, and follows links', async () => {
    const page = await browser.newPage();
    const violations: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) violations.push(message.text());
    });
    await page.goto(`${base()}/guides/page.html`);
    await page.waitForSelector('html[data-own-script=ran]');
    await page.waitForSelector('[data-testid=far][data-state=refused]');
    const spacing = await page.evaluate("getComputedStyle(document.querySelector('h1')).letterSpacing");
    expect(spacing).toBe('7px');
    expect(
      await page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px KaTeX_Main'))"),
    ).toBe(true);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('page');
    await page.locator('[role=option]').first().waitFor();
    await page.keyboard.press('Escape');
    // The only refusals are those of the site's own component.
    expect(violations.filter((text) => !text.includes('component-'))).toEqual([]);
    received = [];
    const link = page.getByRole('link', { name: 'Elsewhere' });
    const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await opened.waitForLoadState();
    expect(opened.url()).toBe(`${farUrl}/followed`);
    expect(received).toContain('/followed');
    await opened.close();
    await page.close();
  });

  test('is reached through a redirect page', async () => {
    const page = await browser.newPage();
    await page.goto(`${base()}/old.html`);
    await page.waitForURL(/\/guides\/page\.html$/);
    await page.close();
  });
});

test('the same page without its policy reaches the other host in every way that the test knows', async () => {
  const page = await reachAll(`${bareHost.url}/guides/page.html`);
  await expect
    .poll(() => Object.keys(WAYS).filter((name) => !received.some((path) => path.startsWith(`/${name}`))))
    .toEqual([]);
  expect(received).toContain('/component-fetch');
  await page.close();
});
