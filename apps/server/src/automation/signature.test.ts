import { expect, test } from 'vitest';
import { newWebhookSecret } from '../platform/webhook-signature.ts';
import { isSigned } from './signature.ts';

const read = (headers: Record<string, string>) => (name: string) => headers[name];
const signed = (headers: Record<string, string>, body: string, secret: string, now = Date.now()) =>
  isSigned({ header: read(headers), body: Buffer.from(body) }, secret, now);

// The examples that the forges publish.
const GITHUB = {
  secret: "It's a Secret to Everybody",
  body: 'Hello, World!',
  digest: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
};
const STANDARD = {
  secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
  body: '{"event_type":"ping","data":{"success":true}}',
  headers: {
    'webhook-id': 'msg_loFOjxBNrRLzqYUf',
    'webhook-timestamp': '1731705121',
    'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  },
  now: 1_731_705_121_000,
};

test.each([
  ['GitHub', { 'x-hub-signature-256': `sha256=${GITHUB.digest}` }],
  ['Gitea', { 'x-gitea-signature': GITHUB.digest }],
  ['Forgejo', { 'x-forgejo-signature': GITHUB.digest }],
  ['GitLab', { 'x-gitlab-token': GITHUB.secret }],
])('the signature of %s is believed; with one letter changed it is not', (_forge, headers) => {
  const { body, secret } = GITHUB;
  expect(signed(headers, body, secret)).toBe(true);
  expect(signed(headers, body, `${secret} `)).toBe(false);
  const [[name, value] = ['', '']] = Object.entries(headers);
  for (const other of [`${value}0`, value.slice(0, -1), value.toUpperCase(), '', ' '])
    expect(signed({ [name]: other }, body, secret)).toBe(false);
  if (name !== 'x-gitlab-token') expect(signed(headers, `${body} `, secret)).toBe(false);
});

test('a Standard Webhooks signature is believed for five minutes, for its id and time only', () => {
  const { body, headers, now, secret } = STANDARD;
  expect(signed(headers, body, secret, now)).toBe(true);
  const rotated = `v1,AAAA ${headers['webhook-signature']}`;
  expect(signed({ ...headers, 'webhook-signature': rotated }, body, secret, now)).toBe(true);
  for (const away of [-301_000, 301_000])
    expect(signed(headers, body, secret, now + away), String(away)).toBe(false);
  expect(signed({ ...headers, 'webhook-id': 'msg_other' }, body, secret, now)).toBe(false);
  expect(signed({ ...headers, 'webhook-timestamp': '1731705122' }, body, secret, now)).toBe(false);
  expect(signed(headers, body, newWebhookSecret(), now)).toBe(false);
});

test('an empty or unknown header is not a signature', () => {
  expect(signed({}, GITHUB.body, GITHUB.secret)).toBe(false);
  expect(signed({ 'x-hub-signature': GITHUB.digest }, GITHUB.body, GITHUB.secret)).toBe(false);
});
