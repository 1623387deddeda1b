/**
 * The assistant of a served site over the real processes: platform, worker, PostgreSQL, site server, and a scripted
 * model that speaks the wire protocol of its API.
 */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, expectError } from '../acceptance/api.ts';
import {
  type Answer,
  type ModelServer,
  type ScriptedRequest,
  startModelServer,
} from '../support/agent/model-server.ts';
import {
  HOST,
  modelEnv,
  question,
  readChunks,
  readFirstWord,
  type ServedDocs,
  send,
  serveDocs,
  startSite,
  startSlowModel,
  TOKEN,
  textOf,
  untilServed,
} from './site.ts';

const FILES: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'quickstart', 'reference/limits'] },
  }),
  'index.mdx': '---\ntitle: Acme\n---\n\nWelcome to Acme, which sells rockets.\n',
  'quickstart.mdx':
    '---\ntitle: Quickstart\n---\n\n## Install\n\nRun `npm install acme` to install the rocket toolkit.\n',
  'reference/limits.mdx':
    '---\ntitle: Limits\n---\n\n## Rates\n\nAt most 77 launches a minute are allowed.\n',
  '.mintlify/Assistant.md': 'Call readers pilots.\n',
  '.mintlify/assistant/skills/refuel/skill.md':
    '---\nname: Refuel\ndescription: How to refuel a rocket.\n---\n\nUse kerosene of the brand Zyx.\n',
  '.mintlify/assistant/skills/broken/skill.md': 'no front matter',
};

let docs: ServedDocs;
let model: ModelServer;
let script: (request: ScriptedRequest) => Answer = () => ({ text: 'Hello.' });

beforeAll(async () => {
  model = await startModelServer({ script: (request) => script(request) });
  // More questions in a minute than readers have without a proof of work.
  const env = { ...modelEnv(model.url), OFFPRINT_ASSISTANT_FREE_QUESTIONS: '10000' };
  docs = await serveDocs(FILES, { env, basePath: '/docs' });
}, 300_000);
afterAll(async () => {
  await docs?.stop();
  await model?.close();
});

const message = '/_offprint/assistant/message';
const asUser = <Body = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  call<Body>(docs.platform.url, method, path, {
    key: docs.tenant.key,
    ...(body === undefined ? {} : { body }),
  });
const lastRequest = () => model.requests.at(-1);

