import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createApiKeyBody,
  createProjectBody,
  faultOf,
  featureTable,
  fillPath,
  formatId,
  formatKey,
  getExportQuery,
  idPrefixes,
  isWellFormedId,
  isWellFormedKey,
  keyPattern,
  normalizeBasePath,
  normalizeDomain,
  normalizePagePath,
  startExportBody,
  versionLabel,
} from '../src/index.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('keys', () => {
  it('a formatted key is well formed and found by the published expression', () => {
    fc.assert(
      fc.property(bytes(32), (random) => {
        const key = formatKey(random);
        expect(isWellFormedKey(key)).toBe(true);
        expect(`a ${key} b`.match(keyPattern)?.[0]).toBe(key);
      }),
    );
  });

  it('a key with any one character changed is malformed', () => {
    const place = fc.nat(37);
    const letter = fc.constantFrom(...base62);
    fc.assert(
      fc.property(bytes(32), place, letter, (random, at, other) => {
        const key = formatKey(random);
        const index = 'offprint_'.length + at;
        fc.pre(key[index] !== other);
        expect(isWellFormedKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false);
      }),
    );
  });

  it('the checksum is CRC-32 in six base62 characters', () => {
    fc.assert(
      fc.property(bytes(32), (random) => {
        const key = formatKey(random);
        const body = key.slice('offprint_'.length, -6);
        const value = [...key.slice(-6)].reduce((sum, letter) => sum * 62 + base62.indexOf(letter), 0);
        expect(value).toBe(crc32(body));
      }),
    );
  });

  it('refuses too little randomness and a wrong body', () => {
    expect(() => formatKey(new Uint8Array(31))).toThrow(RangeError);
    expect(() => formatKey('too short')).toThrow(RangeError);
  });

  it('other texts are not keys', () => {
    for (const text of ['', 'offprint_', `offprint_${'0'.repeat(38)}`, `Offprint_${'0'.repeat(38)}`]) {
      expect(isWellFormedKey(text)).toBe(false);
    }
  });
});

describe('ids', () => {
  it('have the prefix of their kind and 32 hexadecimal digits', () => {
    for (const kind of Object.keys(idPrefixes) as (keyof typeof idPrefixes)[]) {
      const id = formatId(kind, new Uint8Array(16).fill(10));
      expect(id).toBe(`${idPrefixes[kind]}${'0a'.repeat(16)}`);
      expect(isWellFormedId(kind, id)).toBe(true);
      expect(isWellFormedId(kind, id.toUpperCase())).toBe(false);
    }
  });
});

describe('domains', () => {
  it.each([
    ['docs.example.com', 'docs.example.com'],
    ['DOCS.Example.COM', 'docs.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['docs.example.com.', 'docs.example.com'],
    ['localhost', 'localhost'],
    ['a_b.example.com', 'a_b.example.com'],
  ])('%s is %s', (text, domain) => {
    expect(normalizeDomain(text)).toBe(domain);
  });

  it.each([
    '',
    'https://docs.example.com',
    'docs.example.com/',
    'docs.example.com/docs',
    'docs.example.com:8080',
    'user@docs.example.com',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '::1',
    'a..b',
    '.example.com',
    '-a.example.com',
    'a b.example.com',
    'docs.example.com\n',
    'docs%2eexample.com',
    '*.example.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(127)}com`,
    '\0',
  ])('%j is not a domain', (text) => {
    expect(normalizeDomain(text)).toBeNull();
  });

  it.each([
    ['', ''],
    ['/', ''],
    ['docs', '/docs'],
    ['/docs/', '/docs'],
    ['//help//v2.1/', '/help/v2.1'],
    ['/..', null],
    ['/a/./b', null],
    ['https://a.example/docs', null],
    ['/a b', null],
    ['/a?b', null],
    ['/%2e', null],
    ['/a\\b', null],
    ['/a\n', null],
    [`/${'a'.repeat(200)}`, null],
  ])('%j as a base path is %j', (text, path) => {
    expect(normalizeBasePath(text)).toBe(path);
  });

  it('normalizing is idempotent, and the result is a host name', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' })), (text) => {
        const domain = normalizeDomain(text);
        if (domain === null) return;
        expect(normalizeDomain(domain)).toBe(domain);
        expect(domain).toMatch(/^[a-z0-9_.-]{1,253}$/);
      }),
    );
  });
});

