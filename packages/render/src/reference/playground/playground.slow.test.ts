import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seriousFindings } from '../../../../../test/support/axe.ts';
import { launchBrowser } from '../../../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../../../test/support/static-server.ts';
import { renderFiles } from '../../../test/output.ts';
import type { ApiScheme } from '../operation.ts';
import { packForm } from '../request/packed.ts';
import type { FormBody, FormField, FormParameter, RequestForm } from '../request/types.ts';
import { type Echo, startTestApi, type TestApi } from './api.fixture.ts';
import { playgroundAssets } from './script.ts';

/** The text of an HTML file, which is shown and never run. */
const SCRIPT_TAG = '<script>';

const SHOTS = process.env.OFFPRINT_SHOTS;

const text: FormField = { type: 'string', format: null, values: [] };
const integer: FormField = { type: 'integer', format: 'int64', values: [] };
const listOf = (items: FormField): FormField => ({ type: 'array', format: null, values: [], items });
const object = (properties: Record<string, FormField>, required: readonly string[] = []): FormField => ({
  type: 'object',
  format: null,
  values: [],
  properties: Object.entries(properties).map(([name, field]) => ({
    name,
    isRequired: required.includes(name),
    field,
  })),
});
const parameter = (
  name: string,
  place: FormParameter['in'],
  field: FormField = text,
  more: Partial<FormParameter> = {},
): FormParameter => ({
  name,
  in: place,
  isRequired: place === 'path',
  style: place === 'query' || place === 'cookie' ? 'form' : 'simple',
  explode: place === 'query' || place === 'cookie',
  allowReserved: false,
  contentType: null,
  field,
  ...more,
});
const body = (type: string, field: FormField): FormBody => ({ type, field, encoding: {} });
const pet = object(
  {
    name: { ...text, example: 'Rex' },
    id: integer,
    kind: { ...text, values: ['cat', 'dog'] },
    isSold: { type: 'boolean', format: null, values: [] },
    tags: listOf({ ...text, example: 'small' }),
    owner: object({ email: { ...text, format: 'email', example: 'a@b.example' }, zip: text }, ['email']),
    extra: { type: 'any', format: null, values: [] },
  },
  ['name'],
);
const facts = { description: null, scopes: [], initial: null };
const scheme = {
  bearer: { ...facts, name: 'bearerAuth', type: 'http', scheme: 'bearer', format: 'JWT' } as ApiScheme,
  basic: { ...facts, name: 'basicAuth', type: 'http', scheme: 'basic', format: null } as ApiScheme,
  key: { ...facts, name: 'apiKey', type: 'apiKey', in: 'header', key: 'X-Key' } as ApiScheme,
};

interface Site {
  open(form: Partial<RequestForm>, options?: Record<string, unknown>, from?: 'http' | 'file'): Promise<Page>;
  stop(): Promise<void>;
}

let api: TestApi;
let browser: Browser;
let context: BrowserContext;
let site: Site;

/** A real page of an export with a playground, below a sub-path. */
async function createSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'offprint-playground-'));
  const docs = {
    name: 'Pets',
    theme: 'mint',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index'] },
  };
  const output = await renderFiles({
    'docs.json': JSON.stringify(docs),
    'index.mdx': '---\ntitle: Create a pet\n---\nText.',
  });
  const { script, style } = playgroundAssets();
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const [path, content] of output.files) write(path, content);
  write(script.path, await script.content());
  write(style.path, await style.content());
  const html = output.files.get('index.html') as string;
  const server: StaticServer = await serveStatic(folder, '/docs');
  let count = 0;
  return {
    async open(form, options = {}, from = 'http') {
      count++;
      const full: RequestForm = {
        method: 'GET',
        path: '/echo',
        servers: [{ url: api.url, description: null, variables: [] }],
        security: [],
        parameters: [],
        bodies: [],
        isBodyRequired: false,
        ...form,
      };
      const data = JSON.stringify({ form: packForm(full), options }).replaceAll('<', '\\u003c');
      const root = `<div class="op-playground" data-op-playground data-op-failed="The playground could not be loaded" data-op-script="${script.path}" data-op-style="${style.path}" data-op-return="offprint-"><script type="application/json">${data}</script><button type="button" class="op-button">Try it</button></div>`;
      const page = html
        .replace(
          "default-src 'self'",
          `default-src 'self';connect-src 'self' ${api.url};media-src 'self' blob:`,
        )
        .replace('<p>Text.</p>', `<p>Text.</p>${root}`);
      write(`page-${count}.html`, page);
      const opened = await context.newPage();
      const url =
        from === 'http'
          ? `${server.url}/page-${count}.html`
          : pathToFileURL(join(folder, `page-${count}.html`)).href;
      await opened.goto(url);
      await opened.getByRole('button', { name: 'Try it' }).click();
      await opened.getByRole('dialog').waitFor();
      return opened;
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

beforeAll(async () => {
  api = await startTestApi();
  browser = await launchBrowser();
  site = await createSite();
});
afterAll(async () => {
  await site.stop();
  await browser.close();
  await api.stop();
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true });
});
afterEach(async () => {
  await context.close();
});

