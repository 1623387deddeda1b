import { describe, expect, test } from 'vitest';
import { clientOfId, idOfClient, isRedirectOf, readRedirectUri, readRegistration } from './oauth-client.ts';

const key = Buffer.alloc(32, 3);
const host = 'docs.example.com';
const register = (redirectUris: unknown, name: unknown = 'Editor') =>
  readRegistration(JSON.stringify({ client_name: name, redirect_uris: redirectUris }));

describe('redirect URIs', () => {
  test.each([
    'https://claude.example/api/callback',
    'https://claude.example/callback?a=1',
    'http://127.0.0.1:4040/callback',
    'http://localhost/callback',
    'http://[::1]:9/',
  ])('accepts %s', (uri) => {
    expect(readRedirectUri(uri)?.href).toBeTypeOf('string');
    expect(register([uri])).toMatchObject({ redirectUris: [uri] });
  });

  test.each([
    '',
    'javascript:alert(1)',
    'data:text/html,x',
    'cursor://callback',
    'http://evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'https://a@evil.example/',
    'https://localhost:1@evil.example/',
    'https://evil.example/#fragment',
    'https://evil.example\\@docs.example.com/',
    // directives of a policy
    'https://a;script-src *.evil.example/',
    'https://a;x/',
    'https://*.example/',
    "https://'self'/",
    'https://a b/',
    'https://ä.example/',
    'https://evil.example/\r\nSet-Cookie: a=1',
    ' https://evil.example/',
    '//evil.example',
    `https://a.example/${'a'.repeat(500)}`,
  ])('refuses %j', (uri) => {
    expect(readRedirectUri(uri)).toBeNull();
    expect(register(['https://a.example/', uri])).toBeTypeOf('string');
  });

  test('the code goes to a registered URI exactly, or to another port of a loopback one', () => {
    const client = { name: 'a', redirectUris: ['https://a.example/cb?x=1', 'http://127.0.0.1:1/cb'] };
    const allowed = ['https://a.example/cb?x=1', 'http://127.0.0.1:1/cb', 'http://127.0.0.1/cb'];
    for (const uri of [...allowed, 'http://127.0.0.1:65535/cb'])
      expect([uri, isRedirectOf(client, uri)]).toEqual([uri, true]);
    for (const uri of [
      'https://a.example/cb',
      'https://a.example/cb?x=1&y=2',
      'https://a.example/cb?x=1/',
      'https://A.example/cb?x=1',
      'https://a.example:8443/cb?x=1',
      'http://a.example/cb?x=1',
      'http://localhost:1/cb',
      'http://127.0.0.1:1/cb/more',
      'http://127.0.0.1:1/cb?code=1',
      'https://127.0.0.1:1/cb',
      'http://127.0.0.1:1@evil.example/cb',
      '',
    ])
      expect([uri, isRedirectOf(client, uri)]).toEqual([uri, false]);
  });
});

test.each([
  ['nothing', ''],
  ['a list', '[]'],
  ['null', 'null'],
  ['no JSON', '{"redirect_uris":'],
  ['no URIs', '{"client_name":"a"}'],
  ['a text', '{"redirect_uris":"https://a.example/"}'],
  ['an empty list', '{"redirect_uris":[]}'],
  ['many', JSON.stringify({ redirect_uris: Array(11).fill('https://a.example/') })],
  ['long ones', JSON.stringify({ redirect_uris: Array(3).fill(`https://a.example/${'a'.repeat(400)}`) })],
  ['other types', '{"redirect_uris":[{"toString":1}]}'],
  ['a deep value', `{"redirect_uris":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
])('refuses a registration with %s', (_, body) => {
  expect(readRegistration(body)).toBeTypeOf('string');
});

test('a name is one short line without characters that change what is around it', () => {
  const nameOf = (name: unknown) => register(['https://a.example/'], name);
  expect(nameOf('Editor\u202e\u0000\nof \n Ada')).toMatchObject({ name: 'Editor of Ada' });
  expect(nameOf('a'.repeat(30_000))).toMatchObject({ name: 'a'.repeat(60) });
  for (const empty of [null, 7, '', ' \u200b\n']) expect(nameOf(empty)).toMatchObject({ name: 'unnamed' });
});

test('an id contains the client, for one host and one installation, and cannot be changed', () => {
  const client = { name: 'Editor', redirectUris: ['https://a.example/'] };
  const id = idOfClient(client, key, host);
  expect(clientOfId(id, key, host)).toEqual(client);
  expect(clientOfId(id, key, 'other.example.com')).toBeUndefined();
  expect(clientOfId(id, Buffer.alloc(32, 4), host)).toBeUndefined();
  const middle = Math.floor(id.length / 2);
  const changed = `${id.slice(0, middle)}${id[middle] === 'A' ? 'B' : 'A'}${id.slice(middle + 1)}`;
  for (const wrong of ['', 'x', changed, `${id}=`, id.slice(1), 'A'.repeat(20_000)])
    expect(clientOfId(wrong, key, host)).toBeUndefined();
});