describe('page paths', () => {
  it.each([
    ['index', 'index'],
    ['/', 'index'],
    ['/guides/start', 'guides/start'],
    ['guides/start.mdx', 'guides/start'],
    ['guides/start.html', 'guides/start'],
    ['guides/', 'guides'],
    ['v1.2/start', 'v1.2/start'],
  ])('%s is %s', (text, path) => {
    expect(normalizePagePath(text)).toBe(path);
  });

  it.each(['', '../secret', 'a/../b', 'a//b', 'a\\b', 'a\0b', './a', 'x'.repeat(1025)])(
    '%j is none',
    (text) => {
      expect(normalizePagePath(text)).toBeNull();
    },
  );
});

describe('version labels', () => {
  it.each(['1', '2026-06-01', 'v1.2.3_rc', 'a'.repeat(64)])('%s is one', (text) => {
    expect(versionLabel.safeParse(text).success).toBe(true);
  });
  it.each(['', 'a b', 'a/b', 'a'.repeat(65), 'é', 'a\n'])('%j is not a version label', (text) => {
    expect(versionLabel.safeParse(text).success).toBe(false);
  });
});

const kinds = z.object({
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('git'), url: z.string() }),
    z.object({ kind: z.literal('folder'), path: z.string() }),
  ]),
});

describe('errors of a request', () => {
  const fault = (value: unknown) => {
    const result = startExportBody.safeParse(value);
    return result.success ? null : faultOf(result.error.issues, 'body', value);
  };

  it('name the field by a JSON pointer', () => {
    expect(fault({ domain: 'a.example', paths: ['index', '../x'] })).toEqual({
      message: 'paths[1] must be a page path, such as guides/start.',
      param: '/paths/1',
    });
  });

  it('name an unknown field, also a nested one', () => {
    expect(fault({ domain: 'a.example', colour: 'red' })).toEqual({
      message: 'Unknown field colour.',
      param: '/colour',
    });
    expect(fault({ domain: 'a.example', source: { 'a/b': 1 } })?.param).toBe('/source/a~1b');
  });

  it('lists the known fields if the schema is given', () => {
    const schema = z.strictObject({
      name: z.string(),
      items: z.array(z.strictObject({ url: z.string(), title: z.string() })).optional(),
    });
    const messageOf = (value: unknown) =>
      faultOf(schema.safeParse(value).error!.issues, 'body', value, schema).message;
    expect(messageOf({ name: 'a', titel: 'b' })).toBe('Unknown field titel. Known: name, items.');
    expect(messageOf({ name: 'a', items: [{ url: 'b', title: 'c', x: 1 }] })).toBe(
      'Unknown field items[0].x. Known: url, title.',
    );
  });

  it('name a missing field', () => {
    expect(fault({})).toEqual({ message: 'domain is missing.', param: '/domain' });
  });

  it('name a query parameter by its name', () => {
    const result = getExportQuery.safeParse({ wait: 'soon' });
    expect(faultOf(result.error!.issues, 'query', { wait: 'soon' }).param).toBe('wait');
    const unknown = getExportQuery.safeParse({ pause: '1' });
    expect(faultOf(unknown.error!.issues, 'query', { pause: '1' })).toEqual({
      message: 'Unknown parameter pause.',
      param: 'pause',
    });
  });

  it.each<[string, z.ZodType, unknown, string]>([
    ['another type', z.object({ a: z.string() }), { a: 3 }, 'a must be text, not a whole number.'],
    ['null', z.object({ a: z.boolean() }), { a: null }, 'a must be true or false, not null.'],
    ['another body', z.object({}), [], 'The body must be an object, not a list.'],
    [
      'one of several values',
      z.object({ a: z.enum(['queued', 'running', 'failed']) }),
      { a: 'x' },
      'a must be queued, running or failed.',
    ],
    ['a kind', kinds, { source: { kind: 'svn' } }, 'source.kind must be git or folder.'],
    ['a field of a kind', kinds, { source: { kind: 'git' } }, 'source.url is missing.'],
    [
      'several types',
      z.object({ a: z.union([z.string(), z.array(z.string())]) }),
      { a: 1 },
      'a must be text or a list.',
    ],
    ['an empty list', z.object({ a: z.array(z.string()).min(1) }), { a: [] }, 'a must not be empty.'],
    ['a long text', z.object({ a: z.string().max(3) }), { a: 'abcd' }, 'a must have at most 3 characters.'],
    ['a large number', z.object({ a: z.number().max(3) }), { a: 4 }, 'a must be at most 3.'],
    [
      'a date',
      z.object({ a: z.iso.datetime() }),
      { a: 'soon' },
      'a must be a date and time such as 2026-01-31T12:00:00Z.',
    ],
  ])('say what is expected: %s', (_name, schema, value, message) => {
    expect(faultOf(schema.safeParse(value).error!.issues, 'body', value).message).toBe(message);
  });

  it('name a query parameter that occurs twice', () => {
    const query = { limit: ['1', '2'] };
    const result = z.object({ limit: z.coerce.number() }).safeParse(query);
    expect(faultOf(result.error!.issues, 'query', query).message).toBe('limit occurs more than once.');
  });

  it('say in a sentence what a field should be', () => {
    for (const value of [
      { domain: 'https://x' },
      { domain: 'a', version: 'b c' },
      { domain: 'a', paths: [] },
      [],
    ]) {
      expect(fault(value)?.message).toMatch(/^\S.*\.$/);
    }
  });
});

