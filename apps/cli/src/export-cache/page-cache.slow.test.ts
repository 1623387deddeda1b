import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Exports, exportsOf, replaced } from './page-cache.fixture.ts';

const SITE = 'https://docs.example.com';
/** More than fit into one group of pages. */
const PAGES = 70;
/** Other pages of the site. */
const OTHERS = 10;
/** Pages with a link that is written with another spelling of an id: they are rendered whenever a document changes. */
const CORRECTED = PAGES / 5;
const WORDS = 'cache group page bundle chunk record index search token render title heading link image'.split(
  ' ',
);

let work: string;
let docs: string;
let exports: Exports;
/** The cache after the first export. */
let first: string;

const fileOf = (path: string): string => join(docs, path);

function write(path: string, content: string): void {
  mkdirSync(dirname(fileOf(path)), { recursive: true });
  writeFileSync(fileOf(path), content);
}
const edit = (path: string, from: string | RegExp, to: string): void =>
  write(path, replaced(fileOf(path), from, to));

/** Words of their own for each page, and some that all have. */
function prose(number: number): string {
  const words = Array.from({ length: 120 }, (_, at) =>
    at % 7 === 0 ? `own${number}x${at}` : (WORDS[(at * 13 + number * 5) % WORDS.length] ?? ''),
  );
  return `${words.join(' ')}.`;
}

const name = (number: number): string => `guides/p${String(number).padStart(3, '0')}`;

function writePage(number: number): void {
  const next = name((number + 1) % PAGES);
  const last = name(PAGES - 1);
  const links = `[next](/${next}#Part_One) [last](/${last}#part-one) [none](/${next}#none-${number})`;
  write(
    `${name(number)}.mdx`,
    `---\ntitle: "Page ${number}"\n${number % 3 === 0 ? `description: "About ${number}"\n` : ''}---\n\n## Part one\n\n${prose(number)}\n\n${number % 5 === 0 ? links : ''}\n\n\`\`\`js\nconst n = ${number};\n\`\`\`\n`,
  );
}

function writeDocs(): void {
  for (let number = 0; number < PAGES; number++) writePage(number);
  write('index.mdx', '---\ntitle: Home\n---\n\nWelcome to {{product}}.\n\n![Logo](/images/logo.png)\n');
  write(
    'snippet-user.mdx',
    '---\ntitle: User\n---\nimport Note from "/snippets/note.mdx";\nimport Shared from "/guides/p002.mdx";\n\n<Note />\n\n<Shared />\n',
  );
  write(
    'snippet-user-2.mdx',
    '---\ntitle: Second user\n---\nimport Note from "/snippets/note.mdx";\n\n<Note />\n',
  );
  for (const user of ['plain', 'plain-2'])
    write(`${user}.mdx`, `---\ntitle: ${user}\n---\nimport Plain from "/snippets/plain.mdx";\n\n<Plain />\n`);
  write(
    'snippets/plain.mdx',
    'import Inner from "/snippets/inner.mdx";\n\nA plain snippet.\n\n<Inner />\n\n<Snippet file="named.mdx" />\n',
  );
  write('skill.md', '---\nname: docs\ndescription: Reads the docs\n---\n\nThe skill.\n');
  write('skill-user.mdx', '---\ntitle: Skill\n---\nimport Skill from "/skill.md";\n\n<Skill />\n');
  write('snippets/inner.mdx', 'The inner snippet.\n');
  write('snippets/named.mdx', 'The named snippet.\n');
  write('snippets/note.mdx', 'A note with <Unknown>a defect</Unknown> and [a dead link](/nowhere).\n');
  write(
    'state.mdx',
    '---\ntitle: State\n---\nimport { Counter } from "/snippets/counter.jsx";\n\n[Soon](/soon) [Six](/guides/p006)\n\n<Counter start={2} />\n\n$x^2$\n\n```mermaid\ngraph TD; A-->B;\n```\n',
  );
  write(
    'snippets/counter.jsx',
    'export const Counter = ({ start }) => { const [n, setN] = useState(start); return <button onClick={() => setN(n + 1)}>{n}</button>; };\n',
  );
  write(
    'changes.mdx',
    '---\ntitle: Changes\nrss: true\n---\n\n<Update label="2026-01-02">\n## First\nText.\n</Update>\n\n[Old](/old)\n',
  );
  write(
    'untitled.mdx',
    '# The heading is the title\n\nText with className.\n\n<div className="mt-4 text-red-500">x</div>\n\n[Guides](/guides) ![Missing](images/missing.png)\n',
  );
  write('api/list.mdx', '---\ntitle: List\nopenapi: "GET /things"\n---\n\nMore.\n');
  write(
    'openapi.json',
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/things': {
          get: {
            operationId: 'listThings',
            summary: 'List things',
            responses: { 200: { description: 'Good' } },
          },
        },
      },
    }),
  );
  write('images/logo.png', 'not really an image');
  write('images/draw.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
  write('images/mark.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>');
  write('data/list.js', 'export default [1];');
  write('data/list.txt', '[1]');
  write('.github/check.yml', 'on: push\n');
  write('build/file.txt', 'built');
  write(
    'style.css',
    '.card { color: red } .mark { mask-image: url(images/draw.svg) } .later { background: url(images/later.png) }',
  );
  write(
    'docs.json',
    JSON.stringify({
      $schema: 'https://mintlify.com/docs.json',
      name: 'Docs',
      theme: 'mint',
      colors: { primary: '#123456' },
      logo: '/images/mark.svg',
      api: { openapi: 'openapi.json' },
      variables: { product: 'Offprint' },
      redirects: [{ source: '/old', destination: '/guides/p001' }],
      navigation: {
        groups: [
          {
            group: 'Start',
            icon: 'house',
            pages: ['index', 'snippet-user', 'state', 'changes', 'untitled', 'api/list'],
          },
          { group: 'Guides', pages: Array.from({ length: PAGES }, (_, number) => name(number)) },
        ],
      },
    }),
  );
}

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'offprint-page-cache-'));
  docs = join(work, 'docs');
  writeDocs();
  exports = exportsOf(docs, work, SITE);
  const made = await exports.warm();
  expect(made.renderedPages).toBe(made.pageCount);
  first = join(work, 'first');
  cpSync(join(work, 'cache'), first, { recursive: true });
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(docs, { recursive: true });
  writeDocs();
  rmSync(join(work, 'cache'), { recursive: true, force: true });
  cpSync(first, join(work, 'cache'), { recursive: true });
  for (const file of Object.keys(exports.dates)) delete exports.dates[file];
});

