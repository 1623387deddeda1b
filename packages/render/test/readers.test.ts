/** What the renders for different readers of one source contain: groups, pages that need no sign-in, values of the reader. */
import { describe, expect, test } from 'vitest';
import type { RenderOptions } from '../src/index.ts';
import { find, readText, valuesOf } from './dom.ts';
import { renderFiles } from './output.ts';

const SECRET = 'madagascarsecret';
const CLOSED = 'zanzibarcanary';

const page = (front: string, body: string) => `---\n${front}\n---\n\n${body}\n`;
const image = (word: string) => `<svg xmlns="http://www.w3.org/2000/svg"><title>${word}</title></svg>`;
const operation = (summary: string, more: object = {}) => ({
  get: { summary, description: `About ${summary}.`, responses: {}, ...more },
});

/** A source whose restricted parts contain the first word, and what needs a sign-in the second. */
const source: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Docs',
    colors: { primary: '#3050a0' },
    logo: '/logo.svg',
    navigation: {
      groups: [
        { group: 'Start', pages: ['index', 'guide', 'admin'] },
        { group: SECRET, pages: ['owner', { group: `${SECRET} nested`, pages: ['contractor'] }] },
        {
          group: 'Open',
          public: true,
          pages: ['open/a', 'open/closed', { group: 'More', pages: ['open/b'] }],
        },
        { group: 'API', openapi: 'api.json' },
      ],
    },
    redirects: [
      { source: '/old', destination: '/guide' },
      { source: '/old-admin', destination: '/admin' },
      { source: '/older-admin', destination: '/old-admin#part' },
      { source: '/old-open', destination: '/open/a' },
      { source: '/away', destination: 'https://internal.example.com/' },
      { source: '/v1/:slug*', destination: '/:slug*' },
    ],
  }),
  'index.mdx': page(`title: Home\ndescription: ${CLOSED}`, `Welcome, ${CLOSED}. ![Plan](/images/plan.svg)`),
  'guide.mdx': page('title: Guide\nrelated: ["/admin"]', `${CLOSED} and ![Both](images/both.svg) text`),
  'admin.mdx': page(
    `title: Admin ${SECRET}\ngroups: ["admin"]\nrss: true`,
    `${SECRET} ![Own](images/own.svg) ![Both](/images/both.svg) <img src="/images/dir/same.svg" />\n\nimport Part from '/snippets/part.mdx'\n\n<Part />\n\n[Download](./files/my%20plan.txt)\n\n<Update label="${SECRET}">x</Update>`,
  ),
  'owner.mdx': page(`title: Owner ${SECRET}\ngroups: [{includes: ["owner"], excludes: ["guest"]}]`, SECRET),
  'contractor.mdx': page(`title: ${SECRET}\ngroups:\n  - includes: [owner, contractor]`, SECRET),
  'broken.mdx': `---\ntitle: "${SECRET}\ngroups: [admin\n---\n\n${SECRET}\n`,
  'unlisted.mdx': page('title: Unlisted\ngroups: admin', SECRET),
  'open/a.mdx': page('title: Open A', 'For everyone. ![Open](/images/open.svg)'),
  'open/b.mdx': page('title: Open B', 'For everyone, too.'),
  'open/closed.mdx': page('title: Closed\npublic: false', CLOSED),
  'alone.mdx': page('title: Alone\npublic: true', 'On its own.'),
  'both.mdx': page('title: Both\npublic: true\ngroups: [admin]', SECRET),
  'snippets/part.mdx': `${SECRET} ![Nested](/images/nested.svg)`,
  'images/plan.svg': image(CLOSED),
  'images/both.svg': image(CLOSED),
  'images/own.svg': image(SECRET),
  'images/nested.svg': image(SECRET),
  'images/dir/same.svg': image(SECRET),
  'other/same.svg': image(CLOSED),
  'images/open.svg': image('open'),
  'images/nobody.svg': image(CLOSED),
  'files/my plan.txt': SECRET,
  'logo.svg': image('logo'),
  'api.json': JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'API', version: '1' },
    paths: {
      '/pets': operation('List pets'),
      '/secrets': operation(SECRET, { 'x-mint': { groups: ['admin'] } }),
    },
  }),
};

async function render(options: Partial<RenderOptions> = {}) {
  const { files, result } = await renderFiles(source, options);
  const containing = (word: string) =>
    [...files].flatMap(([path, content]) =>
      Buffer.from(content).includes(word) || path.includes(word) ? [path] : [],
    );
  return { files, result, containing, paths: [...files.keys()] };
}

describe('a render for all readers', () => {
  test('contains no word of pages for groups: in pages, copies, assets, search, lists, feeds and redirects', async () => {
    const { containing, result, paths } = await render();
    expect(containing(SECRET)).toEqual([]);
    expect(containing(CLOSED).length, 'the test would find a word').toBeGreaterThan(8);
    expect(JSON.stringify([result.redirects, result.site, result.links])).not.toMatch(/admin|madagascar/);
    expect(paths.filter((path) => /admin|owner|contractor|broken|unlisted/.test(path))).toEqual([]);
    expect(paths).toContain('images/nobody.svg');
    expect(paths).toContain('images/both.svg');
  });

  test('reports the groups that pages name, and that pages are public', async () => {
    const { result } = await render();
    expect(result.access).toEqual({
      groups: ['admin', 'contractor', 'guest', 'owner'],
      excluding: ['guest'],
      hasPublic: true,
    });
    const plain = await renderFiles({ 'docs.json': source['docs.json'] ?? '', 'index.mdx': '# Home' });
    expect(plain.result.access).toEqual({ groups: [], excluding: [], hasPublic: false });
  });
});

