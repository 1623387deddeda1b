import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { renderSite, type Warning } from '../src/index.ts';
import { memorySource, type SourceTree } from '../src/source.ts';
import { directorySource } from '../src/source-directory.ts';
import { byId, has, readHtml, type Shown } from './dom.ts';

type Json = Record<string, unknown>;

interface Exported {
  pages: Map<string, string>;
  files: Map<string, string>;
  warnings: readonly Warning[];
}

const DOCS = JSON.stringify({
  name: 'Site',
  theme: 'mint',
  colors: { primary: '#166e3f' },
  navigation: {
    groups: [
      { group: 'Start', pages: ['index'] },
      { group: 'API', openapi: 'api' },
    ],
  },
});

async function exportSite(source: SourceTree): Promise<Exported> {
  const files = new Map<string, string>();
  const result = await renderSite({
    source,
    siteUrl: 'https://docs.example.com',
    emit(path, content) {
      if (typeof content === 'string') files.set(path, content);
    },
  });
  // Pages of schemas are added for content that exceeds a page.
  const pages = new Map([...files].filter(([path]) => /^api-reference\/(?!schemas\/).*\.html$/.test(path)));
  return { pages, files, warnings: result.warnings };
}

/** The site of a description: a value, or a text of JSON or YAML. */
async function exportApi(description: Json | string): Promise<Exported> {
  const content = typeof description === 'string' ? description : JSON.stringify(description);
  const name = content.startsWith('{') ? 'api.json' : 'api.yaml';
  const docs = DOCS.replace('"api"', JSON.stringify(name));
  const files = { 'docs.json': docs, 'index.mdx': '---\ntitle: Start\n---\n\nText\n', [name]: content };
  const start = process.cpuUsage();
  const exported = await exportSite(memorySource(files));
  const { user, system } = process.cpuUsage(start);
  // For people who read the log; a limit of time would fail on a slow machine.
  console.info(`${((user + system) / 1e6).toFixed(1)} s of CPU, ${content.length} characters`);
  return exported;
}

const operation = (written: Json, more: Json = {}): Json => ({
  openapi: '3.1.0',
  info: { title: 'API', version: '1' },
  paths: { '/things': { post: { summary: 'Operation', ...written } } },
  ...more,
});
const json = (schema: unknown): Json => ({ 'application/json': { schema } });
const body = (schema: unknown, schemas: Json = {}): Json =>
  operation({ requestBody: { content: json(schema) } }, { components: { schemas } });
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const members = <T>(count: number, make: (index: number) => [string, T]): Record<string, T> =>
  Object.fromEntries(times(count, make));

// Active content

const URL_ATTRIBUTES = /^(?:href|src|srcset|action|formaction|poster|data|background|xlink:href|cite|ping)$/;
const ACTIVE_TAGS = /^(?:script|iframe|object|embed|applet|base|frame|portal|animate|set|foreignobject)$/i;

/** What a browser would run, load or follow as code. */
function activeContent(html: string): Set<string> {
  return new Set(readHtml(html).flatMap((element) => activeParts(element)));
}