const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click();
const responseOf = (page: Page) => page.getByRole('region', { name: 'Response' });
const curlOf = (page: Page) => page.getByRole('region', { name: 'cURL' }).locator('pre').textContent();

/** Sends the request and returns what the API received. */
async function exchange(page: Page): Promise<Echo> {
  const before = api.received.length;
  await send(page);
  await expect.poll(() => responseOf(page).innerText()).toContain('Time:');
  expect(await responseOf(page).innerText()).toContain('200 OK');
  expect(api.received).toHaveLength(before + 1);
  return api.received.at(-1) as Echo;
}

describe('requests', () => {
  test('contain parameters of every place, and only those with a value', async () => {
    const page = await site.open({
      path: '/echo/{id}',
      parameters: [
        parameter('id', 'path', integer),
        parameter('limit', 'query', integer),
        parameter('unused', 'query'),
        parameter('tags', 'query', listOf(text)),
        parameter('filter', 'query', object({ kind: text, age: integer }), { style: 'deepObject' }),
        parameter('X-Trace', 'header'),
        parameter('session', 'cookie'),
      ],
    });
    await page.getByLabel('id', { exact: true }).fill('12345678901234567890');
    await page.getByLabel('limit').fill('5');
    await page.getByText('tags', { exact: true }).click();
    await page.getByRole('button', { name: 'Add item: tags' }).click();
    await page.getByLabel('tags 1', { exact: true }).fill('a b');
    await page.getByText('filter', { exact: true }).click();
    await page.getByLabel('kind').fill('é&');
    await page.getByLabel('X-Trace').fill('t1');
    await page.getByLabel('session').fill('s1');
    const { url, headers } = await exchange(page);
    expect(url).toBe(
      '/echo/12345678901234567890?limit=5&tags=a%20b&filter[kind]=%C3%A9%26'
        .replace('[', '%5B')
        .replace(']', '%5D'),
    );
    expect(headers['x-trace']).toBe('t1');
    expect(headers.cookie).toBe('session=s1');
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await curlOf(page)).toContain(`${api.url}${url}`);
  });

  test('contain JSON from the form, and from the text with exact numbers', async () => {
    const page = await site.open({
      method: 'POST',
      bodies: [body('application/json', pet)],
      isBodyRequired: true,
    });
    await page.getByLabel('name').fill('Rex');
    await page.getByLabel('id', { exact: true }).fill('12345678901234567890');
    await page.getByLabel('kind').selectOption('dog');
    await page.getByLabel('isSold').selectOption('false');
    await page.getByText('owner', { exact: true }).click();
    await page.getByLabel('email').fill('a@b.example');
    const first = await exchange(page);
    expect(first.headers['content-type']).toBe('application/json');
    expect(first.body.replace(/\s/g, '')).toBe(
      '{"name":"Rex","id":12345678901234567890,"kind":"dog","isSold":false,"owner":{"email":"a@b.example"}}',
    );
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByRole('textbox', { name: 'Body' }).fill('{\n  "name": "Rex",\n  "unknown": [1.0],\n}');
    await send(page);
    expect(await page.getByText(/Invalid JSON in line 4/).count()).toBe(1);
    await page.getByRole('textbox', { name: 'Body' }).fill('{"name":"Max","unknown":[1.0]}');
    await page.getByRole('button', { name: 'Use the form' }).click();
    await page.getByLabel('name').press('Control+Enter');
    await expect
      .poll(() => api.received.at(-1)?.body.replace(/\s/g, ''))
      .toBe('{"unknown":[1.0],"name":"Max"}');
  });

  test('contain forms and files', async () => {
    const upload = object({
      title: text,
      count: integer,
      photo: { type: 'file', format: null, values: [] },
      meta: object({ a: integer }),
    });
    const page = await site.open({
      method: 'POST',
      bodies: [
        body('application/x-www-form-urlencoded', object({ title: text, count: integer })),
        body('multipart/form-data', upload),
        body('application/octet-stream', { type: 'file', format: null, values: [] }),
        body('application/xml', text),
      ],
    });
    await page.getByLabel('title').fill('a&b é');
    await page.getByLabel('count').fill('007');
    const form = await exchange(page);
    expect(form.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(form.body))).toEqual({ title: 'a&b é', count: '007' });

    await page.getByLabel('Content type').selectOption('multipart/form-data');
    await page.getByLabel('title').fill('x');
    await page
      .getByLabel('photo')
      .setInputFiles({ name: 'p "1".png', mimeType: 'image/png', buffer: Buffer.from([0, 255, 13, 10]) });
    await page.getByText('meta', { exact: true }).click();
    await page.getByLabel('a', { exact: true }).fill('3');
    const { headers, body: sent } = await exchange(page);
    const boundary = headers['content-type']?.split('boundary=')[1];
    expect(sent.split(`--${boundary}`)).toEqual([
      '',
      '\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n',
      '\r\nContent-Disposition: form-data; name="photo"; filename="p %221%22.png"\r\nContent-Type: image/png\r\n\r\n\0\u00ff\r\n\r\n',
      '\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{\n  "a": 3\n}\r\n',
      '--\r\n',
    ]);

    await page.getByLabel('Content type').selectOption('application/octet-stream');
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'x.bin', mimeType: '', buffer: Buffer.from([1, 2, 254]) });
    const binary = await exchange(page);
    expect(binary.body).toBe('\u0001\u0002\u00fe');
    expect(binary.headers['content-type']).toBe('application/octet-stream');

    await page.getByLabel('Content type').selectOption('application/xml');
    await page.getByRole('textbox', { name: 'Body' }).fill('<a>1</a>');
    expect((await exchange(page)).body).toBe('<a>1</a>');
  });

  test('contain the credentials of the chosen alternative', async () => {
    const page = await site.open({ security: [[scheme.bearer, scheme.key], [scheme.basic], []] });
    await page.getByLabel('Token', { exact: true }).fill('t0k');
    await page.getByLabel('X-Key', { exact: true }).fill('k3y');
    const both = await exchange(page);
    expect([both.headers.authorization, both.headers['x-key']]).toEqual(['Bearer t0k', 'k3y']);
    await page.getByLabel('Method').selectOption('basicAuth');
    await page.getByLabel('User name').fill('ü');
    await page.getByLabel('Password', { exact: true }).fill('p:w');
    const basic = await exchange(page);
    expect(basic.headers.authorization).toBe(`Basic ${Buffer.from('ü:p:w').toString('base64')}`);
    expect(basic.headers['x-key']).toBeUndefined();
    await page.getByLabel('Method').selectOption('None');
    expect((await exchange(page)).headers.authorization).toBeUndefined();
  });

  test('are the same as those of the cURL command', async () => {
    const page = await site.open({
      method: 'POST',
      security: [[scheme.basic]],
      parameters: [parameter('q', 'query'), parameter('X-Trace', 'header')],
      bodies: [
        body('application/json', pet),
        body('application/x-www-form-urlencoded', object({ title: text, more: text })),
      ],
    });
    await page.getByLabel('User name').fill("it's");
    await page.getByLabel('q', { exact: true }).fill('[a] {b} $HOME');
    await page.getByLabel('X-Trace').fill("'; exit #");
    await page.getByLabel('name', { exact: true }).fill('"quoted"\\ é');
    const facts = ({ method, url, headers, body: sent }: Echo): unknown[] => [
      ...[method, url, sent],
      ...[headers['content-type'], headers.authorization, headers['x-trace']],
    ];
    const compare = async (): Promise<void> => {
      const own = await exchange(page);
      await promisify(execFile)('bash', ['-c', `${await curlOf(page)} --silent`]);
      expect(facts(api.received.at(-1) as Echo)).toEqual(facts(own));
    };
    await compare();
    await page.getByLabel('Content type').selectOption('application/x-www-form-urlencoded');
    await page.getByLabel('title').fill("a b&c=é'~*");
    await page.getByLabel('more', { exact: true }).fill('x');
    await compare();
  });

  test('use the variables of the server, another server, or a proxy', async () => {
    const { port } = new URL(api.url);
    const variables = [{ name: 'port', default: '1', values: [], description: null }];
    const servers = [{ url: 'http://127.0.0.1:{port}/echo/', description: 'Local', variables }];
    const page = await site.open({ path: '/a', servers });
    await page.getByLabel('port').fill(port);
    expect((await exchange(page)).url).toBe('/echo/a');
    await page.getByRole('combobox', { name: 'Server' }).selectOption('Other URL');
    await send(page);
    expect(await page.getByText('Enter a URL that starts with').count()).toBe(1);
    await page.getByLabel('Server URL').fill(`${api.url}/echo/other`);
    expect((await exchange(page)).url).toBe('/echo/other/a');
    const proxied = await site.open({ path: '/x' }, { proxy: `${api.url}/echo/proxy` });
    expect((await exchange(proxied)).url).toBe(`/echo/proxy?url=${encodeURIComponent(`${api.url}/x`)}`);
  });

  test('are announced to the page on every change, and a path without a value is not sent', async () => {
    const page = await site.open({ path: '/echo/{id}', parameters: [parameter('id', 'path')] });
    await page.evaluate(
      "document.addEventListener('op-request', ({ detail, target }) => { window.seen = [target.className, detail.url] })",
    );
    await send(page);
    expect(await page.getByText('Enter a value.').isVisible()).toBe(true);
    await page.getByLabel('id', { exact: true }).fill('é');
    await expect
      .poll(() => page.evaluate('window.seen'))
      .toEqual(['op-playground', `${api.url}/echo/%C3%A9`]);
  });
});

