import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seriousFindings } from '../../../../../test/support/axe.ts';
import { launchBrowser } from '../../../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../../../test/support/static-server.ts';
import { find } from '../../../test/dom.ts';
import { renderFiles } from '../../../test/output.ts';
import { playgroundAssets, socketScript } from './script.ts';
import { startSockets, type TestSockets } from './sockets.fixture.ts';

const SHOTS = process.env.OFFPRINT_SHOTS;

/** AsyncAPI with a channel of WebSockets and one of another protocol. */
const description = (url: string) => ({
  asyncapi: '3.0.0',
  info: { title: 'Chat', version: '1' },
  servers: {
    live: {
      host: new URL(url).host,
      protocol: 'ws',
      security: [{ type: 'httpApiKey', in: 'query', name: 'key' }],
    },
    broker: { host: 'broker.example.com', protocol: 'kafka' },
  },
  channels: {
    room: {
      address: '/rooms/{room}',
      title: 'Room',
      servers: [{ $ref: '#/servers/live' }],
      parameters: { room: { default: 'lobby' } },
      bindings: {
        ws: {
          query: { type: 'object', properties: { since: { type: 'integer' } } },
          headers: { type: 'object', properties: { 'X-Client': { type: 'string' } } },
        },
      },
      messages: {
        say: {
          title: 'Say',
          payload: { type: 'object', properties: { text: { type: 'string' } } },
          examples: [
            { name: 'hello', payload: { text: 'Hello' } },
            { name: 'bye', payload: { text: 'Bye' } },
          ],
        },
        heard: { title: 'Heard', payload: { type: 'object' } },
      },
    },
    log: { address: 'log', title: 'Log', servers: [{ $ref: '#/servers/broker' }] },
  },
  operations: {
    say: {
      action: 'receive',
      channel: { $ref: '#/channels/room' },
      messages: [{ $ref: '#/channels/room/messages/say' }],
    },
    hear: {
      action: 'send',
      channel: { $ref: '#/channels/room' },
      messages: [{ $ref: '#/channels/room/messages/heard' }],
    },
  },
});

const ROOM = 'api-reference/websockets/room.html';
const LOG = 'api-reference/websockets/log.html';

const siteFiles = (api: Record<string, unknown> = {}): Record<string, string> => ({
  'docs.json': JSON.stringify({
    ...{ name: 'Chat', theme: 'mint', colors: { primary: '#0f766e' }, api },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'Events', asyncapi: 'chat.json' },
      ],
    },
  }),
  'index.mdx': '---\ntitle: Start\n---\nText.',
  'chat.json': JSON.stringify(description(sockets.url)),
});

let sockets: TestSockets;
let folder: string;
let output: Map<string, string | Uint8Array>;
let server: StaticServer;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  sockets = await startSockets();
  folder = mkdtempSync(join(tmpdir(), 'offprint-sockets-'));
  output = (await renderFiles(siteFiles())).files;
  for (const [path, content] of output) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  server = await serveStatic(folder, '/docs');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await sockets?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
});
afterEach(async () => {
  await context.close();
});

async function open(from: 'http' | 'file' = 'http'): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(from === 'http' ? `${server.url}/${ROOM}` : pathToFileURL(join(folder, ROOM)).href);
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('dialog').waitFor();
  return page;
}
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const logOf = (page: Page) => page.getByRole('log');
const expectLog = (page: Page, text: string) =>
  expect.poll(() => logOf(page).innerText(), { message: text }).toContain(text);