describe('an answer on the site', () => {
  let threadId: string;
  let messageId: string;

  test('comes from the released pages, cites them below the base path, and is a stream of AI SDK 5', async () => {
    script = () => ({
      text: 'Run `npm install acme`, pilot. See [Install](/quickstart#install), [gone](/gone) and ![x](https://evil.example/x).',
    });
    const response = await docs.ask(message, question('How do I install the toolkit?', { currentPath: '/' }));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('cache-control')).toContain('no-store');
    const chunks = await readChunks(response);
    expect(textOf(chunks)).toBe(
      'Run `npm install acme`, pilot. See [Install](/docs/quickstart#install), gone and x.',
    );
    expect(chunks.filter(({ type }) => type === 'source-url')).toEqual([
      { type: 'source-url', sourceId: 'source-0', url: '/docs/quickstart#install', title: 'Quickstart' },
    ]);
    const start = chunks.find(({ type }) => type === 'start') as { messageId: string };
    const finish = chunks.at(-1) as unknown as {
      threadId: string;
      messageMetadata: { threadId: string; resolution: string };
    };
    ({ messageId } = start);
    ({ threadId } = finish);
    expect(finish.messageMetadata).toEqual({ threadId, resolution: 'answered' });
    const sent = lastRequest();
    expect(sent?.messages[0]?.text).toContain('npm install acme');
    expect(sent?.messages[0]?.text).toContain('How do I install the toolkit?');
    expect(sent?.system).toContain('Call readers pilots.');
    expect(sent?.system).toContain('refuel: Refuel. How to refuel a rocket.');
  });

  test('instructions and skills are not on the site', async () => {
    for (const path of [
      '/.mintlify/Assistant.md',
      '/assistant.md',
      '/.mintlify/assistant/skills/refuel/skill.md',
    ]) {
      expect((await send(docs.port, 'GET', `/docs${path}`)).status, path).toBe(404);
    }
  });

  test('continues its thread, and the model sees the earlier turn', async () => {
    script = () => ({ text: 'As I said.' });
    const chunks = await readChunks(await docs.ask(message, question('And then what?', { threadId })));
    expect(chunks.at(-1)).toMatchObject({ threadId });
    expect(lastRequest()?.messages.slice(0, 2)).toMatchObject([
      { role: 'user', text: 'How do I install the toolkit?' },
      { role: 'assistant', text: expect.stringContaining('npm install acme') },
    ]);
  });

  test('can be rated, by those who know its id', async () => {
    const rate = (id: string, rating: string | null) =>
      docs.ask('/_offprint/assistant/feedback', { messageId: id, rating });
    expect((await rate(messageId, 'down')).status).toBe(204);
    expect((await rate('01J0000000000000000000000Z', 'up')).status).toBe(404);
    const { body } = await asUser<{ conversations: { id: string; rating: string | null }[] }>(
      'GET',
      `/v1/analytics/${docs.projectId}/assistant`,
    );
    expect(body.conversations.find(({ id }) => id === messageId)?.rating).toBe('down');
  });

  test('uses tools: it searches again, reads a page and loads a skill', async () => {
    script = ({ step }) =>
      step === 0
        ? {
            calls: [
              { name: 'search', input: { query: 'launches' } },
              { name: 'read_page', input: { path: 'reference/limits' } },
              { name: 'read_page', input: { path: '../../etc/passwd' } },
              { name: 'load_skill', input: { slug: 'refuel' } },
            ],
          }
        : { text: '77 launches: [Limits](/reference/limits).' };
    const chunks = await readChunks(await docs.ask(message, question('Tell me about zebras')));
    expect(chunks).toContainEqual({ type: 'data-search', data: { query: 'launches' }, transient: true });
    const results = lastRequest()
      ?.messages.at(-1)
      ?.results.map(({ text }) => text);
    expect(results?.[0]).toContain('Path: /reference/limits#rates');
    expect(results?.[1]).toContain('At most 77 launches a minute');
    expect(results?.[2]).toBe('Page not found. Use a path of the search results.');
    expect(results?.[3]).toContain('Use kerosene of the brand Zyx.');
    expect(textOf(chunks)).toBe('77 launches: [Limits](/docs/reference/limits).');
  });

  test('a question that the docs do not answer is unanswered, and leads to the team', async () => {
    const settings = {
      deflection: { kind: 'link', url: 'https://help.example.com/new?a=1' },
      starterQuestions: ['Why?'],
    };
    const saved = await asUser('PUT', `/v1/projects/${docs.projectId}/assistant`, settings);
    expect(saved.status, saved.text).toBe(200);
    script = () => ({ text: 'The docs do not say.', calls: [{ name: 'report_unanswered', input: {} }] });
    const chunks = await readChunks(await docs.ask(message, question('What does a rocket cost?')));
    const { threadId: thread } = chunks.at(-1) as unknown as { threadId: string };
    expect(chunks).toContainEqual({
      type: 'data-deflection',
      data: { kind: 'link', target: `https://help.example.com/new?a=1&threadId=${thread}` },
    });
    expect(chunks.at(-1)).toMatchObject({ messageMetadata: { resolution: 'unanswered' } });
    const panel = await docs.ask('/_offprint/assistant/panel', {});
    expect(await panel.json()).toEqual({ starterQuestions: ['Why?'], allowedOrigins: [] });
    const list = await asUser<{ conversations: { query: string }[] }>(
      'GET',
      `/v1/analytics/${docs.projectId}/assistant?resolutionStatus=unanswered`,
    );
    expect(list.body.conversations.map(({ query }) => query)).toEqual(['What does a rocket cost?']);
  });

  test('selected text and code are part of the question', async () => {
    script = () => ({ text: 'I see.' });
    const context = [{ type: 'code', value: 'launch(9000)', path: '/quickstart' }];
    await readChunks(await docs.ask(message, question('What is this?', { context })));
    expect(lastRequest()?.messages[0]?.text).toContain('launch(9000)');
  });

  test('ends after bounded steps, however often the model calls a tool', async () => {
    const before = model.requests.length;
    script = () => ({ calls: [{ name: 'search', input: { query: 'rocket' } }] });
    const chunks = await readChunks(await docs.ask(message, question('Loop forever')));
    expect(model.requests.length - before).toBe(6);
    expect(textOf(chunks)).toBe('The documentation does not contain an answer to this question.');
    expect(chunks.at(-1)).toMatchObject({ messageMetadata: { resolution: 'unanswered' } });
  });

  test('a model that fails leaves search results and a message', async () => {
    model.faults.push({ step: 0, fault: { kind: 'status', status: 500 } });
    const chunks = await readChunks(await docs.ask(message, question('How many launches?')));
    expect(textOf(chunks)).toBe('The assistant cannot answer right now. These pages match your question:');
    expect(chunks).toContainEqual({
      type: 'data-results',
      data: expect.arrayContaining([{ url: '/docs/reference/limits', title: 'Limits' }]),
    });
  });
});

