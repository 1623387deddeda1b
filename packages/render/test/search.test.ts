import { gzipSync } from 'node:zlib';
import { eachToken } from '@offprint/search/tokens';
import { beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '../../../test/support/random.ts';
import { byId, has } from './dom.ts';
import { FIXTURE, type Output, readFolder, renderFiles, textOf } from './output.ts';
import { openSearch } from './search-site.ts';

const config = (navigation: unknown, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({ theme: 'mint', name: 'Test', colors: { primary: '#166e3f' }, navigation, ...rest });

const page = (title: string, body: string, more = ''): string =>
  `---\ntitle: ${JSON.stringify(title)}\n${more}---\n\n${body}\n`;

describe('which pages are found', () => {
  const navigation = {
    tabs: [
      {
        tab: 'Guides',
        groups: [
          { group: 'A', pages: ['plain', 'noindex', 'unsearchable', 'hidden'] },
          { group: 'Off', searchable: false, pages: ['in-unsearchable-group'] },
        ],
      },
      { tab: 'Away', hidden: true, pages: ['in-hidden-tab'] },
      { tab: 'Help', hidden: true, searchable: true, pages: ['in-searchable-tab'] },
    ],
  };
  const pages = {
    'plain.mdx': page('Plain', 'needle'),
    'noindex.mdx': page('Noindex', 'needle', 'noindex: true\n'),
    'unsearchable.mdx': page('Unsearchable', 'needle', 'searchable: false\n'),
    'hidden.mdx': page('Hidden', 'needle', 'hidden: true\n'),
    'in-unsearchable-group.mdx': page('Group', 'needle'),
    'in-hidden-tab.mdx': page('Tab', 'needle'),
    'in-searchable-tab.mdx': page('Help', 'needle'),
    'unlisted.mdx': page('Unlisted', 'needle'),
  };
  const found = async (rest = {}): Promise<string[]> => {
    const output = await renderFiles({ 'docs.json': config(navigation, rest), ...pages });
    return (await openSearch(output).find('needle')).pages.sort();
  };

  test('those of the navigation that nothing keeps out', async () => {
    expect(await found()).toEqual(['in-searchable-tab.html', 'plain.html']);
  });

  test('all but the refused ones where the site asks for all', async () => {
    expect(await found({ seo: { indexing: 'all' } })).toEqual([
      'hidden.html',
      'in-hidden-tab.html',
      'in-searchable-tab.html',
      'plain.html',
      'unlisted.html',
    ]);
  });

  test('no text of a page that is kept out is in any file of the index', async () => {
    const output = await renderFiles({
      'docs.json': config(navigation),
      ...pages,
      'hidden.mdx': page('Hidden', 'xsecretword', 'hidden: true\n'),
    });
    const leaks = [...output.files.keys()].filter(
      (path) => path.startsWith('_offprint/search') && textOf(output, path).includes('xsecretword'),
    );
    expect(leaks).toEqual([]);
  });
});

describe('what of a page is found', () => {
  let search: ReturnType<typeof openSearch>;
  const body = `
Start of the page with wordintro and a note[^1].

[^1]: Text of wordnote.

## Set up {#own-id}

Text with \`wordinline\` and [a link of wordlink](https://example.com).

\`\`\`bash wordfile.sh {1}
install --wordcode
\`\`\`

| a | b |
| - | - |
| wordcell | x |

### Second time

<Accordion title="Wordquestion here">wordanswer</Accordion>

<Accordion title="Run \`wordspan\` now">wordspantext</Accordion>

<Steps><Step title="Wordstep first">wordstepbody</Step></Steps>

<Tabs><Tab title="Wordtab">wordtabbody</Tab></Tabs>

<ParamField query="word_param" type="string">worddescription</ParamField>

<Update label="Wordupdate" description="worddate" tags={["wordtag"]}>wordchange</Update>

<Tooltip tip="wordtip">over</Tooltip>

<Frame caption="wordcaption"><img src="/x.png" alt="wordalt" /></Frame>

<Visibility for="agents">wordagent</Visibility>

{/* wordcomment */}

<Note>wordcallout</Note>

## Last heading

wordlast
`;
  beforeAll(async () => {
    const output = await renderFiles({
      'docs.json': config({ groups: [{ group: 'Wordgroup', pages: ['guide', 'api'] }] }),
      'guide.mdx': page(
        'Guide',
        body,
        'description: With worddesc\nkeywords: ["wordkey"]\nsidebarTitle: Wordside\n',
      ),
      'api.mdx': page('List things', 'Text.', 'openapi: "GET /v1/wordthings/{id}"\n'),
      'x.png': new Uint8Array([1]),
    });
    search = openSearch(output);
  });

  test.each([
    ['wordintro', ''],
    ['worddesc', ''],
    ['wordkey', ''],
    ['wordside', ''],
    ['wordnote', ''],
    ['wordgroup', ''],
    ['wordinline', 'own-id'],
    ['wordlink', 'own-id'],
    ['wordcode', 'own-id'],
    ['wordfile.sh', 'own-id'],
    ['wordcell', 'own-id'],
    ['second time', 'second-time'],
    ['wordquestion', 'wordquestion-here'],
    ['wordanswer', 'wordquestion-here'],
    ['wordspan', 'run-wordspan-now'],
    ['wordstep', 'wordstep-first'],
    ['wordstepbody', 'wordstep-first'],
    ['wordtab', 'wordtab'],
    ['wordtabbody', 'wordtab'],
    ['word_param', 'param-word_param'],
    ['worddescription', 'param-word_param'],
    ['wordupdate', 'wordupdate'],
    ['wordtag', 'wordupdate'],
    ['wordchange', 'wordupdate'],
    ['wordtip', 'second-time'],
    ['wordcaption', 'second-time'],
    ['wordalt', 'second-time'],
    ['wordcallout', 'second-time'],
    ['wordlast', 'last-heading'],
  ])('%s leads to #%s', async (query, anchor) => {
    const found = await search.find(`${query} `);
    expect(found.pages).toContain('guide.html');
    expect(found.anchors['guide.html']?.[0]).toBe(anchor);
  });

  test('titles of components are indexed without the backticks of their code', async () => {
    const { files } = await renderFiles({
      'docs.json': config({ pages: ['guide'] }),
      'guide.mdx': page('Guide', body),
      'x.png': new Uint8Array([1]),
    });
    const texts = [...files]
      .filter(([path]) => path.includes('search/c-'))
      .map(([, content]) => String(content));
    expect(texts.join('')).toContain('"Run wordspan now"');
  });

  test('every anchor is an id of the page', async () => {
    const { files } = await renderFiles({
      'docs.json': config({ pages: ['guide'] }),
      'guide.mdx': page('Guide', body),
      'x.png': new Uint8Array([1]),
    });
    const html = String(files.get('guide.html'));
    const found = await search.find('word');
    for (const id of Object.values(found.anchors).flat())
      if (id !== '') expect(byId(html, id), id).not.toBeNull();
  });

  test.each(['wordagent', 'wordcomment'])('%s is not found', async (query) => {
    expect((await search.find(`${query} `)).pages).toEqual([]);
  });

  test('an API page is found by method and path', async () => {
    expect((await search.find('get /v1/wordthings')).pages[0]).toBe('api.html');
  });

  test('every word of every page of the fixture finds that page', async () => {
    const output = await renderFiles(readFolder(FIXTURE));
    for (const language of ['en', 'es', 'ar']) {
      const { engine, directory } = openSearch(output, language);
      const sections = Array.from({ length: 500 }, (_, at) => at);
      const seen = new Map<string, Set<string>>();
      for (const section of sections) {
        const entry = await engine.entry(section).catch(() => undefined);
        if (entry === undefined) break;
        for (const text of [entry.title, entry.heading, entry.text]) {
          eachToken(text, (start, end, word) => {
            const term = word ?? text.slice(start, end).toLowerCase();
            seen.set(term, (seen.get(term) ?? new Set()).add(entry.output));
          });
        }
      }
      expect(seen.size, String(directory.pages)).toBeGreaterThan(1);
      const site = openSearch(output, language);
      for (const [term, outputs] of seen) {
        const found = new Set((await site.find(`${term} `)).pages);
        for (const path of outputs) expect(found.has(path), `${term} in ${path}`).toBe(true);
      }
    }
  });
});

describe('how it finds', () => {
  let search: ReturnType<typeof openSearch>;
  let output: Output;
  beforeAll(async () => {
    output = await renderFiles({
      'docs.json': config({
        groups: [
          {
            group: 'All',
            pages: [
              'authentication',
              'webhooks',
              'webhook-create',
              'limits',
              'cjk',
              'thai',
              'names',
              'boosted',
              'quiet',
              'both',
              'apart',
            ],
          },
        ],
      }),
      'authentication.mdx': page('Authentication', 'How to authenticate requests with a café token.'),
      'webhooks.mdx': page('Webhooks', 'Receive events.\n\n## Create a webhook\n\nSend a request.'),
      'webhook-create.mdx': page('Create webhook endpoint for incoming events', 'webhooks webhooks'),
      'limits.mdx': page('Quotas', 'Limits.\n\n## Rate limits\n\nA rate limit applies.'),
      'cjk.mdx': page('認証の設定', 'ユーザー認証を設定します。配置文件在这里。한국어 문서입니다.'),
      'thai.mdx': page('ไทย', 'การตั้งค่าระบบ'),
      'names.mdx': page('Names', 'Call getUserName() or set max_output_tokens in C++.'),
      'boosted.mdx': page('Same', 'zebra crossing', 'boost: 5\n'),
      'quiet.mdx': page('Same', 'zebra crossing'),
      'both.mdx': page('Both', '## One\n\nalpha beta'),
      'apart.mdx': page('Apart', '## One\n\nalpha\n\n## Two\n\nbeta'),
    });
    search = openSearch(output);
  });

  test.each([
    ['aut', 'authentication.html'],
    ['authent', 'authentication.html'],
    ['AUTHENTICATING ', 'authentication.html'],
    ['cafe', 'authentication.html'],
    ['webhooks', 'webhooks.html'],
    ['rate limit', 'limits.html'],
    ['認証', 'cjk.html'],
    ['設', 'cjk.html'],
    ['配置文件', 'cjk.html'],
    ['문서', 'cjk.html'],
    ['ตั้งค่า', 'thai.html'],
    ['getUserName', 'names.html'],
    ['getusern', 'names.html'],
    ['user name', 'names.html'],
    ['max_output_tokens', 'names.html'],
    ['output tok', 'names.html'],
    ['c++', 'names.html'],
  ])('%s finds %s first', async (query, expected) => {
    expect((await search.find(query)).pages[0]).toBe(expected);
  });

  test.each([
    ['authentcation', 'authentication.html'],
    ['autentication', 'authentication.html'],
    ['uathentication', 'authentication.html'],
    ['authetnicat', 'authentication.html'],
    ['webhoks', 'webhooks.html'],
    ['wehbooks', 'webhooks.html'],
    ['zebar crossing', 'boosted.html'],
  ])('mistyped %s finds %s first', async (query, expected) => {
    const found = await search.find(query);
    expect(found.pages[0]).toBe(expected);
    expect(found.corrections).not.toEqual([]);
  });

  test('short words and digits are not guessed', async () => {
    expect((await search.find('zxw ')).pages).toEqual([]);
    expect((await search.find('4242 ')).pages).toEqual([]);
  });

  test('words close together come first, a boosted page before its equal', async () => {
    expect((await search.find('alpha beta ')).pages.slice(0, 2)).toEqual(['both.html', 'apart.html']);
    expect((await search.find('zebra ')).pages).toEqual(['boosted.html', 'quiet.html']);
  });

  test('pages with some of the words follow those with all of them', async () => {
    const found = await search.find('alpha webhooks ');
    expect(found.isPartial.every(Boolean)).toBe(true);
    expect(found.pages).toEqual(expect.arrayContaining(['webhooks.html', 'both.html']));
    const all = await search.find('alpha beta ');
    expect(all.isPartial.slice(0, 2)).toEqual([false, false]);
  });

  test('words that no page has give nothing, nor does no word at all', async () => {
    for (const query of ['qqqqzzzz xxxyyy', '', '   ', '--- !!', '👍']) {
      expect((await search.find(query)).pages).toEqual([]);
    }
  });

  test('words that name properties of objects are words', async () => {
    for (const query of ['constructor', '__proto__', 'prototype']) {
      expect((await search.find(query)).pages).toEqual([]);
    }
  });

  test('two exports of one source have the same index', async () => {
    const source = { 'docs.json': config({ pages: ['a'] }), 'a.mdx': page('A', 'text') };
    const [one, two] = [await renderFiles(source), await renderFiles(source)];
    const files = (from: Output) => [...from.files].filter(([path]) => path.startsWith('_offprint/search'));
    expect(files(one)).toEqual(files(two));
  });
});

describe('filters and languages', () => {
  const version = (label: string) => ({
    version: label,
    groups: [{ group: 'G', pages: [`${label}/a`, `${label}/b`] }],
  });
  const texts = (folder: string, word: string) => ({
    [`${folder}/a.mdx`]: page(`A ${folder}`, `common ${word}`),
    [`${folder}/b.mdx`]: page(`B ${folder}`, 'common'),
  });

  test('a filter keeps pages of other versions out and counts them', async () => {
    const output = await renderFiles({
      'docs.json': config({ versions: [version('v1'), { ...version('v2'), default: true }] }),
      ...texts('v1', 'old'),
      ...texts('v2', 'new'),
    });
    const search = openSearch(output);
    expect(search.engine.facets()).toMatchObject({ version: ['v1', 'v2'], product: [], tab: [] });
    const all = await search.find('common');
    expect(all.pages).toHaveLength(4);
    // The default version comes first where two have the same page.
    expect((await search.find('b ')).pages).toEqual(['v2/b.html', 'v1/b.html']);
    const some = await search.find('common', { version: 'v2' });
    expect(some.pages.sort()).toEqual(['v2/a.html', 'v2/b.html']);
    expect(some.outside).toBe(2);
    expect(await search.find('old', { version: 'v2' })).toMatchObject({ pages: [], outside: 1 });
    expect((await search.find('common', { version: 'unknown' })).pages).toHaveLength(4);
    expect(has(textOf(output, 'v2/a.html'), { attributes: { 'data-version': 'v2' } })).toBe(true);
  });

  test('a page in two versions is found in both', async () => {
    const versions = ['v1', 'v2'].map((label) => ({ version: label, pages: [`${label}/a`, 'shared'] }));
    const output = await renderFiles({
      'docs.json': config({ versions }),
      ...texts('v1', 'old'),
      ...texts('v2', 'new'),
      'shared.mdx': page('Shared', 'common'),
    });
    for (const version of ['v1', 'v2'])
      expect((await openSearch(output).find('common', { version })).pages).toContain('shared.html');
  });

  test('each language has files of its own, and its pages name them', async () => {
    const output = await renderFiles({
      'docs.json': config({
        languages: [
          { language: 'en', pages: ['en/a'] },
          { language: 'de', pages: ['de/a'] },
        ],
      }),
      'en/a.mdx': page('Hello', 'onlyenglish'),
      'de/a.mdx': page('Hallo', 'nurdeutsch'),
    });
    expect((await openSearch(output, 'en').find('onlyenglish')).pages).toEqual(['en/a.html']);
    expect((await openSearch(output, 'en').find('nurdeutsch')).pages).toEqual([]);
    expect((await openSearch(output, 'de').find('nurdeutsch')).pages).toEqual(['de/a.html']);
    expect(openSearch(output, 'de').directory.languages).toEqual([
      { label: 'en', name: 'English', path: '_offprint/search.en.js' },
      { label: 'de', name: 'Deutsch', path: '_offprint/search.de.js' },
    ]);
    const entry = { role: 'button', attributes: { 'data-index': '_offprint/search.de.js' } };
    expect(has(textOf(output, 'de/a.html'), entry)).toBe(true);
    expect(output.files.has('_offprint/search.js')).toBe(false);
  });
});

test('text of the site cannot leave its string in a file of the index', async () => {
  const evil = '</script><script>alert(1)</script> ");alert(1);// \\u2028 $' + '{x} `';
  const output = await renderFiles({
    'docs.json': config({ groups: [{ group: evil, pages: ['a'] }] }),
    'a.mdx': page(evil, `${'```\n'}${evil}\u2028\u2029\ud800${'\n```'}`),
  });
  const search = openSearch(output);
  expect((await search.find('alert')).pages).toEqual(['a.html']);
  for (const [path, content] of output.files) {
    if (path.startsWith('_offprint/search') && !path.startsWith('_offprint/search-'))
      expect(() => new Function('offprintSearch', String(Buffer.from(content as Uint8Array)))).not.toThrow();
  }
});

test('a query on a thousand pages fetches at most 60 kB', { timeout: 60_000 }, async () => {
  const common = 'request response token server client config deploy error value field'.split(' ');
  const files: Record<string, string> = {};
  const draw = createRandom(7);
  const random = (below: number): number => Math.floor(draw() * below);
  const word = (): string =>
    random(3) === 0 ? common[random(common.length)]! : `w${random(9000).toString(36)}`;
  const names: string[] = [];
  for (let at = 0; at < 1000; at++) {
    const text = Array.from(
      { length: 6 },
      () => `## ${word()} ${word()}\n\n${Array.from({ length: 90 }, word).join(' ')}`,
    );
    files[`p/page-${at}.mdx`] = page(`Page ${word()} ${word()}`, text.join('\n\n'));
    names.push(`p/page-${at}`);
  }
  const output = await renderFiles({ 'docs.json': config({ pages: names }), ...files });
  const sizeOf = (path: string): number => gzipSync(output.files.get(path)!).length;
  for (const query of ['token', 'deploy server', 'config err', 'requset token']) {
    const { engine, files: read } = openSearch(output);
    const { results } = await engine.search(query);
    expect(results.length).toBeGreaterThan(20);
    for (const { sections } of results.slice(0, 6))
      for (const section of sections) await engine.entry(section);
    const paths = read.map((name) => `_offprint/search/${name}.js`);
    const bytes = ['_offprint/search.js', ...paths].reduce((sum, path) => sum + sizeOf(path), 0);
    expect(bytes, query).toBeLessThan(60_000);
  }
});
