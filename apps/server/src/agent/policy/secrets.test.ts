import { formatKey } from '@offprint/contract';
import { describe, expect, test } from 'vitest';
import { findSecrets, removeSecrets } from './secrets.ts';

/** Made here from a fixed seed, so that no scanner of this repository takes a sample for a leak. */
let state = 20_261_121;
function letters(count: number, alphabet: string): string {
  let text = '';
  while (text.length < count) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet[(state >>> 16) % alphabet.length];
  }
  return text;
}
const UPPER = 'BCDFGHJKLMNPQRSTVWZ';
const MIXED = `${UPPER}bcdfghjklmnpqrsvwz256789`;
const HEX = '0123456789abcdef';

describe('secrets are known by their form', () => {
  test.each([
    ['an Offprint API key', formatKey(letters(32, MIXED))],
    ['an AWS access key', `AKIA${letters(16, `${UPPER}234567`)}`],
    ['an AWS secret key', `aws_secret_access_key = "${letters(40, MIXED)}"`],
    ['a GitHub token', `ghp_${letters(36, MIXED)}`],
    ['a GitHub token', `ghs_${letters(36, MIXED)}`],
    ['a GitHub token', `github_pat_${letters(22, MIXED)}_${letters(59, MIXED)}`],
    ['a GitLab token', `glpat-${letters(20, MIXED)}`],
    ['a Slack token', `xoxb-${letters(12, '2356789')}-${letters(24, MIXED)}`],
    ['a Stripe live key', `sk_live_${letters(24, MIXED)}`],
    ['an Anthropic key', `sk-ant-api03-${letters(93, MIXED)}`],
    ['an OpenAI key', `sk-proj-${letters(30, MIXED)}T3BlbkFJ${letters(30, MIXED)}`],
    ['an API key', `sk-${letters(48, MIXED)}`],
    ['a Google API key', `AIza${letters(35, MIXED)}`],
    ['an npm token', `npm_${letters(36, MIXED)}`],
    ['a DigitalOcean token', `dop_v1_${letters(64, HEX)}`],
    [
      'a private key',
      `-----BEGIN RSA PRIVATE KEY-----\n${letters(400, MIXED)}\n-----END RSA PRIVATE KEY-----`,
    ],
    [
      'a signed token (JWT)',
      ['{"alg":"ES256"}', `{"iss":"https://idp.acme.dev","exp":1900000000,"jti":"${letters(9, HEX)}"}`]
        .map((part) => Buffer.from(part).toString('base64url'))
        .concat(letters(86, MIXED))
        .join('.'),
    ],
    ['a password in a URL', `postgres://admin:${letters(14, MIXED)}@db.acme.dev:5432/app`],
  ])('%s', (what, secret) => {
    const text = `# Page\n\nfirst line\nvalue: ${secret} and on\n`;
    expect(findSecrets(text, [])[0]).toMatchObject({ what, line: 4 });
    const removed = removeSecrets(text, []);
    expect(removed).toMatch(/\[removed\].* and on\n/);
    expect(findSecrets(removed, [])).toEqual([]);
  });
});

test('samples in docs are not secrets', () => {
  const samples = [
    'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'ghp_exampleTokenExampleTokenExampleToken',
    'AKIAIOSFODNN7EXAMPLE',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'sk-ant-api03-YOUR-KEY-HERE',
    'sk-...',
    'offprint_0000000000000000000000000000000000000000',
    `offprint_${'a'.repeat(38)}`,
    'postgres://user:password@localhost:5432/app',
    'https://user:<token>@example.com',
    'glpat-your-token-goes-here-now',
    'AIzaSyYOUR_API_KEY_GOES_HERE_0000000000',
    '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    'npm_1234567890abcdefghijklmnopqrstuvwxyz',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ];
  for (const sample of samples)
    expect({ sample, hits: findSecrets(sample, []) }).toEqual({ sample, hits: [] });
});

describe('an own secret is found however it is spelt', () => {
  const secret = `sk-ant-api03-${letters(40, MIXED)}-${letters(40, MIXED)}`;
  const half = secret.slice(40);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  test.each([
    ['plain', secret],
    ['half of it', half],
    ['other half', secret.slice(0, 48)],
    ['base64', base64(secret)],
    ['base64 behind one byte', base64(`x${secret}`)],
    ['base64 behind two bytes', base64(`xy${secret}z`)],
    ['base64 with line ends', base64(secret).replace(/(.{20})/g, '$1\n')],
    ['base64url', Buffer.from(secret).toString('base64url')],
    ['hexadecimal', Buffer.from(secret).toString('hex')],
    [
      'upper-case hexadecimal with colons',
      Buffer.from(secret).toString('hex').toUpperCase().replace(/(..)/g, '$1:'),
    ],
    ['reversed', [...secret].reverse().join('')],
    ['reversed base64', base64([...secret].reverse().join(''))],
    ['upper case', secret.toUpperCase()],
    [
      'rot13',
      secret.replace(/[a-z]/gi, (c) =>
        String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < 'n' ? 13 : -13)),
      ),
    ],
    ['blanks between', [...secret].join(' ')],
    ['zero-width between', [...secret].join('\u200b')],
    ['one character a line', [...secret].join('\n')],
    ['a table', [...secret].join(' | ')],
    ['percent', [...Buffer.from(secret)].map((b) => `%${b.toString(16)}`).join('')],
    ['entities', [...secret].map((c) => `&#${c.charCodeAt(0)};`).join('')],
    ['hexadecimal entities', [...secret].map((c) => `&#x${c.charCodeAt(0).toString(16)};`).join('')],
    ['escapes', [...secret].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
    ['wide letters', [...secret].map((c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)).join('')],
  ])('%s', (_how, spelt) => {
    const text = `one\ntwo ${spelt} three`;
    const hits = findSecrets(text, [secret]);
    expect(hits.map(({ what }) => what)).toContain('a secret of this installation');
    const removed = removeSecrets(text, [secret]);
    expect(findSecrets(removed, [secret])).toEqual([]);
    // Nothing significant is left at the ends either.
    expect(removed.replace('[removed]', '').length).toBeLessThan(text.length / 4 + 30);
  });

  test('a key in PEM is found by its body, not by the header that every key starts with', () => {
    const body = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQD${letters(1200, MIXED)}`;
    const pem = `-----BEGIN PRIVATE KEY-----\n${body.replace(/(.{64})/g, '$1\n')}\n-----END PRIVATE KEY-----\n`;
    expect(findSecrets(body.slice(300, 400), [pem])).not.toEqual([]);
    expect(findSecrets('a key begins with MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', [pem])).toEqual([]);
  });

  test('the words that short values consist of are not secrets', () => {
    expect(findSecrets('offprint pass, off print pass', ['offprint', 'offprintpw'])).toEqual([
      expect.objectContaining({ start: 0, end: 8 }),
    ]);
    expect(findSecrets('a short one', ['short'])).toEqual([]);
  });
});
