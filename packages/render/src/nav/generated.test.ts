import { describe, expect, test } from 'vitest';
import { growth, LINEAR } from '../../test/cpu-time.ts';
import { loadConfig } from '../config/config.ts';
import type { NavNode, SiteMap } from '../site.ts';
import { memorySource } from '../source.ts';
import type { Warning } from '../warning.ts';
import { parseOperation } from './operation.ts';
import { buildSiteMap } from './site-map.ts';
import { operationSlug, slugify } from './slug.ts';

const SPEC = {
  openapi: '3.1.0',
  tags: [{ name: 'user-management', 'x-group': 'User Management' }],
  paths: {
    '/users': {
      get: { tags: ['user-management'], summary: 'List users', description: 'All of them.' },
      post: { tags: ['user-management'], summary: 'List users', deprecated: true },
    },
    '/users/{id}/posts': { get: { tags: ['posts'] }, parameters: [] },
    '/ping/': { get: { summary: "Ping (it's alive)." } },
    '/secret': { get: { summary: 'Secret', 'x-excluded': true } },
    '/quiet': { get: { summary: 'Quiet', 'x-hidden': true } },
    '/own': {
      get: {
        summary: 'Own',
        'x-mint': { href: '/special/own', content: '# Body', metadata: { title: 'Mine', tag: 'BETA' } },
      },
    },
  },
  webhooks: { created: { post: { summary: 'Created', tags: ['Events'] } } },
};

function build(navigation: unknown, files: Record<string, string> = {}, api?: unknown) {
  const docs = JSON.stringify(
    { name: 'Docs', theme: 'mint', navigation, ...(api === undefined ? {} : { api }) },
    null,
    1,
  );
  const source = memorySource({
    'docs.json': docs,
    'a.mdx': '',
    'spec.json': JSON.stringify(SPEC),
    ...files,
  });
  const warnings: Warning[] = [];
  const warn = (warning: Warning) => warnings.push(warning);
  const map = buildSiteMap(source, loadConfig(source, warn), {}, warn);
  return { map, warnings, codes: warnings.map(({ code }) => code) };
}

const generated = (map: SiteMap): string[] =>
  map.pages.filter(({ source }) => source === null).map(({ path }) => path);
const tree = (node: NavNode): unknown =>
  node.page === null ? [node.label, ...node.children.map(tree)] : node.page.path;