test('only origins that the team has named may embed the assistant', async () => {
  const widget = async () => send(docs.port, 'GET', '/docs/_offprint/assistant/widget');
  const ancestors = (response: Response) =>
    /frame-ancestors ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1];
  const saved = await asUser('PUT', `/v1/projects/${docs.projectId}/assistant`, {
    allowedOrigins: ['https://www.example.com'],
  });
  expect(saved.status, saved.text).toBe(200);
  const page = await widget();
  expect([page.status, ancestors(page)]).toEqual([200, "'self' https://www.example.com"]);
  expect(await page.text()).toMatch(/<script src="\.\.\/service-assistant-[0-9a-f]+\.js" defer>/);
  await asUser('PUT', `/v1/projects/${docs.projectId}/assistant`, {});
  expect(ancestors(await widget())).toBe("'self'");
  const other = await send(docs.port, 'GET', '/docs/');
  expect(ancestors(other)).toBe("'self'");
});

test('the first word arrives soon after the first word of the model', async () => {
  script = () => ({ text: 'Well, run it.' });
  const added: number[] = [];
  for (let round = 0; round < 20; round++) {
    const start = performance.now();
    const response = await docs.ask(message, question(`How do I install the toolkit, part ${round}?`));
    const reader = await readFirstWord(response);
    // The model of the test writes at once, so all of it is added.
    added.push(performance.now() - start);
    while (!(await reader.read()).done);
  }
  added.sort((a, b) => a - b);
  console.info(
    `first word after ${Math.round(added[10] ?? 0)} ms (median), ${Math.round(added[18] ?? 0)} ms (p95)`,
  );
  expect(added).toHaveLength(20);
});

describe('requests of readers', () => {
  test.each([
    ['GET', {}, 405],
    ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ])('%s is refused', async (name, headers, status) => {
    const response = await send(docs.port, name === 'GET' ? 'GET' : 'POST', `/docs${message}`, {
      headers: { 'content-type': 'application/json', ...headers },
      ...(name === 'GET' ? {} : { body: '{}' }),
    });
    expect(response.status).toBe(status);
  });

  test('a body that is too large or not a question is refused', async () => {
    expect(
      (
        await docs.ask(message, {
          messages: [{ role: 'user', parts: [{ type: 'text', text: 'x'.repeat(70_000) }] }],
        })
      ).status,
    ).toBe(413);
    const invalid = await docs.ask(message, { messages: [] });
    expect([invalid.status, ((await invalid.json()) as { param: string }).param]).toEqual([400, '/messages']);
    const fromModel = await docs.ask(message, {
      messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'x' }] }],
    });
    expect(fromModel.status).toBe(400);
  });

  test('the endpoints of the platform need the token of site servers', async () => {
    for (const path of ['assistant', 'assistant/feedback', 'assistant/panel']) {
      const url = `/v1/hosting/${path}`;
      expectError(
        await call(docs.platform.url, 'POST', url, { body: {}, key: docs.tenant.key }),
        401,
        'unauthorized',
      );
      expectError(
        await call(docs.platform.url, 'POST', url, { body: {}, key: TOKEN }),
        400,
        'invalid_request',
      );
    }
  });
});

