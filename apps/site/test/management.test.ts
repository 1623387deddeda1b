import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Deployment, DeploymentStatus, WantedBundle } from '../src/deployment/status.ts';
import { DeploymentError } from '../src/error.ts';
import { createLog } from '../src/log.ts';
import type { ManagementServer } from '../src/management/serve-calls.ts';
import { startManagement } from '../src/management/server.ts';
import type { ServerState } from '../src/serving/server.ts';
import { createTraffic } from '../src/serving/traffic.ts';
import { type Answer, ask, talk } from './support/reader.ts';

const token = 'a-token-of-this-site';
const bearer = { authorization: `Bearer ${token}` };
const json = { ...bearer, 'content-type': 'application/json' };
const sha256 = 'ab'.repeat(32);
const link = 'https://storage.example.com/bundle?signature=s3cret-of-the-link';

let status: DeploymentStatus;
let state: ServerState;
let asked: (WantedBundle | 'again' | 'back')[];
let refusal: Error | null;
let log: string;
let server: ManagementServer;

const traffic = createTraffic();
const served = () => ({
  sha256,
  version: 'v1 "quoted" \\ \n line',
  commit: null,
  domain: 'docs.example.com',
  files: 3,
  bytes: 99,
  activatedAt: '2026-11-22T00:00:00.000Z',
});

const deployment: Deployment = {
  status: () => status,
  async update(wanted) {
    asked.push(wanted ?? 'again');
    if (refusal !== null) throw refusal;
    return served();
  },
  async rollback() {
    asked.push('back');
    if (refusal !== null) throw refusal;
    return served();
  },
  stop: async () => {},
};

/** The token as its file has it now; an error when it cannot be read. */
let given: (token: string) => string;

async function start(withToken: string | null = token): Promise<void> {
  server = await startManagement({
    host: '127.0.0.1',
    port: 0,
    token: withToken === null ? null : () => given(withToken),
    deployment,
    site: { state: () => state, traffic },
    log: createLog('json', (line) => {
      log += line;
    }),
  });
}

beforeEach(async () => {
  status = { source: 'link', release: served(), previous: null, step: null, fault: null, checkedAt: null };
  state = {
    release: sha256,
    isStopping: false,
    connections: 2,
    inFlight: 1,
    switches: 4,
    encoding: { wanted: 10, settled: 7, bytes: 123 },
  };
  [asked, refusal, log] = [[], null, ''];
  given = (text) => text;
  await start();
});
afterEach(() => server.stop());

const get = (path: string): Promise<Answer> => ask(server.port, path);
const post = (path: string, headers: Record<string, string> = json, body?: string): Promise<Answer> =>
  ask(server.port, path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });
const said = (answer: Answer) => JSON.parse(answer.body.toString()) as Record<string, unknown>;

describe('health and readiness', () => {
  it('are good while a whole release is served', async () => {
    expect((await get('/healthz')).status).toBe(200);
    expect(said(await get('/readyz'))).toMatchObject({ ready: true, release: { sha256 }, fault: null });
  });

  it('stay good after an error, and report it', async () => {
    status.fault = { code: 'link_expired', message: 'The link has expired.', at: '2026-11-22T00:00:00.000Z' };
    const answer = await get('/readyz');
    expect(answer.status).toBe(200);
    expect(said(answer).fault).toMatchObject({ code: 'link_expired' });
  });

  it('are not good before the first release, and report why', async () => {
    status.release = null;
    status.step = { name: 'downloading', bytes: 5, total: 10 };
    const first = await get('/readyz');
    expect(first.status).toBe(503);
    expect(said(first).reason).toBe('No release is served yet (downloading, 5 of 10 bytes).');
    status.fault = { code: 'link_expired', message: 'The link has expired.', at: '2026-11-22T00:00:00.000Z' };
    expect(said(await get('/readyz')).reason).toBe('The link has expired.');
    expect((await get('/healthz')).status).toBe(200);
  });

  it('say at once that the server is stopping', async () => {
    state.isStopping = true;
    const answer = await get('/readyz');
    expect([answer.status, said(answer).reason]).toEqual([503, 'The server is stopping.']);
    expect((await get('/healthz')).status).toBe(200);
  });
});

