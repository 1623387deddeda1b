/** Traces from the request to the worker and its render child, as a collector receives them. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { call, createProject, follow, makeFolder, siteFiles } from './api.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const HEADER = 'collector-token-of-the-test';

const value = z.union([
  z.object({ stringValue: z.string() }).transform((one) => one.stringValue),
  z.object({ intValue: z.union([z.number(), z.string()]) }).transform((one) => Number(one.intValue)),
  z.object({ doubleValue: z.number() }).transform((one) => one.doubleValue),
  z.object({ boolValue: z.boolean() }).transform((one) => one.boolValue),
]);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((list) => Object.fromEntries(list.map((one) => [one.key, one.value])));
const request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.number(),
              attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  attributes: Record<string, unknown>;
  service: unknown;
  instance: unknown;
}

let collector: Server;
let env: Record<string, string>;
let platform: TestPlatform;
const spans: Span[] = [];
const bodies: string[] = [];
const headers: (string | undefined)[] = [];

beforeAll(async () => {
  collector = createServer(async (incoming, response) => {
    const body = await text(incoming);
    bodies.push(body);
    headers.push(incoming.headers['x-token']?.toString());
    expect([incoming.method, incoming.url]).toEqual(['POST', '/v1/traces']);
    for (const { resource, scopeSpans } of request.parse(JSON.parse(body)).resourceSpans) {
      const service = resource.attributes['service.name'];
      const instance = resource.attributes['service.instance.id'];
      for (const { spans: sent } of scopeSpans)
        spans.push(...sent.map((span) => ({ ...span, service, instance })));
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-token=${HEADER}`,
  };
  platform = await startTestPlatform({ roles: ['api'], env });
  platform.start(['worker'], env);
});
afterAll(async () => {
  await platform.stop();
  collector.close();
});

test('one trace leads from the request through the worker to the render child, without secrets and content', async () => {
  const { key } = await platform.createTenant();
  const files = siteFiles(2, 'Xylophone');
  const { domain } = await createProject(platform.url, key, {
    kind: 'folder',
    path: await makeFolder(files),
  });
  const reply = await call<{ jobId: string }>(platform.url, 'POST', '/v1/static-export/jobs', {
    key,
    body: { domain },
    headers: { traceparent: `00-${TRACE}-${PARENT}-01` },
  });
  expect(reply.status).toBe(202);
  const { jobId } = reply.body;
  expect((await follow(platform.url, key, jobId)).at(-1)).toMatchObject({ status: 'completed' });

  const traced = () => spans.filter(({ traceId }) => traceId === TRACE);
  const named = (name: string) => traced().find((span) => span.name === name);
  await expect.poll(() => named('export attempt'), { timeout: 30_000 }).toBeDefined();
  await expect.poll(() => named('POST /v1/static-export/jobs'), { timeout: 30_000 }).toBeDefined();
  const [start, attempt, child] = [
    named('POST /v1/static-export/jobs'),
    named('export attempt'),
    named('child render'),
  ];
  expect(start).toMatchObject({
    parentSpanId: PARENT,
    service: 'api',
    attributes: { 'http.response.status_code': 202, 'http.route': '/v1/static-export/jobs' },
  });
  expect(reply.headers.get('traceparent')).toBe(`00-${TRACE}-${start?.spanId}-01`);
  expect(attempt).toMatchObject({
    parentSpanId: start?.spanId,
    service: 'worker',
    attributes: { 'offprint.job.id': jobId, 'offprint.job.attempt': 1, 'offprint.job.outcome': 'completed' },
  });
  expect(attempt?.instance).not.toBe(start?.instance);
  expect(child).toMatchObject({
    parentSpanId: attempt?.spanId,
    attributes: { 'offprint.program': 'render' },
  });
  for (const name of ['export snapshot', 'export store', 'export pack'])
    expect(named(name)?.parentSpanId, name).toBe(attempt?.spanId);

  // Requests without a trace start one of their own.
  await expect
    .poll(() => spans.some(({ traceId, parentSpanId }) => traceId !== TRACE && !parentSpanId))
    .toBe(true);
  for (const body of bodies) {
    expect(body).not.toContain(key.slice(0, 20));
    expect(body).not.toContain('Xylophone');
    expect(body).not.toContain(domain);
    expect(body).not.toContain(HEADER);
  }
  expect(new Set(headers)).toEqual(new Set([HEADER]));
  expect(platform.log()).not.toContain(HEADER);
});

test('a collector that is away fails no request, and the log reports it', async () => {
  const url = await platform.startApi({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  const { key } = await platform.createTenant();
  expect((await call(url, 'GET', '/v1/static-export/jobs', { key })).status).toBe(200);
  await expect.poll(() => platform.log(), { timeout: 60_000 }).toContain('traces could not be sent');
});
