/** What a restricted site says to MCP clients that have no session, and which requests a token opens. */
import { type Reader, readerCookieName, signAccessToken, signReader } from '@offprint/bundle';
import { describe, expect, test } from 'vitest';
import type { AccessSite } from '../src/access/access.ts';
import { type AccessDecision, checkAccess } from '../src/access/check-access.ts';

const HOST = 'docs.example.com';
const cookieKey = Buffer.alloc(32, 1).toString('base64url');
const now = 1_700_000_000_000;
const reader: Reader = {
  subject: 'ada',
  host: HOST,
  groups: ['admin'],
  expiresAt: now / 1000 + 7_200,
  content: {},
  apiPlaygroundInputs: {},
};
const token = signAccessToken(reader, { cookieKey, now })?.value ?? '';
const messages = { accept: 'application/json, text/event-stream' };

function decide(
  basePath: string,
  target: string,
  options: {
    method?: string;
    headers?: Record<string, string>;
    access?: AccessSite['access'];
    now?: number;
  } = {},
): AccessDecision {
  const { method = 'GET', headers = {}, access = { kind: 'password', cookieKey } } = options;
  const request = { method, target, headers: { host: `${HOST}:8443`, ...headers }, isSecure: true };
  return checkAccess({ host: HOST, basePath, access }, request, options.now ?? now);
}

const documentOf = (basePath: string, path: string) => {
  const decision = decide(basePath, path);
  return decision.kind === 'answer' ? JSON.parse(decision.body) : decision.kind;
};

describe.each(['', '/docs'])('below the base path %j', (basePath) => {
  const issuer = `https://${HOST}:8443${basePath}`;
  const bearer = (value: string) => ({ headers: { ...messages, authorization: `Bearer ${value}` } });
  const post = (headers: Record<string, string> = {}) =>
    decide(basePath, `${basePath}/mcp`, { method: 'POST', headers });

  test('a client finds the authorization from the 401, and from the paths of both specifications', () => {
    const refused = post();
    expect(refused).toMatchObject({ kind: 'refused', status: 401 });
    const challenge = refused.kind === 'refused' ? refused.headers['WWW-Authenticate'] : '';
    expect(challenge).toBe(`Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp"`);
    for (const path of [
      `${basePath}/.well-known/oauth-protected-resource/mcp`,
      `${basePath}/.well-known/oauth-protected-resource`,
      `/.well-known/oauth-protected-resource${basePath}/mcp`,
    ])
      expect(documentOf(basePath, path), path).toMatchObject({
        resource: `${issuer}/mcp`,
        authorization_servers: [issuer],
      });
    for (const path of [
      `${basePath}/.well-known/oauth-authorization-server`,
      `/.well-known/oauth-authorization-server${basePath}`,
    ])
      expect(documentOf(basePath, path), path).toMatchObject({
        issuer,
        token_endpoint: `${issuer}/_offprint/oauth/token`,
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      });
    const path = `${basePath}/.well-known/oauth-authorization-server`;
    expect(decide(basePath, path, { method: 'POST' })).toMatchObject({ kind: 'answer', status: 405 });
  });

  test('the platform responds to the authorization of a restricted site only', () => {
    for (const name of ['register', 'authorize?client_id=a', 'token']) {
      const path = `${basePath}/_offprint/oauth/${name}`;
      expect(decide(basePath, path).kind).toBe('sign-in');
      expect(decide(basePath, path, { access: { kind: 'public' } }).kind).toBe('open');
    }
    expect(decide(basePath, `${basePath}/_offprint/oauth/other`).kind).toBe('refused');
  });

  test('a public site says nothing of it', () => {
    const access = { kind: 'public' } as const;
    for (const path of [
      `${basePath}/.well-known/oauth-protected-resource/mcp`,
      `${basePath}/.well-known/oauth-authorization-server`,
      `${basePath}/mcp`,
    ])
      expect(decide(basePath, path, { ...bearer('x'), access }).kind).toBe('open');
  });

  test('a token opens messages to /mcp with the groups of the reader', () => {
    for (const method of ['POST', 'GET', 'DELETE'])
      expect(decide(basePath, `${basePath}/mcp?a=1`, { method, ...bearer(token) })).toMatchObject({
        kind: 'open',
        reader: { subject: 'ada', groups: ['admin'] },
      });
    for (const authorization of [`bearer ${token}`, `BEARER  ${token}`])
      expect(post({ authorization }).kind).toBe('open');
  });

  test('a token opens nothing else', () => {
    const paths = [
      '/',
      '/guide',
      '/mcp/',
      '/mcp.md',
      '/_offprint/search?q=a',
      '/.well-known/mcp',
      '/MCP',
      '//mcp',
    ];
    for (const path of [...paths, '/mcp%20', '/x/../mcp'])
      for (const method of ['GET', 'POST'])
        expect([path, decide(basePath, basePath + path, { method, ...bearer(token) }).kind], method).toEqual([
          path,
          'refused',
        ]);
    // a person who opens the page `mcp`
    const headers = { accept: 'text/html', authorization: `Bearer ${token}` };
    expect(decide(basePath, `${basePath}/mcp`, { headers })).toMatchObject({ kind: 'refused', status: 302 });
  });

  test('a token that is not valid is refused, also beside a session', () => {
    const cookie = `${readerCookieName(true)}=${signReader(reader, cookieKey)}`;
    expect(post({ cookie }).kind).toBe('open');
    const otherKey = Buffer.alloc(32, 2).toString('base64url');
    const invalid = [
      '',
      'x',
      `${token}x`,
      signReader(reader, cookieKey) ?? '',
      signAccessToken({ ...reader, host: 'other.example.com' }, { cookieKey, now })?.value ?? '',
      signAccessToken(reader, { cookieKey: otherKey, now })?.value ?? '',
    ];
    for (const value of invalid) {
      const refused = post({ cookie, authorization: `Bearer ${value}` });
      expect(refused, value).toMatchObject({ kind: 'refused', status: 401 });
      const challenge = refused.kind === 'refused' ? refused.headers['WWW-Authenticate'] : '';
      expect(challenge).toContain('error="invalid_token"');
    }
    expect(decide(basePath, `${basePath}/mcp`, { ...bearer(token), now: now + 3_600_000 }).kind).toBe(
      'refused',
    );
    expect(post({ cookie: `${readerCookieName(true)}=${token}` }).kind).toBe('refused');
    // another scheme is none of ours
    expect(post({ cookie, authorization: 'Basic YTpi' }).kind).toBe('open');
  });
});

test('the documents name the host of the site, whatever the request says', () => {
  for (const host of ['evil.example', `${HOST}@evil.example`, `${HOST}:1@evil.example`, 'a"b']) {
    const decision = decide('', '/.well-known/oauth-protected-resource/mcp', { headers: { host } });
    expect(decision.kind === 'answer' ? JSON.parse(decision.body).resource : '').toBe(`https://${HOST}/mcp`);
  }
});
