import { type ExportJob, routes } from '@offprint/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, createClient } from '../src/index.ts';
import { hangUp, json, type Step, serveSteps } from './server.ts';

const job: ExportJob = {
  ...(routes.getExport.responses[200]!.schema!.meta()!.examples as ExportJob[])[0]!,
};
const key = `offprint_${'0'.repeat(38)}`;
const busy = (retryAfter = '0', status = 429) =>
  json(status, { error: 'Too many requests.', code: 'rate_limited' }, { 'retry-after': retryAfter });

let servers: Awaited<ReturnType<typeof serveSteps>>[] = [];
afterEach(async () => {
  for (const server of servers) await server.close();
  servers = [];
});

async function start(...steps: Step[]) {
  const server = await serveSteps(...steps);
  servers.push(server);
  return { server, client: createClient({ url: server.url, key }) };
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('a call', () => {
  it('carries the key, the body as JSON and the query, and returns the checked response', async () => {
    const { server, client } = await start(
      json(202, { ...job, unknownToThisVersion: 1 }),
      json(200, { data: [job], nextCursor: null }),
    );
    expect(await client.startExport({ domain: 'docs.example.com' })).toEqual(job);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/v1/static-export/jobs',
      body: '{"domain":"docs.example.com"}',
    });
    expect(server.seen[0]!.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    });
    expect((await client.listExports({ status: 'queued', limit: 5, cursor: undefined })).data).toEqual([job]);
    expect(server.seen[1]!.url).toBe('/v1/static-export/jobs?status=queued&limit=5');
  });

  it('puts parts of the path where they cannot leave their place', async () => {
    const { server, client } = await start(json(404, { error: 'No such export.', code: 'not_found' }));
    await faultOf(client.getExport('../api-keys?x#y'));
    expect(server.seen[0]!.url).toBe('/v1/static-export/jobs/..%2Fapi-keys%3Fx%23y');
  });

  it('below a base path goes below it', async () => {
    const server = await serveSteps(json(200, { status: 'ok' }));
    servers.push(server);
    await createClient({ url: `${server.url}/offprint/`, key }).getHealth();
    expect(server.seen[0]!.url).toBe('/offprint/healthz');
  });

  it('rejects with the status, code, parameter, request id and message of the response', async () => {
    const { client } = await start(
      json(400, {
        error: '/domain must be a host name.',
        code: 'invalid_request',
        param: '/domain',
        requestId: 'req_7',
      }),
    );
    const error = await faultOf(client.startExport({ domain: 'x' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      message: '/domain must be a host name.',
      status: 400,
      code: 'invalid_request',
      param: '/domain',
      requestId: 'req_7',
    });
  });

  it('reports a response that does not come from the API', async () => {
    const { client } = await start(
      (_request, response) => void response.writeHead(404).end('<h1>nginx</h1>'),
    );
    await expect(client.getOrganization()).rejects.toThrow(
      /returned 404 Not Found without an error message; check that the URL/,
    );
    const other = await start(json(200, { hello: 'world' }));
    await expect(other.client.getOrganization()).rejects.toThrow('is not what this version expects');
  });

  it('never sends the key on to where a redirect points', async () => {
    const { server, client } = await start(
      (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
      json(200, { status: 'ok' }),
    );
    const quick = createClient({ url: server.url, key, retries: 0 });
    await expect(quick.getHealth()).rejects.toBeInstanceOf(ConnectionError);
    expect(server.seen).toHaveLength(1);
    expect(client).toBeDefined();
  });

  it('without a response body returns nothing', async () => {
    const { client } = await start((_request, response) => void response.writeHead(204).end());
    expect(await client.deleteExport('se_1')).toBeUndefined();
  });

  it('uploads bytes and streams', async () => {
    const answer = { sha256: 'ab'.repeat(32), sizeBytes: 3, files: 1 };
    const { server, client } = await start(json(200, answer));
    expect(await client.putProjectSource('prj_1', new TextEncoder().encode('abc'))).toEqual(answer);
    expect(await client.putProjectSource('prj_1', new Blob(['def']).stream())).toEqual(answer);
    expect(server.seen.map((one) => [one.method, one.body, one.headers['content-type']])).toEqual([
      ['PUT', 'abc', 'application/gzip'],
      ['PUT', 'def', 'application/gzip'],
    ]);
  });

  it('refuses an invalid URL', () => {
    expect(() => createClient({ url: 'localhost:4100', key })).toThrow('is not the URL of a server');
  });
});

