import { describe, expect, it } from 'vitest';
import type { ApiScheme } from '../operation.ts';
import { absoluteServer, buildRequest, exampleValues, serverUrl } from './build.js';
import type { FormField, FormParameter, HttpRequest, RequestForm, RequestValues } from './types.ts';

const field: FormField = { type: 'any', format: null, values: [] };

function parameter(options: Partial<FormParameter>): FormParameter {
  return {
    ...{ name: 'color', in: 'query', isRequired: false, style: 'form', explode: true },
    ...{ allowReserved: false, contentType: null, field },
    ...options,
  };
}

const emptyForm: RequestForm = {
  ...{ method: 'GET', path: '/', servers: [], security: [], parameters: [], bodies: [] },
  isBodyRequired: false,
};

const noValues: RequestValues = { server: 'https://api.test', parameters: {}, body: null, credentials: {} };

/** The request of one parameter with a value. */
function send(options: Partial<FormParameter>, value: unknown): HttpRequest {
  const one = parameter(options);
  const form = { ...emptyForm, path: one.in === 'path' ? `/x/{${one.name}}` : '/x', parameters: [one] };
  return buildRequest(form, { ...noValues, parameters: { [`${one.in}:${one.name}`]: value } });
}

const VALUES = {
  empty: '',
  string: 'blue',
  array: ['blue', 'black', 'brown'],
  object: { R: 100, G: 200, B: 150 },
};