describe('a render for groups', () => {
  test('contains the pages of these groups and the files that they name', async () => {
    const { paths, result } = await render({ groups: ['admin'] });
    for (const path of ['admin.html', 'admin.md', 'images/own.svg', 'images/nested.svg', 'files/my plan.txt'])
      expect(paths).toContain(path);
    for (const path of ['owner.html', 'contractor.html', 'broken.html']) expect(paths).not.toContain(path);
    expect(result.redirects.map((one) => one.source)).toEqual(
      expect.arrayContaining(['/old-admin', '/older-admin']),
    );
  });

  test('leaves out what a group excludes', async () => {
    expect((await render({ groups: ['owner'] })).paths).toContain('owner.html');
    const both = (await render({ groups: ['guest', 'owner'] })).paths;
    expect(both).not.toContain('owner.html');
    expect(both).toContain('contractor.html');
  });
});

describe('a render for those who have not signed in', () => {
  test('contains the public pages and the files that they name, and nothing of any other', async () => {
    const { containing, paths, result } = await render({ publicOnly: true });
    expect(paths.filter((path) => /^(?!404|_).*\.html$/.test(path) && !path.startsWith('old'))).toEqual([
      'alone.html',
      'open/a.html',
      'open/b.html',
    ]);
    expect([...containing(SECRET), ...containing(CLOSED)]).toEqual([]);
    for (const path of ['/guide', 'admin', 'open/closed', 'internal.example', 'List pets'])
      expect(
        containing(path).filter((file) => !/^_offprint\/.*\.js$/.test(file)),
        path,
      ).toEqual([]);
    expect(paths.filter((path) => path.endsWith('.svg')).sort()).toEqual(['images/open.svg', 'logo.svg']);
    expect(result.redirects.map(({ source: from }) => from)).toEqual(['/old-open']);
  });

  test('is not possible without a public page', async () => {
    const files = {
      'docs.json': '{"theme":"mint","name":"D","colors":{"primary":"#000"},"navigation":{"pages":["index"]}}',
      'index.mdx': '# Home',
    };
    await expect(renderFiles(files, { publicOnly: true })).rejects.toThrow('no page for this export');
  });
});

test('a skill is public as a page is: with true, also in quotes', async () => {
  const skill = (name: string, front: string) =>
    page(`name: ${name}\ndescription: About ${name}.\n${front}`, name);
  const { files } = await renderFiles(
    {
      'docs.json': '{"theme":"mint","name":"D","colors":{"primary":"#000"},"navigation":{"pages":["index"]}}',
      'index.mdx': page('title: Home\npublic: "true"', 'Text.'),
      '.mintlify/skills/one/SKILL.md': skill('one', 'public: true'),
      '.mintlify/skills/two/SKILL.md': skill('two', 'public: "true"'),
      '.mintlify/skills/three/SKILL.md': skill('three', 'public: false'),
      '.mintlify/skills/four/SKILL.md': skill('four', ''),
    },
    { publicOnly: true },
  );
  const written = [...files.keys()].filter((path) => path.endsWith('SKILL.md'));
  expect([...new Set(written.map((path) => path.split('/').at(-2)))].sort()).toEqual(['one', 'two']);
});

describe('values of the reader', () => {
  const docs = JSON.stringify({
    theme: 'mint',
    name: 'Docs',
    colors: { primary: '#000' },
    navigation: { pages: ['index', 'other'] },
  });
  const shown = async (body: string) => {
    const { files } = await renderFiles({ 'docs.json': docs, 'index.mdx': body, 'other.mdx': '# Other' });
    const text = (path: string) => String(files.get(path) ?? '');
    const places = find(text('index.html'), { attributes: { 'data-op-reader': true } });
    return { files, text, places };
  };

  test.each([
    ['{user.firstName}', 'firstName', ''],
    ['{user?.team.name ?? "your team"}', 'team.name', 'your team'],
    ["{ user.name || 'there' }", 'name', 'there'],
  ])('%s is a place with its text for everyone', async (written, path, text) => {
    const { places, text: of } = await shown(`# Hello\n\nHello ${written}!`);
    expect(places.map((node) => [node.attributes['data-op-reader'], node.text])).toEqual([[path, text]]);
    expect(of('index.md')).toContain(`Hello ${text}!`);
    const scripts = (html: string) =>
      valuesOf(html, 'src').filter((src) => src.includes('_offprint/reader-'));
    expect([scripts(of('index.html')).length, scripts(of('other.html')).length]).toEqual([1, 0]);
  });

  test.each(['{user.a + user.b}', '{user}', '{user["name"]}', '`{user.name}`'])(
    '%s has the value of nobody',
    async (written) => {
      const { places, files } = await shown(`# Hello\n\nHello ${written}!`);
      expect(places).toEqual([]);
      expect([...files.keys()].filter((path) => path.includes('reader'))).toEqual([]);
    },
  );

  test('a name of the page goes before the reader', async () => {
    const { places, text } = await shown(
      'export const user = { name: "Own" };\n\n# Hello\n\nHello {user.name}!',
    );
    expect(places).toEqual([]);
    expect(readText(text('index.html'))).toContain('Hello Own!');
  });

  test('content cannot make such a place itself', async () => {
    const { places } = await shown('# Hello\n\n<span data-op-reader="groups">x</span>');
    expect(places).toEqual([]);
  });
});
