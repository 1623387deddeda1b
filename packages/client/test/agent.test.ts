import { type AgentJob, routes } from '@offprint/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError, createClient } from '../src/index.ts';
import { hangUp, json, type Seen, type Step, serveSteps } from './server.ts';

const job = (routes.getAgentJob.responses[200].schema.meta()!.examples as AgentJob[])[0]!;
const active: AgentJob = { ...job, status: 'active', prLink: null };
const key = `offprint_${'0'.repeat(38)}`;

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

describe('operations on agent jobs', () => {
  it('go to the project and the job, with the prompt and one Idempotency-Key for all repetitions', async () => {
    const { server, client } = await start(hangUp, json(201, active), json(200, active));
    expect(await client.createAgentJob('prj_1', { prompt: 'Fix it.', draft: true })).toEqual(active);
    expect(await client.sendAgentMessage('prj_1', 'job_1', { prompt: 'Shorter.' })).toEqual(active);
    expect(server.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/v2/agent/prj_1/job', '{"prompt":"Fix it.","draft":true}'],
      ['POST', '/v2/agent/prj_1/job', '{"prompt":"Fix it.","draft":true}'],
      ['POST', '/v2/agent/prj_1/job/job_1/message', '{"prompt":"Shorter."}'],
    ]);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('waits by long poll until the job is active no more, and returns whatever became of it', async () => {
    for (const status of ['completed', 'failed', 'archived'] as const) {
      const { server, client } = await start(
        json(200, active, { etag: '"a"' }),
        (_request, response) => void response.writeHead(304, { etag: '"a"' }).end(),
        hangUp,
        json(200, { ...job, status }, { etag: '"b"' }),
      );
      const seen: string[] = [];
      const done = await client.waitForAgentJob('prj_1', 'job_1', {
        onProgress: (one) => seen.push(one.status),
      });
      expect([done.status, seen]).toEqual([status, ['active', status]]);
      expect(server.seen.slice(1).map(({ url, headers }) => [url, headers['if-none-match']])).toEqual(
        Array(3).fill(['/v2/agent/prj_1/job/job_1?wait=30', '"a"']),
      );
    }
  });
});

describe('following an agent job', () => {
  const at = '2026-06-01T12:00:00.000Z';
  const event = (name: string, seq: number, data: object, id: string | null = String(seq)) =>
    `${id === null ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify({ seq, turn: 1, at, ...data })}\n\n`;
  const done = `id: 9\nevent: done\ndata: ${JSON.stringify(job)}\n\n`;
  const tool = { name: 'read_file', path: 'a.mdx', summary: 'x', isError: false };
  let breakOff = (): void => {};
  const stream =
    (text: string, breaks = false): Step =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text);
      // When something of it was seen: what a client has not taken yet goes with the connection.
      if (breaks) breakOff = () => response.destroy();
      else response.end();
    };
  const collect = async (client: Awaited<ReturnType<typeof start>>['client'], after?: number) => {
    const seen: string[] = [];
    for await (const one of client.streamAgentJobEvents(
      'prj_1',
      'job_1',
      after === undefined ? {} : { after },
    )) {
      seen.push(`${one.event} ${one.event === 'done' ? one.data.status : one.data.seq}`);
      breakOff();
    }
    return seen;
  };
  const lastIds = (seen: Seen[]) => seen.map(({ headers }) => headers['last-event-id']);

  it('yields what happens up to done, and nothing that this version does not know', async () => {
    const text = `: connected\n\n${event('prompt', 1, { text: 'x' })}${event('new_kind', 2, {})}event: message\ndata: no json\n\n${event('message', 3, { text: 'y' })}${done}`;
    const { server, client } = await start(stream(text + event('message', 10, { text: 'too late' })));
    expect(await collect(client)).toEqual(['prompt 1', 'message 3', 'done completed']);
    expect(server.seen[0]).toMatchObject({ url: '/v2/agent/prj_1/job/job_1/events' });
    expect(lastIds(server.seen)).toEqual([undefined]);
  });

  it('continues after the last complete step when the stream breaks or ends early, without losing one', async () => {
    const first = event('prompt', 1, { text: 'x' });
    const cut = `${event('tool', 2, tool, null)}id: 2\nevent: tool\ndata: {"seq":2`;
    const { server, client } = await start(
      stream(first + cut, true),
      stream(event('tool', 2, tool, null) + event('tool', 2, tool)),
      hangUp,
      stream(done),
    );
    expect(await collect(client)).toEqual(['prompt 1', 'tool 2', 'tool 2', 'tool 2', 'done completed']);
    expect(lastIds(server.seen)).toEqual([undefined, '1', '2', '2']);
  });

  it('starts after a known event', async () => {
    const { server, client } = await start(stream(done));
    await collect(client, 8);
    expect(lastIds(server.seen)).toEqual(['8']);
  });

  it('gives up a server whose streams bring nothing, again and again', async () => {
    const { server, client } = await start(stream(': connected\n\n'));
    await expect(collect(client)).rejects.toBeInstanceOf(ConnectionError);
    expect(server.seen).toHaveLength(5);
  });

  it('ends at once when the caller aborts', async () => {
    const { client } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event('prompt', 1, { text: 'x' }));
    });
    const abort = new AbortController();
    const follow = async () => {
      for await (const _ of client.streamAgentJobEvents('prj_1', 'job_1', { signal: abort.signal })) {
        abort.abort(new Error('enough'));
      }
    };
    await expect(follow()).rejects.toThrow('enough');
  });
});
