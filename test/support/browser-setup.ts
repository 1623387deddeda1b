/** Global setup of Vitest: one browser for all test files of a run, started by the first that asks for its endpoint. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BrowserServer, chromium } from 'playwright-core';
import { SHARED_BROWSER, startBrowser } from './browser.ts';

export default async function setup(): Promise<() => Promise<void>> {
  let browser: Promise<BrowserServer> | undefined;

  async function endpoint(): Promise<string> {
    browser ??= startBrowser((options) => chromium.launchServer(options));
    const started = await browser;
    const { exitCode, signalCode } = started.process();
    if (exitCode === null && signalCode === null) return started.wsEndpoint();
    // It crashed under an earlier file.
    browser = undefined;
    return endpoint();
  }

  const server = createServer((_request, response) => {
    endpoint().then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env[SHARED_BROWSER] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  return async () => {
    server.close();
    await browser?.then((started) => started.close());
  };
}
