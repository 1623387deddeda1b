import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { consentPage, loginsPage, messagePage, passwordPage, tokenPage } from './page.ts';

const host = 'docs.example.com';
const hostile = '"><script>alert(1)</script>&\'';
const pages = [
  passwordPage(host, { action: '/login', next: hostile, error: hostile }, { status: 401 }),
  loginsPage(host, [{ name: hostile, url: `https://acme.example/?a=${hostile}` }]),
  messagePage(host, 'Not signed in', hostile, { href: '/login', text: 'Sign in' }, { status: 403 }),
  tokenPage(host, '/login/jwt-callback'),
  consentPage(host, {
    action: hostile,
    request: hostile,
    name: hostile,
    redirect: new URL('https://app.example/callback'),
  }),
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

test('the consent page names the host that gets the access, and lets its form lead there only', () => {
  const pageOf = (uri: string) =>
    consentPage(host, { action: '/a', request: 'r', name: 'Editor', redirect: new URL(uri) });
  const remote = pageOf('https://app.example:8443/callback?a=1');
  expect(remote.body).toContain('<strong>app.example:8443</strong>');
  expect(remote.headers['Content-Security-Policy']).toMatch(
    /; form-action 'self' https:\/\/app\.example:8443$/,
  );
  const local = pageOf('http://127.0.0.1:4040/callback');
  expect(local.body).toContain('a program on this device (127.0.0.1:4040)');
  expect(local.headers['Content-Security-Policy']).toMatch(
    /; form-action 'self' http:\/\/127\.0\.0\.1:4040$/,
  );
  expect(pageOf('http://[::1]:4040/').headers['Content-Security-Policy']).toMatch(
    /; form-action 'self' http:$/,
  );
});
