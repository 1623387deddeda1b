import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../../../test/support/static-server.ts';
import { findOne } from '../../../test/dom.ts';
import { renderFiles } from '../../../test/output.ts';
import type { HttpRequest } from '../request/types.ts';
import {
  comparable,
  comparableReceived,
  type Echo,
  type Received,
  startEcho,
} from '../samples/echo.fixture.ts';
import { findLanguage } from '../samples/index.ts';
import { isInstalled, runners } from '../samples/runners.fixture.ts';
import { multipartNote } from '../samples/text.ts';
import { generatedDescription } from './operations.fixture.ts';

const run = promisify(execFile);
/** The file that every form gets. */
const files = { 'photo.png': '\u0089PNG\r\n\u001a\n\0binary' };

/** What the playground shows and announces for an operation. */
interface Shown {
  request: HttpRequest;
  curl: string;
  /** Status, or why nothing was received. */
  result: string;
  notes: string;
}

let echo: Echo;
let browser: Browser;
let server: StaticServer;
let page: Page;
let folder: string;
let shown: Shown[];
let count: number;

/** Runs in the page: opens the playground of each form, sends its request and returns what is shown. */
const DRIVE = `async (forms) => {
  const until = async (find) => {
    for (let turn = 0; turn < 2000; turn++) {
      const found = find();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error('nothing is shown');
  };
  const results = [];
  // The navigation of 500 pages would be laid out again with each dialog.
  for (const node of document.querySelectorAll('body > :not(script)')) node.remove();
  for (const form of forms) {
    const root = document.createElement('div');
    const data = document.createElement('script');
    data.type = 'application/json';
    data.textContent = form;
    root.append(data);
    document.body.append(root);
    let request = null;
    root.addEventListener('op-request', ({ detail }) => { request = detail; });
    root.dispatchEvent(new Event('offprint:open', { bubbles: true }));
    const dialog = document.querySelector('dialog[open]');
    for (const input of dialog.querySelectorAll('input[type=file]')) {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(${JSON.stringify([...files['photo.png']].map((one) => one.charCodeAt(0)))})], 'photo.png', { type: 'image/png' }));
      input.files = transfer.files;
      input.dispatchEvent(new Event('change'));
    }
    dialog.querySelector('select').dispatchEvent(new Event('change'));
    await until(() => request);
    const curl = dialog.querySelector('.op-pg-output > :last-child pre').textContent;
    dialog.querySelector('.op-pg-send').click();
    const end = await until(() => dialog.querySelector('.op-pg-status, .op-pg-failure, .op-pg-notes [role=alert]'));
    await until(() => !dialog.querySelector('.op-pg-send').hidden);
    results.push({ request, curl, result: end.textContent, notes: dialog.querySelector('.op-pg-notes').textContent });
    dialog.close();
    dialog.remove();
    root.remove();
  }
  return results;
}`;

