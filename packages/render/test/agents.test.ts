import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { byRole, byText, findOne, textsOf, valuesOf } from './dom.ts';
import { type Output, renderFiles, textOf } from './output.ts';
import { elementsOf, textIn } from './xml.ts';

type Options = Parameters<typeof renderFiles>[1];
const render = (files: Record<string, string>, config: object = {}, options: Options = {}): Promise<Output> =>
  renderFiles(
    {
      'docs.json': JSON.stringify({
        theme: 'mint',
        name: 'Acme',
        description: 'All of it',
        colors: { primary: '#166e3f' },
        navigation: {
          pages: Object.keys(files).flatMap((path) =>
            /^[^.].*\.mdx$/.test(path) ? [path.slice(0, -4)] : [],
          ),
        },
        ...config,
      }),
      ...files,
    },
    options,
  );

test('links of a twin are absolute and lead to twins, and what leads nowhere stays as written', async () => {
  const output = await render(
    {
      'guides/start.mdx':
        '[a](/other) [b](../other#part-one) [c](#here) [d](https://example.com/x) [e](./next?x=1) [f](/gone) ![g](/images/a.png)\n\n<Card title="T" href="/other">Text</Card>\n',
      'guides/next.mdx': 'Next.',
      'other.mdx': '## Part one\n\nText.',
      'images/a.png': 'png',
    },
    {},
    { siteUrl: 'https://acme.example/docs' },
  );
  const twin = textOf(output, 'guides/start.md');
  expect(twin).toContain('[a](https://acme.example/docs/other.md)');
  expect(twin).toContain('[b](https://acme.example/docs/other.md#part-one)');
  expect(twin).toContain('[c](#here)');
  expect(twin).toContain('[d](https://example.com/x)');
  expect(twin).toContain('[e](https://acme.example/docs/guides/next.md?x=1)');
  expect(twin).toContain('[f](/gone)');
  expect(twin).toContain('![g](https://acme.example/docs/images/a.png)');
  expect(twin).toContain('](https://acme.example/docs/other.md)');
  expect(textOf(output, 'llms-full.txt')).toContain('[a](https://acme.example/docs/other.md)');
});

test('llms.txt lists pages in order, the descriptions of APIs and links that lead elsewhere', async () => {
  const spec = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}';
  const output = await render(
    {
      'b.mdx': '---\ntitle: "B [x]"\ndescription: About B\n---\n',
      'a.mdx': 'First words.\n\nMore.',
      'api.json': spec,
      'events.yaml': 'asyncapi: 3.0.0',
    },
    {
      api: { openapi: 'api.json', asyncapi: { source: '/events.yaml' } },
      navigation: {
        global: { anchors: [{ anchor: 'Community', href: 'https://chat.example' }] },
        pages: ['b', 'a'],
      },
      markdown: { instructions: ['Be brief.'] },
    },
  );
  expect(textOf(output, 'llms.txt')).toBe(
    [
      '# Acme',
      '> All of it',
      '> ## Agent Instructions\n> Be brief.',
      '## Docs',
      '- [B x](https://docs.example.com/b.md): About B\n- [A](https://docs.example.com/a.md): First words.',
      '## OpenAPI Specs',
      '- [api](https://docs.example.com/api.json)',
      '## AsyncAPI Specs',
      '- [events](https://docs.example.com/events.yaml)',
      '## Optional',
      '- [Community](https://chat.example)\n',
    ].join('\n\n'),
  );
  expect(output.files.get('.well-known/llms.txt')).toBe(output.files.get('llms.txt'));
});

test('llms.txt keeps to 100,000 characters: descriptions are shortened, then entries dropped', async () => {
  const pages = (count: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `${'long-name-'.repeat(at % 9)}${at}.mdx`,
        `---\ntitle: Page ${at}\ndescription: ${'word '.repeat(50)}\n---\n`,
      ]),
    );
  const shorter = textOf(await render(pages(500)), 'llms.txt');
  expect(shorter.length).toBeLessThanOrEqual(100_000);
  expect(shorter.match(/^- \[Page/gm)).toHaveLength(500);
  expect(shorter).toContain('word…');
  const fewer = textOf(await render(pages(1500)), 'llms.txt');
  expect(fewer.length).toBeLessThanOrEqual(100_000);
  expect(fewer.length).toBeGreaterThan(99_000);
  const listed = fewer.match(/^- \[Page/gm)?.length ?? 0;
  expect(fewer).toContain(`- ${1500 - listed} more pages: see https://docs.example.com/sitemap.xml`);
});

test('files of the source with the names of derived ones are published as they are', async () => {
  const own = Object.fromEntries(
    ['robots.txt', 'sitemap.xml', 'llms.txt', 'llms-full.txt', 'skill.md'].map((name) => [
      name,
      `own ${name} {x}\r\n`,
    ]),
  );
  const output = await render({ 'a.mdx': 'Text.', ...own });
  for (const [name, text] of Object.entries(own)) expect(textOf(output, name), name).toBe(text);
  expect(output.files.has('skill.html')).toBe(false);
});

const SKILL = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Use it for ${name}.\n${more}---\n\n# ${name}\n`;