describe('calls that change what is served', () => {
  it('obey the token of the moment: one that was replaced lets nobody in, and one that is gone neither', async () => {
    const next = 'another-token-of-this-site';
    given = () => next;
    expect((await post('/rollback')).status).toBe(401);
    expect((await post('/rollback', { authorization: `Bearer ${next}` })).status).toBe(200);
    for (const broken of [
      () => '',
      () => 'short',
      (): never => {
        throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      },
    ]) {
      given = broken;
      for (const authorization of ['Bearer ', 'Bearer short', `Bearer ${next}`]) {
        const answer = await post('/rollback', { authorization });
        expect([401, 503]).toContain(answer.status);
      }
      expect(said(await post('/rollback')).code).toBe('token_unreadable');
    }
    expect(asked).toEqual(['back']);
  });

  it.each(['/release', '/rollback'])('%s is off without a token of the site', async (path) => {
    await server.stop();
    await start(null);
    const answer = await post(path);
    expect([answer.status, said(answer).code]).toEqual([403, 'token_unset']);
    expect(asked).toEqual([]);
  });

  it.each([
    {},
    { authorization: 'Bearer' },
    { authorization: `Bearer ${token}x` },
    { authorization: `Bearer ${token.slice(0, -1)}` },
    { authorization: `Basic ${token}` },
    { authorization: token },
    { cookie: `token=${token}` },
  ])('are refused with %j', async (headers) => {
    for (const path of ['/release', '/rollback']) {
      const answer = await post(path, headers, '{}');
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    }
    expect(asked).toEqual([]);
  });

  it('ask again, switch and roll back', async () => {
    for (const body of [undefined, '', '{}', ' {} '])
      expect((await post('/release', json, body)).status).toBe(200);
    const wanted = { bundleUrl: link, sha256, version: 'v2' };
    const answer = await post('/release', json, JSON.stringify(wanted));
    expect([answer.status, said(answer).sha256]).toEqual([200, sha256]);
    expect((await post('/rollback', bearer)).status).toBe(200);
    expect(asked).toEqual(['again', 'again', 'again', 'again', wanted, 'back']);
  });

  it.each([
    [415, '{"version":"1"}', { ...bearer, 'content-type': 'text/plain' }],
    [415, 'a=b', { ...bearer, 'content-type': 'application/x-www-form-urlencoded' }],
    [400, '{', json],
    [400, '[]', json],
    [400, 'null', json],
    [400, '{"bundleURL":"x"}', json],
    [400, '{"version":1}', json],
    [400, '{"bundleUrl":""}', json],
    [400, '{"__proto__":"x"}', json],
    [413, JSON.stringify({ bundleUrl: 'x'.repeat(70_000) }), json],
  ])('are %i for a body that is wrong', async (wanted, body, headers) => {
    const answer = await post('/release', headers, body);
    expect(answer.status).toBe(wanted);
    expect(said(answer)).toMatchObject({ error: expect.any(String), code: expect.any(String) });
    expect(asked).toEqual([]);
  });

  it.each([
    ['no_previous', 409],
    ['version_mismatch', 422],
    ['bundle_refused', 422],
    ['link_expired', 502],
    ['stopped', 503],
    ['disk_full', 507],
    ['serving_failed', 500],
  ] as const)('that fail with %s are %i and say why', async (code, wanted) => {
    refusal = new DeploymentError(code, 'A sentence that says why.');
    const answer = await post('/release');
    expect(answer.status).toBe(wanted);
    expect(said(answer)).toEqual({ error: 'A sentence that says why.', code });
  });

  it('reveal nothing of an unexpected error', async () => {
    refusal = new Error(`EACCES: /srv/secret ${link}`);
    const answer = await post('/rollback');
    expect(answer.status).toBe(500);
    expect(answer.body.toString()).not.toMatch(/srv|s3cret/);
    expect(log).toContain('POST /rollback');
  });
});

it('probes get a response despite any number of silent connections, and requests in progress continue', async () => {
  const sockets: Socket[] = [];
  const open = () =>
    new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', resolve);
      sockets.push(socket.on('error', () => {}));
    });
  const finish: (() => void)[] = [];
  const update = vi.spyOn(deployment, 'update').mockImplementation(
    () =>
      new Promise((resolve) => {
        finish.push(() => resolve(served()));
      }),
  );
  try {
    const call = post('/release');
    // the end of a question that came with a call is not the end of the call
    const calls = talk(
      server.port,
      `POST /release HTTP/1.1\r\nHost: a\r\nAuthorization: ${bearer.authorization}\r\nContent-Length: 0\r\n\r\n` +
        'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    await vi.waitFor(() => expect(update).toHaveBeenCalledTimes(2), 60_000);
    for (let count = 0; count < 300; count++) await open();
    for (const socket of sockets) socket.write('GET /readyz HT');
    expect((await get('/readyz')).status).toBe(200);
    // clients that send a request and never read the response are equally bad
    for (const socket of sockets) socket.pause().write('TP/1.1\r\nHost: a\r\n\r\n');
    for (let count = 0; count < 300; count++) await open();
    expect((await get('/readyz')).status).toBe(200);
    for (const each of finish) each();
    expect((await call).status).toBe(200);
    expect((await calls).match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  } finally {
    update.mockRestore();
    for (const socket of sockets) socket.destroy();
  }
});