/** Compares an export after a change with one without a cache; returns the pages that were rendered. */
async function compare(): Promise<number> {
  const { renderedPages, ...warm } = await exports.warm();
  const { renderedPages: _, ...cold } = await exports.cold();
  expect(warm).toEqual(cold);
  return renderedPages;
}

describe('an export after a change is the one without a cache', () => {
  test.each<[string, () => unknown, number | null]>([
    ['the text of a page', () => edit(`${name(7)}.mdx`, 'own7x0', 'another new word'), 1],
    [
      'a longer text',
      () =>
        write(
          `${name(8)}.mdx`,
          `---\ntitle: "Page 8"\n---\n\n## Part one\n\n${prose(8)}\n\n## Two\n\n${prose(9)}`,
        ),
      1,
    ],
    [
      'a section more',
      () => edit(`${name(7)}.mdx`, '## Part one', '## Part zero\n\nText.\n\n## Part one'),
      1,
    ],
    ['the code of a page', () => edit(`${name(9)}.mdx`, 'const n', 'let n'), 1],
    [
      'several pages of several groups',
      () => {
        for (const n of [1, 30, 65, 69]) edit(`${name(n)}.mdx`, `own${n}x0`, 'x');
      },
      4,
    ],
    ['a heading that others link to', () => edit(`${name(PAGES - 1)}.mdx`, '## Part one', '## Part 1'), 1],
    [
      'a heading that others link to in another form',
      () => edit(`${name(1)}.mdx`, '## Part one', '## PART_ONE {#PART_ONE}'),
      1,
    ],
    ['the page that shows the defect of a snippet', () => edit('snippet-user.mdx', '<Note />', 'none'), 2],
    ['the second page that shows it', () => edit('snippet-user-2.mdx', '<Note />', 'none'), 1],
    ['a page that another one imports', () => edit(`${name(2)}.mdx`, 'own2x0', 'changed'), 3],
    ['a page with a feed', () => edit('changes.mdx', 'Text.', 'Other text.'), 1],
    ['a page of an API', () => edit('api/list.mdx', 'More.', 'Less.'), 1],
    ['a page with state', () => edit('state.mdx', 'x^2', 'x^3'), 1],
    ['classes of a page', () => edit('untitled.mdx', 'mt-4', 'mt-8'), 1],
    ['a page without its links', () => edit(`${name(5)}.mdx`, /\[next\].*\n/, '\n'), 1],
    [
      'a page that is only a link',
      () => write(`${name(3)}.mdx`, '---\nurl: https://example.com\n---\n'),
      CORRECTED + 5,
    ],
    ['a page with a defect', () => write(`${name(4)}.mdx`, '---\ntitle: "Page 4"\n---\n\n<Card>{open\n'), 1],
    [
      'a page that imports a file for the first time',
      () => edit(`${name(7)}.mdx`, '## Part one', 'import x from "/data/list.js";\n\n## Part one'),
      CORRECTED + 1,
    ],
    [
      'a link into a folder of generated files',
      () => edit(`${name(7)}.mdx`, '## Part one', '[File](/build/file.txt)\n\n## Part one'),
      1,
    ],
    ['a title', () => edit(`${name(7)}.mdx`, '"Page 7"', '"Seven"'), CORRECTED + 1],
    [
      'a title that is a heading',
      () => edit('untitled.mdx', '# The heading', '# Another heading'),
      CORRECTED + 1,
    ],
    ['an icon', () => edit('docs.json', '"house"', '"star"'), CORRECTED],
    ['the name of the site', () => edit('docs.json', '"Docs"', '"Other docs"'), CORRECTED],
    [
      'a footer',
      () =>
        edit('docs.json', '"theme"', '"footer":{"socials":{"github":"https://github.com/example"}},"theme"'),
      CORRECTED,
    ],
    [
      'the order of the navigation',
      () => edit('docs.json', '"guides/p001","guides/p002"', '"guides/p002","guides/p001"'),
      CORRECTED,
    ],
    ['a page that leaves the navigation', () => edit('docs.json', '"guides/p003",', ''), CORRECTED + 1],
    ['the name of a group', () => edit('docs.json', '"Guides"', '"Articles"'), PAGES],
    [
      'a defect of docs.json that pages show',
      () => edit('docs.json', '"house"', '"no-icon-of-any-library"'),
      CORRECTED,
    ],
    ['a description', () => edit(`${name(6)}.mdx`, 'About 6', 'About six'), CORRECTED + 1],
    ['a key of docs.json', () => edit('docs.json', '#123456', '#654321'), null],
    ['a variable', () => edit('docs.json', '"Offprint"', '"Other"'), null],
    ['a redirect', () => edit('docs.json', '/guides/p001"}]', '/guides/p002"}]'), CORRECTED + 5],
    [
      'an added redirect',
      () =>
        edit(
          'docs.json',
          '"redirects":[',
          '"redirects":[{"source":"/nowhere","destination":"/guides/p009"},',
        ),
      CORRECTED + 5,
    ],
    ['a snippet', () => edit('snippets/note.mdx', 'A note', 'Another note'), 2],
    ['a script', () => edit('snippets/counter.jsx', 'n + 1', 'n + 2'), 1],
    ['a skill that a page shows', () => edit('skill.md', 'The skill', 'Another skill'), 1],
    ['a snippet of two pages', () => edit('snippets/plain.mdx', 'A plain', 'Another plain'), 2],
    ['a snippet of a snippet', () => edit('snippets/inner.mdx', 'The inner', 'Another inner'), 2],
    ['a snippet that is named', () => edit('snippets/named.mdx', 'The named', 'Another named'), 2],
    [
      'a snippet that imports another one',
      () => edit('snippets/named.mdx', 'The', 'import Note from "/snippets/inner.mdx";\n\nThe'),
      2,
    ],
    ['a description file', () => edit('openapi.json', 'List things', 'List all things'), 1],
    ['an added data file', () => write('data/more.json', '[]'), 0],
    ['a file that pages only link to', () => edit('data/list.js', '[1]', '[2]'), 0],
    ['a file that is not in the output', () => edit('.github/check.yml', 'push', 'schedule'), 0],
    ['an added file that is not in the output', () => write('.github/more.yml', 'on: push\n'), 0],
    ['a removed file that is not in the output', () => rmSync(fileOf('.github/check.yml')), 0],
    ['a style sheet', () => edit('style.css', 'red', 'blue'), 0],
    [
      'a style sheet whose classes are code',
      () => edit('style.css', 'color: red', 'font: 1em monospace'),
      PAGES + OTHERS,
    ],
    ['an added file that pages could link to', () => write('data/notes.txt', 'notes'), 0],
    ['a removed file that pages could link to', () => rmSync(fileOf('data/list.txt')), 0],
    ['an added image that a style sheet names', () => write('images/later.png', 'an image'), null],
    ['an added style sheet', () => write('more.css', '.card { color: red }'), CORRECTED],
    ['a removed style sheet', () => rmSync(fileOf('style.css')), CORRECTED],
    ['an image that one page shows', () => write('images/logo.png', 'another image'), 1],
    [
      'an image that a style sheet contains',
      () => write('images/draw.svg', '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>'),
      0,
    ],
    ['a logo with another size', () => edit('images/mark.svg', 'width="40"', 'width="60"'), CORRECTED],
    ['an image that no page shows yet', () => write('images/new.png', 'new'), 0],
    [
      'an image with the page that shows it',
      () => {
        write('images/new.png', 'new');
        edit(`${name(7)}.mdx`, 'own7x0', '![New](/images/new.png)');
      },
      1,
    ],
    ['an image that a page has looked for', () => write('images/missing.png', 'there'), 1],
    ['a snippet that no page shows yet', () => write('snippets/new.mdx', 'New.\n'), CORRECTED],
    ['a removed image', () => rmSync(fileOf('images/logo.png')), 1],
    ['a removed image that no page shows', () => rmSync(fileOf('images/draw.svg')), 0],
    ['a removed logo', () => rmSync(fileOf('images/mark.svg')), null],
    [
      'a renamed image with the page that shows it',
      () => {
        renameSync(fileOf('images/logo.png'), fileOf('images/renamed.png'));
        edit('index.mdx', 'logo.png', 'renamed.png');
      },
      1,
    ],
    ['an added page', () => write('added.mdx', '---\ntitle: Added\n---\nText.\n'), CORRECTED + 1],
    [
      'an added page before all others',
      () => write('a.mdx', '---\ntitle: Added\n---\nText.\n'),
      CORRECTED + 1,
    ],
    [
      'several added pages with links to each other',
      () => {
        for (const at of [0, 1, 2])
          write(
            `guides/p0${at}x.mdx`,
            `---\ntitle: Added ${at}\n---\n\n[next](/guides/p0${(at + 1) % 3}x)\n`,
          );
        edit('docs.json', '"guides/p003"', '"guides/p00x","guides/p003","guides/p02x"');
      },
      CORRECTED + 3,
    ],
    [
      'an added page to which a link leads already',
      () => write('soon.mdx', '---\ntitle: There\n---\nText.\n'),
      CORRECTED + 2,
    ],
    [
      'an added page that mends the defect of a snippet',
      () => write('nowhere.mdx', '---\ntitle: There\n---\nText.\n'),
      CORRECTED + 3,
    ],
    [
      'an added page that is the first of its folder',
      () => {
        write('guides/first.mdx', '---\ntitle: First\n---\nText.\n');
        edit('docs.json', '"guides/p000"', '"guides/first","guides/p000"');
      },
      CORRECTED + 2,
    ],
    [
      'an added page whose path is another one in lower case',
      () => write('Index.mdx', '---\ntitle: Other\n---\nText.\n'),
      null,
    ],
    [
      'an added page of an API',
      () => write('api/more.mdx', '---\ntitle: More\nopenapi: "GET /things"\n---\n'),
      CORRECTED + 1,
    ],
    [
      'an added page that shows the defect of a snippet before others',
      () => write('a.mdx', '---\ntitle: Added\n---\nimport Note from "/snippets/note.mdx";\n\n<Note />\n'),
      CORRECTED + 1,
    ],
    ['a removed page', () => rmSync(fileOf(`${name(6)}.mdx`)), CORRECTED + 1],
    [
      'a removed page without the link to it',
      () => {
        rmSync(fileOf(`${name(6)}.mdx`));
        edit('state.mdx', '[Six](/guides/p006)', '');
      },
      CORRECTED + 1,
    ],
    ['a removed page to which nothing links', () => rmSync(fileOf('plain.mdx')), CORRECTED],
    [
      'a removed page whose warnings others have, too',
      () => rmSync(fileOf('snippet-user.mdx')),
      CORRECTED + 1,
    ],
    ['a removed page that is the first of its folder', () => rmSync(fileOf(`${name(0)}.mdx`)), CORRECTED],
    ['a removed page with a feed', () => rmSync(fileOf('changes.mdx')), CORRECTED],
    ['a removed page of an API', () => rmSync(fileOf('api/list.mdx')), CORRECTED],
    ['a renamed page', () => renameSync(fileOf(`${name(6)}.mdx`), fileOf('renamed.mdx')), CORRECTED + 2],
    [
      'a renamed page with the link to it and its place in the navigation',
      () => {
        renameSync(fileOf(`${name(6)}.mdx`), fileOf('guides/renamed.mdx'));
        edit('docs.json', name(6), 'guides/renamed');
        edit('state.mdx', name(6), 'guides/renamed');
      },
      CORRECTED + 2,
    ],
    ['a date', () => Object.assign(exports.dates, { [`${name(7)}.mdx`]: '2026-02-03T04:05:06Z' }), 1],
  ])('%s', async (_, change, rendered) => {
    change();
    const count = await compare();
    // null: any number of pages
    if (rendered !== null) expect(count).toBe(rendered);
  });

  test('a redirect, where no snippet has links that redirects decide', async () => {
    edit('snippets/note.mdx', ' and [a dead link](/nowhere)', '');
    edit(`${name(7)}.mdx`, 'own7x0', '[dead](/nowhere)');
    for (const at of [11, 12])
      edit(`${name(at)}.mdx`, `own${at}x0`, '<Visibility for="agents">[old](/old)</Visibility>');
    await compare();
    const REDIRECTED = 6;
    edit('docs.json', '/guides/p001"}]', '/guides/p002"}]');
    expect(
      await compare(),
      'two, two for agents, one with a link to a folder, and one with a broken link',
    ).toBe(CORRECTED + REDIRECTED);
    edit('docs.json', '"redirects":[', '"redirects":[{"source":"/nowhere","destination":"/guides/p009"},');
    expect(await compare(), 'two, two for agents, and one with a link to a folder').toBe(
      CORRECTED + REDIRECTED,
    );
    edit('docs.json', '"source":"/old"', '"source":"/older"');
    expect(await compare(), 'two, two for agents, and one with a link to a folder').toBe(
      CORRECTED + REDIRECTED,
    );
  });

  test('a feed to which another page links', async () => {
    edit(`${name(7)}.mdx`, 'own7x0', `[feed](/${name(12)}/rss.xml)`);
    expect(await compare()).toBe(1);
    edit(`${name(12)}.mdx`, 'own12x0', '\n\n<Update label="2026-01-02">New</Update>\n\n');
    expect(await compare(), 'the page with the feed and the one with the link').toBe(2);
    edit(`${name(12)}.mdx`, '>New<', '>Newer<');
    expect(await compare()).toBe(2);
  });

  test('a feed to which docs.json links', async () => {
    edit(
      'docs.json',
      '"theme"',
      `"navbar":{"links":[{"label":"Feed","href":"/${name(12)}/rss.xml"}]},"theme"`,
    );
    await compare();
    edit(`${name(12)}.mdx`, 'own12x0', '\n\n<Update label="2026-01-02">New</Update>\n\n');
    expect(await compare()).toBe(CORRECTED + 1);
    edit(`${name(7)}.mdx`, 'own7x0', 'other');
    expect(await compare()).toBe(1);
    edit(
      'docs.json',
      '"redirects":[',
      `"redirects":[{"source":"/feed","destination":"/${name(13)}/rss.xml"},`,
    );
    await compare();
    edit(`${name(13)}.mdx`, 'own13x0', '\n\n<Update label="2026-01-02">New</Update>\n\n');
    expect(await compare()).toBe(CORRECTED + 1);
  });

  test('one after the other', async () => {
    edit(`${name(7)}.mdx`, 'own7x0', 'first');
    expect(await compare()).toBe(1);
    edit(`${name(66)}.mdx`, 'own66x0', 'second');
    expect(await compare()).toBe(1);
    edit(`${name(7)}.mdx`, 'first', 'own7x0');
    edit('snippets/note.mdx', 'A note', 'Another note');
    await compare();
    edit(`${name(1)}.mdx`, 'own1x0', 'third');
    expect(await compare()).toBe(1);
    edit('docs.json', '"house"', '"star"');
    expect(await compare()).toBe(CORRECTED);
    edit(`${name(1)}.mdx`, 'third', 'fourth');
    expect(await compare()).toBe(1);
    edit('snippets/inner.mdx', 'The inner', 'Another inner');
    edit('docs.json', '"star"', '"house"');
    expect(await compare()).toBe(CORRECTED + 2);
    edit('snippets/named.mdx', 'The named', 'Another named');
    expect(await compare()).toBe(2);
    edit('docs.json', '"guides/p001","guides/p002"', '"guides/p002","guides/p001"');
    edit(`${name(0)}.mdx`, '"Page 0"', '"Zero"');
    expect(await compare()).toBe(CORRECTED);
    edit(`${name(0)}.mdx`, 'own0x0', 'fifth');
    expect(await compare()).toBe(1);
    write('a.mdx', '---\ntitle: Added\n---\n\n[missing](/b)\n');
    expect(await compare()).toBe(CORRECTED + 1);
    edit(`${name(0)}.mdx`, 'fifth', 'sixth');
    edit('snippets/inner.mdx', 'Another inner', 'The inner');
    write('images/logo.png', 'another image');
    expect(await compare()).toBe(4);
    write('guides/added.mdx', '---\ntitle: Added\n---\n\n![Logo](/images/logo.png)\n');
    expect(await compare()).toBe(CORRECTED + 1);
    write('images/logo.png', 'a third image');
    expect(await compare()).toBe(2);
    write('b.mdx', '---\ntitle: Second\n---\nText.\n');
    await compare();
    edit('b.mdx', 'Text.', 'More text.');
    expect(await compare()).toBe(1);
  });

  test('the background of preview images', async () => {
    write(
      'images/ground.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>',
    );
    edit('docs.json', '"theme"', '"thumbnails":{"background":"/images/ground.svg"},"theme"');
    await compare();
    edit('images/ground.svg', '<rect', '<rect fill="red"');
    expect(await compare()).toBe(CORRECTED);
    edit(`${name(7)}.mdx`, 'own7x0', 'first');
    expect(await compare()).toBe(1);
  });
});