beforeAll(async () => {
  echo = await startEcho();
  folder = mkdtempSync(join(tmpdir(), 'offprint-identical-'));
  browser = await launchBrowser();
  const description = generatedDescription(echo.url);
  count = description.count;
  const { files: output } = await renderFiles({
    'docs.json': JSON.stringify({
      ...{ name: 'Generated', theme: 'mint', colors: { primary: '#0f766e' } },
      navigation: { groups: [{ group: 'API', openapi: 'api.json' }] },
      api: { examples: { prefill: true } },
    }),
    'api.json': JSON.stringify(description.document),
  });
  const forms: string[] = [];
  let first = '';
  for (const [path, content] of output) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    if (!path.startsWith('api-reference/') || !path.endsWith('.html')) continue;
    const source = findOne(String(content), {
      tag: 'script',
      attributes: { type: 'application/json' },
      within: { attributes: { 'data-op-playground': true } },
    }).source;
    const json = source.replace(/^[^>]*>|<[^<]*$/g, '');
    const { form } = JSON.parse(json) as { form: { path: string } };
    forms[Number(form.path.split('/')[1])] = json;
    first = path;
  }
  server = await serveStatic(folder, '/docs');
  page = await browser.newPage();
  await page.goto(`${server.url}/${first}`);
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  shown = [];
  for (let at = 0; at < forms.length; at += 50)
    shown.push(
      ...((await page.evaluate(`(${DRIVE})(${JSON.stringify(forms.slice(at, at + 50))})`)) as Shown[]),
    );
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await echo?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The bytes of a form in one spelling: clients encode these characters or not. */
const formBytes = (body: Buffer): string =>
  body.toString().replace(/%(?:2A|7E|21|27|28|29)/gi, (code) => decodeURIComponent(code));

/** Operations whose request was not received once and as announced, the first ones with what is different. */
function differences(received: Echo['received'], isFormData: boolean, skip: (shown: Shown) => boolean) {
  return shown
    .flatMap((one, index) => {
      if (skip(one)) return [];
      const all: readonly Received[] = received.get(String(index)) ?? [];
      const [first] = all;
      const sent = comparable(one.request, files, isFormData);
      const got = first === undefined ? null : comparableReceived(one.request, first);
      const isForm = one.request.body?.kind === 'form' && first !== undefined;
      const bytes = isForm ? formBytes(first.body) : '';
      const isPlain = !isForm || !bytes.includes('%20');
      const isSame = all.length === 1 && isDeepStrictEqual(got, sent) && isPlain;
      return isSame ? [] : [{ index, times: all.length, sent, got, result: one.result, bytes }];
    })
    .slice(0, 5);
}

/** Two cookies of one name, which browsers do not send. */
const hasTwins = ({ request: { cookies } }: Shown): boolean =>
  new Set(cookies.map(([name]) => name)).size < cookies.length;
const never = (): boolean => false;

describe('requests of 500 generated operations', () => {
  it('contain what the examples of the description say', () => {
    expect(count).toBeGreaterThanOrEqual(500);
    expect(shown.length).toBe(count);
    expect(shown.filter((one) => !JSON.stringify(one.request).includes('zebra'))).toEqual([]);
  });

  it('are sent by the playground as it announces them', () => {
    expect(differences(echo.received, false, hasTwins)).toEqual([]);
    for (const one of shown.filter(hasTwins)) expect(one.notes).toContain('Cookie');
  });

  it('are sent by the cURL command of the playground', async () => {
    echo.received.clear();
    const commands = shown.map(({ curl }) => `${curl} --silent --max-time 20`);
    writeFileSync(join(folder, 'photo.png'), Buffer.from(files['photo.png'], 'latin1'));
    writeFileSync(join(folder, 'run.sh'), commands.join('\n'));
    await run('bash', ['run.sh'], { cwd: folder, timeout: 300_000, maxBuffer: 1e8 });
    expect(differences(echo.received, false, never)).toEqual([]);
  });

  it('are the same in the cURL command of the playground and in the sample', () => {
    for (const { request, curl } of shown) expect(curl).toBe(findLanguage('bash')?.write(request));
  });

  for (const runner of runners.filter(({ language }) => language !== 'bash')) {
    const isSkipped = !isInstalled(runner);
    if (isSkipped) console.log(`Skipped: ${runner.needs.join(' ')} fails, so ${runner.language} is not run.`);
    it.skipIf(isSkipped)(`are sent by samples in ${runner.language}`, async () => {
      echo.received.clear();
      const work = mkdtempSync(join(folder, 'samples-'));
      writeFileSync(join(work, 'photo.png'), Buffer.from(files['photo.png'], 'latin1'));
      const language = findLanguage(runner.language);
      if (language === null) throw new Error(`${runner.language} is not a language of samples.`);
      const isNote = ({ request }: Shown): boolean => multipartNote(request, language.key) !== null;
      const requests = shown.filter((one) => !isNote(one)).map(({ request }) => request);
      const samples = requests.map((request) => language.write(request));
      for (const [command, ...args] of runner.write(samples, requests, work))
        await run(command, args, { cwd: work, timeout: 900_000, maxBuffer: 1e8 });
      expect(differences(echo.received, /script|node/.test(runner.language), isNote)).toEqual([]);
    });
  }
});
