import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createMcpServer,
  createSearchCache,
  createSiteTools,
  type FeedbackEvent,
  MAX_MCP_BODY,
  type McpServer,
  mcpDiscovery,
  respondMcp,
} from '../src/index.ts';
import { config, exportSite, page, type TestSite } from './site.ts';

const SKILL = '---\nname: pay\ndescription: Pay by API\n---\n\nUse the endpoint.\n';

let site: TestSite;
const reports: FeedbackEvent[] = [];

beforeAll(async () => {
  site = await exportSite({
    'docs.json': config({ pages: ['index', 'guides/webhooks', 'guides/long'] }),
    'index.mdx': page('Welcome', 'Hello.'),
    'guides/webhooks.mdx': page('Webhooks', 'Events.\n\n## Retry policy\n\nA webhook is sent again.'),
    'guides/long.mdx': page('Long', 'word '.repeat(30_000)),
    '.mintlify/skills/pay/SKILL.md': SKILL,
  });
});

const errors: unknown[] = [];

function toolsOf(of: TestSite, canReport = true) {
  const cache = createSearchCache(64 * 1024 * 1024);
  return createSiteTools({
    name: 'Acme Docs!',
    version: 'v1',
    origin: 'https://docs.example.com',
    basePath: '/docs',
    read: of.read,
    openSearch: () => cache.open('site', of.read),
    search: (request) => cache.search('site', of.read, request),
    ...(canReport ? { submitFeedback: async (event: FeedbackEvent) => reports.push(event) > 0 } : {}),
  });
}

const serverOf = (of: TestSite, canReport = true): McpServer =>
  createMcpServer(toolsOf(of, canReport), (error) => errors.push(error));

/** The official client, whose requests stay in this process. */
async function connect(server: McpServer, mode: 'legacy' | 'auto'): Promise<Client> {
  const answer: typeof fetch = async (_, init) => {
    const { method = 'GET', headers, body } = init ?? {};
    const names = Object.fromEntries(new Headers(headers));
    const result = await respondMcp(server, {
      method,
      headers: names,
      body: body == null ? '' : String(body),
    });
    return new Response(result.body === '' ? null : result.body, {
      status: result.status,
      headers: result.headers,
    });
  };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('https://docs.example.com/docs/mcp'), { fetch: answer }),
  );
  return client;
}

describe.each(['legacy', 'auto'] as const)('the official client (%s)', (mode) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(serverOf(site), mode);
  });
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const texts = content.map((part) => (part.type === 'text' ? part.text : ''));
    return { text: texts.join('\n'), isError: isError === true };
  };

  test('negotiates a version, and reads name and instructions', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'acme-docs', title: 'Acme Docs!' });
    expect(client.getInstructions()).toContain('documentation of Acme Docs!');
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
  });

  test('lists the tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['search', true],
      ['read', true],
      ['submit_feedback', false],
    ]);
    // one version and one language: nothing to choose
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['query', 'limit']);
  });

  test('searches, and reads what it found', async () => {
    const { text } = await call('search', { query: 'retry policy' });
    expect(text).toContain('## Webhooks');
    expect(text).toContain('https://docs.example.com/docs/guides/webhooks#retry-policy');
    const [url = ''] = /https:\S+/.exec(text) ?? [];
    expect((await call('read', { path: url })).text).toContain('A webhook is sent again.');
    expect((await call('search', { query: 'zzzzqqqq' })).text).toContain('No page was found');
  });

  test('reads long pages in parts', async () => {
    let text = '';
    for (let offset = 0, isDone = false; !isDone; ) {
      const part = (await call('read', { path: 'guides/long', offset })).text;
      const more = /\n\n\[\d+ more characters: read again with offset (\d+)\]$/.exec(part);
      text += part.slice(0, more?.index);
      offset = Number(more?.[1]);
      isDone = more === null;
    }
    expect(text).toBe(site.files.get('guides/long.md'));
  });

  test('reports a problem of a page of the site, and of no other', async () => {
    reports.length = 0;
    expect(
      (await call('submit_feedback', { path: '/docs/guides/webhooks', feedback: 'Wrong.' })).isError,
    ).toBe(false);
    expect((await call('submit_feedback', { path: 'nothing', feedback: 'Wrong.' })).isError).toBe(true);
    expect(reports).toEqual([{ path: 'guides/webhooks', text: 'Wrong.' }]);
  });

  test('reads skills as resources', async () => {
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ name: 'pay', description: 'Pay by API', mimeType: 'text/markdown' }]);
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' });
    expect(contents).toMatchObject([{ text: SKILL }]);
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('Resource not found');
  });

  test('gets an error that names the invalid argument', async () => {
    for (const [name, args] of [
      ['nothing', {}],
      ['__proto__', {}],
      ['search', {}],
      ['search', { query: 'x'.repeat(3_000) }],
      ['search', { query: 'a', limit: 1.5 }],
      ['read', { path: 7 }],
      ['submit_feedback', { path: 'index', feedback: 'x'.repeat(5_000) }],
    ] as const)
      await expect(call(name, args)).rejects.toThrow(/must be|Unknown tool/);
    expect((await call('read', { path: '../../etc/passwd' })).isError).toBe(true);
  });
});