function activeParts({ tag, attributes, rawText }: Shown): string[] {
  const found: string[] = [];
  if (ACTIVE_TAGS.test(tag)) {
    const isData = attributes.type === 'application/ld+json' || attributes.type === 'application/json';
    found.push(
      isData ? `${tag} of data` : `${tag} ${attributes.src?.replace(/^(?:\.\.\/)*/, '') ?? rawText}`,
    );
  }
  if (tag === 'meta' && attributes['http-equiv'] !== undefined)
    found.push(`meta ${attributes['http-equiv']}`);
  if (tag === 'style') found.push(`style ${rawText.length}`);
  for (const [name, value] of Object.entries(attributes)) {
    const url = [...value].filter((char) => char > ' ').join('');
    if (/^on/i.test(name) || name === 'srcdoc') found.push(`${tag} ${name}`);
    if (
      URL_ATTRIBUTES.test(name) &&
      /^[a-z][a-z0-9+.-]*:/i.test(url) &&
      !/^(?:https?|mailto|cursor|vscode):/i.test(url)
    )
      found.push(`${tag} ${name}=${value.slice(0, 100)}`);
    if (name === 'style' && /url\(|expression|@import/i.test(value))
      found.push(`${tag} style=${value.slice(0, 100)}`);
  }
  return found;
}

/** Active content of pages that are known to be harmless: scripts and styles of the theme. */
const known = new Set<string>();
beforeAll(async () => {
  const { files } = await exportApi(HARMLESS);
  for (const [path, html] of files)
    if (path.endsWith('.html')) for (const part of activeContent(html)) known.add(part);
});

/** A description with each part that may bring a script of the theme. */
const HARMLESS = operation(
  {
    tags: ['a'],
    security: [{ one: [] }, { two: [] }],
    parameters: [{ name: 'q', in: 'query', schema: { type: 'object', properties: { a: text } } }],
    requestBody: {
      content: {
        ...json({ oneOf: [{ properties: { a: text } }, { properties: { b: text } }] }),
        'text/plain': { schema: text },
      },
    },
    responses: {
      200: { description: 'Done.', content: json({ type: 'array', items: text }) },
      400: { description: 'No.' },
    },
    'x-codeSamples': [{ lang: 'bash', source: 'ls' }],
  },
  {
    servers: [
      { url: 'https://api.example.com' },
      { url: 'https://{r}.example.com', variables: { r: { default: 'a' } } },
    ],
    webhooks: {
      hook: { post: { summary: 'Hook', requestBody: { content: json({ properties: { a: text } }) } } },
    },
    components: {
      securitySchemes: {
        one: { type: 'http', scheme: 'basic' },
        two: { type: 'apiKey', in: 'query', name: 'k' },
      },
    },
  },
);

function expectHarmless({ files, warnings }: Exported): void {
  // A page that fails is shown as plain text: the export survives, but a description must not be able to cause it.
  expect(warnings.filter(({ code }) => code === 'page-failed')).toEqual([]);
  for (const [path, html] of files) {
    if (!path.endsWith('.html')) continue;
    const unknown = [...activeContent(html)].filter((part) => !known.has(part));
    expect(unknown, path).toEqual([]);
  }
}

const only = ({ pages }: Exported): string => {
  expect(pages.size).toBe(1);
  return [...pages.values()][0] ?? '';
};

describe('references of hostile descriptions', () => {
  test('read no file outside the docs folder and open no connection', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'offprint-reference-'));
    const requests: string[] = [];
    const server = createServer((request, answer) => {
      requests.push(request.url ?? '');
      answer.end('{"type": "string", "description": "INTERNAL-SECRET"}');
    });
    try {
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const { port } = server.address() as AddressInfo;
      const secret = join(folder, 'secret.json');
      const docs = join(folder, 'docs');
      const write = (name: string, content: string) => {
        mkdirSync(dirname(join(docs, name)), { recursive: true });
        writeFileSync(join(docs, name), content);
      };
      mkdirSync(docs);
      writeFileSync(secret, '{"type": "string", "description": "OUTSIDE-SECRET"}');
      symlinkSync(secret, join(docs, 'link.json'));
      symlinkSync(folder, join(docs, 'folder'));
      const references = {
        fileUrl: `file://${secret}`,
        fileUrlUpper: `FILE://${secret}`,
        absolute: secret,
        http: `http://127.0.0.1:${port}/schema.json`,
        protocolRelative: `//127.0.0.1:${port}/schema.json`,
        backslashes: `\\\\127.0.0.1:${port}\\schema.json`,
        metadata: 'http://169.254.169.254/latest/meta-data/',
        parent: '../secret.json',
        parentEncoded: '%2e%2e/secret.json',
        parentSlash: '..%2fsecret.json',
        parentBackslash: '..\\secret.json',
        parentInside: 'a/../../secret.json#/description',
        link: 'link.json',
        linkFolder: 'folder/secret.json',
        missing: 'missing.json',
        nothing: '#/components/schemas/Missing',
        data: 'data:application/json,{"type":"string"}',
        nul: 'a\0.json',
        long: `${'a/'.repeat(5000)}b.json`,
      };
      const properties = Object.fromEntries(
        Object.entries(references).map(([name, $ref]) => [name, { $ref }]),
      );
      write('docs.json', DOCS.replace('"api"', '"api.json"'));
      write('index.mdx', '---\ntitle: Start\n---\n\nText\n');
      write(
        'api.json',
        JSON.stringify(
          operation(
            {
              parameters: [{ $ref: '../secret.json' }],
              requestBody: { content: json({ properties }) },
              responses: { 200: { $ref: `http://127.0.0.1:${port}/response` } },
            },
            { paths: undefined },
          ),
          null,
          1,
        ).replace(
          '"info"',
          `"paths": ${JSON.stringify(
            {
              '/things': {
                post: {
                  summary: 'Operation',
                  parameters: [{ $ref: '../secret.json' }],
                  requestBody: { content: json({ properties }) },
                  responses: { 200: { $ref: `http://127.0.0.1:${port}/response` } },
                },
              },
              '/other': { $ref: 'file:///etc/passwd' },
            },
            null,
            1,
          )},\n "info"`,
        ),
      );
      const exported = await exportSite(directorySource(docs));
      const page = only(exported);
      for (const name of Object.keys(references))
        expect(byId(page, `request-body-${name}`)?.text, name).toMatch(/any$/);
      for (const [path, content] of exported.files) {
        expect(content.includes('OUTSIDE-SECRET') || content.includes('INTERNAL-SECRET'), path).toBe(false);
      }
      expect(requests).toEqual([]);
      const named = exported.warnings.filter(({ code }) => code === 'description-reference');
      expect(named.map(({ file }) => file)).toEqual(named.map(() => 'api.json'));
      for (const [name, $ref] of Object.entries(references)) {
        const shown = JSON.stringify($ref.slice(0, 200));
        const warning = named.find(({ message }) => message.includes(shown));
        expect(warning, name).toBeDefined();
        if (!/[\\\0"]/.test($ref)) expect(warning?.line, name).toBeGreaterThan(1);
      }
      expectHarmless(exported);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });

  const cycles: Record<string, Json> = {
    'a schema that is itself': body(ref('A'), { A: ref('A') }),
    'schemas that are each other': body(ref('A'), { A: ref('B'), B: ref('C'), C: ref('A') }),
    'the whole description': body({ $ref: '#' }),
    'a part that contains the reference': body({ properties: { a: { $ref: '#/paths' } } }),
    ...Object.fromEntries(
      Object.entries({
        allOf: { allOf: [ref('A'), ref('B')] },
        oneOf: { oneOf: [ref('A'), text] },
        'oneOf of itself only': { oneOf: [ref('A')] },
        anyOf: { anyOf: [ref('A'), { properties: { a: ref('A') } }] },
        'anyOf with null': { anyOf: [ref('A'), { type: 'null' }] },
        items: { type: 'array', items: ref('A') },
        prefixItems: { type: 'array', prefixItems: [ref('A'), ref('A')] },
        additionalProperties: { type: 'object', additionalProperties: ref('A') },
        patternProperties: { type: 'object', patternProperties: { x: ref('A') } },
        not: { not: ref('A') },
        properties: { properties: { a: ref('A'), b: { type: 'array', items: ref('A') } } },
        discriminator: {
          oneOf: [ref('A'), ref('B')],
          discriminator: { propertyName: 'a', mapping: { a: 'A' } },
        },
        'each part of each other part': {
          allOf: [ref('B')],
          oneOf: [ref('B'), ref('A')],
          anyOf: [ref('A'), ref('B')],
          properties: { a: ref('A'), b: ref('B') },
          additionalProperties: ref('A'),
          not: ref('B'),
        },
      }).map(([name, A]) => [name, body(ref('A'), { A, B: { ...A, allOf: [ref('A')] } })]),
    ),
    'many schemas that all contain all others': body(
      ref('S0'),
      members(30, (index) => [
        `S${index}`,
        { type: 'object', properties: members(30, (other) => [`p${other}`, ref(`S${other}`)]) },
      ]),
    ),
    'many schemas that are all merged with all others': body(
      ref('S0'),
      members(30, (index) => [
        `S${index}`,
        { allOf: times(30, (other) => ref(`S${other}`)), properties: { [`p${index}`]: text } },
      ]),
    ),
    'many schemas that are a choice of all others': body(
      ref('S0'),
      members(30, (index) => [
        `S${index}`,
        { oneOf: times(30, (other) => ref(`S${other}`)), properties: { [`p${index}`]: text } },
      ]),
    ),
    'parameters, bodies, responses, headers, examples, callbacks, path items': {
      ...operation(
        {
          parameters: [{ $ref: '#/components/parameters/A' }],
          requestBody: { $ref: '#/components/requestBodies/A' },
          responses: {
            200: { $ref: '#/components/responses/A' },
            201: { description: 'x', headers: { H: { $ref: '#/components/headers/A' } } },
          },
          callbacks: {
            c: { $ref: '#/components/callbacks/A' },
            d: { '/things': { $ref: '#/paths/~1things' } },
          },
          security: [{ A: [] }],
        },
        {
          components: {
            ...Object.fromEntries(
              ['parameters', 'requestBodies', 'responses', 'headers', 'callbacks', 'securitySchemes'].map(
                (kind) => [kind, { A: { $ref: `#/components/${kind}/A` } }],
              ),
            ),
          },
        },
      ),
    },
  };

  test.each(Object.entries(cycles))('a cycle ends: %s', async (_, description) => {
    const exported = await exportApi(description);
    only(exported);
    expectHarmless(exported);
  });

  test('a path item that is itself has no page and a warning', async () => {
    const exported = await exportApi({ ...operation({}), paths: { '/a': { $ref: '#/paths/~1a' } } });
    expect(exported.pages.size).toBe(0);
    expect(exported.warnings).toContainEqual(
      expect.objectContaining({ code: 'description-reference', file: 'api.json' }),
    );
  });
});