test('skills are served with an index of names, descriptions and digests', async () => {
  const files = {
    'a.mdx': 'Text.',
    'skill.md': SKILL('Acme Docs'),
    '.mintlify/skills/payments/SKILL.md': SKILL('payments'),
    '.mintlify/skills/payments/references/errors.md': '# Errors\n',
    '.mintlify/skills/admin/SKILL.md': SKILL('admin', 'groups: [staff]\n'),
    '.mintlify/skills/admin/keys.md': 'secret\n',
    '.mintlify/skills/empty/SKILL.md': 'no front matter\n',
  };
  const output = await render(files, {}, { siteUrl: 'https://acme.example/docs' });
  const index = JSON.parse(textOf(output, '.well-known/agent-skills/index.json'));
  expect(index.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
  expect(index.skills.map(({ name }: { name: string }) => name)).toEqual(['acme-docs', 'empty', 'payments']);
  expect(index.skills[2]).toEqual({
    name: 'payments',
    type: 'skill-md',
    description: 'Use it for payments.',
    url: '/docs/.well-known/agent-skills/payments/SKILL.md',
    digest: `sha256:${createHash('sha256').update(files['.mintlify/skills/payments/SKILL.md']).digest('hex')}`,
  });
  expect(JSON.parse(textOf(output, '.well-known/skills/index.json')).skills[2].files).toEqual([
    'SKILL.md',
    'references/errors.md',
  ]);
  expect(textOf(output, '.well-known/skills/payments/references/errors.md')).toBe('# Errors\n');
  expect(textOf(output, 'skill.md')).toBe(files['skill.md']);
  expect([...output.files].filter(([, content]) => String(content).includes('secret'))).toEqual([]);
  expect([...output.files.keys()].filter((path) => path.includes('admin'))).toEqual([]);
  expect(output.result.warnings.map(({ code, file }) => `${code} ${file}`)).toEqual([
    'skill-incomplete .mintlify/skills/empty/SKILL.md',
  ]);
});

test('one skill alone is the skill of the site', async () => {
  const output = await render({ 'a.mdx': 'Text.', '.mintlify/skills/x/SKILL.md': SKILL('x') });
  expect(textOf(output, 'skill.md')).toBe(SKILL('x'));
});

test('hosts that read _headers tell agents where the texts are, and search engines what to leave', async () => {
  const headers = textOf(
    await render({ 'a.mdx': 'Text.' }, {}, { siteUrl: 'https://acme.example/docs' }),
    '_headers',
  );
  expect(headers).toContain(
    'Link: </docs/llms.txt>; rel="llms-txt", </docs/llms-full.txt>; rel="llms-full-txt"',
  );
  expect(headers).toContain('X-Llms-Txt: /docs/llms.txt');
  expect(headers).toContain('/*.md\n  X-Robots-Tag: noindex');
  expect(headers.split('\n\n')[0]).not.toContain('X-Robots-Tag');
  const closed = await render({ 'a.mdx': 'Text.' }, { seo: { metatags: { robots: 'noindex' } } });
  expect(textOf(closed, '_headers').split('\n\n')[0]).toContain('X-Robots-Tag: noindex');
  expect(textOf(closed, 'robots.txt')).toContain('Disallow: /');
});

test('the sitemap has the date of each page, and omits pages that exclude robots', async () => {
  const output = await render(
    {
      'a.mdx': '---\nlastUpdatedDate: 2026-08-14\n---\nText.',
      'b.mdx': 'Text.',
      'c.mdx': 'Text.',
      'd.mdx': '---\nrobots: noindex\n---\nText.',
      'inner/e.mdx': 'Text.',
    },
    { seo: { paths: [{ path: '/inner', metatags: { robots: 'noindex, nofollow' } }] } },
    {
      lastModified: '2026-01-02T03:04:05Z',
      modifiedAt: (file) => (file === 'b.mdx' ? '2025-05-05T05:05:05+01:00' : null),
    },
  );
  const dates = elementsOf(textOf(output, 'sitemap.xml'), 'url').map((url) => [
    textIn(url, 'loc'),
    textIn(url, 'lastmod'),
  ]);
  expect(dates).toEqual([
    ['https://docs.example.com/a', '2026-08-14'],
    ['https://docs.example.com/b', '2025-05-05T04:05:05Z'],
    ['https://docs.example.com/c', '2026-01-02T03:04:05Z'],
  ]);
});

test('the page for wrong addresses shows Markdown and components, with links from the base path', async () => {
  const description =
    'Try **this**:\n\n<Card title="Start" href="/a">Text with `<a href="x">`</Card>\n\n![Lost](/images/lost.png)\n\n<script>alert(1)</script>';
  const output = await render(
    { 'a.mdx': 'Text.', 'images/lost.png': 'png' },
    { errors: { '404': { title: 'Lost <b>?', description } } },
    { siteUrl: 'https://acme.example/docs' },
  );
  const html = textOf(output, '404.html');
  expect(byRole(html, 'heading', 'Lost <b>?')).toMatchObject([{ level: 1 }]);
  expect(textsOf(html, { role: 'strong' })).toContain('this');
  expect(findOne(html, { role: 'link', name: 'Start' }).attributes.href).toBe('/docs/a.html');
  expect(findOne(html, { role: 'img', name: 'Lost' }).attributes.src).toBe('/docs/images/lost.png');
  expect(byText(html, '<a href="x">')).toMatchObject([{ role: 'code' }]);
  const sheets = valuesOf(html, 'href', { tag: 'link', attributes: { rel: 'stylesheet' } });
  expect(sheets).toContainEqual(expect.stringMatching(/^\/docs\/_offprint\//));
  expect(html).not.toContain('alert(1)');
  const urls = [...valuesOf(html, 'href'), ...valuesOf(html, 'src')];
  expect(urls.filter((url) => !/^(?:[/#]|https?:|data:)/.test(url))).toEqual([]);
});
