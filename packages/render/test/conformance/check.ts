import { memorySource, renderSite } from '../../src/index.ts';
import { describeQuery, find, has, type Query } from '../dom.ts';
import { brokenLinks } from '../output.ts';

/** Text of a file, or an element that its HTML has. */
type Pattern = string | RegExp | Query;
type Patterns = Pattern | readonly Pattern[];

/** A small site and the expected content of its export. Assertions without a file apply to `index.html`. */
export interface Check {
  /** Keys of docs.json, added to those of a plain site. */
  docs?: Record<string, unknown> | undefined;
  /** Navigation. Default: only the index page. */
  nav?: Record<string, unknown>;
  /** Lines of front matter of the index page. */
  front?: string;
  /** Body of the index page. */
  body?: string;
  /** Further files, or replacements; an empty file is omitted. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** Groups whose pages are in the export. */
  groups?: readonly string[];
  shows?: Patterns | undefined;
  lacks?: Patterns;
  /** Body with the same text whose elements must differ: for what changes only the appearance. */
  unlike?: string;
  /** Content of other files by path; `*.css` and `*.js` match all files of that type. */
  in?: Readonly<Record<string, Patterns>>;
  notIn?: Readonly<Record<string, Patterns>>;
  emits?: readonly string[];
  omits?: readonly string[];
  /** Draws a preview image. Other checks set an image URL, because drawing takes longer than everything else. */
  preview?: true;
  /** Suffix of files that must differ from those of a plain site. */
  changes?: string;
  /** Codes of the warnings, each once. Default: none. */
  warns?: readonly string[];
}

interface Exported {
  files: ReadonlyMap<string, string>;
  codes: ReadonlySet<string>;
  /** Links without a matching file in the export. */
  broken: readonly string[];
}

const decoder = new TextDecoder();
const exported = new Map<string, Promise<Exported>>();

/** Assertions that an export does not meet; empty if it meets all. */
export async function runCheck(check: Check): Promise<string[]> {
  const own = await exportOf(check);
  const faults = faultsOf(own, check);
  if (await isSame(check, check)) faults.push(`*${check.changes} is that of a plain site`);
  if (check.unlike !== undefined) {
    const other = await exportOf({ ...check, body: check.unlike });
    if (elementsIn(own) === elementsIn(other)) faults.push(`looks like ${check.unlike}`);
  }
  return faults;
}

/** Elements of the index page below its head, with their attributes. */
function elementsIn({ files }: Exported): string {
  const elements = find(files.get('index.html') ?? '', { within: { tag: 'body' } });
  return JSON.stringify(elements.map(({ tag, attributes }) => [tag, attributes]));
}

/** Whether files that must differ are equal to those of a plain site. */
async function isSame(site: Check, { changes }: Check): Promise<boolean> {
  if (changes === undefined) return false;
  const [own, plain] = await Promise.all([exportOf(site), exportOf({ preview: true })]);
  return textOf(own.files, `*${changes}`) === textOf(plain.files, `*${changes}`);
}

/** Whether two plain sites with other settings meet all assertions, so that the check proves nothing. */
export async function isVacuous(check: Check): Promise<boolean> {
  const faults = await Promise.all(PLAIN.map(async (plain) => faultsOf(await exportOf(plain), check)));
  if (check.changes !== undefined || check.unlike !== undefined) return false;
  return faults.every(({ length }) => length === 0);
}

const PLAIN: readonly Check[] = [
  {},
  {
    docs: {
      theme: 'palm',
      colors: { primary: '#7a1f5c' },
      contextual: { options: ['claude'] },
      seo: { indexing: 'all' },
    },
    files: { 'guides/start.mdx': 'Text.' },
  },
];

function faultsOf({ files, codes, broken }: Exported, check: Check): string[] {
  const faults = broken.map((link) => `leads nowhere: ${link}`);
  const look = (path: string, patterns: Patterns | undefined, wanted: boolean): void => {
    const text = textOf(files, path);
    if (text === null) {
      faults.push(`there is no ${path}`);
      return;
    }
    for (const pattern of listOf(patterns)) {
      if (isFound(text, pattern) !== wanted)
        faults.push(`${path} ${wanted ? 'lacks' : 'shows'} ${describe(pattern)}`);
    }
  };
  look('index.html', check.shows, true);
  look('index.html', check.lacks, false);
  for (const [path, patterns] of Object.entries(check.in ?? {})) look(path, patterns, true);
  for (const [path, patterns] of Object.entries(check.notIn ?? {})) look(path, patterns, false);
  for (const path of check.emits ?? []) if (!files.has(path)) faults.push(`${path} is not there`);
  for (const path of check.omits ?? []) if (files.has(path)) faults.push(`${path} is there`);
  const warned = [...codes].filter((code) => code !== 'color-contrast').sort();
  const expected = [...(check.warns ?? [])].sort();
  if (warned.join() !== expected.join())
    faults.push(`warns of ${warned.join(', ') || 'nothing'} instead of ${expected.join(', ') || 'nothing'}`);
  return faults;
}

const listOf = (patterns: Patterns | undefined): readonly Pattern[] =>
  patterns === undefined ? [] : [patterns].flat();

function isFound(text: string, pattern: Pattern): boolean {
  if (typeof pattern === 'string') return text.includes(pattern);
  return pattern instanceof RegExp ? pattern.test(text) : has(text, pattern);
}

function describe(pattern: Pattern): string {
  return typeof pattern === 'string' || pattern instanceof RegExp ? String(pattern) : describeQuery(pattern);
}

function textOf(files: ReadonlyMap<string, string>, path: string): string | null {
  if (!path.startsWith('*')) return files.get(path) ?? null;
  return [...files].flatMap(([name, text]) => (name.endsWith(path.slice(1)) ? [text] : [])).join('\n');
}

/** Rows that check the same site share its export. */
function exportOf({ docs, nav, front, body, files, groups, preview }: Check): Promise<Exported> {
  const config = {
    name: 'Docs',
    theme: 'mint',
    colors: { primary: '#0b6e4f' },
    navigation: nav ?? { pages: ['index'] },
    ...(preview ? {} : { seo: { metatags: { 'og:image': 'https://example.com/preview.png' } } }),
    ...docs,
  };
  const page = `---\n${front ?? 'title: Home'}\n---\n\n${body ?? 'Text.'}\n`;
  const written = { 'docs.json': JSON.stringify(config, null, 1), 'index.mdx': page, ...files };
  const site = Object.fromEntries(Object.entries(written).filter(([, content]) => content !== ''));
  const key = JSON.stringify([site, groups]);
  let known = exported.get(key);
  if (known === undefined) {
    known = render(site, groups ?? []);
    exported.set(key, known);
  }
  return known;
}

async function render(
  site: Record<string, string | Uint8Array>,
  groups: readonly string[],
): Promise<Exported> {
  const files = new Map<string, string>();
  const result = await renderSite({
    source: memorySource(site),
    siteUrl: 'https://docs.example.com',
    groups,
    emit: (path, content) => {
      files.set(path, typeof content === 'string' ? content : decoder.decode(content));
    },
  });
  const codes = new Set(result.warnings.map(({ code }) => code));
  return { files, codes, broken: brokenLinks({ files, result }) };
}