describe('a retry', () => {
  it('follows 429 and 503 after the time the server asks for', async () => {
    const { server, client } = await start(busy('1'), busy('0', 503), json(202, job));
    const begin = Date.now();
    expect(await client.startExport({ domain: 'a.example' })).toEqual(job);
    expect(Date.now() - begin).toBeGreaterThanOrEqual(990);
    expect(server.seen).toHaveLength(3);
  });

  it('of a POST carries the same Idempotency-Key, and two calls carry different ones', async () => {
    const { server, client } = await start(hangUp, busy(), json(202, job));
    await client.startExport({ domain: 'a.example' });
    await client.startExport({ domain: 'a.example' });
    const keys = server.seen.map((one) => one.headers['idempotency-key']);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it('waits for a first request with the same key that is still in flight', async () => {
    const inFlight = json(
      409,
      { error: 'In flight.', code: 'idempotency_in_flight' },
      { 'retry-after': '0' },
    );
    const { server, client } = await start(inFlight, json(202, job));
    await client.startExport({ domain: 'a.example' }, { idempotencyKey: 'mine' });
    expect(server.seen.map((one) => one.headers['idempotency-key'])).toEqual(['mine', 'mine']);
  });

  it('of creating a key carries the same Idempotency-Key, so that no second key is created', async () => {
    const { server, client } = await start(hangUp, busy('0', 503), json(403, { error: 'No.' }));
    await expect(client.createApiKey({ name: 'a' })).rejects.toMatchObject({ status: 403 });
    const sent = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(sent).toHaveLength(3);
    expect(sent[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(sent).size).toBe(1);
  });

  it('does not follow other errors', async () => {
    for (const status of [400, 401, 403, 404, 422, 500]) {
      const { server, client } = await start(json(status, { error: 'No.' }));
      await expect(client.getExport('se_1')).rejects.toMatchObject({ status });
      expect(server.seen).toHaveLength(1);
    }
  });

  it('ends after the number of times asked for, with the last error', async () => {
    const server = await serveSteps(busy());
    servers.push(server);
    const client = createClient({ url: server.url, key, retries: 2 });
    await expect(client.getExport('se_1')).rejects.toMatchObject({ status: 429, retryAfter: 0 });
    expect(server.seen).toHaveLength(3);
  });

  it('ends at once when the caller aborts', async () => {
    const { client } = await start(busy('30'));
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 50);
    await expect(client.getExport('se_1', { signal: abort.signal })).rejects.toThrow('enough');
  });

  it('says which server cannot be reached and why', async () => {
    const server = await serveSteps(hangUp);
    await server.close();
    const client = createClient({ url: server.url, key, retries: 0 });
    await expect(client.getHealth()).rejects.toThrow(
      new RegExp(`^Cannot reach ${server.url}: .*ECONNREFUSED`),
    );
  });

  it('aborts a request without a response', async () => {
    const server = await serveSteps(() => {});
    servers.push(server);
    const client = createClient({ url: server.url, key, retries: 0, timeout: 0.05 });
    await expect(client.getHealth()).rejects.toThrow('no response in time');
  });
});

describe('waiting for an export', () => {
  it('asks by long poll with the tag it knows, reports each change, and returns the finished job', async () => {
    const done: ExportJob = { ...job, status: 'completed', progress: 100 };
    const { server, client } = await start(
      json(200, job, { etag: '"a"' }),
      (_request, response) => void response.writeHead(304, { etag: '"a"' }).end(),
      json(200, { ...job, progress: 60 }, { etag: '"b"' }),
      hangUp,
      json(200, done, { etag: '"c"' }),
    );
    const progress: number[] = [];
    const result = await client.waitForExport(job.jobId, {
      onProgress: (one) => progress.push(one.progress),
    });
    expect(result).toEqual(done);
    expect(progress).toEqual([42, 60, 100]);
    expect(server.seen.map((one) => one.headers['if-none-match'])).toEqual([
      undefined,
      '"a"',
      '"a"',
      '"b"',
      '"b"',
    ]);
    expect(server.seen[1]!.url).toContain('?wait=30');
  });

  it('returns a failed job', async () => {
    const { client } = await start(
      json(200, { ...job, status: 'failed', error: 'Cancelled' }, { etag: '"a"' }),
    );
    expect(await client.waitForExport(job.jobId)).toMatchObject({ status: 'failed', error: 'Cancelled' });
  });
});

describe('following an export', () => {
  it('yields the events, whatever the pieces they arrive in', async () => {
    const text = `: hello\r\nevent: progress\r\ndata: ${JSON.stringify(job)}\r\n\r\nevent: later\ndata: {}\n\nevent: done\ndata: ${JSON.stringify({ ...job, status: 'completed', progress: 100 })}\n\n`;
    const { client } = await start(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let from = 0; from < text.length; from += 37) {
        response.write(text.slice(from, from + 37));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      response.end();
    });
    const events = [];
    for await (const event of client.streamExportEvents(job.jobId))
      events.push([event.event, event.data.status]);
    expect(events).toEqual([
      ['progress', 'running'],
      ['done', 'completed'],
    ]);
  });

  it('continues after the last event when a stream breaks', async () => {
    const told: (string | undefined)[] = [];
    let breakOff = (): void => {};
    const { client } = await start((request, response) => {
      told.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const [id, event, status] =
        told.length === 1 ? ['a', 'progress', 'running'] : ['b', 'done', 'completed'];
      response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ ...job, status })}\n\n`);
      if (told.length === 1) breakOff = () => response.destroy();
      else response.end();
    });
    const seen = [];
    for await (const { event } of client.streamExportEvents(job.jobId)) {
      seen.push(event);
      breakOff();
    }
    expect(seen).toEqual(['progress', 'done']);
    expect(told).toEqual([undefined, 'a']);
  });
});

describe('the client', () => {
  it('has a method for every call of the contract but those of probes, browsers and forges', () => {
    const client = createClient({ url: 'http://localhost', key });
    const known = Object.keys(routes).filter(
      (name) =>
        !['getReadiness', 'getOpenApi', 'startSingleSignOn', 'finishSingleSignOn', 'receiveWebhook'].includes(
          name,
        ),
    );
    expect(
      Object.keys(client)
        .filter((name) => !name.startsWith('waitFor'))
        .sort(),
    ).toEqual(known.sort());
  });
});
