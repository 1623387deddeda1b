import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { siteTarget } from './site.ts';
import { ApplyError } from './target.ts';

const bundle = {
  bundleUrl: 'https://files.example.com/docs.tar.gz?signature=0123456789abcdef',
  sha256: 'a'.repeat(64),
  version: '1',
};
const token = 'a token of a site';

test.each([
  ['a fault without a text', { release: null, step: null, fault: { at: '2', message: { a: 1 } } }],
  ['a fault that is a number', { release: 5, step: null, fault: 5 }],
  ['secrets', { release: null, step: null, fault: { at: '2', message: `${bundle.bundleUrl} ${token}` } }],
])('a site that answers %s is told in words, without secrets', async (_, later) => {
  let asked = 0;
  const server = createServer((request, response) => {
    const first = asked++ === 0;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(first ? { release: null, step: null, fault: null } : later));
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = siteTarget({ sites: [site], token, timeout: 60 }, { pin: false, reapply: false });
  const talk = { say() {}, progress() {}, done() {} };
  const error: unknown = await target
    .apply(bundle, { talk, signal: new AbortController().signal })
    .catch((caught: unknown) => caught);
  server.close();
  server.closeAllConnections();
  expect(error).toBeInstanceOf(ApplyError);
  expect((error as Error).message).toContain(site);
  expect((error as Error).message).not.toMatch(/0123456789abcdef|a token/);
});
