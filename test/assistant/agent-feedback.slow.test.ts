/** A report of an agent: from a client of the protocol over the site server to the API of the platform. */
import type { AnalyticsFeedback } from '@offprint/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../acceptance/api.ts';
import { type ServedDocs, send, serveDocs, TOKEN } from './site.ts';

const FILES: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'guides/start'] },
  }),
  'index.mdx': '---\ntitle: Home\n---\n\nWelcome.\n',
  'guides/start.mdx': '---\ntitle: Start\n---\n\nRun it.\n',
};

let docs: ServedDocs;

beforeAll(async () => {
  docs = await serveDocs(FILES, { env: { OFFPRINT_HOSTING_TOKEN: TOKEN }, basePath: '/docs' });
}, 300_000);
afterAll(() => docs?.stop());

interface Called {
  result: { isError?: boolean; content: { text: string }[] };
}

async function submit(path: string, feedback: string): Promise<Called['result']> {
  const response = await send(docs.port, 'POST', '/docs/mcp', {
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'submit_feedback', arguments: { path, feedback } },
    }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const { result }: Called = JSON.parse(text);
  return result;
}

const stored = async () => {
  const { status, body, text } = await call<AnalyticsFeedback>(
    docs.platform.url,
    'GET',
    `/v1/analytics/${docs.projectId}/feedback`,
    { key: docs.tenant.key },
  );
  expect(status, text).toBe(200);
  return body.feedback.map(({ path, comment, source, status: state, helpful }) => ({
    ...{ path, comment, source, helpful },
    status: state,
  }));
};

test('a report of an agent is stored and shown with its page, its text and its source', async () => {
  const start = await submit('/docs/guides/start.md', 'The command <b>fails</b> on Windows.');
  expect([start.isError ?? false, start.content[0]?.text]).toEqual([
    false,
    'The report was sent to the team of the site.',
  ]);
  expect((await submit('index', 'Too short.')).isError ?? false).toBe(false);
  await expect.poll(async () => (await stored()).length).toBe(2);
  const state = { source: 'agent', status: 'pending', helpful: null };
  expect(await stored()).toEqual(
    expect.arrayContaining([
      { path: '/guides/start', comment: 'The command <b>fails</b> on Windows.', ...state },
      { path: '/', comment: 'Too short.', ...state },
    ]),
  );
});

test('a report of a page that does not exist is refused and not stored', async () => {
  const refused = await submit('guides/gone', 'Wrong.');
  expect([refused.isError, refused.content[0]?.text]).toEqual([
    true,
    'Page not found, so the report was not sent. Name a page of this site.',
  ]);
  // What comes after it is stored after it.
  await submit('index', 'Still too short.');
  await expect.poll(async () => (await stored()).map(({ comment }) => comment)).toContain('Still too short.');
  expect((await stored()).filter(({ comment }) => comment === 'Wrong.')).toEqual([]);
});