describe('the panel of a WebSocket', () => {
  test('connects with parameters and credentials, sends, receives and disconnects', async () => {
    const page = await open();
    await page.getByLabel('since', { exact: true }).fill('5');
    await page.getByLabel('key', { exact: true }).fill('k 1');
    await page.getByRole('textbox', { name: 'room' }).fill('a/b');
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await click(page, 'Connect');
    await expectLog(page, 'Connected');
    expect(sockets.opened.at(-1)).toBe('/rooms/a%2Fb?key=k%201&since=5');
    await click(page, 'Send');
    await expect.poll(() => sockets.received.at(-1)).toBe('{\n  "text": "Hello"\n}');
    await expectLog(page, '"echo": "{');
    await page.getByRole('combobox', { name: 'Message' }).selectOption('Say: bye');
    await page.getByRole('textbox', { name: 'Message' }).press('Control+Enter');
    await expect.poll(() => sockets.received.at(-1)).toBe('{\n  "text": "Bye"\n}');
    await page.getByRole('textbox', { name: 'Message' }).fill('binary');
    await click(page, 'Send');
    await expectLog(page, 'Binary message, 3 B');
    await click(page, 'Disconnect');
    await expectLog(page, 'Disconnected with code 1000');
    await expect.poll(() => sockets.open).toBe(0);
    expect(await page.getByRole('button', { name: 'Connect', exact: true }).isVisible()).toBe(true);
  });

  test('shows why the server ended the connection, and keeps a bounded log', async () => {
    const page = await open();
    await click(page, 'Connect');
    await expectLog(page, 'Connected');
    await page.getByRole('textbox', { name: 'Message' }).fill('flood');
    await click(page, 'Send');
    await expectLog(page, 'flood 999');
    expect(await logOf(page).getByRole('listitem').count()).toBe(200);
    expect(await page.getByText('The log contains the last 200 entries.').isVisible()).toBe(true);
    await page.getByRole('textbox', { name: 'Message' }).fill('leave');
    await click(page, 'Send');
    await expectLog(page, 'Disconnected with code 4001: room is closed');
    await click(page, 'Clear log');
    expect(await page.getByText('Connect to send and receive messages.').isVisible()).toBe(true);
  });

  test('explains what browsers hide: refusals, policies and headers', async () => {
    const page = await open();
    await page.getByRole('textbox', { name: 'room' }).fill('forbidden');
    await page.getByLabel('X-Client', { exact: true }).fill('docs');
    await click(page, 'Connect');
    await expectLog(page, 'The connection failed.');
    await expectLog(page, new URL(page.url()).origin);
    expect(
      await page.getByText('Browsers do not send these headers when they open a WebSocket: X-Client').count(),
    ).toBe(1);
    await page.getByRole('combobox', { name: 'Server' }).selectOption('Other URL');
    await page.getByLabel('Server URL').fill('ws://127.0.0.1:9');
    await click(page, 'Connect');
    await expectLog(page, 'content policy of this site does not allow requests to ws://127.0.0.1:9');
    await page.getByLabel('Server URL').fill('https://example.com');
    await click(page, 'Connect');
    expect(await page.getByText('Enter a URL that starts with wss:// or ws://.').isVisible()).toBe(true);
  });

  test('works on a page that is opened from a file', async () => {
    const page = await open('file');
    await click(page, 'Connect');
    await expectLog(page, 'Connected');
    await click(page, 'Send');
    await expectLog(page, '"echo"');
  });

  test('has no serious accessibility findings, in light and dark, wide and narrow', async () => {
    for (const width of [1280, 390]) {
      const page = await open();
      await page.setViewportSize({ width, height: 844 });
      await click(page, 'Connect');
      await expectLog(page, 'Connected');
      await click(page, 'Send');
      await expectLog(page, '"echo"');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        if (SHOTS) await page.screenshot({ path: join(SHOTS, `socket-${width}-${colorScheme}.png`) });
        expect(await seriousFindings(page, { within: 'dialog' })).toEqual([]);
      }
      const overflow = await page.evaluate(
        "[...document.querySelectorAll('dialog *')].filter((node) => node.getBoundingClientRect().right > innerWidth + 1).length",
      );
      expect(overflow).toBe(0);
      await page.close();
    }
  });
});

test('only pages of channels with WebSockets have the panel, and may connect to its servers', async () => {
  const policyOf = (path: string): string => {
    const metas = find(String(output.get(path)), { tag: 'meta' });
    return metas.find(({ attributes }) => attributes['http-equiv'] !== undefined)?.attributes.content ?? '';
  };
  expect(policyOf(ROOM)).toContain(`connect-src 'self' ${sockets.url};`);
  expect(policyOf(LOG)).not.toContain('connect-src');
  expect(policyOf('index.html')).not.toContain('connect-src');
  expect(find(String(output.get(LOG)), { attributes: { 'data-op-playground': true } })).toEqual([]);
});

test.each(['none', 'simple', 'auth'])('a site with display %s has no file of the panel', async (display) => {
  const { files } = await renderFiles(siteFiles({ playground: { display } }));
  expect([...files.keys()].filter((path) => path.includes('playground'))).toEqual([]);
});

test('the panel loads at most 25 kB', async () => {
  const size = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).length;
  const { style } = playgroundAssets();
  expect(size(await socketScript().content()) + size(await style.content())).toBeLessThan(25_000);
});
