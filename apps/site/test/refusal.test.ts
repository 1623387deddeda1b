/** A refused request is decided before any release is opened, so that its time does not depend on what one contains. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { signReader } from '@offprint/bundle';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Releases } from '../src/hosting/releases.ts';
import { createResponder } from '../src/hosting/respond.ts';
import type { Route } from '../src/hosting/routes.ts';
import { createLog } from '../src/log.ts';
import { ask } from './support/reader.ts';

const cookieKey = Buffer.alloc(32, 1).toString('base64url');
const HOSTS: Readonly<Record<string, boolean>> = { 'closed.example.com': false, 'open.example.com': true };
const PATHS = [
  '/',
  '/guide',
  '/admin',
  '/nothing',
  '/images/plan.svg',
  '/old',
  '/_offprint/site-0123456789.js',
];

/** Releases that requests have opened. */
const opened: string[] = [];
const releases: Releases = {
  with(release) {
    opened.push(release.sha256);
    return Promise.reject(new Error('the release is not on this volume'));
  },
  isInUse: () => false,
  onEncoded: () => {},
  forget: () => {},
  close: () => {},
};

const release = (sha256: string) => ({ sha256, deploymentId: sha256, basePath: '' });
const variant = (sha256: string, groups: string[] | null) => ({
  variant: { groups, unless: [], deploymentId: sha256, sha256 },
  current: release(sha256),
  previous: null,
});

function routeOf(host: string): Route | undefined {
  const hasOpen = HOSTS[host];
  if (hasOpen === undefined) return undefined;
  const admins = variant('admins', ['admin']);
  return {
    site: {
      host,
      projectId: 'p',
      deploymentId: 'base',
      kind: 'production',
      redirectTo: null,
      basePath: '',
      sha256: 'base',
      sizeBytes: null,
      noindex: false,
      access: { kind: 'token', cookieKey },
      variants: [],
      isMeasured: false,
    },
    current: release('base'),
    previous: release('before'),
    variants: hasOpen ? [variant('open', null), admins] : [admins],
  };
}

let server: Server;
let port: number;
beforeAll(async () => {
  const respond = createResponder({
    route: routeOf,
    isListKnown: () => true,
    releases,
    signIn: () => Promise.reject(new Error('no platform')),
    respondPlain: () => null,
    services: [],
    analytics: { countView: () => {} },
    https: false,
    isProxy: () => false,
    onDamaged: () => {},
    log: createLog('json', () => {}),
  });
  server = createServer((request, response) => {
    void respond({ request, response, extra: [], note: () => {} }, routeOf(request.headers.host ?? ''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  port = address.port;
});
afterAll(() => server.close());
beforeEach(() => {
  opened.length = 0;
});

const send = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask(port, path, { method, headers: { host, ...headers } });

test('without open pages, a request of a stranger opens no release', async () => {
  for (const path of PATHS)
    for (const method of ['GET', 'HEAD', 'POST'])
      for (const headers of [{}, { accept: 'text/html' }, { range: 'bytes=0-3' }, { 'if-none-match': '*' }]) {
        const { status } = await send('closed.example.com', path, headers, method);
        expect([301, 302, 401], `${method} ${path}`).toContain(status);
      }
  expect(opened).toEqual([]);
});

test('with open pages, it opens the release of these only', async () => {
  for (const path of PATHS) await send('open.example.com', path);
  expect(new Set(opened)).toEqual(new Set(['open']));
  opened.length = 0;
  for (const path of PATHS) expect((await send('open.example.com', path, {}, 'POST')).status).toBe(401);
  expect(opened).toEqual([]);
});

test('a reader opens no release for groups that the reader is not in', async () => {
  const session = (groups: string[]) => {
    const expiresAt = Math.floor(Date.now() / 1000) + 60;
    const reader = { subject: 'a', host: 'open.example.com', groups, expiresAt };
    const value = signReader({ ...reader, content: {}, apiPlaygroundInputs: {} }, cookieKey);
    return { cookie: `offprint_reader=${value}` };
  };
  for (const path of PATHS) await send('open.example.com', path, session(['sales']));
  expect(new Set(opened)).toEqual(new Set(['base']));
  opened.length = 0;
  await send('open.example.com', '/guide', session(['admin']));
  expect(opened).toEqual(['admins']);
});