describe('generated API pages', () => {
  test('a node with a description and no pages gets one page for each operation, grouped by first tag', () => {
    const { map, warnings } = build({ tabs: [{ tab: 'API', openapi: 'spec.json' }] });
    expect(warnings).toEqual([]);
    expect(map.navigation.children.map(tree)).toEqual([
      [
        'API',
        [
          'User Management',
          'api-reference/user-management/list-users',
          'api-reference/user-management/list-users-1',
        ],
        ['posts', 'api-reference/posts/get-users-posts'],
        ['API Reference', 'api-reference/ping-its-alive', 'api-reference/quiet', 'special/own'],
        ['Events', 'api-reference/events/created'],
      ],
    ]);
    expect(map.byPath.get('api-reference/user-management/list-users')).toMatchObject({
      title: 'List users',
      description: 'All of them.',
      source: null,
      deprecated: false,
      output: 'api-reference/user-management/list-users.html',
      operation: { method: 'GET', path: '/users', spec: 'spec.json' },
    });
    expect(map.byPath.get('api-reference/user-management/list-users')?.readBody()).toBe('');
    expect(map.byPath.get('api-reference/user-management/list-users-1')?.deprecated).toBe(true);
    expect(map.byPath.get('api-reference/posts/get-users-posts')?.title).toBe('Get users posts');
    expect(map.byPath.get('api-reference/events/created')?.operation).toEqual({
      method: 'WEBHOOK',
      path: 'created',
      spec: 'spec.json',
    });
    expect(map.byPath.get('api-reference/quiet')).toMatchObject({ hidden: true, noindex: true });
    expect(map.byPath.get('special/own')).toMatchObject({ title: 'Mine', tag: 'BETA' });
    expect(map.byPath.get('special/own')?.readBody()).toBe('# Body');
  });

  test('the directory of the description is the folder of its pages', () => {
    const { map } = build({
      groups: [
        { group: 'G', openapi: { source: '/spec.json', directory: '/ref/v1/' }, pages: ['GET /users'] },
      ],
    });
    expect(generated(map)).toEqual(['ref/v1/user-management/list-users']);
  });

  test('an operation without a summary has its method and path in words as title', () => {
    const paths = { '/users/{id}/query-all/v1.2/{x}:run': { put: {} }, '/': { get: {} } };
    const files = { 'other.json': JSON.stringify({ openapi: '3.0.0', paths }) };
    const { map } = build({ openapi: 'other.json' }, files);
    const found = map.pages.filter(({ operation }) => operation !== null);
    expect(found.map(({ path, title }) => [path, title])).toEqual([
      ['api-reference/get', 'Get'],
      ['api-reference/put-users-query-allv12-run', 'Put users query all v1.2 :run'],
    ]);
  });

  test('each description of a list has a directory of its own', () => {
    const other = { openapi: '3.0.0', paths: { '/pets': { get: { summary: 'List pets' } } } };
    const openapi = [
      { source: 'spec.json', directory: 'one' },
      { source: 'other.json', directory: 'two' },
    ];
    const files = { 'other.json': JSON.stringify(other) };
    const pages = ['GET /users', 'GET /pets'];
    const inNode = build({ groups: [{ group: 'G', openapi, pages }] }, files);
    const inApi = build({ pages }, files, { openapi });
    for (const { map } of [inNode, inApi])
      expect(generated(map)).toEqual(['one/user-management/list-users', 'two/list-pets']);
  });

  test('entries of a description that was not fetched have a page of method and path, with one warning', () => {
    const openapi = 'https://example.com/x.json';
    const { map, codes } = build({
      groups: [{ group: 'G', openapi, pages: ['POST /v1/sessions/start', 'GET /v1/x'] }],
    });
    expect(codes).toEqual(['remote-description']);
    expect(map.byPath.get('api-reference/post-v1sessionsstart')).toMatchObject({
      title: '/v1/sessions/start',
      operation: { method: 'POST', path: '/v1/sessions/start', spec: openapi },
      indexable: true,
    });
  });

  test('a written page takes from its operation what it does not say itself', () => {
    const { map } = build(
      { pages: ['bare', 'own'] },
      {
        'bare.mdx': '---\nopenapi: post /users\n---\n',
        'own.mdx': '---\ntitle: Mine\ndescription: Ours\nopenapi: get /users\n---\n',
      },
      { openapi: 'spec.json' },
    );
    expect(map.byPath.get('bare')).toMatchObject({ title: 'List users', deprecated: true });
    expect(map.navigation.children[0]?.label).toBe('List users');
    expect(map.byPath.get('own')).toMatchObject({ title: 'Mine', description: 'Ours' });
  });

  test('a directory that leaves the site is ignored', () => {
    const { map } = build({
      groups: [
        { group: 'G', openapi: { source: 'spec.json', directory: '../../up' }, pages: ['GET /users'] },
      ],
    });
    expect(generated(map)).toEqual(['api-reference/user-management/list-users']);
  });

  test('entries use the closest description, their own one, or that of the site; case and a last slash do not count', () => {
    const other = JSON.stringify({
      openapi: '3.0.0',
      paths: { '/users': { get: { summary: 'Other users' } } },
    });
    const pages = [
      'get /users',
      'spec.json POST /users',
      '/other.json GET /users',
      'spec.json webhook created',
      'GET /ping',
      { group: 'H', openapi: 'other.json', pages: ['GET /users/'] },
    ];
    const { map, warnings } = build(
      { pages: [{ group: 'G', pages }] },
      { 'other.json': other },
      { openapi: 'spec.json' },
    );
    expect(warnings).toEqual([]);
    expect(generated(map)).toEqual([
      'api-reference/events/created',
      'api-reference/other-users',
      'api-reference/ping-its-alive',
      'api-reference/user-management/list-users',
      'api-reference/user-management/list-users-1',
    ]);
    expect(map.byPath.get('api-reference/other-users')?.trail).toHaveLength(3);
  });

  test('an entry below that picks an operation stops the page for each of them; other pages do not', () => {
    const picked = build({
      tabs: [{ tab: 'T', openapi: 'spec.json', groups: [{ group: 'G', pages: ['GET /users'] }] }],
    });
    expect(generated(picked.map)).toHaveLength(1);
    const beside = build({
      tabs: [{ tab: 'T', openapi: 'spec.json', groups: [{ group: 'G', pages: ['a'] }] }],
    });
    expect(generated(beside.map)).toHaveLength(7);
    const own = build({ tabs: [{ tab: 'T', openapi: 'spec.json', pages: ['a'] }] });
    expect(generated(own.map)).toHaveLength(7);
  });

  test('a written page of an operation below the node stands for the generated one and takes its description', () => {
    const files = { 'users.mdx': '---\nopenapi: get /users\n---\n' };
    const { map } = build(
      { tabs: [{ tab: 'T', openapi: 'spec.json', groups: [{ group: 'G', pages: ['users'] }] }] },
      files,
    );
    const operations = map.pages.filter(({ source }) => source === null).map(({ operation }) => operation);
    expect(operations).toHaveLength(6);
    expect(operations).not.toContainEqual(expect.objectContaining({ method: 'GET', path: '/users' }));
    expect(map.byPath.get('users')?.operation?.spec).toBe('spec.json');
  });

  test('a written page at the path of a generated one of the same operation is that page; of another, both stay', () => {
    const path = 'api-reference/user-management/list-users.mdx';
    const navigation = { pages: [{ group: 'G', openapi: 'spec.json', pages: ['GET /users'] }] };
    const same = build(navigation, { [path]: '---\ntitle: Written\nopenapi: GET /users\n---\n' });
    expect(generated(same.map)).toEqual([]);
    expect(tree(same.map.navigation)).toEqual(['', ['G', 'api-reference/user-management/list-users']]);
    const another = build(navigation, { [path]: '---\ntitle: Written\n---\n' });
    expect(generated(another.map)).toEqual(['api-reference/user-management/list-users-1']);
  });

  test('pages that document no operation are followed by the generated ones', () => {
    const navigation = {
      groups: [{ group: 'G', openapi: { source: 'spec.json', directory: 'rest' }, pages: ['a'] }],
    };
    const { map, warnings } = build(navigation);
    expect(warnings).toEqual([]);
    expect(generated(map)).toContain('rest/user-management/list-users');
    const [group] = map.navigation.children;
    expect(group?.children.map(tree).slice(0, 2)).toEqual([
      'a',
      ['User Management', 'rest/user-management/list-users', 'rest/user-management/list-users-1'],
    ]);
  });

  test.each([
    ['an entry', ['a', 'GET /users'], ['api-reference/user-management/list-users']],
    ['a page', ['a', 'users'], []],
    ['a page of a group', ['a', { group: 'H', pages: ['users'] }], []],
  ])('%s that documents an operation means that only listed operations are shown', (_, pages, expected) => {
    const files = { 'users.mdx': '---\nopenapi: get /users\n---\n' };
    const { map } = build({ groups: [{ group: 'G', openapi: 'spec.json', pages }] }, files);
    expect(generated(map)).toEqual(expected);
  });

  test('an operation listed twice is one page', () => {
    const { map } = build({
      pages: [{ group: 'G', openapi: 'spec.json', pages: ['GET /users', 'GET /users'] }],
    });
    expect(generated(map)).toHaveLength(1);
  });

  test('all descriptions of a list give pages, YAML too', () => {
    const yaml = 'openapi: 3.0.3\npaths:\n  /y:\n    get:\n      summary: From YAML\n';
    const { map } = build({ tabs: [{ tab: 'T', openapi: ['spec.json', 'y.yaml'] }] }, { 'y.yaml': yaml });
    expect(generated(map)).toContain('api-reference/from-yaml');
    expect(generated(map)).toHaveLength(8);
  });

  test.each([
    ['remote-description', { openapi: 'https://example.com/x.json' }],
    ['description-missing', { openapi: 'gone.json' }],
    ['description-missing', { openapi: '../../etc/passwd' }],
    ['description-version', { openapi: 'swagger.json' }],
    ['description-invalid', { openapi: 'broken.yaml' }],
    ['description-invalid', { openapi: 'list.json' }],
    ['navigation-type', { openapi: 5 }],
    ['operation-missing', { openapi: 'spec.json', pages: ['GET /nope'] }],
    ['operation-missing', { pages: ['GET /nope'] }],
    ['description-missing', { asyncapi: 'gone.yaml' }],
    ['description-version', { asyncapi: 'spec.json' }],
    ['description-invalid', { asyncapi: 'broken.yaml' }],
    ['navigation-type', { asyncapi: 5 }],
    ['unsupported-source', { graphql: 'a.graphql' }],
  ])('%s is a warning and no page: %j', (code, node) => {
    const files = {
      'swagger.json': '{"swagger": "1.2", "paths": {}}',
      'broken.yaml': 'a: [',
      'list.json': '[]',
    };
    const { map, codes, warnings } = build({ pages: ['a', { group: 'G', ...node }] }, files);
    expect(codes).toEqual([code]);
    expect(warnings[0]?.file).not.toBe('');
    expect(generated(map)).toEqual([]);
  });

  test('thousands of operations of one name cost linear time; more than the limit are refused', () => {
    const paths = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`/x${index}`, { get: { summary: 'Same' } }]),
      );
    const spec = (count: number) => ({ 'x.json': JSON.stringify({ openapi: '3.0.0', paths: paths(count) }) });
    const navigation = { tabs: [{ tab: 'T', openapi: 'x.json' }], pages: ['a'] };
    expect(growth((count) => build(navigation, spec(count)), 1_250)).toBeLessThan(LINEAR);
    expect(generated(build(navigation, spec(3)).map)).toEqual([
      'api-reference/same',
      'api-reference/same-1',
      'api-reference/same-2',
    ]);
    expect(build(navigation, spec(20_001)).codes).toEqual(['description-too-large']);
  });

  test('a written page finds its description by path, name, name without extension, or as the first that has the operation', () => {
    const page = (openapi: string) => `---\nopenapi: ${openapi}\n---\n`;
    const files = {
      'p1.mdx': page('/deep/users.yaml get /y'),
      'p2.mdx': page('users.yaml get /y'),
      'p3.mdx': page('users get /y'),
      'p4.mdx': page('get /y/'),
      'p5.mdx': page('GET /users'),
      'p6.mdx': page('get /nope'),
      'p7.mdx': page('https://example.com/x.json get /y'),
      'p8.mdx': '---\napi: GET /own\n---\n',
      'deep/users.yaml': 'openapi: 3.0.3\npaths:\n  /y:\n    get: {}\n',
      'data.json': '{"openapi": 5}',
      'broken.yaml': 'openapi: [',
    };
    const { map, warnings } = build({ pages: ['a'] }, files);
    expect(map.pages.flatMap(({ operation }) => (operation === null ? [] : [operation.spec]))).toEqual([
      ...Array(4).fill('deep/users.yaml'),
      'spec.json',
      null,
      'https://example.com/x.json',
      null,
    ]);
    expect(warnings).toMatchObject([
      { file: 'p6.mdx', line: 1, code: 'operation-missing' },
      { file: 'p7.mdx', line: 1, code: 'remote-description' },
    ]);
  });

  test('the warning of a page names a description on another host that may have its operation', () => {
    const files = { 'p.mdx': '---\nopenapi: get /nope\n---\n' };
    const messageOf = (openapi: unknown): string | undefined =>
      build({ groups: [{ group: 'G', openapi, pages: ['a'] }] }, files).warnings.find(
        ({ file }) => file === 'p.mdx',
      )?.message;
    expect(messageOf('spec.json')).toContain('GET /nope. Correct "openapi"');
    expect(messageOf(['https://example.com/x.json'])).toContain('the one on another host was not downloaded');
    expect(messageOf({ source: 'https://example.com/x.json' })).toContain('was not downloaded');
  });

  test('restricted operations are left out', () => {
    const spec = {
      openapi: '3.0.0',
      paths: { '/x': { get: { summary: 'X', 'x-mint': { groups: ['admin'] } } } },
    };
    const { map } = build(
      { tabs: [{ tab: 'T', openapi: 'x.json' }], pages: ['a'] },
      { 'x.json': JSON.stringify(spec) },
    );
    expect(generated(map)).toEqual([]);
  });
});

