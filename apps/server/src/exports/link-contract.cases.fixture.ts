import { type Docs, docs, type Files, filesOf, pages } from './link-contract.fixture.ts';

/** A change of the site, and every URL and anchor that it breaks, as `describe` writes them. */
export interface Case {
  name: string;
  files: Files;
  basePath?: string;
  broken: readonly string[];
}

const edit = (file: string, from: string, to: string): Files => {
  const text = pages[file];
  if (text?.includes(from) !== true) throw new Error(`${file} does not contain ${from}`);
  return { ...pages, [file]: text.replace(from, to) };
};
const without = (...gone: string[]): Files =>
  Object.fromEntries(Object.entries(pages).filter(([path]) => !gone.includes(path)));
const moved = (from: string, to: string): Files => ({ ...without(from), [to]: pages[from] ?? '' });
/** docs.json with texts replaced. */
const docsWith = (...changes: [from: string, to: string][]): Docs => {
  let text = JSON.stringify(docs);
  for (const [from, to] of changes) text = text.replaceAll(from, to);
  return { ...docs, ...JSON.parse(text) };
};
const onlyRedirects = (isKept: (source: string) => boolean): Docs => ({
  ...docs,
  redirects: docs.redirects.filter(({ source }) => isKept(source)),
});
const withNavigation = (change: (text: string) => string): Docs => ({
  ...docs,
  navigation: JSON.parse(change(JSON.stringify(docs.navigation))),
});

const startMoved = moved('guides/start.mdx', 'guides/begin.mdx');
const startToBegin: [string, string] = ['"guides/start"', '"guides/begin"'];