describe('responses', () => {
  const show = async (path: string): Promise<Page> => {
    const page = await site.open({ path });
    await send(page);
    return page;
  };

  test('show status, headers and JSON without changing numbers', async () => {
    const page = await show('/exact');
    await expect
      .poll(() => responseOf(page).locator('pre').textContent())
      .toBe('{\n  "id": 12345678901234567890,\n  "n": 1.0\n}');
    await responseOf(page)
      .getByText(/^Headers/)
      .click();
    expect(await responseOf(page).getByRole('rowheader', { name: 'content-type' }).count()).toBe(1);
  });

  test('of errors and redirects are shown', async () => {
    const missing = await show('/missing');
    await expect.poll(() => responseOf(missing).innerText()).toContain('No pet has this id.');
    expect(await responseOf(missing).innerText()).toContain('404 Not Found');
    const redirected = await show('/redirect');
    await expect
      .poll(() => responseOf(redirected).innerText())
      .toContain(`Redirected to ${api.url}/echo/final`);
  });

  test('can be canceled and sent again', async () => {
    const page = await show('/slow');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => responseOf(page).innerText()).toMatch(/Canceled after \d+ ms/);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Send');
  });

  test('that stream are shown as they arrive', async () => {
    const page = await show('/events');
    await expect.poll(() => responseOf(page).innerText(), { interval: 20 }).toContain('{"number":1}');
    expect(await responseOf(page).innerText()).not.toContain('[DONE]');
    await expect.poll(() => responseOf(page).innerText()).toContain('[DONE]');
  });

  test('of 5 MB are shown in part and downloaded whole', async () => {
    const page = await show('/large');
    await expect.poll(() => responseOf(page).innerText()).toContain('The first 1.0 MB of 5');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /Download/ }).click(),
    ]);
    const saved = join(tmpdir(), `offprint-${process.pid}-${download.suggestedFilename()}`);
    await download.saveAs(saved);
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toHaveLength(50_000);
    rmSync(saved);
    expect(download.suggestedFilename()).toBe('large.json');
  });

  test('of 100 MB do not block the page: only what is shown becomes text', async () => {
    await context.addInitScript(`
      globalThis.decodedBytes = 0;
      const count = (owner, name, sizeOf) => {
        const own = owner.prototype[name];
        owner.prototype[name] = function (...given) {
          globalThis.decodedBytes += sizeOf(this, given);
          return own.apply(this, given);
        };
      };
      count(TextDecoder, 'decode', (_, [bytes]) => bytes?.byteLength ?? 0);
      for (const name of ['text', 'arrayBuffer', 'stream']) count(Blob, name, (blob) => blob.size);
      for (const name of ['readAsText', 'readAsDataURL', 'readAsArrayBuffer'])
        count(FileReader, name, (_, [blob]) => blob.size);
    `);
    const decoded = async (path: string, size: string): Promise<number> => {
      const page = await site.open({ path });
      await send(page);
      await expect.poll(() => responseOf(page).innerText()).toContain(`Size: ${size}`);
      return Number(await page.evaluate('decodedBytes'));
    };
    expect(await decoded('/download', '100.0 MB')).toBe(0);
    const ofText = await decoded('/large', '5');
    expect(ofText).toBeGreaterThan(900_000);
    expect(ofText).toBeLessThan(2_500_000);
  });

  test('that are images, files or pages are shown safely', async () => {
    const image = await show('/image');
    await image.getByAltText('Preview of the response').waitFor();
    await expect.poll(() => image.evaluate("document.querySelector('dialog img').naturalWidth")).toBe(1);
    const file = await show('/file');
    await expect.poll(() => responseOf(file).innerText()).toContain('Download (3.0 kB)');
    const html = await show('/html');
    await expect.poll(() => responseOf(html).innerText()).toContain(SCRIPT_TAG);
    expect(await html.title()).not.toBe('run');
  });

  test('that the browser hides are explained with the headers to send and the cURL command', async () => {
    const page = await site.open({ method: 'PUT', path: '/closed', security: [[scheme.bearer]] });
    await page.getByLabel('Token', { exact: true }).fill('t');
    await send(page);
    const origin = new URL(page.url()).origin;
    await expect.poll(() => responseOf(page).innerText()).toContain('CORS');
    const shown = await responseOf(page).innerText();
    expect(shown).toContain(
      `Access-Control-Allow-Origin: ${origin}\nAccess-Control-Allow-Methods: PUT\nAccess-Control-Allow-Headers: authorization`,
    );
    expect(await curlOf(page)).toContain('--request PUT');
    const local = await site.open({ path: '/closed' }, {}, 'file');
    await send(local);
    await expect.poll(() => responseOf(local).innerText()).toContain('Access-Control-Allow-Origin: null');
    const blocked = await site.open({
      servers: [{ url: 'http://127.0.0.1:9', description: null, variables: [] }],
    });
    await send(blocked);
    await expect
      .poll(() => responseOf(blocked).innerText())
      .toContain('content policy of this site does not allow requests to http://127.0.0.1:9');
  });

  test('arrive on a page that is opened from a file', async () => {
    const page = await site.open({ path: '/echo/file' }, {}, 'file');
    expect((await exchange(page)).url).toBe('/echo/file');
  });
});