describe('OpenAPI 3.2', () => {
  const spec = (more: object): Record<string, string> => ({
    'x.json': JSON.stringify({ openapi: '3.2.0', ...more }),
  });
  const operation = (summary: string, ...tags: string[]): object => ({ summary, tags });

  test('methods of additionalOperations and query have pages, entries and front matter', () => {
    const paths = {
      '/files': {
        query: { summary: 'Query files' },
        additionalOperations: { COPY: { summary: 'Copy files' }, 'Odd-Case': { summary: 'Odd' } },
      },
    };
    const all = build({ tabs: [{ tab: 'T', openapi: 'x.json' }], pages: ['a'] }, spec({ paths }));
    expect(generated(all.map)).toEqual([
      'api-reference/copy-files',
      'api-reference/odd',
      'api-reference/query-files',
    ]);
    const files = { ...spec({ paths }), 'own.mdx': '---\nopenapi: x.json COPY /files\n---\n' };
    const pages = ['own', 'QUERY /files', 'x.json ODD-CASE /files'];
    const picked = build({ groups: [{ group: 'G', openapi: 'x.json', pages }] }, files);
    expect(picked.warnings).toEqual([]);
    expect(generated(picked.map)).toEqual(['api-reference/odd', 'api-reference/query-files']);
    expect(picked.map.byPath.get('own')).toMatchObject({
      title: 'Copy files',
      operation: { method: 'COPY', path: '/files', spec: 'x.json' },
    });
  });

  test('a method without an operation is a warning with its line; null beside other methods is not', () => {
    const paths = { '/a': { get: null }, '/b': { get: [] }, '/c': { get: { summary: 'C' }, put: null } };
    const { map, warnings } = build(
      { tabs: [{ tab: 'T', openapi: 'x.json' }], pages: ['a'] },
      spec({ paths }),
    );
    expect(generated(map)).toEqual(['api-reference/c']);
    expect(warnings.map(({ file, code, message }) => [file, code, message.split(' is not')[0]])).toEqual([
      ['x.json', 'operation-missing', '"get" of "/a"'],
      ['x.json', 'operation-missing', '"get" of "/b"'],
    ]);
    expect(warnings.every(({ line }) => line !== null)).toBe(true);
  });

  test('an entry with a method that the description does not have is a warning', () => {
    const { codes } = build({ groups: [{ group: 'G', openapi: 'spec.json', pages: ['COPY /users'] }] });
    expect(codes).toEqual(['operation-missing']);
  });

  test('tags have labels by x-group, summary and name, and are inside of their parents', () => {
    const tags = [
      { name: 'pets', summary: 'Pets' },
      { name: 'cats', summary: 'Cats', parent: 'pets', 'x-group': 'All cats' },
      { name: 'kittens', parent: 'cats' },
      { name: 'lost', parent: 'nobody' },
      { name: 'one', parent: 'two' },
      { name: 'two', parent: 'one' },
      { name: 'beta', kind: 'badge' },
    ];
    const paths = {
      '/1': { get: operation('Kitten', 'kittens') },
      '/2': { get: operation('Pet', 'pets') },
      '/3': { get: operation('Cat', 'beta', 'cats') },
      '/4': { get: operation('Lost', 'lost') },
      '/5': { get: operation('Circle', 'one') },
      '/6': { get: operation('Beta', 'beta') },
    };
    const { map, warnings } = build(
      { tabs: [{ tab: 'T', openapi: 'x.json' }], pages: ['a'] },
      spec({ tags, paths }),
    );
    expect(warnings).toEqual([]);
    expect(map.navigation.children.map(tree)[0]).toEqual([
      'T',
      [
        'Pets',
        ['All cats', ['kittens', 'api-reference/kittens/kitten'], 'api-reference/cats/cat'],
        'api-reference/pets/pet',
      ],
      ['lost', 'api-reference/lost/lost'],
      ['two', ['one', 'api-reference/one/circle']],
      ['beta', 'api-reference/beta/beta'],
    ]);
  });

  test('x-tagGroups are groups around those of their tags', () => {
    const paths = { '/1': { get: operation('A', 'a') }, '/2': { get: operation('B', 'b') } };
    const { map } = build(
      { tabs: [{ tab: 'T', openapi: 'x.json' }], pages: ['a'] },
      spec({ paths, 'x-tagGroups': [{ name: 'Outer', tags: ['a', 'gone'] }, { name: 'None' }, 5] }),
    );
    expect(map.navigation.children.map(tree)[0]).toEqual([
      'T',
      ['Outer', ['a', 'api-reference/a/a']],
      ['b', 'api-reference/b/b'],
    ]);
  });
});