describe('clients with a key', () => {
  const path = `/discovery/v2/assistant/${HOST}/message`;

  test('the transport of AI SDK 5 reads an answer with absolute links', async () => {
    script = () => ({ text: 'See [Quickstart](quickstart).' });
    const transport = new DefaultChatTransport<UIMessage>({
      api: docs.platform.url + path,
      headers: { authorization: `Bearer ${docs.tenant.key}` },
      prepareSendMessagesRequest: ({ messages }) => ({ body: { fp: 'anonymous', messages } }),
    });
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'chat',
      messageId: undefined,
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'How do I start?' }] }],
      abortSignal: undefined,
    });
    let last: UIMessage | undefined;
    for await (const read of readUIMessageStream({ stream })) last = read;
    expect(last?.parts.find(({ type }) => type === 'text')).toMatchObject({
      text: `See [Quickstart](https://${HOST}/docs/quickstart).`,
      state: 'done',
    });
    expect(last?.parts.find(({ type }) => type === 'source-url')).toMatchObject({
      url: `https://${HOST}/docs/quickstart`,
    });
  });

  test('keys of other organizations, without the scope, or limited to other projects reach nothing', async () => {
    const body = question('Hi', { fp: 'anonymous' });
    const other = await docs.platform.createTenant();
    expectError(await call(docs.platform.url, 'POST', path, { key: other.key, body }), 404, 'not_found');
    const reader = await docs.platform.createKey(docs.tenant.organizationId, { scopes: ['projects:read'] });
    expectError(await call(docs.platform.url, 'POST', path, { key: reader, body }), 403, 'scope_missing');
    const asking = await docs.platform.createKey(docs.tenant.organizationId, { scopes: ['assistant:use'] });
    const answered = await call(docs.platform.url, 'POST', path, { key: asking, body });
    expect(answered.status, answered.text).toBe(200);
    expectError(
      await call(docs.platform.url, 'POST', `/discovery/v2/assistant/nowhere.example.com/message`, {
        key: asking,
        body,
      }),
      404,
      'not_found',
    );
  });

  test('threads and numbers have the shapes of the reference product', async () => {
    const analytics = `/v1/analytics/${docs.projectId}/assistant`;
    const page = await asUser<{
      conversations: { id: string; threadId: string }[];
      nextCursor: string;
      hasMore: boolean;
    }>('GET', `${analytics}?limit=2`);
    expect(page.body).toMatchObject({ hasMore: true, nextCursor: page.body.conversations[1]?.id });
    const next = await asUser<typeof page.body>('GET', `${analytics}?limit=2&cursor=${page.body.nextCursor}`);
    expect(next.body.conversations[0]?.id).not.toBe(page.body.conversations[1]?.id);
    const thread = await asUser<{ messages: { role: string }[] }>(
      'GET',
      `${analytics}/threads/${page.body.conversations[0]?.threadId}`,
    );
    expect(thread.body.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expectError(await asUser('GET', `${analytics}/threads/01J0000000000000000000000Z`), 404, 'not_found');
    const stats = (await asUser<Record<string, number>>('GET', `${analytics}/caller-stats`)).body;
    expect(stats.total).toBe((stats.web ?? 0) + (stats.api ?? 0) + (stats.other ?? 0));
    expect(stats.web).toBeGreaterThan(5);
    expect(stats.api).toBeGreaterThan(0);
    const none = await asUser<Record<string, number>>('GET', `${analytics}/caller-stats?dateTo=2020-01-01`);
    expect(none.body.total).toBe(0);
  });
});