export const cases: Case[] = [
  { name: 'nothing', files: filesOf(), broken: [] },
  { name: 'words of a page', files: filesOf(docs, edit('index.mdx', 'Text.', 'Other.')), broken: [] },
  {
    name: 'a page added',
    files: filesOf(docsWith(['"guides/install"', '"guides/install","guides/new"']), {
      ...pages,
      'guides/new.mdx': '---\ntitle: New\n---\n\n## New',
    }),
    broken: [],
  },
  {
    name: 'a page renamed',
    files: filesOf(docsWith(startToBegin), startMoved),
    broken: [
      '/begin: redirect-target docs.json:67 docs.json:67 /guides/start',
      '/guides/start: removed - guides/start.mdx -',
      '/manual/start: redirect-target docs.json:75 docs.json:75 /guides/:slug*',
    ],
  },
  {
    name: 'a page renamed with a redirect',
    files: filesOf(
      {
        ...docsWith(startToBegin),
        redirects: [...docs.redirects, { source: '/guides/start', destination: '/guides/begin' }],
      },
      startMoved,
    ),
    broken: [],
  },
  {
    name: 'a page renamed with a redirect to a mistyped page',
    files: filesOf(
      {
        ...docsWith(startToBegin),
        redirects: [...docs.redirects, { source: '/guides/start', destination: '/guides/begn' }],
      },
      startMoved,
    ),
    broken: [
      '/begin: redirect-target docs.json:83 docs.json:67 /guides/begn',
      '/guides/start: redirect-target docs.json:83 guides/start.mdx /guides/begn',
      '/manual/start: redirect-target docs.json:83 docs.json:75 /guides/begn',
    ],
  },
  {
    name: 'a page merged into another one without its headings',
    files: filesOf(
      {
        ...docsWith(['"guides/start",', '']),
        redirects: [...docs.redirects, { source: '/guides/start', destination: '/guides/install' }],
      },
      without('guides/start.mdx'),
    ),
    broken: [
      '/guides/start#before-you-start: anchor-removed docs.json:82 guides/start.mdx:5 -',
      '/guides/start#first-steps: anchor-removed docs.json:82 guides/start.mdx:9 -',
      '/guides/start#next: anchor-removed docs.json:82 guides/start.mdx:13 -',
    ],
  },
  {
    name: 'a page merged into a section of another one',
    files: filesOf(
      {
        ...docsWith(['"guides/start",', '']),
        redirects: [...docs.redirects, { source: '/guides/start', destination: '/guides/install#on-linux' }],
      },
      without('guides/start.mdx'),
    ),
    broken: [],
  },
  {
    name: 'a page that leads to another host',
    files: filesOf(
      {
        ...docsWith(['"guides/start",', '']),
        redirects: [
          ...docs.redirects,
          { source: '/guides/start', destination: 'https://other.example.com/' },
        ],
      },
      without('guides/start.mdx'),
    ),
    broken: [],
  },
  {
    name: 'a page deleted',
    files: filesOf(docsWith(['"marks"', '"twins"']), without('marks.mdx')),
    broken: ['/marks: removed - marks.mdx -'],
  },
  {
    name: 'a page out of the navigation, still exported',
    files: filesOf(docsWith([',"marks"', ''])),
    broken: [],
  },
  {
    name: 'a page left out by .mintignore',
    files: filesOf(docsWith([',"marks"', '']), { ...pages, '.mintignore': 'marks.mdx\n' }),
    broken: ['/marks: removed - marks.mdx -'],
  },
  {
    name: 'a folder moved',
    files: filesOf(docsWith(['"guides/start"', '"learn/start"'], ['"guides/install"', '"learn/install"']), {
      ...without('guides/start.mdx', 'guides/install.mdx'),
      'learn/start.mdx': pages['guides/start.mdx'] ?? '',
      'learn/install.mdx': pages['guides/install.mdx'] ?? '',
    }),
    broken: [
      '/begin: redirect-target docs.json:67 docs.json:67 /guides/start',
      '/guides/install: removed - guides/install.mdx -',
      '/guides/start: removed - guides/start.mdx -',
      '/manual/install: redirect-target docs.json:75 docs.json:75 /guides/:slug*',
      '/manual/start: redirect-target docs.json:75 docs.json:75 /guides/:slug*',
      '/setup: redirect-target docs.json:71 docs.json:71 /guides/install#on-linux',
    ],
  },
  {
    name: 'a folder moved with a redirect of all its pages',
    files: filesOf(
      {
        ...docsWith(['"guides/start"', '"learn/start"'], ['"guides/install"', '"learn/install"']),
        redirects: [...docs.redirects, { source: '/guides/:slug*', destination: '/learn/:slug*' }],
      },
      {
        ...without('guides/start.mdx', 'guides/install.mdx'),
        'learn/start.mdx': pages['guides/start.mdx'] ?? '',
        'learn/install.mdx': pages['guides/install.mdx'] ?? '',
      },
    ),
    broken: [],
  },
  {
    name: 'a page moved into a folder as its index',
    files: filesOf(docs, moved('marks.mdx', 'marks/index.mdx')),
    broken: [],
  },
  {
    name: 'a heading reworded',
    files: filesOf(docs, edit('guides/start.mdx', '## First steps', '## Your first steps')),
    broken: [
      '/guides/start#first-steps: anchor-changed guides/start.mdx:9 guides/start.mdx:9 your-first-steps',
    ],
  },
  {
    name: 'a heading reworded that keeps its anchor',
    files: filesOf(docs, edit('guides/start.mdx', '## First steps', '## Your first steps {#first-steps}')),
    broken: [],
  },
  {
    name: 'a heading with other capitals and punctuation',
    files: filesOf(docs, edit('guides/start.mdx', '## First steps', '## First Steps!')),
    broken: [],
  },
  {
    name: 'a heading without the mark that gave it a second anchor',
    files: filesOf(docs, edit('guides/install.mdx', '## What is new?', '## What is new')),
    broken: ['/guides/install#what-is-new?: anchor-removed guides/install.mdx:11 guides/install.mdx:11 -'],
  },
  {
    name: 'a heading on another level',
    files: filesOf(docs, edit('guides/install.mdx', '### Debian', '#### Debian')),
    broken: [],
  },
  {
    name: 'a heading deleted',
    files: filesOf(docs, edit('guides/install.mdx', '### Debian\n\n', '')),
    broken: ['/guides/install#debian: anchor-removed guides/install.mdx:5 guides/install.mdx:7 -'],
  },
  {
    name: 'the first heading deleted',
    files: filesOf(docs, edit('guides/start.mdx', '## Before you start\n\n', '')),
    broken: ['/guides/start#before-you-start: anchor-removed guides/start.mdx guides/start.mdx:5 -'],
  },
  {
    name: 'two neighboring headings reworded',
    files: filesOf(
      docs,
      edit('guides/install.mdx', '### Debian\n\n## On macOS', '### Ubuntu\n\n## On a Mac'),
    ),
    broken: [
      '/guides/install#debian: anchor-changed guides/install.mdx:7 guides/install.mdx:7 ubuntu',
      '/guides/install#on-macos: anchor-changed guides/install.mdx:9 guides/install.mdx:9 on-a-mac',
    ],
  },
  {
    name: 'headings in another order',
    files: filesOf(
      docs,
      edit('guides/install.mdx', '## On macOS\n\n## What is new?', '## What is new?\n\n## On macOS'),
    ),
    broken: [],
  },
  {
    name: 'a heading moved to another page',
    files: filesOf(docs, {
      ...edit('guides/start.mdx', '\n\n## Next', ''),
      'marks.mdx': `${pages['marks.mdx']}\n## Next\n`,
    }),
    broken: ['/guides/start#next: anchor-removed guides/start.mdx:9 guides/start.mdx:13 -'],
  },
  {
    name: 'equal headings that swap their numbers',
    files: filesOf(
      docs,
      edit('twins.mdx', '## Example\n\nA.\n\n## Example\n\nB.', '## Example\n\nB.\n\n## Example\n\nA.'),
    ),
    broken: [],
  },
  {
    name: 'one of two equal headings deleted',
    files: filesOf(docs, edit('twins.mdx', '## Example\n\nA.\n\n', '')),
    broken: ['/twins#example-2: anchor-removed twins.mdx:5 twins.mdx:9 -'],
  },
  {
    name: 'an equal heading added',
    files: filesOf(docs, edit('twins.mdx', '## Result', '## Example\n\n## Result')),
    broken: [],
  },
  {
    name: 'an own id changed',
    files: filesOf(docs, edit('marks.mdx', '{#mine}', '{#yours}')),
    broken: ['/marks#mine: anchor-changed marks.mdx:5 marks.mdx:5 yours'],
  },
  {
    name: 'an own id removed',
    files: filesOf(docs, edit('marks.mdx', ' {#mine}', '')),
    broken: ['/marks#mine: anchor-changed marks.mdx:5 marks.mdx:5 own-id'],
  },
  {
    name: 'the id of an element removed',
    files: filesOf(docs, edit('marks.mdx', '<span id="spot">', '<span>')),
    broken: ['/marks#spot: anchor-removed marks.mdx:5 marks.mdx:7 -'],
  },
  {
    name: 'the id of an HTML heading changed',
    files: filesOf(docs, edit('marks.mdx', '<h3 id="raw">', '<h3 id="cooked">')),
    broken: ['/marks#raw: anchor-changed marks.mdx:9 marks.mdx:9 cooked'],
  },
  {
    name: 'a tab renamed',
    files: filesOf(docs, edit('parts.mdx', 'title="Python"', 'title="Ruby"')),
    broken: [
      '/parts#python: anchor-changed parts.mdx:9 parts.mdx:9 ruby',
      '/parts#python-panel: anchor-changed parts.mdx:5 parts.mdx:5 ruby-panel',
    ],
  },
  {
    name: 'an accordion renamed',
    files: filesOf(docs, edit('parts.mdx', 'title="Costs"', 'title="Prices"')),
    broken: ['/parts#costs: anchor-changed parts.mdx:15 parts.mdx:15 prices'],
  },
  {
    name: 'an accordion renamed that has an id',
    files: filesOf(docs, edit('parts.mdx', 'title="Limits"', 'title="Bounds"')),
    broken: [],
  },
  {
    name: 'a step renamed',
    files: filesOf(docs, edit('parts.mdx', 'title="Download"', 'title="Get"')),
    broken: ['/parts#download: anchor-changed parts.mdx:24 parts.mdx:24 get'],
  },
  {
    name: 'a heading of a snippet reworded',
    files: filesOf(docs, edit('snippets/terms.mdx', '## Terms of use', '## Terms')),
    broken: ['/parts#terms-of-use: anchor-changed snippets/terms.mdx:1 snippets/terms.mdx:1 terms'],
  },
  {
    name: 'a redirect removed',
    files: filesOf(onlyRedirects((source) => source !== '/begin')),
    broken: ['/begin: redirect-removed docs.json docs.json:67 -'],
  },
  {
    name: 'a redirect of many pages removed',
    files: filesOf(onlyRedirects((source) => !source.startsWith('/manual'))),
    broken: [
      '/manual/:slug*: redirect-removed docs.json docs.json:75 -',
      '/manual/install: redirect-removed docs.json docs.json:75 -',
      '/manual/start: redirect-removed docs.json docs.json:75 -',
    ],
  },
  {
    name: 'a redirect to another host removed',
    files: filesOf(onlyRedirects((source) => source !== '/blog')),
    broken: ['/blog: redirect-removed docs.json docs.json:79 -'],
  },
  {
    name: 'a redirect that now leads to a missing page',
    files: filesOf(docsWith(['"destination":"/guides/start"', '"destination":"/guides/gone"'])),
    broken: ['/begin: redirect-target docs.json:67 docs.json:67 /guides/gone'],
  },
  {
    name: 'a redirect in place of a page that became one',
    files: filesOf(
      onlyRedirects((source) => source !== '/begin'),
      { ...pages, 'begin.mdx': '---\ntitle: Begin\n---\n' },
    ),
    broken: [],
  },
  {
    name: 'a redirect that leads on by another one',
    files: filesOf(
      {
        ...docsWith(startToBegin),
        redirects: [
          ...docs.redirects,
          { source: '/guides/start', destination: '/guides/first' },
          { source: '/guides/first', destination: '/guides/begin' },
        ],
      },
      startMoved,
    ),
    broken: [],
  },
  {
    name: 'two redirects that lead to each other',
    files: filesOf(
      {
        ...docsWith(startToBegin),
        redirects: [
          ...docs.redirects.slice(1),
          { source: '/begin', destination: '/guides/start' },
          { source: '/guides/start', destination: '/begin' },
        ],
      },
      startMoved,
    ),
    broken: [
      '/begin: redirect-removed docs.json docs.json:67 -',
      '/guides/start: removed - guides/start.mdx -',
      '/manual/start: redirect-target docs.json:71 docs.json:75 /guides/start',
    ],
  },
  {
    name: 'a language dropped',
    files: filesOf(
      withNavigation((text) => text.replace(/,\{"language":"es".*\}\]\}/, ']}')),
      without('es/index.mdx', 'es/guia.mdx'),
    ),
    broken: ['/es: removed - es/index.mdx -', '/es/guia: removed - es/guia.mdx -'],
  },
  {
    name: 'a version removed',
    files: filesOf(
      withNavigation((text) => text.replace(/,\{"version":"1".*?\}\]\}/, '')),
      without('v1/start.mdx'),
    ),
    broken: ['/v1/start: removed - v1/start.mdx -'],
  },
  {
    name: 'an operation with another summary, so that its page has another slug',
    files: filesOf(docs, edit('api.yaml', 'summary: List orders', 'summary: Find orders')),
    broken: ['/api-reference/list-orders: removed api.yaml api.yaml -'],
  },
  {
    name: 'an operation removed',
    files: filesOf(
      docs,
      edit(
        'api.yaml',
        "    post:\n      summary: Create an order\n      responses:\n        '201': { description: Created }\n",
        '',
      ),
    ),
    broken: ['/api-reference/create-an-order: removed api.yaml api.yaml -'],
  },
  {
    name: 'a parameter renamed',
    files: filesOf(docs, edit('api.yaml', 'name: limit', 'name: count')),
    broken: ['/api-reference/list-orders#parameter-limit: anchor-changed api.yaml api.yaml parameter-count'],
  },
  {
    name: 'a file removed',
    files: filesOf(docs, without('files/data.csv')),
    broken: ['/files/data.csv: removed - files/data.csv -'],
  },
  {
    name: 'a page with another letter case',
    files: filesOf(docsWith(['"marks"', '"Marks"']), moved('marks.mdx', 'Marks.mdx')),
    broken: ['/marks: removed - marks.mdx -'],
  },
  {
    name: 'another base path',
    files: filesOf(),
    basePath: '/docs',
    broken: [
      '/: base-path - index.mdx -',
      '/.well-known/llms.txt: base-path - - -',
      '/api-reference/create-an-order: base-path - api.yaml -',
      '/api-reference/list-orders: base-path - api.yaml -',
      '/api.yaml: base-path - api.yaml -',
      '/begin: base-path - docs.json:67 -',
      '/blog: base-path - docs.json:79 -',
      '/es: base-path - es/index.mdx -',
      '/es/guia: base-path - es/guia.mdx -',
      '/files/data.csv: base-path - files/data.csv -',
      '/guides/install: base-path - guides/install.mdx -',
      '/guides/start: base-path - guides/start.mdx -',
      '/llms-full.txt: base-path - - -',
      '/llms.txt: base-path - - -',
      '/manual/:slug*: base-path - docs.json:75 -',
      '/manual/install: base-path - docs.json:75 -',
      '/manual/start: base-path - docs.json:75 -',
      '/marks: base-path - marks.mdx -',
      '/parts: base-path - parts.mdx -',
      '/robots.txt: base-path - - -',
      '/setup: base-path - docs.json:71 -',
      '/sitemap.xml: base-path - - -',
      '/twins: base-path - twins.mdx -',
      '/v1/start: base-path - v1/start.mdx -',
    ],
  },
];