describe('slugs and operations', () => {
  test.each([
    ['Create a User', 'create-a-user'],
    ['Get {id} now', 'get--now'],
    ['Admin API - Users', 'admin-api--users'],
    ['Users / Roles', 'users-roles'],
    ["It's (very) good.", 'its-very-good'],
    ['/users/{id}', 'users'],
    ['a/../b\\c?d#e', 'abcde'],
    ['日本 語', '日本-語'],
  ])('slugify %j gives %j', (text, slug) => {
    expect(slugify(text)).toBe(slug);
  });

  test('an operation without a usable summary has method and path', () => {
    expect(operationSlug('GET', '/users/{id}/posts', null)).toBe('get-users-posts');
    expect(operationSlug('GET', '/', '...')).toBe('get');
  });

  test('only one to three words with a method are an operation', () => {
    expect(parseOperation('get /x')).toEqual({ method: 'GET', path: '/x', spec: null });
    expect(parseOperation(' spec.json  Delete /x ')).toEqual({
      method: 'DELETE',
      path: '/x',
      spec: 'spec.json',
    });
    expect(parseOperation('spec.json webhook created')).toEqual({
      method: 'WEBHOOK',
      path: 'created',
      spec: 'spec.json',
    });
    expect(parseOperation('spec.json COPY /x')).toEqual({ method: 'COPY', path: '/x', spec: 'spec.json' });
    for (const text of ['', 'get', 'a b c d', 'guides/get /x y', 'fetch /x', 'API guide', 'some page'])
      expect(parseOperation(text)).toBeNull();
  });
});
