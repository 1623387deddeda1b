import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { readToken, type TokenRules } from './token.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const host = 'docs.example.com';
const now = 1_700_000_000_500;
const seconds = Math.floor(now / 1000);
const rules: TokenRules = {
  publicKey: publicKey.export({ format: 'der', type: 'spki' }),
  host,
  issuer: null,
  audience: null,
  now,
};

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = (changes: object = {}): object => ({ host, exp: seconds + 10, groups: ['admin'], ...changes });

function tokenOf(body: unknown, head: object = { alg: 'EdDSA' }, key: KeyObject = privateKey): string {
  const signed = `${encode(head)}.${encode(body)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

function hmacToken(secret: string | Buffer): string {
  const signed = `${encode({ alg: 'HS256' })}.${encode(claims())}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

test('reads the data of a reader', () => {
  const user = {
    groups: ['admin'],
    expiresAt: seconds + 3_600,
    content: { firstName: 'Ada' },
    apiPlaygroundInputs: { header: { 'X-Key': 'k' }, server: { region: 'eu' } },
  };
  expect(readToken(tokenOf(claims({ ...user, sub: 'ada', extra: 1 })), rules)).toMatchObject({
    subject: 'ada',
    user: { ...user, host },
  });
});

test.each([
  ['none', `${encode({ alg: 'none' })}.${encode(claims())}.`],
  ['NONE with a signature', tokenOf(claims(), { alg: 'NONE' })],
  ['HS256 with the public key in PEM', hmacToken(publicKey.export({ format: 'pem', type: 'spki' }))],
  ['HS256 with the public key in DER', hmacToken(rules.publicKey)],
  ['HS256 with an empty secret', hmacToken('')],
  ['no algorithm', tokenOf(claims(), {})],
  ['ES256', tokenOf(claims(), { alg: 'ES256' })],
  ['an unknown critical extension', tokenOf(claims(), { alg: 'EdDSA', crit: ['b64'], b64: false })],
])('rejects a token with %s', (_, token) => {
  expect(readToken(token, rules)).toBe('algorithm');
});

test.each([
  ['expired', claims({ exp: seconds })],
  ['lasts_too_long', claims({ exp: seconds + 12 })],
  ['lasts_too_long', claims({ exp: seconds + 5, iat: seconds - 6 })],
  ['not_yet_valid', claims({ iat: seconds + 5 })],
  ['not_yet_valid', claims({ nbf: seconds + 5 })],
  ['host', claims({ host: 'other.example.com' })],
  ['host', claims({ host: `${host}:443` })],
  ['host', claims({ host: 'DOCS.example.com' })],
  ['host', claims({ host: undefined })],
  ['malformed', claims({ exp: undefined })],
  ['malformed', claims({ exp: String(seconds + 5) })],
  ['malformed', claims({ groups: 'admin' })],
  ['malformed', claims({ jti: 7 })],
  ['malformed', []],
  ['malformed', null],
])('rejects as %s the claims %j', (fault, body) => {
  expect(readToken(tokenOf(body), rules)).toBe(fault);
});

test('rejects a token that was changed or signed with another key', () => {
  const token = tokenOf(claims());
  const [head, , signature] = token.split('.');
  expect(readToken(`${head}.${encode(claims({ groups: ['owner'] }))}.${signature}`, rules)).toBe('signature');
  expect(readToken(tokenOf(claims(), { alg: 'EdDSA' }, other.privateKey), rules)).toBe('signature');
  // a key in the header is not believed
  const jwk = other.publicKey.export({ format: 'jwk' });
  expect(readToken(tokenOf(claims(), { alg: 'EdDSA', jwk }, other.privateKey), rules)).toBe('signature');
  expect(readToken(`${head}.${token.split('.')[1]}.`, rules)).toBe('signature');
});

test.each(['', '.', '..', 'a.b', 'a.b.c.d', ' a.b.c', 'a.b.c\n', `${'a'.repeat(20_000)}.b.c`])(
  'rejects %j as malformed',
  (token) => {
    expect(readToken(token, rules)).toBe('malformed');
  },
);

test('requires issuer and audience where they are set', () => {
  const strict = { ...rules, issuer: 'https://acme.example', audience: 'docs' };
  expect(readToken(tokenOf(claims({ aud: 'docs' })), strict)).toBe('issuer');
  expect(readToken(tokenOf(claims({ iss: 'https://acme.example', aud: ['other'] })), strict)).toBe(
    'audience',
  );
  expect(readToken(tokenOf(claims({ iss: 'https://acme.example' })), strict)).toBe('audience');
  expect(readToken(tokenOf(claims({ iss: 'https://acme.example', aud: ['x', 'docs'] })), strict)).toBeTypeOf(
    'object',
  );
});

test('refuses a stored key of another kind, whatever the token says', () => {
  const rsa = createPublicKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey);
  expect(
    readToken(tokenOf(claims()), { ...rules, publicKey: rsa.export({ format: 'der', type: 'spki' }) }),
  ).toBe('algorithm');
});

test('two tokens with one `jti` count as one use, and so does one token in two spellings', () => {
  const digestOf = (token: string): string => {
    const read = readToken(token, rules);
    return typeof read === 'string' ? read : read.useDigest.toString('hex');
  };
  const first = digestOf(tokenOf(claims({ jti: 'one' })));
  expect(digestOf(tokenOf(claims({ jti: 'one', exp: seconds + 9 })))).toBe(first);
  expect(digestOf(tokenOf(claims({ jti: 'two' })))).not.toBe(first);
  const token = tokenOf(claims());
  // the last character of 64 bytes has four bits that no byte contains
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(token.at(-1) ?? '');
  const respelled = token.slice(0, -1) + letters[(last & 0b110000) | ((last + 1) & 0b001111)];
  expect(respelled).not.toBe(token);
  expect(digestOf(respelled)).toBe(digestOf(token));
});