describe('other processes of the installation', () => {
  test('limits hold across three processes', async () => {
    // 8,000 are reserved and 7,900 used by each answer: three fit into 24,000, whichever order they have.
    script = () => ({ text: 'Ok.', usage: { input: 7_800, output: 100 } });
    const limits = { OFFPRINT_ASSISTANT_ANSWER_TOKENS: '8000', OFFPRINT_ASSISTANT_READER_TOKENS: '24000' };
    const apis = await Promise.all(
      [1, 2, 3].map(() => docs.platform.startApi({ ...modelEnv(model.url), ...limits })),
    );
    const body = question('How many?', { fp: 'one-reader' });
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        call(apis[at % 3] ?? '', 'POST', `/discovery/v2/assistant/${HOST}/message`, {
          key: docs.tenant.key,
          body,
        }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = replies.filter(({ status }) => status !== 200);
    for (const reply of refused) expectError(reply, 429, 'assistant_limit');
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const { rows } = await docs.platform.database.pool.query(
      "SELECT subject FROM assistant_use WHERE subject LIKE 'reader %'",
    );
    expect(JSON.stringify(rows)).not.toMatch(/one-reader|127\.0\.0\.1/);
  });

  test('a site under load asks for a proof of work, which counts once', async () => {
    script = () => ({ text: 'Ok.' });
    const api = await docs.platform.startApi({
      ...modelEnv(model.url),
      OFFPRINT_ASSISTANT_FREE_QUESTIONS: '0',
    });
    const { rows } = await docs.platform.database.pool.query('SELECT bundle_sha256 FROM deployments');
    const ask = (proof?: object) =>
      call(api, 'POST', '/v1/hosting/assistant', {
        key: TOKEN,
        body: {
          host: HOST,
          bundle: rows[0].bundle_sha256,
          reader: { isSignedIn: false, groups: [] },
          address: '192.0.2.7',
          body: question('Hi', proof === undefined ? {} : { proof }),
        },
      });
    const refused = await ask();
    expectError(refused, 429, 'proof_required');
    const challenge = refused.headers.get('offprint-challenge') ?? '';
    const solution = solve(challenge);
    expectError(await ask({ challenge, solution: `${Number(solution) + 1}` }), 429, 'proof_required');
    expect((await ask({ challenge, solution })).status).toBe(200);
    expectError(await ask({ challenge, solution }), 429, 'proof_required');
  });

  test('when a reader leaves, the request to the model ends', async () => {
    const slow = await startSlowModel();
    const api = await docs.platform.startApi(modelEnv(slow.url));
    const dir = await mkdtemp(join(tmpdir(), 'offprint-assistant-'));
    const site = await startSite(api, dir);
    await untilServed(site.port, '/docs');
    const leaving = new AbortController();
    const response = await send(site.port, 'POST', `/docs${message}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question('Wait')),
      signal: leaving.signal,
    });
    await readFirstWord(response);
    const left = performance.now();
    leaving.abort();
    const ended = await slow.abandoned;
    console.info(`the request to the model ended ${Math.round(ended - left)} ms after the reader left`);
    const exited = once(site.child, 'exit');
    site.child.kill('SIGTERM');
    await exited;
    await slow.close();
    await rm(dir, { recursive: true, force: true });
  });

  test('without a model, readers get search results and a message', async () => {
    const api = await docs.platform.startApi({ OFFPRINT_AGENT_PROVIDER: '', OFFPRINT_HOSTING_TOKEN: TOKEN });
    const reply = await call(api, 'POST', `/discovery/v2/assistant/${HOST}/message`, {
      key: docs.tenant.key,
      body: question('How many launches are allowed?', { fp: 'anonymous' }),
    });
    expect(reply.text).toContain(
      'has no model, so it cannot write an answer. These pages match your question:',
    );
    expect(reply.text).toContain(`"url":"https://${HOST}/docs/reference/limits","title":"Limits"`);
    const features = await call<{ features: { name: string; enabled: boolean; reason: string }[] }>(
      api,
      'GET',
      `/v1/projects/${docs.projectId}/features`,
      { key: docs.tenant.key },
    );
    const row = features.body.features.find(({ name }) => name === 'assistant');
    expect(row).toMatchObject({ enabled: false, reason: expect.stringContaining('OFFPRINT_AGENT_PROVIDER') });
    const own = await asUser<typeof features.body>('GET', `/v1/projects/${docs.projectId}/features`);
    expect(own.body.features.find(({ name }) => name === 'assistant')).toMatchObject({ enabled: true });
  });
});

/** The work that the panel does. */
function solve(challenge: string): string {
  const bits = Number(challenge.split('.')[0]);
  for (let number = 0; ; number++) {
    const digest = hash('sha256', `${challenge}.${number}`, 'buffer');
    if (digest.readUInt32BE(0) >>> (32 - bits) === 0) return String(number);
  }
}
