/** Two exports of one site compared, and one previewed: over HTTP, and in a browser with a malicious site. */
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOne, has, valuesOf } from '../../packages/render/test/dom.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';
import {
  call,
  createProject,
  expectAhead,
  expectError,
  type Job,
  makeFolder,
  runExport,
  siteFiles,
} from './api.ts';

const JOBS = '/v1/static-export/jobs';

/** Runs on every page of the site, as every script in a docs folder does; writes what it obtained into the page. */
const HOSTILE = `(async () => {
  const got = {};
  const attempt = async (name, run) => {
    try {
      got[name] = await run();
    } catch (error) {
      got[name] = 'refused: ' + error.name;
    }
  };
  await attempt('origin', () => self.origin);
  await attempt('cookie', () => document.cookie);
  await attempt('localStorage', () => localStorage.length);
  await attempt('sessionStorage', () => sessionStorage.length);
  await attempt('indexedDB', () => new Promise((done, fail) => {
    const request = indexedDB.open('x');
    request.onsuccess = () => done('opened');
    request.onerror = () => fail(request.error);
  }));
  await attempt('session', async () => (await fetch('/v1/session', { credentials: 'include' })).status);
  await attempt('projects', async () => (await fetch(location.origin + '/v1/projects')).text());
  await attempt('elsewhere', async () => (await fetch('https://example.com/')).status);
  await attempt('frame', () => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.src = '/';
    frame.onload = () => done(frame.contentDocument === null ? 'no document' : 'a document');
    document.body.append(frame);
  }));
  await attempt('worker', () => navigator.serviceWorker.register('hostile.js').then(() => 'registered'));
  await attempt('opener', () => String(window.opener));
  document.documentElement.dataset.got = JSON.stringify(got);
})();
`;

let platform: TestPlatform;
let tenant: Tenant;
let stranger: Tenant;
let before: Job;
let after: Job;
let preview: string;
let published: { domain: string; projectId: string };

const ask = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  options: Parameters<typeof call>[3] = {},
) => call<Body>(platform.url, method, path, { key: tenant.key, ...options });

/** A request as strangers send it, redirects not followed. */
const get = (path: string, init: RequestInit = {}) =>
  fetch(new URL(path, preview), { redirect: 'manual', ...init });

