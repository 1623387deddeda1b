import { beforeAll, describe, expect, test } from 'vitest';
import { checkSite } from '../src/index.ts';
import { parseChannel } from '../src/nav/channel.ts';
import { memorySource } from '../src/source.ts';
import type { Warning } from '../src/warning.ts';
import { CHAT, ORDERS } from './asyncapi-samples.ts';
import { growth, LINEAR } from './cpu-time.ts';
import { byRole, findOne, valuesOf } from './dom.ts';
import { type Output, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

/** Code that a description contains; no page may contain it as such. */
const SCRIPT = '<script>alert';

const START = { 'index.mdx': '---\ntitle: Start\n---\n\nText\n' };

function siteOf(
  groups: readonly object[],
  files: Record<string, string>,
  api: object = {},
): Record<string, string> {
  return {
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      api,
      navigation: { groups: [{ group: 'Start', pages: ['index'] }, ...groups] },
    }),
    ...START,
    ...files,
  };
}

const pagesOf = ({ files }: Output): string[] =>
  [...files.keys()].filter((path) => path.endsWith('.html') && !/^(?:index|404)\.html$/.test(path));
const shown = (output: Output, path: string, at?: string): string[] =>
  outline(textOf(output, path), path, at);
const codes = (warnings: readonly Warning[]): string[] =>
  warnings.map(({ code, file, line }) => `${code} ${file}:${line}`);

/** The page of the only channel of a description. */
async function renderChannel(
  channel: object,
  more: object = {},
): Promise<{ lines: string[]; html: string; twin: string; warnings: readonly Warning[] }> {
  const description = {
    asyncapi: '3.0.0',
    info: { title: 'API', version: '1' },
    channels: { c: { address: '/c', ...channel } },
    ...more,
  };
  const output = await renderFiles(
    siteOf([{ group: 'G', asyncapi: 'a.json' }], { 'a.json': JSON.stringify(description) }),
  );
  const path = 'api-reference/websockets/c.html';
  return {
    lines: shown(output, path),
    html: textOf(output, path),
    twin: textOf(output, path.replace(/html$/, 'md')),
    warnings: output.result.warnings,
  };
}