describe('large and deep descriptions', () => {
  /** Wraps a schema as text: the serializer of the engine refuses such depths. */
  const nest = (levels: number, wrap: (inner: Json) => Json): string => {
    const [before = '', after = ''] = JSON.stringify(wrap({ here: 1 })).split('{"here":1}');
    return `${before.repeat(levels)}{"type":"string"}${after.repeat(levels)}`;
  };
  const deep: Record<string, (inner: Json) => Json> = {
    properties: (inner) => ({ type: 'object', properties: { a: inner } }),
    items: (items) => ({ type: 'array', items }),
    allOf: (inner) => ({ allOf: [inner] }),
    oneOf: (inner) => ({ oneOf: [inner, { type: 'object', properties: { b: { type: 'string' } } }] }),
    anyOf: (inner) => ({ anyOf: [inner] }),
    not: (not) => ({ not }),
    additionalProperties: (additionalProperties) => ({ type: 'object', additionalProperties }),
    prefixItems: (inner) => ({ type: 'array', prefixItems: [inner] }),
  };

  /** The description is not read, and the summary says why. */
  const expectRefused = (exported: Exported, file: string): void => {
    expectHarmless(exported);
    expect(exported.pages.size).toBe(0);
    expect(exported.warnings).toContainEqual(expect.objectContaining({ code: 'description-invalid', file }));
  };

  test.each(Object.entries(deep))('10,000 levels of %s are refused by name', async (_, wrap) => {
    const description = JSON.stringify(body({ here: 1 })).replace('{"here":1}', nest(10_000, wrap));
    expectRefused(await exportApi(description), 'api.json');
  });

  test.each(Object.entries(deep))('100 levels of %s are shown', async (_, wrap) => {
    const exported = await exportApi(
      JSON.stringify(body({ here: 1 })).replace('{"here":1}', nest(100, wrap)),
    );
    only(exported);
    expectHarmless(exported);
  });

  test('10,000 levels in a Swagger 2 description are refused by name', async () => {
    const parameters = [{ in: 'body', name: 'b', schema: { here: 1 } }];
    const description = JSON.stringify({
      swagger: '2.0',
      paths: { '/things': { post: { summary: 'Operation', parameters } } },
    });
    const schema = nest(10_000, (inner) => ({ properties: { a: inner } }));
    expectRefused(await exportApi(description.replace('{"here":1}', schema)), 'api.json');
  });

  test.each(Object.entries(deep))('10,000 schemas, each the %s of the next', async (_, wrap) => {
    const schemas = members(10_000, (index) => [`S${index}`, wrap(ref(`S${index + 1}`))]);
    const exported = await exportApi(body(ref('S0'), { ...schemas, S10000: text }));
    only(exported);
    expectHarmless(exported);
  });

  const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const inJson: Record<string, string> = {
    'an example of a response': `"responses": {"200": {"description": "x", "content": {"application/json": {"example": ${nested}}}}}`,
    'an example of a parameter': `"parameters": [{"name": "q", "in": "query", "example": ${nested}, "schema": {"type": "array"}}]`,
    'a default': `"parameters": [{"name": "q", "in": "query", "schema": {"default": ${nested}}}]`,
    'an enum': `"parameters": [{"name": "q", "in": "query", "schema": {"enum": [${nested}, ${nested}]}}]`,
    'a const': `"parameters": [{"name": "q", "in": "query", "schema": {"const": ${nested}}}]`,
    'values of allOf': `"parameters": [{"name": "q", "in": "query", "schema": {"allOf": [{"default": ${nested}, "enum": [${nested}]}, {"default": ${nested}, "enum": [${nested}]}]}}]`,
    'an extension': `"x-data": ${nested}`,
  };
  test.each(Object.entries(inJson))('a list of 10,000 levels as %s is refused by name', async (_, member) => {
    const text = JSON.stringify(operation({ 'x-here': 1 })).replace('"x-here":1', member);
    const exported = await exportApi(text);
    expectRefused(exported, 'api.json');
  });

  test('YAML of 10,000 levels is refused by name', async () => {
    const text = `openapi: 3.1.0\npaths:\n  /things:\n    get:\n      summary: x\n      x-data: ${nested}\n`;
    expectRefused(await exportApi(text), 'api.yaml');
  });

  const wide: Record<string, () => Json> = {
    '10,000 allOf': () =>
      body({ allOf: times(10_000, (index) => ({ type: 'object', properties: { [`p${index}`]: text } })) }),
    '10,000 allOf of references': () =>
      body({ allOf: times(10_000, () => ref('A')) }, { A: { properties: { a: text } } }),
    '10,000 allOf of one property': () =>
      body({ allOf: times(10_000, (index) => ({ properties: { p: { maxLength: index, ...text } } })) }),
    '10,000 allOf of one large property': () =>
      body({
        allOf: times(10_000, (index) => ({
          properties: {
            p: { type: 'object', properties: members(20, (other) => [`p${index}-${other}`, text]) },
          },
        })),
      }),
    '10,000 oneOf': () =>
      body({ oneOf: times(10_000, (index) => ({ properties: { [`p${index}`]: text } })) }),
    '10,000 simple anyOf': () =>
      body({ anyOf: times(10_000, (index) => ({ type: 'string', maxLength: index })) }),
    '10,000 constants': () =>
      body({ oneOf: times(10_000, (index) => ({ const: index, title: `T${index}` })) }),
    'a million enum values': () =>
      body({ properties: { p: { enum: times(1_000_000, (index) => `v${index}`) } } }),
    'two enums of 100,000 values': () =>
      body({
        properties: {
          p: {
            allOf: [
              { enum: times(100_000, (index) => `v${index}`) },
              { enum: times(100_000, (index) => `w${index}`) },
            ],
          },
        },
      }),
    'a million names of enum values': () =>
      body({
        properties: { p: { enum: ['a'], 'x-enum-varnames': times(1_000_000, (index) => `v${index}`) } },
      }),
    '100,000 properties': () => body({ properties: members(100_000, (index) => [`p${index}`, text]) }),
    '100,000 required names': () =>
      body({ properties: { a: text }, required: times(100_000, (index) => `r${index}`) }),
    '100,000 examples': () => body({ properties: { p: { examples: times(100_000, (index) => index) } } }),
    '5,000 parameters': () =>
      operation({ parameters: times(5000, (index) => ({ name: `p${index}`, in: 'query', schema: text })) }),
    '5,000 parameters of the path': () => {
      const description = operation({});
      const item = (description.paths as Json)['/things'] as Json;
      item.parameters = times(5000, (index) => ({ name: `p${index}`, in: 'header', schema: text }));
      return description;
    },
    '5,000 responses': () =>
      operation({
        responses: members(5000, (index) => [
          `${index}`,
          { description: 'x', content: json({ properties: { a: text } }) },
        ]),
      }),
    '5,000 content types': () =>
      operation({
        requestBody: {
          content: members(5000, (index) => [
            `application/x-${index}`,
            { schema: { properties: { [`p${index}`]: text } } },
          ]),
        },
      }),
    '5,000 headers': () =>
      operation({
        responses: {
          200: { description: 'x', headers: members(5000, (index) => [`X-${index}`, { schema: text }]) },
        },
      }),
    '5,000 examples of a response': () =>
      operation({
        responses: {
          200: {
            description: 'x',
            content: {
              'application/json': { examples: members(5000, (index) => [`e${index}`, { value: index }]) },
            },
          },
        },
      }),
    '5,000 callbacks': () =>
      operation({
        callbacks: members(5000, (index) => [
          `c${index}`,
          { '/x': { post: { requestBody: { content: json({ properties: { a: text } }) } } } },
        ]),
      }),
    '5,000 operations of one callback': () =>
      operation({
        callbacks: {
          c: members(5000, (index) => [
            `/x${index}`,
            { post: { requestBody: { content: json({ properties: { a: text } }) } } },
          ]),
        },
      }),
    '5,000 servers with variables': () =>
      operation(
        {},
        {
          servers: times(5000, (index) => ({
            url: `https://{v${index}}.example.com`,
            variables: { [`v${index}`]: { default: 'a' } },
          })),
        },
      ),
    '5,000 values of a server variable': () =>
      operation(
        {},
        {
          servers: [
            {
              url: 'https://{v}.example.com',
              variables: { v: { default: 'a', enum: times(5000, (index) => `v${index}`) } },
            },
          ],
        },
      ),
    '5,000 security schemes': () =>
      operation(
        {
          security: [
            ...times(5000, (index) => ({ [`s${index}`]: [] })),
            members(5000, (index) => [`s${index}`, []]),
          ],
        },
        {
          components: {
            securitySchemes: members(5000, (index) => [
              `s${index}`,
              { type: 'apiKey', in: 'header', name: `X-${index}` },
            ]),
          },
        },
      ),
    '5,000 scopes': () =>
      operation(
        { security: [{ s: times(5000, (index) => `scope${index}`) }] },
        {
          components: {
            securitySchemes: {
              s: {
                type: 'oauth2',
                flows: {
                  clientCredentials: {
                    tokenUrl: 'https://example.com',
                    scopes: members(5000, (index) => [`scope${index}`, 'x']),
                  },
                },
              },
            },
          },
        },
      ),
    '5,000 code samples': () =>
      operation({ 'x-codeSamples': times(5000, (index) => ({ lang: `l${index}`, source: 'x' })) }),
    'names of a million characters': () => {
      const name = 'n'.repeat(1_000_000);
      return operation({
        parameters: [{ name, in: 'query', schema: text }],
        requestBody: { content: json({ properties: { [name]: { properties: { [name]: text } } } }) },
      });
    },
    'an example of 10 MB': () =>
      operation({
        responses: {
          200: {
            description: 'x',
            content: { 'application/json': { example: times(500_000, (index) => `value ${index}`) } },
          },
        },
      }),
  };
  /** What the summary says of what is not shown. */
  const limits: Record<string, RegExp> = {
    '10,000 allOf': /schema with more than 200 parts/,
    '10,000 allOf of references': /schema with more than 200 parts/,
    '10,000 oneOf': /more than 100 alternatives/,
    '10,000 simple anyOf': /more than 100 alternatives/,
    '10,000 constants': /more than 100 alternatives/,
    'a million enum values': /more than 2000 allowed values/,
    'two enums of 100,000 values': /more than 2000 allowed values/,
    '100,000 properties': /more than 2000 properties/,
    '5,000 parameters': /more than 500 parameters/,
    '5,000 parameters of the path': /more than 500 parameters/,
    '5,000 responses': /more than 60 responses/,
    '5,000 content types': /more than 12 content types/,
    '5,000 headers': /more than 500 headers/,
    '5,000 callbacks': /more than 20 callbacks/,
    '5,000 operations of one callback': /more than 20 paths in a callback/,
    '5,000 servers with variables': /more than 50 servers/,
    '5,000 security schemes': /more than 12 kinds of authorization/,
    'names of a million characters': /more than 5000000 characters/,
  };
  test.each(Object.entries(wide))('%s', async (name, make) => {
    const exported = await exportApi(make());
    only(exported);
    expectHarmless(exported);
    const limit = limits[name];
    const messages = exported.warnings.map(({ message }) => message);
    if (limit !== undefined) expect(messages).toContainEqual(expect.stringMatching(limit));
  });

  test.each([
    ['anchors of words', 'a'],
    ['anchors of other characters', '\u20ac'],
    ['anchors that start with a star', '*'],
  ])('a YAML file whose aliases multiply, with %s, is refused by name or bounded', async (_, name) => {
    const lines = times(40, (index) => {
      const alias = `*${name}${index - 1}`;
      const value =
        index === 0 ? '{type: object}' : `{properties: {a: ${alias} , b: ${alias} , c: ${alias} }}`;
      return `x-${index}: &${name}${index} ${value}`;
    });
    const last = `*${name}39`;
    const exported = await exportApi(
      `openapi: 3.1.0\n${lines.join('\n')}\npaths:\n  /things:\n    post:\n      summary: Operation\n      x-data: ${last}\n      requestBody:\n        content:\n          application/json:\n            schema: ${last}\n`,
    );
    expectHarmless(exported);
    if (exported.pages.size === 0)
      expect(exported.warnings).toContainEqual(
        expect.objectContaining({ code: 'description-invalid', file: 'api.yaml' }),
      );
  });

  test('a large value that many aliases repeat is bounded', async () => {
    const large = `{${times(20_000, (index) => `k${index}: some text of the value`).join(', ')}}`;
    const aliases = times(900, () => '*v').join(', ');
    const exported = await exportApi(
      `openapi: 3.1.0\nx-large: &v ${large}\npaths:\n  /things:\n    post:\n      summary: Operation\n      x-data: [${aliases}]\n      responses:\n        200:\n          description: x\n          content:\n            application/json:\n              example: [${aliases}]\n`,
    );
    expectHarmless(exported);
    for (const [path, content] of exported.files) expect(content.length, path).toBeLessThan(5_000_000);
  });

  test('YAML merge keys that multiply are bounded', async () => {
    const lines = times(30, (index) =>
      index === 0
        ? 'x-0: &a0 {a: 1}'
        : `x-${index}: &a${index} {<<: [*a${index - 1}, *a${index - 1}], k${index}: *a${index - 1}}`,
    );
    const exported = await exportApi(
      `openapi: 3.1.0\n${lines.join('\n')}\npaths:\n  /things:\n    get:\n      summary: Operation\n      x-data: *a29\n`,
    );
    expectHarmless(exported);
  });
});