describe('styles of parameters, by the table of OpenAPI 3.1', () => {
  const PATH: [style: string, explode: boolean, string: string, array: string, object: string][] = [
    ['matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    ['matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
    ['label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ];
  it.each(PATH)('writes a path with style %s and explode %s', (style, explode, string, array, object) => {
    const path = (value: unknown) => send({ in: 'path', style, explode }, value).url;
    expect(path(VALUES.string)).toBe(`https://api.test/x/${string}`);
    expect(path(VALUES.array)).toBe(`https://api.test/x/${array}`);
    expect(path(VALUES.object)).toBe(`https://api.test/x/${object}`);
  });

  it('writes empty values of matrix and label without an equals sign', () => {
    expect(send({ in: 'path', style: 'matrix' }, '').url).toBe('https://api.test/x/;color');
    expect(send({ in: 'path', style: 'label' }, '').url).toBe('https://api.test/x/.');
  });

  const QUERY: [style: string, explode: boolean, string: string, array: string, object: string][] = [
    ['form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    ['form', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
    [
      ...(['spaceDelimited', false, 'color=blue', 'color=blue%20black%20brown'] as const),
      'color=R%20100%20G%20200%20B%20150',
    ],
    ['spaceDelimited', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
    [
      ...(['pipeDelimited', false, 'color=blue', 'color=blue%7Cblack%7Cbrown'] as const),
      'color=R%7C100%7CG%7C200%7CB%7C150',
    ],
    ['pipeDelimited', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
    [
      ...(['deepObject', true, 'color=blue'] as const),
      'color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown',
      'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
    ],
  ];
  it.each(QUERY)('writes a query with style %s and explode %s', (style, explode, string, array, object) => {
    const query = (value: unknown) => send({ style, explode }, value).url;
    expect(query(VALUES.empty)).toBe('https://api.test/x?color=');
    expect(query(VALUES.string)).toBe(`https://api.test/x?${string}`);
    expect(query(VALUES.array)).toBe(`https://api.test/x?${array}`);
    expect(query(VALUES.object)).toBe(`https://api.test/x?${object}`);
  });

  it('writes headers with style simple and without percent-encoding', () => {
    const header = (explode: boolean, value: unknown) =>
      send({ in: 'header', name: 'X-Color', style: 'simple', explode }, value).headers;
    expect(header(false, 'a b%/')).toEqual([['X-Color', 'a b%/']]);
    expect(header(false, VALUES.array)).toEqual([['X-Color', 'blue,black,brown']]);
    expect(header(false, VALUES.object)).toEqual([['X-Color', 'R,100,G,200,B,150']]);
    expect(header(true, VALUES.object)).toEqual([['X-Color', 'R=100,G=200,B=150']]);
  });

  it('writes cookies as pairs', () => {
    const cookies = (options: Partial<FormParameter>, value: unknown) =>
      send({ in: 'cookie', ...options }, value).cookies;
    expect(cookies({ explode: false }, VALUES.array)).toEqual([['color', 'blue,black,brown']]);
    expect(cookies({ explode: true }, VALUES.object)).toEqual([
      ['R', '100'],
      ['G', '200'],
      ['B', '150'],
    ]);
    expect(cookies({}, 'a; b="é"')).toEqual([['color', 'a%3B%20b%3D%22%C3%A9%22']]);
    expect(cookies({ style: 'cookie' }, 'a/b=c; d')).toEqual([['color', 'a/b=c%3B%20d']]);
  });

  it('sends nothing for missing values, empty lists and empty objects', () => {
    for (const value of [undefined, null, [], {}, [null]])
      expect(send({ explode: false }, value).url).toBe('https://api.test/x');
    expect(send({ in: 'path', style: 'simple' }, []).url).toBe('https://api.test/x/{color}');
  });

  it('writes nested values of deepObject with their path', () => {
    const value = { a: { b: [1, { c: 'x' }] }, d: null };
    expect(send({ style: 'deepObject' }, value).url).toBe(
      'https://api.test/x?color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=x',
    );
  });
});

describe('encoding', () => {
  it('percent-encodes everything but unreserved characters', () => {
    const value = '-._~ azAZ09 !\'()*;:@&=+$,/?#[]%"<>é😀\n';
    const encoded =
      '-._~%20azAZ09%20%21%27%28%29%2A%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%25%22%3C%3E%C3%A9%F0%9F%98%80%0A';
    expect(send({}, value).url).toBe(`https://api.test/x?color=${encoded}`);
    expect(send({ in: 'path', style: 'simple' }, value).url).toBe(`https://api.test/x/${encoded}`);
  });

  it('keeps reserved characters and encoded ones with allowReserved, except those that would end the value', () => {
    expect(send({ allowReserved: true }, "/a?b:c@d!$()*,;=%41%c3&+#[]'%").url).toBe(
      'https://api.test/x?color=/a?b:c@d!$()*,;=A%C3%26%2B%23%5B%5D%27%25',
    );
    expect(send({ in: 'path', style: 'simple', allowReserved: true }, 'a/b?c#d:e').url).toBe(
      'https://api.test/x/a%2Fb%3Fc%23d:e',
    );
  });

  it('writes values with a content type as JSON', () => {
    expect(send({ contentType: 'application/json' }, { a: [1] }).url).toBe(
      'https://api.test/x?color=%7B%22a%22%3A%5B1%5D%7D',
    );
  });

  it('writes a whole query', () => {
    const form = { in: 'querystring', contentType: 'application/x-www-form-urlencoded' } as const;
    expect(send(form, { a: 'x y', b: ['1', '2'] }).url).toBe('https://api.test/x?a=x%20y&b=1&b=2');
    expect(send({ in: 'querystring', contentType: 'application/json' }, { a: 1 }).url).toBe(
      'https://api.test/x?%7B%22a%22%3A1%7D',
    );
  });

  it('gives ASCII without line ends for any value', () => {
    const value = 'a\r\nX-Other: 1\0é\ud800';
    const places = ['path', 'query', 'header', 'cookie', 'querystring'] as const;
    for (const place of places) {
      const request = send({ in: place, style: place === 'query' ? 'form' : 'simple' }, value);
      expect(JSON.stringify(request).replace(/[ -~]/g, '')).toBe('');
      expect(request.headers.flat().join('')).not.toMatch(/[\r\n]/);
    }
  });

  it('leaves out headers with invalid names and those that clients set', () => {
    for (const name of ['a b', 'a\r\nb', 'a:', '', 'Content-Length', 'Host', 'Transfer-Encoding'])
      expect(send({ in: 'header', name }, 'x').headers).toEqual([]);
  });
});

describe('servers', () => {
  const url = (server: string, path = '/x') =>
    buildRequest({ ...emptyForm, path }, { ...noValues, server }).url;

  it('joins server and path', () => {
    expect(url('https://a.test/v1/')).toBe('https://a.test/v1/x');
    expect(url('/v1')).toBe('/v1/x');
    expect(url('')).toBe('/x');
    expect(url('https://a.test', 'x')).toBe('https://a.test/x');
    expect(url('https://a.test', '/a b?c=d#e')).toBe('https://a.test/a%20b?c=d');
    expect(url('https://bücher.test/é')).toBe('https://xn--bcher-kva.test/%C3%A9/x');
    expect(url('https://{tenant}.a.test')).toBe('https://{tenant}.a.test/x');
    expect(url("https://a.test/'\n$`?x#y")).toBe('https://a.test/%27%0A$%60/x');
    expect(url('http://[::1]:8080/')).toBe('http://[::1]:8080/x');
  });

  it('fills in variables and gives samples an absolute URL', () => {
    const port = { name: 'port', default: '443', values: [], description: null };
    const server = { url: 'https://a.test:{port}/{other}', description: null, variables: [port] };
    expect(serverUrl(server)).toBe('https://a.test:443/{other}');
    expect(serverUrl(server, { port: '8443', other: 'x' })).toBe('https://a.test:8443/x');
    expect(absoluteServer('/v1')).toBe('https://example.com/v1');
    expect(absoluteServer('')).toBe('https://example.com');
    expect(absoluteServer('//a.test')).toBe('https://a.test');
    expect(absoluteServer('javascript://a.test/%0aalert(1)')).toBe('https://a.test/%0aalert(1)');
  });
});

const facts = { description: null, scopes: [], initial: null };
const bearer: ApiScheme = { ...facts, name: 'token', type: 'http', scheme: 'bearer', format: null };
const basic: ApiScheme = { ...facts, name: 'basic', type: 'http', scheme: 'basic', format: null };
const key = (place: 'header' | 'query' | 'cookie'): ApiScheme => ({
  ...{ ...facts, name: place, type: 'apiKey' },
  ...{ in: place, key: 'X-Key' },
});

describe('credentials', () => {
  const build = (security: RequestForm['security'], credentials: RequestValues['credentials']) =>
    buildRequest({ ...emptyForm, security }, { ...noValues, credentials });

  it('writes each kind of scheme', () => {
    expect(build([[bearer]], { token: { value: 'abc' } }).headers).toEqual([['Authorization', 'Bearer abc']]);
    expect(build([[basic]], { basic: { user: 'é', password: 'a:b' } }).headers).toEqual([
      ['Authorization', 'Basic w6k6YTpi'],
    ]);
    expect(build([[{ ...bearer, scheme: 'digest' }]], { token: { value: 'x' } }).headers).toEqual([
      ['Authorization', 'Digest x'],
    ]);
    const oauth: ApiScheme = { ...facts, name: 'o', type: 'oauth2', flows: [] };
    expect(build([[oauth]], { o: { value: 'x' } }).headers).toEqual([['Authorization', 'Bearer x']]);
    expect(build([[key('header')]], { header: { value: 'a\r\nb' } }).headers).toEqual([['X-Key', 'a b']]);
    expect(build([[key('query')]], { query: { value: 'a&b' } }).url).toBe('https://api.test/?X-Key=a%26b');
    expect(build([[key('cookie')]], { cookie: { value: 'a;b' } }).cookies).toEqual([['X-Key', 'a%3Bb']]);
  });

  it('uses one alternative, the first that is complete', () => {
    const security = [[bearer, key('header')], [key('query')], []];
    const credentials = { token: { value: 't' }, query: { value: 'q' } };
    expect(build(security, credentials)).toMatchObject({ url: 'https://api.test/?X-Key=q', headers: [] });
    expect(build(security, { token: { value: 't' } }).headers).toEqual([['Authorization', 'Bearer t']]);
    expect(build(security, {}).headers).toEqual([]);
  });

  it('prefers credentials to a header parameter of the same name', () => {
    const form = {
      ...{ ...emptyForm, security: [[bearer]] },
      parameters: [parameter({ in: 'header', name: 'authorization' })],
    };
    const parameters = { 'header:authorization': 'other' };
    const request = buildRequest(form, { ...noValues, parameters, credentials: { token: { value: 't' } } });
    expect(request.headers).toEqual([['Authorization', 'Bearer t']]);
  });
});

describe('bodies', () => {
  const build = (type: string, value: unknown, more: Partial<RequestForm['bodies'][number]> = {}) => {
    const bodies = [{ type, field, encoding: {}, ...more }];
    return buildRequest({ ...emptyForm, method: 'POST', bodies }, { ...noValues, body: { type, value } });
  };

  it('writes JSON and other texts', () => {
    expect(build('application/merge-patch+json', { a: null })).toMatchObject({
      headers: [['Content-Type', 'application/merge-patch+json']],
      body: { kind: 'text', text: '{\n  "a": null\n}' },
    });
    expect(build('application/xml', '<a/>').body).toEqual({ kind: 'text', text: '<a/>' });
    expect(build('application/x-ndjson', [1, { a: 2 }]).body).toEqual({ kind: 'text', text: '1\n{"a":2}\n' });
    expect(build('*/*', { a: 1 }).headers).toEqual([['Content-Type', 'application/json']]);
  });

  it('writes forms by their encoding', () => {
    const value = {
      a: 'x&y',
      list: [1, 2],
      object: { b: 1 },
      deep: { c: { d: 2 } },
      joined: ['e', 'f'],
      no: null,
    };
    const encoding = { deep: { style: 'deepObject' }, joined: { style: 'pipeDelimited' } };
    const { body } = build('application/x-www-form-urlencoded', value, { encoding });
    expect(body).toEqual({
      kind: 'form',
      pairs: [
        ...[
          ['a', 'x&y'],
          ['list', '1'],
          ['list', '2'],
          ['object', '{"b":1}'],
          ['deep[c][d]', '2'],
        ],
        ['joined', 'e|f'],
      ],
    });
  });

  it('writes multipart bodies by their encoding, with files', () => {
    const file: FormField = { type: 'file', format: null, values: [] };
    const list: FormField = { ...field, type: 'array', items: file };
    const properties = [
      ...[{ name: 'photo', isRequired: true, field: file }],
      ...[{ name: 'scans', isRequired: false, field: list }],
    ];
    const request = build(
      'multipart/form-data',
      { photo: 'a.png', scans: ['b.pdf', 'c.pdf'], tags: ['x', 'y'], meta: { a: 1 }, note: 'hi' },
      {
        field: { ...field, type: 'object', properties },
        encoding: { photo: { contentType: 'image/png, image/jpeg' }, note: { contentType: 'text/markdown' } },
      },
    );
    expect(request.headers).toEqual([]);
    expect(request.body).toEqual({
      kind: 'multipart',
      parts: [
        { name: 'photo', text: null, file: 'a.png', type: 'image/png' },
        { name: 'scans', text: null, file: 'b.pdf', type: null },
        { name: 'scans', text: null, file: 'c.pdf', type: null },
        { name: 'tags', text: 'x', file: null, type: null },
        { name: 'tags', text: 'y', file: null, type: null },
        { name: 'meta', text: '{\n  "a": 1\n}', file: null, type: 'application/json' },
        { name: 'note', text: 'hi', file: null, type: 'text/markdown' },
      ],
    });
  });

  it('keeps the type of other multipart bodies with files', () => {
    const photo: FormField = { type: 'file', format: null, values: [] };
    const properties = [{ name: 'photo', isRequired: true, field: photo }];
    const body = { field: { ...field, type: 'object' as const, properties } };
    const request = build('Multipart/Mixed; x=y', { photo: 'a.png' }, body);
    expect(request.headers).toEqual([]);
    expect(request.body).toMatchObject({ kind: 'multipart', type: 'multipart/mixed' });
    expect(build('multipart/*', { photo: 'a.png' }, body).body).not.toHaveProperty('type');
    expect(build("multipart/a'b", { photo: 'a.png' }, body).body).not.toHaveProperty('type');
  });

  it('sends a file as it is', () => {
    const file: FormField = { type: 'file', format: null, values: [] };
    expect(build('image/*', 'a.png', { field: file })).toMatchObject({
      headers: [['Content-Type', 'application/octet-stream']],
      body: { kind: 'file', file: 'a.png' },
    });
  });

  it('has no body for GET and HEAD', () => {
    const body = { type: 'application/json', value: {} };
    expect(buildRequest(emptyForm, { ...noValues, body })).toMatchObject({ headers: [], body: null });
  });
});

describe('example values', () => {
  it('has placeholders for credentials and values of types for what is required', () => {
    const text: FormField = { ...field, type: 'string' };
    const form: RequestForm = {
      ...{ ...emptyForm, path: '/users/{id}', security: [[bearer, basic, key('query')]] },
      servers: [{ url: '/v1', description: null, variables: [] }],
      parameters: [
        parameter({ in: 'path', name: 'id', style: 'simple', isRequired: true, field: text }),
        parameter({ name: 'q', isRequired: true, field: text }),
        parameter({ name: 'limit', field: { ...field, type: 'integer', example: 10 } }),
        parameter({ name: 'cursor', field: text }),
      ],
    };
    const values = exampleValues(form, { onlyRequired: false });
    expect(values.credentials).toEqual({
      ...{ token: { value: '<token>' }, basic: { user: '<user>', password: '<password>' } },
      query: { value: 'YOUR_API_KEY' },
    });
    expect(buildRequest(form, values).url).toBe(
      'https://example.com/v1/users/{id}?X-Key=YOUR_API_KEY&q=string&limit=10',
    );
    const required = exampleValues(form, { onlyRequired: true });
    expect(required.parameters).toEqual({ 'query:q': 'string' });
  });

  it('makes bodies of the examples of their properties', () => {
    const property = (name: string, isRequired: boolean, more: Partial<FormField>) => ({
      ...{ name, isRequired },
      field: { ...field, ...more },
    });
    const properties = [
      property('name', true, { type: 'string' }),
      property('age', false, { type: 'integer', example: 7 }),
      property('__proto__', true, { type: 'array', items: { ...field, example: 1 } }),
    ];
    const object: FormField = { ...field, type: 'object', properties };
    const bodies = [{ type: 'application/json', field: object, encoding: {} }];
    const form = { ...emptyForm, method: 'POST', bodies, isBodyRequired: true };
    const body = (onlyRequired: boolean) => JSON.stringify(exampleValues(form, { onlyRequired }).body?.value);
    expect(body(false)).toBe('{"name":"<string>","age":7,"__proto__":[1]}');
    expect(body(true)).toBe('{"name":"<string>","__proto__":[1]}');
  });
});
