import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { loginsPage, messagePage, passwordPage, tokenPage } from './page.ts';

const host = 'docs.example.com';
const hostile = '"><script>alert(1)</script>&\'';
const pages = [
  passwordPage(host, { action: '/login', next: hostile, error: hostile }, { status: 401 }),
  loginsPage(host, [{ name: hostile, url: `https://acme.example/?a=${hostile}` }]),
  messagePage(host, 'Not signed in', hostile, { href: '/login', text: 'Sign in' }, { status: 403 }),
  tokenPage(host, '/login/jwt-callback'),
];

test('pages allow their own style and script and nothing else', () => {
  for (const { headers, body } of pages) {
    const policy = headers['Content-Security-Policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    for (const [, element, content] of body.matchAll(/<(style|script)>(.*?)<\/\1>/gs)) {
      const digest = createHash('sha256')
        .update(content ?? '')
        .digest('base64');
      expect(policy, element).toContain(`'sha256-${digest}'`);
    }
    expect(headers['Cache-Control']).toBe('private, no-store');
    expect(body).not.toMatch(/(?:src|@import|url\()/);
  }
  expect(pages.filter(({ body }) => body.includes('<script>'))).toHaveLength(1);
});

test('pages show texts of others as text', () => {
  for (const { body } of pages) expect(body).not.toContain('<script>alert');
});

test('the form names its field and its error for assistive technology', () => {
  const [{ body } = { body: '' }] = pages;
  expect(body).toContain('<label for="password">');
  expect(body).toContain('autocomplete="current-password"');
  expect(body).toContain('autocomplete="username" value="docs.example.com" hidden');
  expect(body).toMatch(/aria-invalid="true" aria-describedby="error"/);
  expect(body).toMatch(/id="error" role="alert"/);
  expect(body).toContain('<html lang="en">');
});
