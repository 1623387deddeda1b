import { describe, expect, test } from 'vitest';
import type { Redirect } from '../site.ts';
import { redirectsFile, rulesFiles } from './redirect-rules.ts';

function file(name: string, exact: Redirect[], patterns: Redirect[] = []): string {
  return rulesFiles({ exact, patterns }).find(({ path }) => path.endsWith(name))?.content ?? '';
}

const move = (source: string, destination: string, permanent = true): Redirect => ({
  source,
  destination,
  permanent,
});

/** The CloudFront function over a store, as that host would run it. */
function cloudfront(exact: Redirect[], patterns: Redirect[]) {
  const store = new Map<string, string>(
    JSON.parse(file('cloudfront-keyvaluestore.json', exact, patterns)).data.map(
      ({ key, value }: { key: string; value: string }) => [key, value],
    ),
  );
  const code = file('cloudfront-function.js', exact, patterns).replace(/^import .*$/m, '');
  const cf = {
    kvs: () => ({
      get: async (key: string) => {
        const value = store.get(key);
        if (value === undefined) throw new Error('KeyNotFound');
        return value;
      },
    }),
  };
  const handler = new Function('cf', `${code}; return handler;`)(cf);
  return async (uri: string): Promise<string | null> => {
    const answer = await handler({ request: { uri } });
    return answer.statusCode === undefined ? null : `${answer.statusCode} ${answer.headers.location.value}`;
  };
}

/** Keys and values of a map of nginx, quotes and escapes undone. */
function nginxEntries(exact: Redirect[], patterns: Redirect[] = []): [string, string][] {
  return [
    ...file('nginx.conf', exact, patterns).matchAll(/^ {2}"((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)";$/gm),
  ].map(([, key = '', value = '']) => [key.replace(/\\(["\\])/g, '$1'), value]);
}

/** An expression of nginx as one of JavaScript. */
const expression = (key: string): RegExp =>
  new RegExp(key.slice(1).replaceAll('[:space:]', '\\s').replaceAll('[:cntrl:]', '\\x00-\\x1f\\x7f'));

/** The first capture in a value of nginx. */
const C1 = '$'.concat('{c1}');

const PATTERNS = [
  move('/blog/:slug*', '/articles/:slug*'),
  move('/old/:id/edit', 'https://example.com/edit?id=:id'),
  move('/v1/article-*', '/v2/article-*', false),
  move('/any/*', '/new/*'),
];

describe('rules for hosts', () => {
  test('a site without redirects has none', () => {
    expect(rulesFiles({ exact: [], patterns: [] })).toEqual([]);
    expect(redirectsFile({ exact: [], patterns: [] })).toBe('');
  });

  test('_redirects names exact ones first, then the patterns that it can say', () => {
    const exact = [move('/a', '/b'), move('/ü x', '/c#d', false)];
    expect(redirectsFile({ exact, patterns: PATTERNS })).toBe(
      [
        '/a /b 301',
        '/%C3%BC%20x /c#d 302',
        '/blog/* /articles/:splat 301',
        '/old/:id/edit https://example.com/edit?id=:id 301',
        '/any/* /new/:splat 301',
        '',
      ].join('\n'),
    );
  });

  test('a name that starts like the capture is left alone', () => {
    const text = redirectsFile({ exact: [], patterns: [move('/a/:s*', '/:side/:s*')] });
    expect(text).toBe('/a/* /:side/:splat 301\n');
  });

  test('nginx: one map for each status, with hash tables that hold the longest key', () => {
    const text = file('nginx.conf', [move('/a', '/b'), move(`/${'x'.repeat(300)}`, '/c', false)]);
    expect(text).toContain('map $uri $offprint_permanent {\n  default "";\n  "/a" "/b";\n}');
    expect(text).toMatch(/map \$uri \$offprint_temporary \{\n {2}default "";\n {2}"\/x{300}" "\/c";\n\}/);
    expect(text).toContain('map_hash_bucket_size 512;');
  });

  test('nginx: patterns capture path segments, but nothing that could end a header', () => {
    const [[blog, articles] = ['', ''], [old, edit] = ['', '']] = nginxEntries([], PATTERNS);
    expect(articles).toBe(`/articles/${C1}`);
    expect(edit).toBe(`https://example.com/edit?id=${C1}`);
    expect(expression(blog).exec('/blog/a/b')?.[1]).toBe('a/b');
    expect(expression(blog).exec('/blog/a\r\nSet-Cookie: x')).toBeNull();
    expect(expression(blog).exec('/blog//evil.example')).toBeNull();
    expect(expression(old).exec('/old/1/edit')?.[1]).toBe('1');
    expect(expression(old).exec('/old/1/2/edit')).toBeNull();
  });

  test('nginx: an address that differs from its source by case only does not lead to itself', () => {
    const [[key] = ['']] = nginxEntries([move('/llms/xai', '/llms/xAI')]);
    expect(key).toBe('~^/llms/xai$');
  });

  test('nginx: nothing in a path or address ends its quotes or becomes a variable', () => {
    const hostile = [
      move('/a"; } evil {', '/b"; return 200 "$http_cookie'),
      move('/$uri', '/x\ny;'),
      move("/q'", "https://e.example/'$host'"),
    ];
    const text = file('nginx.conf', hostile, [move('/p"$/:x', '/y"$request/:x')]);
    const body = text.slice(text.indexOf('map $uri'));
    expect(nginxEntries(hostile)).toHaveLength(3);
    expect(body.split('\n').filter((line) => line.startsWith('  '))).toHaveLength(2 + 4);
    for (const [, value] of nginxEntries(hostile, [move('/p"$/:x', '/y"$request/:x')]))
      expect(value.replace(C1, '')).not.toMatch(/[$"\s]/);
  });

  test('CloudFront: the function reads exact redirects from the store and handles patterns itself', async () => {
    const ask = cloudfront([move('/a', '/b'), move('/ü', '/c', false)], PATTERNS);
    expect(await ask('/a')).toBe('308 /b');
    expect(await ask('/a/')).toBe('308 /b');
    expect(await ask('/%C3%BC')).toBe('307 /c');
    expect(await ask('/blog/x/y')).toBe('308 /articles/x/y');
    expect(await ask('/blog')).toBe('308 /articles/');
    expect(await ask('/old/7/edit')).toBe('308 https://example.com/edit?id=7');
    expect(await ask('/v1/article-9')).toBe('307 /v2/article-9');
    expect(await ask('/page')).toBeNull();
  });

  test('CloudFront: a captured path cannot lead to another host', async () => {
    const ask = cloudfront([], [move('/:path*', '/:path*'), move('/go/*', '/*')]);
    for (const uri of ['//evil.example', '/go//evil.example', '/go/\\evil.example'])
      expect((await ask(uri)) ?? '').not.toMatch(/^\d+ [/\\]{2}/);
  });

  test('CloudFront: the code stays within its limit, values too long for the store stay out', () => {
    const many = Array.from({ length: 500 }, (_, at) => move(`/from-${at}/:x*`, `/to-${at}/:x*`));
    expect(Buffer.byteLength(file('cloudfront-function.js', [], many))).toBeLessThanOrEqual(10_000);
    const long = JSON.parse(file('cloudfront-keyvaluestore.json', [move('/a', `/${'b'.repeat(2000)}`)]));
    expect(long).toEqual({ data: [] });
  });
});