describe('projects', () => {
  const git = (repository: string) =>
    createProjectBody.safeParse({ name: 'Docs', source: { kind: 'git', repository } }).success;

  it.each([
    'https://github.com/acme/docs.git',
    // The operator decides for which hosts.
    'http://git.internal/acme/docs.git',
    'https://git.example.com:8443/team/docs',
    'git@github.com:acme/docs.git',
    'ssh://git@example.com:2222/acme/docs.git',
  ])('%s is a repository', (text) => {
    expect(git(text)).toBe(true);
  });

  it.each([
    'http://user:secret@github.com/acme/docs.git',
    'https://user:secret@github.com/acme/docs.git',
    'https://token@github.com/acme/docs',
    'file:///etc',
    '/etc',
    'ext::sh -c id',
    '--upload-pack=/bin/sh',
    'git@-oProxyCommand=x:y',
    'git://github.com/acme/docs',
    'https://github.com',
    'https://github.com/acme/docs?x',
    'https://github.com/a b',
  ])('%j is not a repository', (text) => {
    expect(git(text)).toBe(false);
  });

  it.each(['../x', '/docs', 'docs/', 'a/./b', 'a\\b'])('%j is not a folder of a source', (folder) => {
    const source = { kind: 'upload', folder };
    expect(createProjectBody.safeParse({ name: 'Docs', source }).success).toBe(false);
  });
});

describe('keys asked for', () => {
  const ranges = (...allowedCidrs: string[]) =>
    createApiKeyBody.safeParse({ name: 'a', allowedCidrs }).success;

  it('take address ranges', () => {
    expect(ranges('203.0.113.0/24', '2001:db8::/32', '10.0.0.0/8', '203.0.113.7/32')).toBe(true);
  });

  it.each([
    '0.0.0.0/0',
    '0.0.0.0/1',
    '::/0',
    '2000::/3',
    '::ffff:0.0.0.0/96',
    '0:0:0:0:0:ffff:a00:0/104',
    'any',
    '1.2.3.4',
  ])('refuse %s', (range) => {
    expect(ranges(range)).toBe(false);
  });

  it('expire after 7, 30, 60 or 90 days or never', () => {
    for (const expiresInDays of [7, 30, 60, 90, null]) {
      expect(createApiKeyBody.safeParse({ name: 'a', expiresInDays }).success).toBe(true);
    }
    expect(createApiKeyBody.safeParse({ name: 'a', expiresInDays: 3650 }).success).toBe(false);
  });
});

describe('features', () => {
  it('are those of the specification, section 1', () => {
    expect(Object.values(featureTable.search)).toEqual(['available', 'configurable', 'unavailable']);
    expect(Object.values(featureTable.assistant)).toEqual(['available', 'configurable', 'unavailable']);
    expect(Object.values(featureTable.analytics)).toEqual(['available', 'configurable', 'unavailable']);
    expect(Object.values(featureTable.playground)).toEqual(['available', 'available', 'configurable']);
    expect(Object.values(featureTable['static-export'])).toEqual(['available', 'available', 'available']);
  });
});

describe('paths of operations', () => {
  it('hold values percent-encoded, so that a value cannot leave its segment', () => {
    expect(fillPath('/v1/x/{id}/y', { id: 'a/../b?c' })).toBe('/v1/x/a%2F..%2Fb%3Fc/y');
  });
  it('need every value', () => {
    expect(() => fillPath('/v1/x/{id}', {})).toThrow('id');
    expect(() => fillPath('/v1/x/{id}', { id: '' })).toThrow('id');
  });
});