describe('pages of channels from the navigation', () => {
  let output: Output;
  beforeAll(async () => {
    output = await renderFiles(
      siteOf(
        [
          { group: 'Chat', asyncapi: 'chat.yaml' },
          { group: 'Orders', asyncapi: { source: '/apis/orders.json', directory: '/events' } },
        ],
        { 'chat.yaml': CHAT, ...ORDERS },
        { url: 'full' },
      ),
    );
  });
  const room = 'api-reference/rooms-&-chat/messages-of-a-room.html';

  test('have paths by directory, first tag and title, with -1 for a path that is taken', () => {
    expect(output.result.warnings).toEqual([]);
    expect(pagesOf(output).sort()).toEqual([
      'api-reference/events/audit-log.html',
      room,
      'api-reference/rooms-&-chat/receipts.html',
      'api-reference/websockets/presence-1.html',
      'api-reference/websockets/presence.html',
      'events/websockets/orderplaced.html',
    ]);
  });

  test('are in groups by first tag, in the order of the file, with the protocol in place of a method', () => {
    const navigation = findOne(textOf(output, room), { role: 'navigation', name: 'Pages' });
    const links = byRole(navigation, 'link').map(({ text }) => text);
    expect(links).toContain('WSMessages of a room');
    const script = [...output.files.keys()].find((path) => /^_offprint\/nav-/.test(path)) ?? '';
    const sidebar = textOf(output, script);
    const order = [
      'Rooms',
      'Messages of a room',
      'Receipts',
      'WebSockets',
      'presence',
      'Events',
      'Audit log',
    ];
    const places = order.map((label) => sidebar.indexOf(`>${label}<`));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(sidebar).toMatch(/>KAFKA</);
  });

  test('show servers, authorization, address, handshake, operations and messages', () => {
    expect(shown(output, room)).toEqual([
      'Rooms > Messages of a room',
      'WS wss://{region}.chat.example.com:443/v2/rooms/{roomId}',
      'api-reference/rooms-&-chat/messages-of-a-room',
      '# Servers',
      'wss://{region}.chat.example.com:443/v2 (wss 13) Production',
      'Use this one.',
      'region · enum<string> · path · default: eu',
      '  Region of the account.',
      '  Allowed values: eu us',
      '# Authorization',
      '[token]',
      '  token · API key · query · required',
      '    The token of a user.',
      '[login]',
      '  login · user name and password · required',
      '    Account of the team.',
      '# Address parameters',
      'roomId · enum<string> · path · required',
      '  Id of the room.',
      '  Allowed values: lobby support',
      '  Example: lobby',
      '  Same as $message.payload#/room',
      '# Query parameters',
      'since · string<date-time> · query · required',
      '  Oldest message.',
      '# Headers',
      'X-Client · string · header',
      '# Protocol settings',
      '- ws.method: GET',
      '# Receive: Message posted',
      'The application sends these messages, and a client receives them. onPosted, action: send',
      'Sent to everyone in the room.',
      '# Posted',
      'room.posted application/json',
      'A new message.',
      'Headers',
      'room · string · header · required',
      'trace-id · string<uuid> · header',
      '  Id of the request.',
      'Correlation ID: $message.header#/trace-id',
      'The same in all messages.',
      'Payload',
      'text · string · required',
      '  Range: length <= 4000',
      'author · object',
      '  > Author',
      '    name · string',
      '    friends · object[]',
      '      Same as Author',
      '# Send',
      'A client sends these messages, and the application receives them. postMessage, action: receive',
      '# Authorization',
      'Authorization · OAuth 2 · header · required',
      '  Bearer <token>',
      '  Scopes:',
      '  - write Post messages',
      '  - client credentials https://id.example.com/token',
      '# post',
      'application/json',
      'text · string · required',
      '  Example: Hello',
      '# Reply',
      'The application sends the reply, and a client receives it. postMessage, action: receive',
      'Address of the reply: $message.header#/replyTo',
      'Where to wait.',
      'Channel: receipts',
      '# Receipt',
      'receipt application/json',
      'at · string<date-time>',
      '# Receive: acceptMessage',
      'The application sends these messages, and a client receives them. acceptMessage, action: send',
      'Sent once.',
      '# Accepted',
      'accepted application/json',
      'id · string',
      '# Messages',
      '# unused',
      'application/json',
      'Nobody sends it yet.',
      'payload · integer',
    ]);
  });

  test('have examples with a name and, below their payload, a summary; all of ten', async () => {
    const examples = Array.from({ length: 10 }, (_, index) => ({
      name: `n${index}`,
      payload: { id: index },
    }));
    const [first, ...others] = examples;
    const summed = { ...first, summary: 'The **first** one.' };
    const { lines, twin } = await renderChannel({
      messages: { m: { payload: { type: 'object' }, examples: [summed, ...others] } },
    });
    expect(lines).toContain('Example n0: The first one.');
    expect(twin.match(/^```json .*n\d$/gm)).toHaveLength(10);
  });

  test('have examples that are written as a text of JSON, unless the payload may be a string', async () => {
    const examples = [{ name: 'one', payload: '{"id": 5}', headers: '{"trace": "x"}' }];
    const parts = { headers: { type: 'object' }, payload: { type: 'object' }, examples };
    const { twin } = await renderChannel({ messages: { m: parts } });
    expect(twin).toContain(
      '```json m\n{\n  "headers": {\n    "trace": "x"\n  },\n  "payload": {\n    "id": 5\n  }\n}\n```',
    );
    const asText = { payload: { type: ['object', 'string'] }, examples: [{ payload: '{"id": 5}' }] };
    expect((await renderChannel({ messages: { m: asText } })).twin).toContain(
      '```json m\n"{\\"id\\": 5}"\n```',
    );
  });

  test('have examples at the side: of what a client sends as requests, of what it receives as responses', () => {
    const twin = textOf(output, room.replace(/html$/, 'md'));
    const page = textOf(output, room);
    const example = (name: string): string => findOne(page, { component: name }).text;
    expect(example('RequestExample')).toMatch(/post.*"Hello"/s);
    expect(example('ResponseExample')).toMatch(/Posted.*Accepted.*Receipt.*unused/s);
    expect(twin).toContain('```json Posted\n{\n  "headers": {\n    "room": "lobby"\n  },');
    expect(twin).toContain('```json post\n{\n  "text": "Hello"\n}\n```');
    expect(twin).not.toContain('"secret"');
  });

  test('show a reply on the page of its channel, and who sends it', () => {
    const receipts = shown(output, 'api-reference/rooms-&-chat/receipts.html');
    expect(receipts).toContain('The address is assigned at run time.');
    expect(receipts.slice(receipts.indexOf('# Reply: postMessage'))).toEqual([
      '# Reply: postMessage',
      'The application sends the reply, and a client receives it. postMessage, action: receive',
      'Address of the reply: $message.header#/replyTo',
      'Where to wait.',
      'Channel: roomMessages',
      '# Receipt',
      'receipt application/json',
      'at · string<date-time>',
    ]);
    const hrefs = valuesOf(textOf(output, 'api-reference/rooms-&-chat/receipts.html'), 'href');
    expect(hrefs).toContain('messages-of-a-room.html');
  });

  test('list settings of other protocols, and show schemas of other languages as they are', () => {
    const audit = shown(output, 'api-reference/events/audit-log.html');
    expect(audit[1]).toBe('KAFKA chat.audit.v1');
    expect(audit).toContain('- kafka.partitions: 12');
    expect(audit).toContain('kafka.key · string');
    expect(audit.join('\n')).toContain('"type": "record", "name": "Entry"');
  });

  test('follow references between files of the docs folder', () => {
    expect(shown(output, 'events/websockets/orderplaced.html')).toEqual([
      'Channels > orderPlaced',
      'MQTT orders/{country}/placed',
      'events/websockets/orderplaced',
      '# Servers',
      'mqtts://mqtt.example.com',
      '# Authorization',
      'certificate · mutual TLS · required',
      '  A client certificate.',
      '# Address parameters',
      'country · string · path · default: de',
      '  Country of the shop.',
      '# Receive',
      'The application sends these messages, and a client receives them. placed, action: send',
      '- mqtt.qos: 2',
      '- mqtt.retain: true',
      '# Order placed',
      'placed application/json',
      'id · string',
      'lines · object[]',
      '  > Line',
      '    sku · string',
      '    count · integer',
      '      Range: 1 <= x',
    ]);
  });

  test('have title, description, search and a Markdown copy with the part of the description', () => {
    const html = textOf(output, room);
    expect(findOne(html, { tag: 'meta', attributes: { name: 'description' } }).attributes.content).toBe(
      'Everything that happens in a room.',
    );
    const twin = textOf(output, room.replace(/html$/, 'md'));
    expect(twin).toContain(
      '# Messages of a room\n\n> Everything that happens in a room.\n\n`WS rooms/{roomId}`',
    );
    expect(twin).toContain('```json AsyncAPI\n{\n  "channels": {\n    "roomMessages": {');
    const index = [...output.files]
      .filter(([path]) => path.startsWith('_offprint/search'))
      .map(([, text]) => text);
    expect(index.join('\n')).toContain('"WS"');
    expect(textOf(output, 'llms.txt')).toContain('## AsyncAPI Specs');
  });
});

describe('pages of channels with front matter', () => {
  const files = {
    'a.yaml': 'asyncapi: 3.0.0\nchannels:\n  one: {address: /a, title: One of a, description: Text of a.}\n',
    'b.yaml':
      'asyncapi: 3.0.0\nservers: {s: {host: h, protocol: ws}}\nchannels:\n  one: {address: /b}\n  two: {address: /two}\n',
  };
  const page = (written: string): string => `---\nasyncapi: ${JSON.stringify(written)}\n---\nOwn text.\n`;

  test('take what they do not say from the named file', async () => {
    const output = await renderFiles(
      siteOf([{ group: 'G', pages: ['p'] }], { ...files, 'p.mdx': page('/a.yaml one') }),
    );
    expect(shown(output, 'p.html').slice(0, 3)).toEqual(['G > One of a', 'CHANNEL /a', 'p']);
    expect(textOf(output, 'p.html')).toContain('Text of a.');
    expect(output.result.warnings).toEqual([]);
  });

  test('mean the description of the navigation, else of api.asyncapi, else the first one by path', async () => {
    const site = (nav: object, api: object) =>
      renderFiles(siteOf([{ group: 'G', pages: ['p'], ...nav }], { ...files, 'p.mdx': page('one') }, api));
    expect(shown(await site({ asyncapi: 'b.yaml' }, {}), 'p.html')[1]).toBe('WS /b');
    expect(shown(await site({}, { asyncapi: 'b.yaml' }), 'p.html')[1]).toBe('WS /b');
    expect(shown(await site({}, {}), 'p.html')[1]).toBe('CHANNEL /a');
  });

  test('replace generated pages of their node', async () => {
    const output = await renderFiles(
      siteOf([{ group: 'G', pages: ['p'], asyncapi: 'b.yaml' }], { ...files, 'p.mdx': page('one') }),
    );
    expect(pagesOf(output)).toEqual(['p.html']);
    const nested = await renderFiles(
      siteOf([{ group: 'G', groups: [{ group: 'H', pages: ['p'] }], asyncapi: 'b.yaml' }], {
        ...files,
        'p.mdx': page('one'),
      }),
    );
    expect(pagesOf(nested)).toEqual(['api-reference/websockets/two.html', 'p.html']);
  });

  test.each([
    ['gone', 'operation-missing', 'contains the channel \\"gone\\"'],
    ['a.yaml gone', 'operation-missing', '\\"a.yaml\\" contains'],
    ['gone.yaml one', 'operation-missing', 'gone.yaml'],
  ])('that name %j are ordinary pages with a warning', async (written, code, part) => {
    const output = await renderFiles(
      siteOf([{ group: 'G', pages: ['p'] }], { ...files, 'p.mdx': page(written) }),
    );
    expect(output.result.warnings).toMatchObject([{ code, file: 'p.mdx', line: 1 }]);
    expect(JSON.stringify(output.result.warnings[0]?.message)).toContain(part);
    expect(shown(output, 'p.html')).toEqual(['G > P', 'p', 'Own text.']);
  });

  test.each([
    ['one', { id: 'one', spec: null }],
    ['a.yaml one', { id: 'one', spec: 'a.yaml' }],
    ['a.json my channel', { id: 'my channel', spec: 'a.json' }],
    [' spec user/signedup ', { id: 'user/signedup', spec: 'spec' }],
    ['  ', null],
  ])('parseChannel(%j)', (written, expected) => {
    expect(parseChannel(written)).toEqual(expected);
  });
});

describe('descriptions of other versions', () => {
  test.each([
    ['2.6.0', 'AsyncAPI 2.6.0 is not supported'],
    ['1.2.0', 'AsyncAPI 1.2.0 is not supported'],
  ])('%s is a warning that names the version and the way out', async (version, part) => {
    const description = `asyncapi: ${version}\nchannels: {a: {subscribe: {}}}\n`;
    const output = await renderFiles(siteOf([{ group: 'G', asyncapi: 'a.yaml' }], { 'a.yaml': description }));
    expect(output.result.warnings).toMatchObject([{ code: 'description-version', file: 'a.yaml' }]);
    expect(output.result.warnings[0]?.message).toContain(part);
    expect(output.result.warnings[0]?.message).toContain('asyncapi convert');
    expect(pagesOf(output)).toEqual([]);
  });
});

describe('hostile descriptions', () => {
  test.each([
    'http://169.254.169.254/latest#/a',
    'file:///etc/passwd',
    '../../etc/passwd#/a',
    '//evil.example/x.json',
    'gone.json#/a',
    '#/components/messages/gone',
    '#/channels/c/messages/m',
  ])('a message at %s is reported at its line and left out', async (reference) => {
    const { lines, warnings } = await renderChannel({ messages: { m: { $ref: reference } } });
    expect(codes(warnings)).toEqual(['description-reference a.json:1']);
    expect(lines.slice(1)).toEqual(['CHANNEL /c', 'api-reference/websockets/c']);
  });

  test('circles of every kind end', async () => {
    const { lines } = await renderChannel(
      {
        servers: [{ $ref: '#/channels/c/servers/0' }],
        parameters: { $ref: '#/channels/c/parameters' },
        messages: {
          m: {
            traits: [{ $ref: '#/channels/c/messages/m' }],
            payload: { $ref: '#/components/schemas/A' },
            headers: { $ref: '#/channels/c/messages/m/headers' },
          },
        },
      },
      {
        operations: {
          o: {
            action: 'send',
            channel: { $ref: '#/channels/c' },
            traits: [{ $ref: '#/operations/o' }],
            reply: { channel: { $ref: '#/channels/c' } },
          },
        },
        components: {
          schemas: {
            A: {
              allOf: [{ $ref: '#/components/schemas/A' }],
              properties: { a: { $ref: '#/components/schemas/A' } },
            },
          },
        },
      },
    );
    expect(lines).toContain('a · object');
    expect(lines.join('\n')).toContain('Same as A');
  });

  test('names of prototypes are names', async () => {
    const names =
      '{"__proto__": {"address": "/p"}, "constructor": {"address": "/q"}, "toString": {"address": "/r"}}';
    const description = `{"asyncapi": "3.0.0", "channels": ${names}, "operations": {"__proto__": {"action": "send", "channel": {"$ref": "#/channels/__proto__"}}, "o": {"action": "send", "channel": {"$ref": "#/channels/valueOf"}}}}`;
    const output = await renderFiles(siteOf([{ group: 'G', asyncapi: 'a.json' }], { 'a.json': description }));
    expect(pagesOf(output).sort()).toEqual(
      ['__proto__', 'constructor', 'tostring'].map((name) => `api-reference/websockets/${name}.html`).sort(),
    );
    expect(codes(output.result.warnings)).toEqual(['description-reference a.json:1']);
    expect(({} as { address?: string }).address).toBeUndefined();
  });

  test('texts are text: no scripts, components or expressions', async () => {
    const evil =
      '<script>alert(1)</script> {globalThis.x} <Card href="javascript:alert(1)" /> [x](javascript:alert(1))';
    const { html } = await renderChannel(
      {
        title: 'c',
        description: evil,
        summary: evil,
        address: evil,
        bindings: {
          ws: { method: evil, query: { properties: { [evil]: { description: evil } } } },
          [evil]: { a: evil },
        },
        messages: {
          m: { title: evil, name: evil, description: evil, contentType: evil, examples: [{ payload: evil }] },
        },
      },
      {
        servers: { s: { host: 'javascript:alert(1)', protocol: evil, description: evil, title: evil } },
        operations: { [evil]: { action: 'send', title: evil, channel: { $ref: '#/channels/c' } } },
      },
    );
    expect(html).not.toContain(SCRIPT);
    expect(html).not.toMatch(/<[a-z][^<>]*\shref="javascript:/i);
  });

  test.each([
    ['channels', { channels: [1, 'x', null] }],
    [
      'members of channels',
      {
        channels: { c: { address: 5, servers: {}, messages: [], parameters: 'x', bindings: 3, tags: [[]] } },
      },
    ],
    [
      'messages',
      {
        channels: {
          c: {
            messages: { m: { payload: true, headers: 5, examples: [1], traits: 'x', correlationId: [] } },
          },
        },
      },
    ],
    [
      'operations',
      {
        channels: { c: {} },
        operations: {
          o: { action: 'publish', channel: { $ref: '#/channels/c' } },
          p: null,
          q: { action: 'send', channel: 5, messages: {}, reply: [] },
        },
      },
    ],
    [
      'servers',
      {
        channels: { c: {} },
        servers: {
          a: { host: 5 },
          b: 'x',
          d: {
            host: 'x',
            protocol: {},
            variables: { v: { default: {}, enum: [{}] } },
            security: [{ type: 'oauth2', flows: 'x' }, { type: 'odd' }],
          },
        },
      },
    ],
  ])('%s of the wrong type do not stop an export', async (_, written) => {
    const output = await renderFiles(
      siteOf([{ group: 'G', asyncapi: 'a.json' }], {
        'a.json': JSON.stringify({ asyncapi: '3.0.0', ...written }),
      }),
    );
    expect(output.files.has('index.html')).toBe(true);
  });

  test('time grows with the number of channels and operations, not with their product', () => {
    const site = (count: number) => {
      const ids = Array.from({ length: count }, (_, at) => `c${at}`);
      const files = siteOf([{ group: 'G', asyncapi: 'a.json' }], {
        'a.json': JSON.stringify({
          asyncapi: '3.0.0',
          info: { title: 'A', version: '1' },
          channels: Object.fromEntries(ids.map((id) => [id, { address: id }])),
          operations: Object.fromEntries(
            ids.map((id) => [`o${id}`, { action: 'send', channel: { $ref: `#/channels/${id}` } }]),
          ),
        }),
      });
      return () => checkSite(memorySource(files), { parseOnly: true });
    };
    expect(growth(site, 1500)).toBeLessThan(LINEAR);
  });
});

describe('offprint check', () => {
  const findings = (description: string) =>
    checkSite(
      memorySource(siteOf([{ group: 'G', asyncapi: 'a.yaml' }], { 'a.yaml': description })),
    ).findings.filter(({ file }) => file === 'a.yaml');

  test('accepts descriptions that match the published schema', () => {
    const files = siteOf([{ group: 'A', asyncapi: ['chat.yaml', 'apis/orders.json'] }], {
      'chat.yaml': CHAT,
      ...ORDERS,
    });
    expect(checkSite(memorySource(files)).findings).toEqual([]);
  });

  test('reports what the published schema does not accept, with file and line', () => {
    const description = `asyncapi: 3.0.0
info:
  title: X
  version: 1
servers:
  a:
    hosts: x
    host: y
    protocol: ws
channels:
  c:
    address: 5
    messages:
      m:
        payload:
          type: objet
operations:
  o:
    action: publish
    channel: { $ref: '#/channels/c' }
components:
  securitySchemes:
    k: { type: httpApiKey, name: x }
`;
    expect(
      findings(description).map(
        ({ code, line, message }) => `${line} ${code} ${message.replace(/\. See.*/, '')}`,
      ),
    ).toEqual([
      '4 description-schema "info.version" must be a string',
      '7 description-schema "servers.a.hosts" is not allowed',
      '12 description-schema "channels.c.address" must be a string or null',
      '16 description-schema "channels.c.messages.m.payload.type" must be one of "array", "boolean", "integer", "null", "number", "object", "string"',
      '19 description-schema "operations.o.action" must be one of "send", "receive"',
      '23 description-schema "components.securitySchemes.k" must have "in"',
    ]);
  });

  test('names the version of the description', () => {
    expect(findings('asyncapi: 3.1.0\nchannels: {}\n')[0]?.message).toBe(
      'The AsyncAPI description must have "info". See the specification of AsyncAPI 3.1.0.',
    );
  });
});