describe('names that objects have themselves', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'];
  /** JSON in which `__proto__` is a name like others. */
  const entries = (make: (name: string) => unknown): Json =>
    Object.fromEntries(NAMES.map((name) => [name, make(name)]));

  test('are names of properties, schemas, parameters, headers, tags, schemes, variables, examples and webhooks', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    const description = operation(
      {
        tags: ['__proto__'],
        parameters: NAMES.map((name) => ({
          name,
          in: 'query',
          schema: { $ref: `#/components/schemas/${name}` },
        })),
        security: NAMES.map((name) => ({ [name]: [] })),
        requestBody: {
          content: json({
            type: 'object',
            properties: entries(() => ({ type: 'object', properties: { polluted: text } })),
            required: NAMES,
            patternProperties: entries(() => text),
            discriminator: {
              propertyName: '__proto__',
              mapping: entries(() => '#/components/schemas/constructor'),
            },
            'x-enum-descriptions': entries(() => 'x'),
          }),
        },
        responses: {
          200: {
            description: 'Done.',
            headers: entries(() => ({ schema: text })),
            content: {
              'application/json': {
                schema: { enum: NAMES, 'x-enumDescriptions': { a: 'x' } },
                examples: entries((name) => ({ value: { [name]: 1 } })),
              },
            },
          },
        },
        callbacks: entries(() => entries(() => ({ post: { summary: 'x' } }))),
      },
      {
        tags: NAMES.map((name) => ({ name, 'x-group': name })),
        servers: [{ url: 'https://{constructor}.example.com', variables: entries(() => ({ default: 'a' })) }],
        components: {
          schemas: entries((name) => ({ type: 'string', description: `Of \`${name}\`.` })),
          securitySchemes: entries((name) => ({ type: 'apiKey', in: 'header', name })),
        },
        webhooks: entries((name) => ({ post: { summary: name } })),
      },
    );
    const exported = await exportApi(description);
    expectHarmless(exported);
    expect(exported.pages.size).toBe(1 + NAMES.length);
    const page = [...exported.pages].find(([path]) => path.endsWith('/operation.html'))?.[1] ?? '';
    for (const name of NAMES) {
      expect(byId(page, `parameter-${name}`)?.text, name).toContain(`Of ${name}.`);
      expect(byId(page, `request-body-${name}`)?.text, name).toContain('polluted');
      expect(byId(page, `response-header-${name}`), name).not.toBeNull();
    }
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    expect(({} as Json).polluted).toBeUndefined();
  });

  test('are names in YAML and Swagger 2 too', async () => {
    const lines = NAMES.map(
      (name) => `  ${JSON.stringify(name)}: {type: object, properties: {polluted: {type: string}}}`,
    ).join('\n');
    const description = `swagger: "2.0"\ninfo: {title: x, version: "1"}\ndefinitions:\n${lines}\npaths:\n  /things:\n    post:\n      summary: Operation\n      consumes: [application/json]\n      parameters:\n        - {name: __proto__, in: query, type: string}\n        - {name: b, in: body, schema: {type: object, properties: {__proto__: {$ref: "#/definitions/__proto__"}, constructor: {$ref: "#/definitions/constructor"}}}}\n`;
    const exported = await exportApi(description);
    expectHarmless(exported);
    const page = only(exported);
    expect(has(page, { id: 'parameter-__proto__' })).toBe(true);
    expect(byId(page, 'request-body-constructor')?.text).toContain('polluted');
    expect(({} as Json).polluted).toBeUndefined();
  });
});