beforeAll(async () => {
  platform = await startTestPlatform();
  [tenant, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  const path = await makeFolder({
    ...siteFiles(3),
    'hostile.js': HOSTILE,
    'old.mdx': '---\ntitle: Old\n---\n\nGone soon.\n',
    'images/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  });
  published = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  const { domain } = published;
  before = await runExport(platform.url, tenant.key, { domain, version: 'one' });
  expect(before.status, before.error).toBe('completed');
  await writeFile(join(path, 'guide/page-1.mdx'), '---\ntitle: guide/page-1\n---\n\nOther words.\n');
  await writeFile(join(path, 'new.mdx'), '---\ntitle: New\n---\n\nNew words.\n');
  await rm(join(path, 'old.mdx'));
  await mkdir(join(path, '.offprint'));
  await writeFile(join(path, '.offprint/queries.yaml'), '- { query: other words, expect: /guide/page-1 }\n');
  after = await runExport(platform.url, tenant.key, { domain, version: 'two' });
  expect(after.status, after.error).toBe('completed');
  const since = Date.now();
  const reply = await ask<{ url: string; expiresAt: string }>('POST', `${JOBS}/${after.jobId}/preview`);
  expect(reply.status, reply.text).toBe(200);
  preview = reply.body.url;
  noteSecrets(new URL(preview).pathname.split('/')[2]!);
  expectAhead(reply.body.expiresAt, 3_600_000, since);
});
afterAll(() => platform.stop());

describe(`GET ${JOBS}/{jobId}/changes`, () => {
  const changes = (query = '', jobId = after.jobId) => ask('GET', `${JOBS}/${jobId}/changes${query}`);

  test('200: pages added, removed and changed since the export before, or any other', async () => {
    const { body } = await changes();
    expect(body).toMatchObject({
      jobId: after.jobId,
      since: before.jobId,
      pages: { added: ['new'], removed: ['old'], changed: ['guide/page-1'], unchanged: 3 },
    });
    expect((await changes(`?since=${before.jobId}`)).body).toEqual(body);
    const back = (await changes(`?since=${after.jobId}`, before.jobId)).body;
    const none = { layout: [], undetermined: [], renamed: [] };
    expect(back.pages).toEqual({
      ...none,
      added: ['old'],
      removed: ['new'],
      changed: ['guide/page-1'],
      edited: ['guide/page-1'],
      unchanged: 3,
    });
    const same = (await changes(`?since=${after.jobId}`)).body;
    expect(same.pages).toEqual({
      ...none,
      added: [],
      removed: [],
      changed: [],
      edited: [],
      unchanged: 5,
    });
  });

  test('200: the first export of a domain has nothing before it, so that everything is added', async () => {
    const { body } = await changes('', before.jobId);
    expect(body).toMatchObject({
      since: null,
      pages: {
        added: ['guide/page-0', 'guide/page-1', 'guide/page-2', 'index', 'old'],
        removed: [],
        changed: [],
        unchanged: 0,
      },
      files: { added: before.artifact?.files, removed: 0, changed: 0, unchanged: 0 },
    });
  });

  test('404 not_found: with an export of another organization, as with one that never was', async () => {
    const { domain } = await createProject(platform.url, stranger.key, {
      kind: 'folder',
      path: await makeFolder(siteFiles(1)),
    });
    const foreign = await runExport(platform.url, stranger.key, { domain });
    const answers = [
      await changes(`?since=${foreign.jobId}`),
      await changes(`?since=se_${'0'.repeat(32)}`),
      await changes('?since=x%00'),
    ];
    for (const answer of answers) expectError(answer, 404, 'not_found');
    expect(new Set(answers.map(({ body }) => body.error)).size).toBe(1);
  });
});

describe(`GET ${JOBS}/{jobId}/changes/report`, () => {
  const report = (query = '', jobId = after.jobId) => ask('GET', `${JOBS}/${jobId}/changes/report${query}`);

  test('200: the URL and the anchor that are gone, with the places that served them, and test queries', async () => {
    const { status, body, text } = await report();
    expect(status, text).toBe(200);
    expect(body).toMatchObject({
      jobId: after.jobId,
      since: before.jobId,
      failed: true,
      links: {
        hasAnchors: true,
        broken: [
          { url: '/guide/page-1', anchor: 'part-0', before: { file: 'guide/page-1.mdx', line: 5 } },
          {
            url: '/old',
            anchor: null,
            cause: 'removed',
            place: null,
            before: { file: 'old.mdx', line: null },
            lastServedAt: null,
          },
        ],
      },
      queries: [{ query: 'other words', expect: 'guide/page-1', after: 1 }],
    });
  });

  test('200: against itself and without an earlier export, nothing is broken', async () => {
    for (const { body } of [await report(`?since=${after.jobId}`), await report('', before.jobId)])
      expect(body).toMatchObject({ failed: false, links: { total: 0, broken: [] } });
  });

  test('404 not_found: with an export that never was', async () => {
    expectError(await report(`?since=se_${'0'.repeat(32)}`), 404, 'not_found');
  });
});

describe(`GET ${JOBS}/{jobId}/changes/page`, () => {
  const HOSTILE_TEXT = '<script>alert(1)</script> \u202e ](javascript:alert(1))';
  let first: Job;
  let second: Job;
  const page = (path: string, { since = '', jobId = second.jobId } = {}) =>
    ask('GET', `${JOBS}/${jobId}/changes/page?path=${encodeURIComponent(path)}${since}`);

  beforeAll(async () => {
    const files = siteFiles(6);
    const path = await makeFolder({
      ...files,
      'images/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>',
      'guide/page-0.mdx': '---\ntitle: Zero\n---\n\n![A dot](/images/dot.svg)\n',
    });
    const { domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path });
    first = await runExport(platform.url, tenant.key, { domain });
    await rename(join(path, 'guide/page-5.mdx'), join(path, 'guide/renamed.mdx'));
    await writeFile(join(path, 'docs.json'), files['docs.json']!.replace('guide/page-5', 'guide/renamed'));
    await writeFile(
      join(path, 'guide/page-1.mdx'),
      files['guide/page-1.mdx']!.replace('Text of', HOSTILE_TEXT),
    );
    await appendFile(join(path, 'guide/page-2.mdx'), '\n## Another heading\n');
    second = await runExport(platform.url, tenant.key, { domain });
    expect([first.status, second.status], second.error).toEqual(['completed', 'completed']);
  });

  test('one renamed page changes the navigation of every page and the text of none but the edited ones', async () => {
    const { body } = await ask('GET', `${JOBS}/${second.jobId}/changes`);
    expect(body.pages).toMatchObject({
      added: ['guide/renamed'],
      removed: ['guide/page-5'],
      edited: ['guide/page-1', 'guide/page-2'],
      layout: ['guide/page-0', 'guide/page-3', 'guide/page-4', 'index'],
      undetermined: [],
      renamed: [{ from: 'guide/page-5', to: 'guide/renamed' }],
      unchanged: 0,
    });
  });

  test('200: an edited page has a diff of its text, hostile text included, and an added heading is a line of it', async () => {
    const edited = (await page('guide/page-1')).body;
    expect(edited).toMatchObject({
      jobId: second.jobId,
      since: first.jobId,
      path: 'guide/page-1',
      change: 'edited',
      additions: 1,
      deletions: 1,
      diffMissing: null,
      links: null,
    });
    expect(edited.diff).toContain('-Text of');
    expect(edited.diff).toContain('--- a/guide/page-1.md');
    const heading = (await page('/guide/page-2.html', { since: `&since=${first.jobId}` })).body;
    expect(heading).toMatchObject({ path: 'guide/page-2', change: 'edited', deletions: 0 });
    expect(heading.diff).toMatch(/^\+## Another heading$/m);
  });

  test('200: a page of which only the navigation differs has no diff, and the links that came and went', async () => {
    const { body } = await page('guide/page-3');
    expect(body).toMatchObject({
      change: 'layout',
      diff: null,
      diffMissing: 'same_text',
      links: { added: ['renamed.html'], removed: ['page-5.html'] },
    });
  });

  test('200: added and removed pages have all of their text in the diff', async () => {
    expect((await page('guide/renamed')).body).toMatchObject({ change: 'added', deletions: 0 });
    expect((await page('guide/page-5')).body).toMatchObject({ change: 'removed', additions: 0 });
    const alone = (await page('index', { jobId: first.jobId })).body;
    expect(alone).toMatchObject({ since: null, change: 'added' });
    expect(alone.diff).toContain('+Welcome.');
    const same = (await page('index', { since: `&since=${second.jobId}` })).body;
    expect(same).toMatchObject({ change: 'unchanged', diff: null, diffMissing: 'same_text', links: null });
  });

  test('400 for what is not a path, 404 for a page that neither export has', async () => {
    expectError(await page(''), 400, 'invalid_request', 'path');
    expectError(await page('../x'), 400, 'invalid_request', 'path');
    expectError(await ask('GET', `${JOBS}/${second.jobId}/changes/page`), 400, 'invalid_request', 'path');
    for (const path of ['nope', '404', '_offprint/search', 'guide/page-1.md.x'])
      expectError(await page(path), 404, 'not_found');
  });
});

describe('GET a preview', () => {
  test('pages are at clean URLs and at their file names, missing ones return the 404 page', async () => {
    for (const path of ['', 'index', 'guide/page-1', 'guide/page-1.html?x=1']) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
    }
    expect(await (await get('guide/page-1')).text()).toContain('Other words.');
    const slash = await get('guide/page-1/?x=1');
    const { pathname } = new URL(preview);
    expect([slash.status, slash.headers.get('location')]).toEqual([308, `${pathname}guide/page-1?x=1`]);
    const missing = await get('guide/none');
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const html = await missing.text();
    expect(has(html, { role: 'link', attributes: { href: pathname } })).toBe(true);
    const action = findOne(html, { role: 'search' }).attributes.action ?? '';
    expect([action.startsWith(pathname), action.endsWith('.html')]).toEqual([true, true]);
    expect((await get('hostile.js')).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  test('of a project with a base path names it to others, and itself stays where it is', async () => {
    const { domain, projectId } = published;
    await ask('PATCH', `/v1/projects/${projectId}`, { body: { basePath: '/help' } });
    const { jobId } = await runExport(platform.url, tenant.key, { domain, version: 'three' });
    const { url } = (await ask<{ url: string }>('POST', `${JOBS}/${jobId}/preview`)).body;
    const { pathname } = new URL(url);
    noteSecrets(pathname.split('/')[2]!);
    const read = async (path: string) => (await fetch(new URL(path, url))).text();
    const location = { tag: 'loc', text: `https://${domain}/help/guide/page-1` };
    expect(has(await read('sitemap.xml'), location)).toBe(true);
    expect(await read('robots.txt')).toContain(`Sitemap: https://${domain}/help/sitemap.xml`);
    const canonical = { tag: 'link', attributes: { rel: 'canonical' } };
    expect(valuesOf(await read('guide/page-1'), 'href', canonical)).toEqual([
      `https://${domain}/help/guide/page-1`,
    ]);
    expect(has(await read('guide/none'), { role: 'link', attributes: { href: pathname } })).toBe(true);
  });

  test('every response is sandboxed, sends no referrer, and forbids frames and search engines', async () => {
    for (const path of ['', 'guide/none', 'guide/page-1/', 'hostile.js', 'images/dot.svg', 'offprint.json']) {
      const { headers } = await get(path);
      const policy = headers.get('content-security-policy')!;
      expect(policy, path).toMatch(/(?:^|; )sandbox(?:;| allow-scripts )/);
      expect(policy, path).not.toMatch(
        /allow-same-origin|allow-top-navigation|unsafe-eval|script-src[^;]*unsafe/,
      );
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-robots-tag')).toBe('noindex');
      expect(headers.get('cache-control')).toMatch(/^private/);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('set-cookie')).toBeNull();
    }
  });

  test('HEAD, ranges and known ETags work as for a file', async () => {
    const whole = await get('hostile.js');
    const etag = whole.headers.get('etag')!;
    expect(await whole.text()).toBe(HOSTILE);
    const head = await get('hostile.js', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(HOSTILE.length)]);
    const part = await get('hostile.js', { headers: { range: 'bytes=7-19' } });
    expect([part.status, await part.text()]).toEqual([206, HOSTILE.slice(7, 20)]);
    expect((await get('hostile.js', { headers: { range: 'bytes=999999-' } })).status).toBe(416);
    expect((await get('hostile.js', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await get('hostile.js', { method: 'POST', body: 'x' })).status).toBe(405);
  });

  test('a token that was altered, or is spelled in another way, is refused, and nothing leads out', async () => {
    const token = new URL(preview).pathname.split('/')[2]!;
    const altered = (token.startsWith('A') ? 'B' : 'A') + token.slice(1);
    const escaped = `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`;
    for (const other of [altered, token.slice(1), escaped, 'x']) {
      expect((await get(`/preview/${other}/`)).status, other).toBe(403);
    }
    for (const path of ['..%2f..%2fsecret', '%2e%2e/%2e%2e/etc/passwd', 'a%00b', '.%5c..%5csecret']) {
      const answer = await get(path);
      expect([404, 403], path).toContain(answer.status);
      expect(await answer.text()).not.toContain('root:');
    }
    expect((await get('%ff')).status).toBe(400);
  });

  test('no token is in the log, in whatever spelling it came', () => {
    const token = new URL(preview).pathname.split('/')[2]!;
    expect(platform.log()).toContain('/preview/[secret]/guide/page-1');
    expect(platform.log()).not.toContain(token.slice(1));
  });
});

describe('a malicious page, in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test('gets nothing of the dashboard, while search and the theme work', async () => {
    const context = await browser.newContext({ colorScheme: 'light' });
    const session = { name: 'offprint_session', value: 'x'.repeat(43), url: platform.url };
    await context.addCookies([{ ...session, httpOnly: true, sameSite: 'Strict' }]);
    const tab = await context.newPage();
    const sent: ReturnType<Request['allHeaders']>[] = [];
    const outside: string[] = [];
    const broken: string[] = [];
    context.on('requestfailed', (request) => {
      // Leaving a page aborts its pending requests.
      const isLeft = request.failure()?.errorText === 'net::ERR_ABORTED';
      if (request.url().startsWith(preview) && !isLeft) broken.push(request.url());
    });
    context.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === tab.mainFrame()) return;
      if (!request.url().startsWith(preview)) outside.push(request.url());
    });
    context.on('requestfinished', (request) => {
      if (request.isNavigationRequest() && request.frame() === tab.mainFrame()) return;
      sent.push(request.allHeaders());
    });
    await tab.goto(`${preview}guide/page-1`);
    await tab.waitForSelector('html[data-got]');
    const got = await tab.evaluate('JSON.parse(document.documentElement.dataset.got)');
    expect(got).toEqual({
      origin: 'null',
      cookie: 'refused: SecurityError',
      localStorage: 'refused: SecurityError',
      sessionStorage: 'refused: SecurityError',
      indexedDB: 'refused: SecurityError',
      session: 'refused: TypeError',
      projects: 'refused: TypeError',
      elsewhere: 'refused: TypeError',
      frame: 'no document',
      worker: expect.stringMatching(/^refused/),
      opener: 'null',
    });

    await tab.click('#theme-toggle');
    expect(await tab.evaluate('document.documentElement.className')).toMatch(/\bdark\b/);
    await tab.keyboard.press('Control+k');
    // Text that comes without keys goes where the focus is, so the dialog has to be there.
    await tab.waitForSelector('#search-dialog[open]');
    await tab.keyboard.insertText('other words');
    await tab.waitForSelector('#search-results [role=option][aria-selected=true]');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/guide\/page-1\.html$/);
    const cookies = (await Promise.all(sent)).map(({ cookie }) => cookie);
    await context.close();
    expect(cookies.length).toBeGreaterThan(2);
    expect(cookies.filter((cookie) => cookie !== undefined)).toEqual([]);
    expect({ outside, broken }).toEqual({ outside: [], broken: [] });
  });
});

test('the preview of an export ends with it', async () => {
  expect((await get('')).status).toBe(200);
  expect((await ask('DELETE', `${JOBS}/${after.jobId}`)).status).toBe(204);
  expectError(await call(platform.url, 'GET', new URL(preview).pathname), 403, 'link_invalid');
});
