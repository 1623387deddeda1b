import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerStaticFiles } from './static-files.ts';

const ROUTER = fileURLToPath(new URL('../../../../dashboard/src/router.tsx', import.meta.url));
const ORGANIZATION = `org_${'0'.repeat(32)}`;
const SCRIPT = 'export const words = "words, words";\n'.repeat(200);
const INDEX = '<!doctype html><title>Offprint</title>';

describe('registerStaticFiles', () => {
  let app: FastifyInstance;
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-static-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), INDEX);
    writeFileSync(join(folder, 'assets', 'index-abc.js'), SCRIPT);
    writeFileSync(join(folder, 'assets', 'font-abc.woff2'), Buffer.alloc(4096));
    writeFileSync(join(folder, 'index-abc.js.map'), 'not for the browser');
    app = fastify();
    app.setNotFoundHandler((_, reply) => reply.code(404).send({ error: 'There is no such route.' }));
    registerStaticFiles(app, folder);
    app.post('/v1/things', () => ({}));
  });

  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
  const html = { accept: 'text/html,application/xhtml+xml' };

  test('returns the page at every URL that the dashboard has', async () => {
    const paths = [...readFileSync(ROUTER, 'utf8').matchAll(/path: '([^']+)'/g)].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      const isTop =
        /^\/(sign|forgot|reset|reader-sign-in|invitation|account|new-|operator|\$organizationId)/.test(path);
      const address = `${isTop ? '' : '/$organizationId'}${path}`
        .replace('$organizationId', ORGANIZATION)
        .replaceAll(/\$\w+/g, 'some_id');
      const answer = await get(address, html);
      expect([answer.statusCode, answer.body], address).toEqual([200, INDEX]);
      expect((await get(`${address}?tab=source`, html)).statusCode, address).toBe(200);
    }
  });

  test('returns a page for an unknown URL to browsers, and the error of the API to programs', async () => {
    for (const address of ['/nothing', '/org_1/projects', `/${ORGANIZATION}/nothing`, '/../etc/passwd']) {
      const person = await get(address, html);
      expect([person.statusCode, person.body], address).toEqual([404, INDEX]);
      const program = await get(address, { accept: '*/*' });
      expect([program.statusCode, program.json()], address).toEqual([
        404,
        { error: 'There is no such route.' },
      ]);
    }
    expect((await get('/v1/nothing', html)).json()).toEqual({ error: 'There is no such route.' });
    expect((await get('/index-abc.js.map', { accept: '*/*' })).statusCode).toBe(404);
    expect((await app.inject({ method: 'POST', url: '/sign-in' })).statusCode).toBe(404);
  });

  test('allows a page its own files alone: no inline script, no frame, no text made into script', async () => {
    const { headers } = await get('/', html);
    const policy = String(headers['content-security-policy']);
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy.split('; ')).toContain(rule);
    }
    expect(policy).not.toMatch(/unsafe|data:|https?:|\*/);
  });

  test('keeps files whose names hold a digest for a year, and asks again for the page', async () => {
    expect((await get('/assets/index-abc.js')).headers['cache-control']).toContain('immutable');
    const page = await get('/account', html);
    expect(page.headers['cache-control']).toBe('no-cache');
    const again = await get('/account', { ...html, 'if-none-match': String(page.headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('compresses what the browser takes compressed, each form under its own tag', async () => {
    const plain = await get('/assets/index-abc.js');
    const brotli = await get('/assets/index-abc.js', { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await get('/assets/index-abc.js', { 'accept-encoding': 'gzip, br;q=0' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe(SCRIPT);
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(SCRIPT);
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(SCRIPT);
    expect(brotli.rawPayload.length).toBeLessThan(SCRIPT.length / 10);
    expect(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { headers } of [plain, brotli, gzip]) expect(headers.vary).toBe('Accept-Encoding');
    const font = await get('/assets/font-abc.woff2', { 'accept-encoding': 'br' });
    expect(font.headers['content-encoding']).toBeUndefined();
    expect(font.headers['content-type']).toBe('font/woff2');
  });
});
