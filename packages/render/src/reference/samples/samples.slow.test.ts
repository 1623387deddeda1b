import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../request/types.ts';
import { comparable, comparableReceived, type Echo, startEcho } from './echo.fixture.ts';
import { findLanguage } from './index.ts';
import { files, sampleRequests } from './requests.fixture.ts';
import { isInstalled, runners } from './runners.fixture.ts';
import { multipartNote } from './text.ts';

const run = promisify(execFile);
let echo: Echo;
let folder: string;

beforeAll(async () => {
  echo = await startEcho();
  folder = mkdtempSync(join(tmpdir(), 'offprint-samples-'));
});
afterAll(async () => {
  await echo.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Compares what the server received with each request. */
function expectReceived(requests: readonly HttpRequest[], isFormData: boolean): void {
  const pairs = requests.map((request, index) => {
    const [received, ...more] = echo.received.get(String(index)) ?? [];
    expect(more, `request ${index} is sent once`).toEqual([]);
    return {
      sent: comparable(request, files, isFormData),
      received: received === undefined ? null : comparableReceived(request, received),
    };
  });
  expect(pairs.map((one) => one.received)).toEqual(pairs.map((one) => one.sent));
}

/** Sends a request as it is described, independently of any sample. */
async function send({ method, url, headers, cookies, body }: HttpRequest): Promise<void> {
  const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  if (cookies.length > 0) all.set('Cookie', cookies.map(([name, value]) => `${name}=${value}`).join('; '));
  const blob = (file: string, type: string | null): Blob =>
    new Blob([Buffer.from(files[file] ?? '', 'latin1')], type === null ? {} : { type });
  let sent: BodyInit | null = null;
  if (body?.kind === 'text') sent = body.text;
  if (body?.kind === 'file') sent = blob(body.file, null);
  if (body?.kind === 'form') sent = new URLSearchParams(body.pairs.map(([name, value]) => [name, value]));
  if (body?.kind === 'multipart') {
    sent = new FormData();
    for (const { name, text, file, type } of body.parts) {
      if (file !== null) sent.append(name, blob(file, type), file);
      else if (type === null) sent.append(name, text ?? '');
      else sent.append(name, new Blob([text ?? ''], { type }));
    }
  }
  await (await fetch(url, { method, headers: all, body: sent })).text();
}

describe('samples', () => {
  it('are compared with requests that fetch sends', async () => {
    echo.received.clear();
    const requests = sampleRequests(echo.url);
    expect(requests.length).toBeGreaterThan(40);
    const forms = requests.filter(({ body }) => body?.kind !== 'multipart' || body.type === undefined);
    for (const request of forms) await send(request);
    expectReceived(forms, true);
  });

  for (const runner of runners) {
    const isSkipped = !isInstalled(runner);
    if (isSkipped) console.log(`Skipped: ${runner.needs.join(' ')} fails, so ${runner.language} is not run.`);
    it.skipIf(isSkipped)(`in ${runner.language} send the described requests`, async () => {
      echo.received.clear();
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [name, text] of Object.entries(files))
        writeFileSync(join(folder, name), Buffer.from(text, 'latin1'));
      const language = findLanguage(runner.language);
      if (language === null) throw new Error(`${runner.language} is not a language of samples.`);
      const requests = sampleRequests(echo.url).filter(
        (request) => multipartNote(request, language.key) === null,
      );
      const commands = runner.write(
        requests.map((request) => language.write(request)),
        requests,
        folder,
      );
      for (const [command, ...args] of commands)
        await run(command, args, { cwd: folder, timeout: 900_000, maxBuffer: 1e8 });
      expectReceived(requests, /script|node/.test(runner.language));
    });
  }
});