test('without a place for reports there is no tool for them', async () => {
  const client = await connect(serverOf(site, false), 'legacy');
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search', 'read']);
  await expect(
    client.callTool({ name: 'submit_feedback', arguments: { path: 'index', feedback: 'x' } }),
  ).rejects.toThrow('Unknown tool');
});

describe('what is not a message', () => {
  const headers = { 'content-type': 'application/json' };
  const post = (body: string | null, more: Record<string, string> = {}, method = 'POST') =>
    respondMcp(serverOf(site), { method, headers: { ...headers, ...more }, body });
  const stateless = (method: string, params: object = {}) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
  const modern = { 'mcp-protocol-version': '2026-07-28' };

  test.each<[string, string | null, Record<string, string>, number, number]>([
    ['no JSON', '{', {}, 400, -32700],
    ['a batch', '[]', {}, 400, -32600],
    ['no version of JSON-RPC', '{"id":1,"method":"ping"}', {}, 400, -32600],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', {}, 400, -32600],
    ['a large body', null, {}, 413, -32600],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, -32600],
    [
      'an unknown version',
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      { 'mcp-protocol-version': '1' },
      400,
      -32022,
    ],
    ['a version without _meta', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', modern, 400, -32602],
    ['a missing header', stateless('tools/list'), modern, 400, -32020],
    [
      'another method in the header',
      stateless('tools/list'),
      { ...modern, 'mcp-method': 'ping' },
      400,
      -32020,
    ],
    [
      'another name in the header',
      stateless('tools/call', { name: 'read' }),
      { ...modern, 'mcp-method': 'tools/call', 'mcp-name': 'search' },
      400,
      -32020,
    ],
    ['a removed method', stateless('ping'), { ...modern, 'mcp-method': 'ping' }, 404, -32601],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"toString"}', {}, 200, -32601],
  ])('%s is an error of its own', async (_, body, more, status, code) => {
    const answer = await post(body, more);
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code]);
  });

  test('names that a header cannot have are sent as base64', async () => {
    const uri = 'docs://ä';
    const name = `=?base64?${Buffer.from(uri).toString('base64')}?=`;
    const answer = await post(stateless('resources/read', { uri }), {
      ...modern,
      'mcp-method': 'resources/read',
      'mcp-name': name,
    });
    expect(JSON.parse(answer.body).error).toMatchObject({ code: -32602, data: { uri } });
  });

  test('other methods of HTTP are refused, and notifications have no response', async () => {
    for (const method of ['GET', 'DELETE', 'PUT'])
      expect(await post('', {}, method)).toMatchObject({ status: 405, headers: { Allow: 'POST' } });
    expect(await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toEqual({
      status: 202,
      headers: {},
      body: '',
    });
  });

  test('no text and no value breaks the server', async () => {
    const deep = '['.repeat(MAX_MCP_BODY / 2) + ']'.repeat(MAX_MCP_BODY / 2);
    const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":${deep}}}}`;
    expect(JSON.parse((await post(nested)).body).error.code).toBe(-32602);
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.jsonValue(), fc.jsonValue(), async (method, id, params) => {
        const texts = [
          method,
          JSON.stringify(params),
          JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        ];
        for (const text of texts) expect((await post(text)).status).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
    expect(errors).toEqual([]);
  });

  test('clients do not see errors of the files', async () => {
    const seen: unknown[] = [];
    const fails: TestSite = { ...site, read: () => Promise.reject(new Error('/srv/secret is gone')) };
    const server = createMcpServer(toolsOf(fails), (error) => seen.push(error));
    const { body } = await server.handle({ jsonrpc: '2.0', id: 1, method: 'resources/list' });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(seen).toHaveLength(1);
  });
});

test('the documents for discovery name the endpoint and its tools', async () => {
  const documents = mcpDiscovery('https://docs.example.com/docs/mcp', true);
  const offer = toolsOf(site);
  const about = await documents['/.well-known/mcp']?.(offer);
  expect(about).toMatchObject({
    transport: 'http',
    url: 'https://docs.example.com/docs/mcp',
    servers: [{ name: 'authenticated', authentication: 'oauth' }],
  });
  expect(await documents['/.well-known/mcp.json']?.(offer)).toEqual(about);
  const card = await documents['/.well-known/mcp/server-card.json']?.(offer);
  expect(card).toMatchObject({
    name: 'acme-docs',
    tools: [{ name: 'search' }, { name: 'read' }, { name: 'submit_feedback' }],
  });
  expect(await documents['/.well-known/mcp/server-cards.json']?.(offer)).toEqual({ servers: [card] });
});