describe('active content in texts of descriptions', () => {
  test('patterns that take exponential time are shown and not used', async () => {
    const pattern = '(a+)+$';
    const value = `${'a'.repeat(50_000)}!`;
    const exported = await exportApi(
      body({
        properties: { p: { type: 'string', pattern, example: value, default: value, enum: [value] } },
        patternProperties: { [pattern]: text, '(x+x+)+y': text, '[': text },
      }),
    );
    expectHarmless(exported);
    expect(byId(only(exported), 'request-body-p')?.text).toContain(pattern);
  });

  const PAYLOADS = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload="alert(1)"><script>alert(1)</script></svg>',
    '"><script>alert(1)</script>',
    "'-alert(1)-'",
    '</code></pre><script>alert(1)</script>',
    '</script><script>alert(1)</script>',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](java\nscript:alert(1))',
    '![x](javascript:alert(1))',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
    '<iframe src="https://example.com"></iframe>',
    '<style>body{background:url(//example.com)}</style>',
    '<base href="//example.com">',
    '<meta http-equiv="refresh" content="0;url=//example.com">',
    '{alert(1)}',
    '<Tabs><Tab title={alert(1)}>x</Tab></Tabs>',
    'export const a = alert(1)',
    '```js\n</code><script>alert(1)</script>\n```',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    '<!--><script>alert(1)</script>-->',
    '&lt;script&gt;alert(1)&lt;/script&gt;&#x3c;script>alert(1)</script>',
    '\u2028<script>alert(1)</script>',
  ];

  test.each(PAYLOADS)('%j', async (payload) => {
    const named = (value: unknown): Json => ({ [payload]: value });
    const schema = {
      type: 'object',
      title: payload,
      description: payload,
      required: [payload],
      example: payload,
      properties: {
        ...named({
          type: 'string',
          description: payload,
          default: payload,
          example: payload,
          format: payload,
          pattern: payload,
        }),
        e: { enum: [payload, 'b'], 'x-enum-varnames': [payload], 'x-enum-descriptions': [payload] },
        c: { const: payload, contentMediaType: payload, contentEncoding: payload },
        t: { type: payload },
        o: {
          oneOf: [
            { title: payload, properties: { a: text } },
            { title: 'b', description: payload, properties: { b: text } },
          ],
          discriminator: { propertyName: payload },
        },
        n: { not: { const: payload } },
        x: { $ref: payload },
      },
      patternProperties: named(text),
      externalDocs: { url: payload, description: payload },
      'x-mint': { pre: [payload], post: [payload] },
    };
    const exported = await exportApi(
      operation(
        {
          summary: payload,
          description: payload,
          operationId: payload,
          tags: [payload],
          externalDocs: { url: payload, description: payload },
          security: [named([payload]), { oidc: [payload] }, { oauth: [payload] }, { http: [] }],
          parameters: [
            {
              name: payload,
              in: 'query',
              description: payload,
              example: payload,
              schema: { type: 'string', default: payload },
            },
            { name: payload, in: 'path', required: true, schema },
            {
              name: payload,
              in: 'cookie',
              style: payload,
              content: named({ schema: text, example: payload }),
            },
          ],
          requestBody: {
            description: payload,
            content: {
              ...named({ schema, example: payload }),
              'application/json': { schema, examples: named({ summary: payload, value: payload }) },
            },
          },
          responses: {
            200: {
              description: payload,
              headers: named({ description: payload, schema: text }),
              content: { ...named({ schema }), 'text/html': { example: payload } },
            },
            default: { description: payload, content: { 'text/html': { schema: text, example: payload } } },
          },
          callbacks: named(
            named({
              post: {
                summary: payload,
                requestBody: { content: json(schema) },
                responses: { 200: { description: payload } },
              },
            }),
          ),
          'x-codeSamples': [{ lang: payload, label: payload, source: payload }],
        },
        {
          info: {
            title: payload,
            version: payload,
            description: payload,
            termsOfService: payload,
            contact: { url: payload },
            license: { name: payload, url: payload },
          },
          tags: [{ name: payload, description: payload, 'x-group': payload, externalDocs: { url: payload } }],
          servers: [
            { url: payload, description: payload },
            {
              url: `https://{a}.example.com/${payload}`,
              variables: {
                a: { default: payload, enum: [payload], description: payload },
                ...named({ default: 'x' }),
              },
            },
          ],
          externalDocs: { url: payload, description: payload },
          components: {
            securitySchemes: {
              ...named({
                type: 'apiKey',
                in: 'header',
                name: payload,
                description: payload,
                'x-default': payload,
              }),
              oidc: { type: 'openIdConnect', openIdConnectUrl: payload },
              oauth: {
                type: 'oauth2',
                description: payload,
                flows: {
                  authorizationCode: { authorizationUrl: payload, tokenUrl: payload, scopes: named(payload) },
                },
              },
              http: { type: 'http', scheme: payload, bearerFormat: payload },
            },
          },
          webhooks: named({
            post: { summary: payload, description: payload, requestBody: { content: json(schema) } },
          }),
        },
      ),
    );
    expect(exported.pages.size).toBe(2);
    expectHarmless(exported);
  });

  test('extensions of an operation bring no active content', async () => {
    // Expressions and exports are code of the page, which has tests of its own.
    const content = PAYLOADS.filter((payload) => !/[{}]|^export/.test(payload)).join('\n\n');
    const exported = await exportApi(
      operation({
        'x-mint': {
          content,
          href: 'javascript:alert(1)',
          metadata: {
            title: '<script>alert(1)</script>',
            description: '<img src=x onerror=alert(1)>',
            icon: 'javascript:alert(1)',
            url: 'javascript:alert(1)',
          },
        },
      }),
    );
    expectHarmless(exported);
  });
});

test('the check of active content finds it', () => {
  for (const html of [
    '<p><script>alert(1)</script></p>',
    '<img src="x" onerror="alert(1)">',
    '<a href=" java&#10;script:alert(1)">x</a>',
    '<iframe srcdoc="x"></iframe>',
    '<p style="background: url(//example.com)">x</p>',
    '<meta http-equiv="refresh" content="0">',
  ]) {
    expect(
      [...activeContent(html)].filter((part) => !known.has(part)),
      html,
    ).not.toEqual([]);
  }
});