describe('every response', () => {
  it('is not readable by pages of other sites, whatever the host name', async () => {
    const headers = { host: 'evil.example', origin: 'https://evil.example' };
    for (const method of ['GET', 'OPTIONS', 'HEAD']) {
      const answer = await ask(server.port, '/release', { method, headers });
      expect(answer.status).toBe(method === 'OPTIONS' ? 405 : 200);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('is 404 or 405 for unknown paths and methods', async () => {
    for (const path of ['/', '/release/', '/constructor', '/__proto__', '//release', '/readyz%00'])
      expect((await get(path)).status, path).toBe(404);
    const answer = await ask(server.port, '/rollback');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    expect((await post('/metrics')).headers.allow).toBe('GET, HEAD');
  });

  it('checks a token that is sent with a status request, so that it can be tested', async () => {
    const tried = async (headers: Record<string, string>) => {
      const answer = await ask(server.port, '/release', { headers });
      return [answer.status, said(answer).code];
    };
    expect(await tried(bearer)).toEqual([200, undefined]);
    expect(await tried({ authorization: `Bearer ${token}x` })).toEqual([401, 'token_refused']);
    // credentials for a proxy are not a token
    expect(await tried({ authorization: 'Basic dXNlcjp3b3Jk' })).toEqual([200, undefined]);
    await server.stop();
    await start(null);
    expect(await tried(bearer)).toEqual([403, 'token_unset']);
    expect(await tried({})).toEqual([200, undefined]);
    expect(asked).toEqual([]);
  });

  it('gives the status as it is, with HEAD equal to GET', async () => {
    expect(said(await get('/release'))).toEqual(status);
    for (const path of ['/release', '/readyz', '/healthz']) {
      const [whole, head] = [await get(path), await ask(server.port, path, { method: 'HEAD' })];
      expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
        whole.status,
        whole.headers['content-length'],
        0,
      ]);
    }
  });
});

it('a request for another protocol gets a response and closes the connection', async () => {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const text = await talk(server.port, `GET /healthz HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`);
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/);
});

describe('metrics', () => {
  it('are in the text format, their labels escaped and of a fixed number', async () => {
    status.fault = { code: 'disk_full', message: 'No space.', at: '2026-11-22T00:00:00.000Z' };
    traffic.count({ kind: 'page', coding: 'br', release: sha256 }, 200, 1000, 0.003);
    traffic.count({ kind: 'missing', coding: 'identity', release: sha256 }, 404, 500, 70);
    traffic.countBroken(431);
    const answer = await get('/metrics');
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = answer.body.toString().trimEnd().split('\n');
    for (const line of lines)
      expect(line).toMatch(
        /^(?:# (?:HELP|TYPE) \S+ .+|[a-z_]+(?:\{(?:[a-z0-9]+="(?:[^"\\\n]|\\.)*",?)*\})? -?[\d.e+-]+)$/,
      );
    expect(lines).toEqual(
      expect.arrayContaining([
        'offprint_site_ready 1',
        `offprint_site_release_info{sha256="${sha256}",version="v1 \\"quoted\\" \\\\ \\n line",domain="docs.example.com",commit=""} 1`,
        'offprint_site_fault{code="disk_full"} 1',
        'offprint_site_fault{code="link_expired"} 0',
        'offprint_site_switches_total 4',
        'offprint_site_compressed_files{state="missing"} 3',
        'offprint_site_requests_total{class="2xx",encoding="br",kind="page"} 1',
        'offprint_site_sent_bytes_total{class="4xx",encoding="identity",kind="missing"} 500',
        'offprint_site_request_seconds_bucket{le="0.005"} 1',
        'offprint_site_request_seconds_bucket{le="60"} 1',
        'offprint_site_request_seconds_bucket{le="+Inf"} 2',
        'offprint_site_request_seconds_count 2',
        'offprint_site_broken_requests_total{status="431"} 1',
      ]),
    );
    const names = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('say that a server without a release is not ready', async () => {
    status.release = null;
    const text = (await get('/metrics')).body.toString();
    expect(text).toContain('offprint_site_ready 0');
    expect(text).not.toContain('release_info');
  });
});
