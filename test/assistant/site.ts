/** What the tests of the assistant share: a platform with a model, a served site and the process of a site server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseJsonEventStream, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import { expect } from 'vitest';
import { call, deploy, makeFolder } from '../acceptance/api.ts';
import { verifyHost } from '../acceptance/served-site.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';

const SITE = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
export const TOKEN = 'hosting-token-of-the-assistant-0123456789';
export const HOST = 'docs.example.com';

/** Settings of an installation whose model is at this URL. */
export const modelEnv = (url: string): Record<string, string> => ({
  OFFPRINT_AGENT_PROVIDER: 'openai-compatible',
  OFFPRINT_AGENT_MODEL: 'test-model',
  OFFPRINT_AGENT_BASE_URL: url,
  OFFPRINT_HOSTING_TOKEN: TOKEN,
});

export interface ServedDocs {
  platform: TestPlatform;
  tenant: Tenant;
  projectId: string;
  /** Port of the site server. */
  port: number;
  /** Asks the site as a page of it does. */
  ask(
    path: string,
    body: unknown,
    options?: { signal?: AbortSignal; headers?: Record<string, string> },
  ): Promise<Response>;
  stop(): Promise<void>;
}

/** Deploys docs and serves them. */
export async function serveDocs(
  files: Record<string, string>,
  options: { env?: Record<string, string>; basePath?: string } = {},
): Promise<ServedDocs> {
  const platform = await startTestPlatform({ env: { OFFPRINT_DOMAIN_VERIFICATION: 'off', ...options.env } });
  const tenant = await platform.createTenant();
  const made = await call<{ id: string }>(platform.url, 'POST', '/v1/projects', {
    key: tenant.key,
    body: {
      name: 'Acme docs',
      domains: [HOST],
      source: { kind: 'folder', path: await makeFolder(files) },
      ...(options.basePath === undefined ? {} : { basePath: options.basePath }),
    },
  });
  expect(made.status, made.text).toBe(201);
  const projectId = made.body.id;
  await verifyHost(platform, { organizationId: tenant.organizationId, projectId, host: HOST });
  await deploy(platform.url, tenant.key, projectId);
  const dir = await mkdtemp(join(tmpdir(), 'offprint-assistant-'));
  const site = await startSite(platform.url, dir);
  await untilServed(site.port, options.basePath ?? '');
  return {
    platform,
    tenant,
    projectId,
    port: site.port,
    ask: (path, body, { signal, headers = {} } = {}) =>
      send(site.port, 'POST', `${options.basePath ?? ''}${path}`, {
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        signal,
      }),
    async stop() {
      const exited = once(site.child, 'exit');
      site.child.kill('SIGTERM');
      await exited;
      await platform.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Starts a site server that follows the platform at this URL. */
export async function startSite(url: string, dir: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [SITE], {
    env: {
      PATH: process.env.PATH ?? '',
      OFFPRINT_URL: url,
      OFFPRINT_HOSTING_TOKEN: TOKEN,
      OFFPRINT_SITE_DIR: dir,
      OFFPRINT_SITE_PORT: '0',
      OFFPRINT_SITE_MANAGEMENT_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  for (;;) {
    const line = log.split('\n').find((one) => one.includes('"message":"listening"'));
    if (line !== undefined) return { child, port: JSON.parse(line).port };
    if (child.exitCode !== null) throw new Error(log);
    await sleep(20);
  }
}

/** Waits until the site server serves the site. */
export async function untilServed(port: number, basePath: string): Promise<void> {
  while ((await send(port, 'GET', `${basePath}/`)).status !== 200) await sleep(50);
}

/** A request to the site by its host, which `fetch` cannot name. The body is read as it arrives. */
export function send(
  port: number,
  method: string,
  path: string,
  {
    headers = {},
    body,
    signal,
  }: { headers?: Record<string, string>; body?: string; signal?: AbortSignal | undefined } = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        method,
        path,
        headers: { host: HOST, ...headers },
        ...(signal === undefined ? {} : { signal }),
      },
      (response) => {
        const { statusCode = 0, headersDistinct } = response;
        const list = Object.entries(headersDistinct).map(([name, values]): [string, string] => [
          name,
          values?.join(', ') ?? '',
        ]);
        const isEmpty = statusCode === 204 || statusCode === 304;
        if (isEmpty) response.resume();
        resolve(
          new Response(isEmpty ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>), {
            status: statusCode,
            headers: list,
          }),
        );
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** The chunks of an answer, read by the AI SDK. Fails for one that is not of its stream. */
export async function readChunks(response: {
  body: ReadableStream<Uint8Array> | null;
  status: number;
}): Promise<UIMessageChunk[]> {
  expect(response.status).toBe(200);
  if (response.body === null) throw new Error('the response has no body');
  const parsed = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema });
  const chunks: UIMessageChunk[] = [];
  for await (const part of parsed as unknown as AsyncIterable<{
    success: boolean;
    value: UIMessageChunk;
    error?: unknown;
  }>) {
    if (!part.success) throw new Error(`not a chunk of the AI SDK: ${String(part.error)}`);
    chunks.push(part.value);
  }
  return chunks;
}

/** The text of an answer. */
export const textOf = (chunks: readonly UIMessageChunk[]): string =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');

/** A question as the panel sends it. */
export const question = (text: string, more: object = {}): object => ({
  messages: [{ id: 'q', role: 'user', parts: [{ type: 'text', text }] }],
  ...more,
});

export interface SlowModel {
  url: string;
  /** Resolves when a request has been abandoned by the client, with the moment of it. */
  abandoned: Promise<number>;
  close(): Promise<void>;
}

/** A model that writes a word and then nothing, and notes when its client leaves. */
export async function startSlowModel(): Promise<SlowModel> {
  const { promise: abandoned, resolve } = Promise.withResolvers<number>();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Well, ' }, finish_reason: null }],
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.once('close', () => resolve(performance.now()));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    abandoned,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Reads until the first word of an answer has arrived. Throws if the response ends before. */
export async function readFirstWord(response: Response): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error(`status ${response.status} without a body`);
  let text = '';
  while (!text.includes('text-delta')) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the response ended with ${response.status}: ${text}`);
    text += new TextDecoder().decode(value);
  }
  return reader;
}