describe('what is left of an earlier export', () => {
  const entries = (): string[] => readdirSync(join(work, 'cache')).sort();

  test.each<[string, (bytes: Buffer, other: Buffer) => Buffer]>([
    ['truncated', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['empty', () => Buffer.alloc(0)],
    ['changed', (bytes) => bytes.fill(1, bytes.length >> 1, (bytes.length >> 1) + 8)],
    ['of another entry', (_, other) => other],
  ])('is not used if an entry is %s', async (_, damage) => {
    for (const entry of entries()) {
      rmSync(join(work, 'cache'), { recursive: true, force: true });
      cpSync(first, join(work, 'cache'), { recursive: true });
      const others = entries().filter((each) => each !== entry);
      const file = join(work, 'cache', entry);
      writeFileSync(file, damage(readFileSync(file), readFileSync(join(work, 'cache', others[0] ?? ''))));
      edit(`${name(40)}.mdx`, /own40x\w+/, `own40x${Math.random().toString(36).slice(2)}`);
      await compare();
    }
  });

  test('is not needed', async () => {
    for (const entry of entries()) {
      rmSync(join(work, 'cache'), { recursive: true, force: true });
      cpSync(first, join(work, 'cache'), { recursive: true });
      rmSync(join(work, 'cache', entry));
      edit(`${name(40)}.mdx`, /own40x\w+/, `own40x${Math.random().toString(36).slice(2)}`);
      await compare();
    }
  });
});

test('nothing is kept of pages whose imports are more than a million together', async () => {
  const count = 1100;
  const snippets = Array.from({ length: count }, (_, at) => `s${at}`);
  for (const snippet of snippets) write(`snippets/many/${snippet}.mdx`, 'Text.\n');
  const imports = snippets.map(
    (snippet) => `import ${snippet.toUpperCase()} from "/snippets/many/${snippet}.mdx";`,
  );
  write('snippets/hub.mdx', `${imports.join('\n')}\n\nText.\n`);
  for (let at = 0; at < count; at++)
    write(`many/p${at}.mdx`, `---\ntitle: Page\n---\nimport Hub from "/snippets/hub.mdx";\n\n<Hub />\n`);
  await exports.warm();
  edit('many/p7.mdx', 'title: Page', 'title: Seven');
  expect(await compare()).toBeGreaterThan(count);
});

test('an added page renders all pages if earlier ones have looked for too many names', async () => {
  const links = Array.from({ length: 1000 }, (_, at) => `[a](${at}${'x'.repeat(3000)})`);
  write('many.mdx', `---\ntitle: Many\n---\n\n${links.join('\n\n')}\n`);
  const { pageCount } = await exports.warm();
  write('added.mdx', '---\ntitle: Added\n---\nText.\n');
  expect(await compare()).toBe(pageCount + 1);
  edit('added.mdx', 'Text', 'Other text');
  expect(await compare()).toBe(1);
});
