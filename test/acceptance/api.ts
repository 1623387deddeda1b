/** What the acceptance tests share: calls over HTTP, nothing of the server's code, and small docs folders. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { noteCall } from '../support/secrets.ts';

export interface Reply<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

export interface CallOptions {
  key?: string | undefined;
  /** Sent as JSON, unless it is bytes or text. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** One request. `body` of the reply is the parsed JSON, or {}. */
export async function call<Body = Record<string, unknown>>(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply<Body>> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.key !== undefined) headers.authorization = `Bearer ${options.key}`;
  const init: RequestInit = { method, headers };
  if (options.body !== undefined) {
    const isRaw = typeof options.body === 'string' || options.body instanceof Uint8Array;
    if (!isRaw || headers['content-type'] === undefined) headers['content-type'] ??= 'application/json';
    init.body = (isRaw ? options.body : JSON.stringify(options.body)) as string;
  }
  const response = await fetch(new URL(path, url), init);
  const text = await response.text();
  noteCall(options.body, { status: response.status, headers: response.headers, text });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as Body,
  };
}

/** Calls of one client that expect a status; each resolves with the parsed body of the reply. */
export const createCaller =
  (client: () => { url: string; key: string }) =>
  async <Body = Record<string, unknown>>(
    status: number,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Body> => {
    const { url, key } = client();
    const reply = await call<Body>(url, method, path, { key, ...options });
    expect(reply.status, reply.text).toBe(status);
    return reply.body;
  };

/** Checks the shape that every error has, its status and code. */
export function expectError(answer: Reply<unknown>, status: number, code: string, param?: string): void {
  const reply = answer as Reply;
  expect({ status: reply.status, ...reply.body }).toMatchObject({
    status,
    code,
    ...(param === undefined ? {} : { param }),
  });
  expect(reply.body.error).toMatch(/^\S.*[.!?]$/s);
  expect(reply.body.requestId).toBe(reply.headers.get('x-request-id'));
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(reply.text).not.toMatch(/node_modules|\.ts:\d|SELECT|at async/);
}

export interface Job {
  jobId: string;
  status: string;
  progress: number;
  pageCount: number;
  error?: string;
  errorCode?: string;
  version: string | null;
  commit: string | null;
  warnings: number;
  artifact: { sha256: string; files: number; bytes: number } | null;
  [name: string]: unknown;
}

/** Response of the operations that create a link. */
export interface Bundle {
  jobId: string;
  bundleUrl: string;
  sizeBytes: number;
  expiresAt: string;
  sha256: string;
  version: string;
}

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Writes files into a fresh folder below the system's temporary one, which goes with the test file. */
export async function makeFolder(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'offprint-docs-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** A site of `pages` pages besides the home page, each with `sections` sections. */
export function siteFiles(pages: number, title = 'Small site', sections = 1): Record<string, string> {
  const names = Array.from({ length: pages }, (_, index) => `guide/page-${index}`);
  return {
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: title,
      colors: { primary: '#0f766e' },
      navigation: { groups: [{ group: 'Guide', pages: ['index', ...names] }] },
    }),
    'index.mdx': '---\ntitle: Home\n---\n\nWelcome. See [page 0](/guide/page-0).\n',
    ...Object.fromEntries(
      names.map((name) => {
        const text = Array.from(
          { length: sections },
          (_, part) =>
            `## Part ${part}\n\nText of \`${name}\` with *some* [links](/index).\n\n\`\`\`ts\nconst part = ${part};\n\`\`\`\n`,
        );
        return [`${name}.mdx`, `---\ntitle: ${name}\n---\n\n${text.join('\n')}`];
      }),
    ),
  };
}

let domains = 0;

/** Creates a project on a domain of its own and returns both. */
export async function createProject(
  url: string,
  key: string,
  source: Record<string, unknown>,
): Promise<{ projectId: string; domain: string }> {
  domains += 1;
  const domain = `docs-${domains}-${process.pid}.example.com`;
  const body = { name: `Project ${domains}`, source, domains: [domain] };
  const reply = await call<{ id: string }>(url, 'POST', '/v1/projects', { key, body });
  expect(reply.status, reply.text).toBe(201);
  return { projectId: reply.body.id, domain };
}

/** Polls until the export has ended; returns every response. */
export async function follow(url: string, key: string, jobId: string, everyMs = 20): Promise<Job[]> {
  const seen: Job[] = [];
  for (;;) {
    const reply = await call<Job>(url, 'GET', `/v1/static-export/jobs/${jobId}`, { key });
    expect(reply.status, reply.text).toBe(200);
    seen.push(reply.body);
    if (reply.body.status === 'completed' || reply.body.status === 'failed') return seen;
    await sleep(everyMs);
  }
}

/** Expects a time that is `ahead` milliseconds after a moment between `since` and now, possibly rounded to seconds. */
export function expectAhead(time: string, ahead: number, since: number): void {
  const from = Date.parse(time) - ahead;
  expect(from).toBeGreaterThan(since - 1_000);
  expect(from).toBeLessThan(Date.now() + 1_000);
}

/** Starts an export and waits for its end. */
export async function runExport(url: string, key: string, body: Record<string, unknown>): Promise<Job> {
  const started = await call<Job>(url, 'POST', '/v1/static-export/jobs', { key, body });
  expect(started.status, started.text).toBe(202);
  let job = started.body;
  while (job.status === 'queued' || job.status === 'running') {
    job = (await call<Job>(url, 'GET', `/v1/static-export/jobs/${job.jobId}?wait=30`, { key })).body;
  }
  return job;
}

/** Updates the site of a project and waits until it is live; returns the id of the deployment. */
export async function deploy(url: string, key: string, projectId: string): Promise<string> {
  const started = await call<{ statusId: string }>(url, 'POST', `/v1/project/update/${projectId}`, { key });
  expect(started.status, started.text).toBe(202);
  const { statusId } = started.body;
  for (;;) {
    const now = await call<{ status: string; error: string | null }>(
      url,
      'GET',
      `/v1/project/update-status/${statusId}`,
      { key },
    );
    expect(now.body.status, now.body.error ?? now.text).not.toBe('failure');
    if (now.body.status === 'success') return statusId;
    await sleep(20);
  }
}
