import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../test/support/size.ts';
import { directorySource, renderSite } from '../src/index.ts';
import { find, readHtml, valuesOf } from './dom.ts';
import { brokenLinks, FIXTURE, type Output, readFolder, renderFiles, textOf } from './output.ts';

const CORPORA =
  process.env.OFFPRINT_CORPORA ?? new URL('../../../../shared/corpora/', import.meta.url).pathname;
const digest = (environment: Record<string, string>): string =>
  execFileSync(process.execPath, [new URL('./digest.ts', import.meta.url).pathname], {
    env: environment,
    encoding: 'utf8',
  });
/** Names that change with every edit of a style sheet or script. */
const steady = (text: string): string =>
  text.replace(/-[0-9a-f]{10}(?:[0-9a-f]{2})?(?=\.(?:js|css|woff2))/g, '-HASH');
const minimal = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Small',
    colors: { primary: '#166e3f' },
    navigation: { pages: ['a'] },
  }),
  'a.mdx': 'Text.',
};

describe('the fixture site', () => {
  let output: Output;
  beforeAll(async () => {
    output = await renderFiles(readFolder(FIXTURE), { lastModified: '2026-01-02T03:04:05Z' });
  });

  test('emits pages with their Markdown, then assets, then derived files, each once', async () => {
    await expect(steady([...output.files.keys()].join('\n'))).toMatchFileSnapshot('snapshots/site/files.txt');
  });

  test.each([
    'index.html',
    'guides/deep/one.html',
    'pages/custom.html',
    'ar.html',
    'sitemap.xml',
    'robots.txt',
    '404.html',
    'llms.txt',
    'llms-full.txt',
    'guides/start.md',
    '_redirects',
    '_headers',
    '_offprint/redirects.json',
    'old.html',
  ])('%s is as recorded', async (path) => {
    await expect(steady(textOf(output, path))).toMatchFileSnapshot(
      `snapshots/site/${path.replaceAll('/', '__')}`,
    );
  });

  test('has no link or asset that leads to no file', () => {
    expect(brokenLinks(output)).toEqual([]);
  });

  test('warns of the missing anchor with file and line, and of the faint accent with a shade that passes', () => {
    const { warnings } = output.result;
    expect(warnings.find(({ code }) => code === 'anchor-not-found')).toMatchObject({
      file: 'index.mdx',
      line: 6,
    });
    expect(warnings.find(({ code }) => code === 'color-contrast')?.message).toMatch(
      /#00c851.*use #[0-9a-f]{6}/,
    );
  });

  test('holds no inline script, no inline handler and no address of another host that loads', () => {
    for (const [path, content] of output.files) {
      if (!path.endsWith('.html')) continue;
      const html = String(content);
      const inline = find(html, { tag: 'script', attributes: { src: false } });
      expect(
        inline.map(({ attributes }) => attributes.type),
        path,
      ).toEqual(inline.map(() => 'application/ld+json'));
      const names = readHtml(html).flatMap(({ attributes }) => Object.keys(attributes));
      expect(
        names.filter((name) => name.startsWith('on')),
        path,
      ).toEqual([]);
      const loaded = [
        ...valuesOf(html, 'src'),
        ...valuesOf(html, 'href', { tag: 'link', attributes: { rel: /stylesheet|preload|icon/ } }),
      ];
      expect(
        loaded.filter((url) => /^(?:https?:)?\/\//.test(url)),
        path,
      ).toEqual([]);
    }
  });

  test('shows the same page in the other languages, and names them to search engines', () => {
    const html = textOf(output, 'guides/start.html');
    const spanish = find(html, { attributes: { lang: 'es', href: true } });
    expect(spanish.map(({ attributes }) => attributes.href)).toContain('../es/guides/start.html');
    const alternates = find(html, { tag: 'link', attributes: { rel: 'alternate', hreflang: true } });
    const urls = new Map(alternates.map(({ attributes }) => [attributes.hreflang, attributes.href]));
    expect(urls.get('es')).toBe('https://docs.example.com/es/guides/start');
    expect(urls.get('x-default')).toBe('https://docs.example.com/guides/start');
    expect(urls.has('ar')).toBe(false);
  });

  test('a changed title changes its own page, its siblings and neighbors, and no page of another group', async () => {
    const changed = readFolder(FIXTURE);
    changed['guides/deep/two.mdx'] = new TextEncoder().encode('---\ntitle: Renamed\n---\n\nTwo.\n');
    const after = await renderFiles(changed, { lastModified: '2026-01-02T03:04:05Z' });
    const touched = [...after.files].filter(
      ([path, content]) => path.endsWith('.html') && content !== output.files.get(path),
    );
    expect(touched.map(([path]) => path)).toEqual([
      'guides/deep/one.html',
      'guides/deep/root.html',
      'guides/deep/two.html',
      'guides/über-uns.html',
    ]);
  });

  test('is the same in any order of files, time zone and locale', async () => {
    const shuffled = Object.fromEntries(Object.entries(readFolder(FIXTURE)).reverse());
    const again = await renderFiles(shuffled, { lastModified: '2026-01-02T03:04:05Z' });
    expect([...again.files]).toEqual([...output.files]);
    expect(again.result).toEqual(output.result);
    const one = digest({ TZ: 'UTC', LANG: 'C' });
    expect(digest({ TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' })).toBe(one);
  });

  test('reports the total before the first page and each page after', async () => {
    const seen: number[] = [];
    const { result } = await renderFiles(readFolder(FIXTURE), {
      onProgress: ({ rendered, total }) => {
        expect(total).toBe(16);
        seen.push(rendered);
      },
    });
    expect(seen).toEqual([...Array(result.pageCount + 1).keys()]);
    expect(result.site).toEqual({
      name: 'Fixture',
      description: 'A small site that uses every part of the frame.',
      url: 'https://docs.example.com',
      languages: ['en', 'es', 'ar'],
      versions: [],
    });
  });
});

describe('files of the source', () => {
  test('replace the derived ones at the root, byte for byte', async () => {
    const own = { 'robots.txt': 'own', 'sitemap.xml': '<own/>', 'llms.txt': 'own', _redirects: '/a /b' };
    const output = await renderFiles({ ...minimal, ...own });
    for (const [path, content] of Object.entries(own)) expect(textOf(output, path)).toBe(content);
    expect(output.result.warnings).toEqual([]);
  });

  test('cannot take the names that the export keeps for itself', async () => {
    const output = await renderFiles({ ...minimal, '_offprint/x.js': '1', 'offprint.json': '{}' });
    expect(output.files.has('_offprint/x.js')).toBe(false);
    expect(output.result.warnings.map(({ file, code }) => [file, code])).toEqual([
      ['_offprint/x.js', 'reserved-path'],
      ['offprint.json', 'reserved-path'],
    ]);
  });

  test('yield to a page of the same name', async () => {
    const output = await renderFiles({ ...minimal, 'a.html': '<p>asset' });
    expect(textOf(output, 'a.html')).toContain('<!doctype html>');
    expect(output.result.warnings.map(({ code }) => code)).toEqual(['file-collision']);
  });

  test('contain small images that mask, since pages from disk may not load them', async () => {
    const large = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(10_000)}</svg>`;
    const output = await renderFiles({
      ...minimal,
      'img/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/><script>x()</script></svg>',
      'img/large.svg': large,
      'css/style.css':
        '.a{mask-image:url(/img/a.svg)}.b{--i:url(../img/a.svg)}.c{background:url(../img/a.svg)}.d{mask:url(../img/large.svg)}.e{mask:url(no.svg)}.f{mask:url(../img/a.svg#g)}',
    });
    expect(textOf(output, 'img/a.svg')).not.toContain('script');
    const data = `data:image/svg+xml;base64,${Buffer.from(textOf(output, 'img/a.svg')).toString('base64')}`;
    expect(textOf(output, 'css/style.css')).toBe(
      `.a{mask-image:url("${data}")}.b{--i:url("${data}")}.c{background:url(../img/a.svg)}.d{mask:url(../img/large.svg)}.e{mask:url(no.svg)}.f{mask:url(../img/a.svg#g)}`,
    );
  });

  test('contain images that mask up to a size for each sheet', async () => {
    const image = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(5000)}</svg>`;
    const output = await renderFiles({
      ...minimal,
      'a.svg': image,
      'style.css': '.a{mask:url(a.svg)}'.repeat(1000),
    });
    expect(textOf(output, 'style.css').length).toBeLessThan(500_000);
    expect(textOf(output, 'style.css')).toContain('url(a.svg)');
  });

  test('in CSS and JavaScript load on every page after ours', async () => {
    const output = await renderFiles({ ...minimal, 'style.css': '#x{}', 'lib/extra.js': '1' });
    const html = textOf(output, 'a.html');
    const sheets = valuesOf(html, 'href', { tag: 'link', attributes: { rel: 'stylesheet' } });
    expect(sheets).toEqual([expect.stringMatching(/^_offprint\/site-\w+\.css$/), 'style.css']);
    const scripts = valuesOf(html, 'src', { tag: 'script', attributes: { src: true } });
    expect(scripts.map((src) => src.replace(/-\w+\.js$/, ''))).toEqual([
      '_offprint/site',
      '_offprint/api',
      'lib/extra.js',
    ]);
  });
});

test.each([
  ['url(/img/a.png)', 'url("../img/a.png")'],
  ["url('/img/a.png?v=1#x')", 'url("../img/a.png?v=1#x")'],
  ['url("/docs/img/a.png")', 'url("../img/a.png")'],
  ['url(/img/a%20b.png)', 'url("../img/a%20b.png")'],
  ['url(/img/missing.png)', 'url(/img/missing.png)'],
  ['url(../img/a.png)', 'url(../img/a.png)'],
])('a style sheet finds the file of %s below any path', async (written, expected) => {
  const output = await renderFiles({
    ...minimal,
    'styles/site.css': `a { background: ${written} }`,
    'img/a.png': 'x',
    'img/a b.png': 'x',
  });
  expect(textOf(output, 'styles/site.css')).toContain(expected);
});

test('a site without an index page leads from / to its first page', async () => {
  const output = await renderFiles(minimal);
  const refresh = { tag: 'meta', attributes: { 'http-equiv': 'refresh' } };
  expect(valuesOf(textOf(output, 'index.html'), 'content', refresh)).toEqual(['0; url=a.html']);
});

test('hostile text of the configuration stays text', async () => {
  const evil = '"><script>alert(1)</script>';
  const output = await renderFiles({
    'docs.json': JSON.stringify({
      theme: 'mint',
      name: evil,
      description: evil,
      colors: { primary: '#166e3f' },
      banner: { content: `${evil} [x](javascript:alert(1)) [y](https://e.com/"onclick="1)` },
      navbar: {
        links: [
          { label: evil, href: `javascript:alert(1)` },
          { label: evil, href: `/${evil}` },
        ],
      },
      footer: { socials: { x: `https://x.com/${evil}` } },
      redirects: [{ source: '/q', destination: `/a${evil}` }],
      seo: { metatags: { [evil]: evil } },
      navigation: {
        tabs: [
          { tab: evil, icon: evil, groups: [{ group: evil, icon: `<svg>${evil}`, tag: evil, pages: ['a'] }] },
        ],
      },
    }),
    'a.mdx': `---\ntitle: '${evil}'\ndescription: '${evil}'\nicon: '${evil}'\ntag: '${evil}'\nog:image: '${evil}'\n---\n\nText.`,
  });
  for (const [path, content] of output.files) {
    if (!path.endsWith('.html')) continue;
    for (const { tag, attributes } of readHtml(String(content))) {
      const isOurs = attributes.src !== undefined || attributes.type === 'application/ld+json';
      expect(tag !== 'script' || isOurs, path).toBe(true);
      expect(attributes.href ?? '', path).not.toMatch(/^\s*javascript:/i);
      expect(
        Object.keys(attributes).filter((name) => /^on/i.test(name)),
        path,
      ).toEqual([]);
    }
  }
});

const lastSegment = (link: string): string =>
  link
    .replace(/^.* -> /, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.(?:html|mdx?)$/, '')
    .split('/')
    .at(-1) ?? '';

describe.skipIf(!existsSync(CORPORA))(
  existsSync(CORPORA) ? 'the corpora' : 'no corpora: OFFPRINT_CORPORA names their folder',
  () => {
    test.each([
      'fishaudio__docs',
      'hoppscotch__docs',
      'traceloop__docs',
      // The tests of the corpora check their links too, after an export.
      ...(isFull
        ? [
            'browserbase__stagehand',
            'jlowin__fastmcp',
            'mem0ai__mem0',
            'mintlify__docs',
            'tursodatabase__turso-docs',
          ]
        : []),
    ])('%s: every page comes out and every link that was not warned of resolves', async (name) => {
      const files = new Map<string, string | Uint8Array>();
      const result = await renderSite({
        source: directorySource(CORPORA + name),
        siteUrl: 'https://docs.example.com',
        emit: (path, content) => void files.set(path, content),
      });
      const pages = [...files.keys()].filter((path) => path.endsWith('.html'));
      expect(pages.length).toBeGreaterThanOrEqual(result.pageCount);
      const warned = new Set(
        result.warnings
          .filter(({ code }) => /^(?:broken-link|missing-asset|redirect-target)$/.test(code))
          .map(({ message }) => lastSegment(/[`"]([^`"]+)[`"](?=[^`"]*$)/.exec(message)?.[1] ?? '')),
      );
      const silent = brokenLinks({ files, result }).filter((link) => !warned.has(lastSegment(link)));
      expect(silent).toEqual([]);
    });
  },
);