describe('tokens', () => {
  const flow = (kind: string) => ({
    kind,
    authorizationUrl: `${api.url}/oauth/authorize`,
    tokenUrl: `${api.url}/oauth/token`,
    refreshUrl: null,
    deviceAuthorizationUrl: `${api.url}/oauth/device`,
    scopes: [
      { name: 'read', description: 'Read pets' },
      { name: 'write', description: 'Write pets' },
    ],
  });
  const oauth = (): ApiScheme =>
    ({
      ...facts,
      name: 'oauth',
      type: 'oauth2',
      scopes: ['read'],
      flows: ['authorizationCode', 'clientCredentials', 'deviceAuthorization'].map(flow),
    }) as ApiScheme;
  const start = async (page: Page, name: string): Promise<void> => {
    await page.getByText('Get a token').first().click();
    await page.getByLabel('Flow').selectOption(name);
    await page.getByLabel('Client ID').fill('docs');
  };
  const get = (page: Page) => page.getByRole('button', { name: 'Get a token' }).click();

  test('come from a sign-in with an authorization code and PKCE', async () => {
    const page = await site.open({ security: [[oauth()]] });
    await start(page, 'Authorization code with PKCE');
    await page.getByLabel('write').check();
    await get(page);
    await expect
      .poll(() => page.getByLabel('Access token', { exact: true }).inputValue())
      .toBe('token-code-read write');
    expect((await exchange(page)).headers.authorization).toBe('Bearer token-code-read write');
    await expect.poll(() => context.pages().length).toBe(1);
  });

  test('come from client credentials and from a device, and refusals are shown', async () => {
    const page = await site.open({ security: [[oauth()]] });
    await start(page, 'Client credentials');
    await get(page);
    await expect.poll(() => page.getByText('Getting a token failed: invalid_client').count()).toBe(1);
    await page.getByLabel('Client secret', { exact: true }).fill('s:cret');
    await page.getByLabel('Send client credentials in').selectOption('Authorization header');
    await get(page);
    await expect
      .poll(() => page.getByLabel('Access token', { exact: true }).inputValue())
      .toBe('token-client');
    await page.getByLabel('Flow').selectOption('Device');
    await get(page);
    await expect.poll(() => page.getByText('WDJB-MJHT').count()).toBe(1);
    await expect
      .poll(() => page.getByLabel('Access token', { exact: true }).inputValue())
      .toBe('token-device');
  });

  test('come from an OpenID provider whose endpoints are discovered', async () => {
    const openId = {
      ...facts,
      name: 'openId',
      type: 'openIdConnect',
      url: `${api.url}/oauth/configuration`,
    } as ApiScheme;
    const page = await site.open({ security: [[openId]] });
    await start(page, 'Authorization code with PKCE');
    await get(page);
    await expect
      .poll(() => page.getByLabel('Access token', { exact: true }).inputValue())
      .toBe('token-code-openid');
  });

  test('are kept in the session only if the reader chooses it', async () => {
    const form = { security: [[scheme.bearer]] };
    const first = await site.open(form);
    await first.getByLabel('Token', { exact: true }).fill('secret');
    expect(
      await first.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'),
    ).not.toContain('secret');
    await first.getByLabel('Keep in this browser session').check();
    await first.reload();
    await first.getByRole('button', { name: 'Try it' }).click();
    expect(await first.getByLabel('Token', { exact: true }).inputValue()).toBe('secret');
    await first.getByLabel('Keep in this browser session').uncheck();
    expect(await first.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('secret');
  });
});

describe('the dialog', () => {
  const rich: Partial<RequestForm> = {
    method: 'POST',
    path: '/echo/{id}',
    security: [[scheme.bearer], [scheme.basic]],
    parameters: [
      parameter('id', 'path', { ...integer, example: 7 }),
      parameter('dryRun', 'query', { type: 'boolean', format: null, values: [] }),
      parameter('fields', 'query', listOf(text)),
    ],
    bodies: [body('application/json', pet), body('application/xml', text)],
    isBodyRequired: true,
  };

  test('has no serious accessibility findings, in light and dark, wide and narrow', async () => {
    for (const width of [1440, 390]) {
      const page = await site.open(rich, { prefill: true });
      await page.setViewportSize({ width, height: 844 });
      await page.getByLabel('Token', { exact: true }).fill('t');
      await page.getByRole('button', { name: 'Add item: tags' }).click();
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        if (SHOTS) await page.screenshot({ path: join(SHOTS, `${width}-${scheme}-form.png`) });
        await exchange(page);
        await responseOf(page)
          .getByText(/^Headers/)
          .click();
        if (SHOTS) await page.screenshot({ path: join(SHOTS, `${width}-${scheme}-response.png`) });
        expect(await seriousFindings(page, { within: 'dialog' })).toEqual([]);
      }
      const overflow = await page.evaluate(
        "[...document.querySelectorAll('dialog *')].filter((node) => node.getBoundingClientRect().right > innerWidth + 1).length",
      );
      expect(overflow).toBe(0);
      await page.close();
    }
  });

  test('explains failures in a readable way', async () => {
    const page = await site.open({ ...rich, path: '/closed/{id}' }, { prefill: true });
    await send(page);
    await expect.poll(() => responseOf(page).innerText()).toContain('CORS');
    expect(await seriousFindings(page, { within: 'dialog' })).toEqual([]);
    if (SHOTS) await page.screenshot({ path: join(SHOTS, '1440-light-failure.png') });
    if (SHOTS) {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.screenshot({ path: join(SHOTS, '390-light-failure.png') });
    }
  });

  test('is operated with the keyboard and returns the focus to its button', async () => {
    const page = await site.open({ path: '/echo' });
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => responseOf(page).innerText()).toContain('200 OK');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Try it');
  });

  test('does not send in the simple mode, and shows only credentials in the mode for them', async () => {
    const simple = await site.open(rich, { display: 'simple' });
    await simple.keyboard.press('Control+Enter');
    expect(await simple.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0);
    expect(await curlOf(simple)).toContain('--request POST');
    const auth = await site.open(rich, { display: 'auth' });
    expect(await auth.getByRole('dialog').getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      'Authentication',
      'cURL',
    ]);
    if (SHOTS) await auth.screenshot({ path: join(SHOTS, '1440-light-auth.png') });
  });

  test('loads at most 25 kB with its first use', async () => {
    const { script, style } = playgroundAssets();
    const size = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).length;
    expect(size(await script.content()) + size(await style.content())).toBeLessThan(25_000);
  });
});
