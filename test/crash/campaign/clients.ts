/** Clients that start jobs all the time, as real ones do: with a key for each start, and again after an error. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { doing } from '../../support/agent/script.ts';
import type { Ground } from './ground.ts';
import type { History, JobKind } from './history.ts';

export const AGENT_PROJECT = 'agent';

const PROMPT = doing(
  ['read_file', { path: 'index.mdx' }],
  ['edit_file', { path: 'index.mdx', old_text: 'the beta of Acme', new_text: 'the preview of Acme' }],
  ['write_file', { path: 'guide/new.mdx', content: '---\ntitle: New\n---\n\nNew.\n', mode: 'create' }],
  ['update_navigation', { op: 'add', node: 'guide/new' }],
  ['finish', { title: 'Rename the beta', summary: 'The home page says preview now.' }],
);

const REQUEST_MS = 20_000;
const RETRY_MS = 300;
/** One bundle in this many is downloaded and compared. */
const DOWNLOAD_EVERY = 5;

interface Reply {
  status: number;
  body: Record<string, unknown>;
  text: string;
}

/** The end of a job, as a client sees it. */
export interface Seen {
  id: string;
  status: string;
  result: string | null;
}

export interface Clients {
  /** Starts a job and follows it to its end; null when `signal` aborts before it was acknowledged. */
  run(job: JobKind, project: string, signal: AbortSignal): Promise<Seen | null>;
}

export function createClients(ground: Ground, history: History): Clients {
  let turn = 0;
  let completed = 0;

  /** One request to one API after the other; null when none responds. */
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Reply | null> => {
    const url = ground.urls[turn++ % ground.urls.length];
    try {
      const response = await fetch(`${url}${path}`, {
        ...init,
        method,
        headers: {
          authorization: `Bearer ${ground.key}`,
          'content-type': 'application/json',
          ...init.headers,
        },
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      const body: Record<string, unknown> = isJson && text !== '' ? JSON.parse(text) : {};
      return { status: response.status, body, text };
    } catch {
      return null;
    }
  };
  /** Repeats a request until a response that does not report an outage. */
  const insist = async (
    method: string,
    path: string,
    init: RequestInit,
    signal?: AbortSignal,
  ): Promise<Reply | null> => {
    while (signal?.aborted !== true) {
      const reply = await send(method, path, init);
      const isBusy =
        reply === null ||
        reply.status >= 500 ||
        reply.status === 429 ||
        (reply.status === 409 && reply.body.code === 'idempotency_in_flight');
      if (!isBusy) return reply;
      await sleep(RETRY_MS);
    }
    return null;
  };

  const start = async (job: JobKind, project: string, signal: AbortSignal): Promise<string | null> => {
    const key = `${project}-${randomBytes(8).toString('hex')}`;
    const [path, body] =
      job === 'export'
        ? ['/v1/static-export/jobs', { domain: ground.domains[project] }]
        : [`/v2/agent/${ground.agentProject}/job`, { prompt: PROMPT }];
    history.add({ kind: 'asked', job, project, key });
    const init = { headers: { 'idempotency-key': key }, body: JSON.stringify(body) };
    // A start whose response was lost is followed to its end even when no new one is wanted.
    const reply = (await insist('POST', path, init, signal)) ?? (await insist('POST', path, init));
    if (reply === null) return null;
    const id = reply.body.jobId ?? reply.body.id;
    const isStarted = reply.status === 202 || reply.status === 201;
    history.add({
      kind: 'answer',
      key,
      status: reply.status,
      id: isStarted ? String(id) : null,
      ...(isStarted ? {} : { text: reply.text.slice(0, 500) }),
    });
    return isStarted ? String(id) : null;
  };

  const download = async (id: string): Promise<void> => {
    const init = { headers: { 'idempotency-key': randomBytes(8).toString('hex') }, body: '{}' };
    const reply = await insist('POST', `/v1/static-export/jobs/${id}/bundle`, init);
    if (reply?.status !== 200) {
      history.add({ kind: 'download', id, sha256: `${reply?.status} ${reply?.text}`, expected: 'a bundle' });
      return;
    }
    const url = String(reply.body.bundleUrl);
    const bytes = await fetch(url, { signal: AbortSignal.timeout(REQUEST_MS) })
      .then(async (response) => (response.status === 200 ? Buffer.from(await response.arrayBuffer()) : null))
      .catch(() => null);
    // The API that serves files of a folder may have been killed meanwhile.
    if (bytes === null) return;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    history.add({ kind: 'download', id, sha256, expected: String(reply.body.sha256) });
  };

  const follow = async (job: JobKind, id: string): Promise<Seen> => {
    const path =
      job === 'export' ? `/v1/static-export/jobs/${id}` : `/v2/agent/${ground.agentProject}/job/${id}`;
    for (;;) {
      const reply = await insist('GET', `${path}?wait=5`, {});
      const status = String(reply?.body.status ?? `${reply?.status} ${reply?.text}`);
      if (['queued', 'running', 'active'].includes(status)) continue;
      const result = job === 'export' ? digestOf(reply?.body.artifact) : textOf(reply?.body.prLink);
      const text = JSON.stringify(reply?.body.failure ?? reply?.body.error);
      history.add({ kind: 'end', id, status, result, ...(status === 'completed' ? {} : { text }) });
      return { id, status, result };
    }
  };

  return {
    async run(job, project, signal) {
      const id = await start(job, project, signal);
      if (id === null) return null;
      const seen = await follow(job, id);
      if (job === 'export' && seen.status === 'completed' && completed++ % DOWNLOAD_EVERY === 0)
        await download(id);
      return seen;
    },
  };
}

function digestOf(artifact: unknown): string | null {
  return typeof artifact === 'object' && artifact !== null && 'sha256' in artifact
    ? String(artifact.sha256)
    : null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
