import { type FrontMatter, readFrontMatter } from '../config/front-matter.ts';
import { resolvePath } from '../config/reference.ts';
import { copyText } from '../copy-text.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { type IgnoreRules, readIgnoreRules } from './ignore.ts';
import { isSafePath, outputPath, pagePath } from './path.ts';

/** A file that is or may become a page. */
export interface PageFile {
  file: string;
  /** URL path. */
  path: string;
  front: Omit<FrontMatter, 'body'>;
  /** The text after the front matter. */
  readBody(): string;
  /** A page only when the navigation lists it: imported somewhere, in a snippets folder, or README and the like. */
  optional: boolean;
  /** A page also when another one links to it: in a folder such as `build`. */
  isLinkable: boolean;
  /** Its text has a replacement character: the file may be in another encoding. */
  hasReplacement: boolean;
  /** Imported somewhere or in a snippets folder. */
  isSnippet: boolean;
}

export interface SourceFiles {
  pages: PageFile[];
  /** Code files that may be imported. */
  snippets: string[];
  assets: string[];
  /** Files beside the pages in folders such as `build`: assets where a page shows or links to them. */
  linkable: string[];
}

/** Bytes of one page; longer text does not fit into one string everywhere. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** Characters of texts that are kept; those of larger sites are read again when they are rendered. */
const MAX_KEPT = 8 * 1024 * 1024;
/** Bytes of a script whose imports are looked for. */
const MAX_CODE_BYTES = 500_000;
const PAGE = /\.mdx?$/i;
const CODE = /\.(?:jsx|tsx?)$/i;
const IMPORTABLE = /\.(?:mdx?|[jt]sx?)$/i;
const ENDINGS = ['', '.mdx', '.md', '.jsx', '.tsx', '.js', '.ts'];
const IMPORT = /import\s+(?:[^'"]{0,2000}?\sfrom\s*)?['"]([^'"\n]{1,500})['"]/y;

/** What the site map needs of the text of a page. */
export interface PageHead {
  /** The text before the body. */
  front: string;
  /** Characters of the body. */
  bodyLength: number;
  /** What the page imports, as written. */
  imports: readonly string[];
  hasReplacement: boolean;
}

/** Heads of pages that an earlier render has read. */
export interface PageHeads {
  /** The head of a file that is the same now; null without one. */
  get(file: string): PageHead | null;
  keep(file: string, head: PageHead): void;
}

/**
 * Sorts the files of a source: pages, snippets, assets. What is ignored and the configuration are none of them.
 */
export function sortFiles(
  source: SourceTree,
  configFiles: readonly string[],
  warn: Warn,
  heads: PageHeads | null = null,
): SourceFiles {
  const rules = readIgnoreRules(source, warn);
  const configuration = new Set([...configFiles, 'docs.json', 'mint.json', '.mintignore']);
  const pages: PageFile[] = [];
  const others: string[] = [];
  const linkable: string[] = [];
  const imported = new Set<string>();
  const keeper = { kept: 0 };
  for (const file of source.paths) {
    const isSafe = isSafeFile(file);
    if (configuration.has(file) || (isSafe && rules.ignored(file))) continue;
    if (!isSafe) {
      warn({
        file,
        line: null,
        code: 'unsafe-path',
        message: 'The name is not a valid file name on all systems, so the file was excluded. Rename it.',
      });
    } else if (PAGE.test(file) && heads?.get(file) == null && source.size(file) > MAX_PAGE_BYTES) {
      const message = `The page is larger than ${MAX_PAGE_BYTES} bytes and was excluded. Split it.`;
      warn({ file, line: null, code: 'page-too-large', message });
    } else if (PAGE.test(file) && !inDotFolder(file) && file !== 'skill.md') {
      const { imports, ...page } = readPage(source, file, { heads, keeper }, warn);
      for (const target of imports) addImported(imported, source, file, target);
      pages.push({ file, path: pagePath(file), ...page, ...kindOf(file, rules) });
    } else if (!rules.unlisted(file)) {
      others.push(file);
      for (const target of importsOfScript(source, file)) addImported(imported, source, file, target);
    } else if (rules.isGenerated(file)) linkable.push(file);
  }
  for (const page of pages.filter(({ file }) => imported.has(file)))
    Object.assign(page, { optional: true, isLinkable: false, isSnippet: true });
  const isSnippet = (file: string): boolean =>
    (imported.has(file) && IMPORTABLE.test(file)) || (inSnippets(file) && CODE.test(file));
  return {
    pages,
    snippets: others.filter(isSnippet),
    assets: others.filter((file) => !isSnippet(file)),
    linkable: linkable.filter((file) => !imported.has(file)),
  };
}

const withoutBody = ({ body: _body, ...front }: FrontMatter): PageFile['front'] => front;

/** Reads the text after the front matter, the last characters of the file. */
function bodyReader(source: SourceTree, file: string, length: number, bodyLength: number): () => string {
  return () => {
    const text = source.readText(file);
    return text.length === length ? text.slice(length - bodyLength) : readFrontMatter(text).body;
  };
}

function kindOf(file: string, rules: IgnoreRules): Pick<PageFile, 'optional' | 'isLinkable' | 'isSnippet'> {
  const isSnippet = inSnippets(file);
  return {
    optional: isSnippet || rules.unlisted(file),
    isLinkable: !isSnippet && rules.isGenerated(file),
    isSnippet,
  };
}

/** What a script imports: those are not files of the site either. */
function importsOfScript(source: SourceTree, file: string): string[] {
  if (!CODE.test(file) || source.size(file) > MAX_CODE_BYTES) return [];
  return findImports(source.readText(file));
}

type ReadPage = Pick<PageFile, 'front' | 'readBody' | 'hasReplacement'> & Pick<PageHead, 'imports'>;

/** `keeper` counts the characters of the texts that are kept. */
function readPage(
  source: SourceTree,
  file: string,
  { heads, keeper }: { heads: PageHeads | null; keeper: { kept: number } },
  warn: Warn,
): ReadPage {
  const known = heads?.get(file) ?? null;
  if (known !== null) {
    const { front, bodyLength, imports, hasReplacement } = known;
    const readBody = bodyReader(source, file, front.length + bodyLength, bodyLength);
    return { front: withoutBody(readFrontMatter(front)), readBody, imports, hasReplacement };
  }
  const text = source.readText(file);
  const front = readFrontMatter(text);
  if (front.fault !== null) warn({ file, code: 'front-matter', ...front.fault });
  const { length } = front.body;
  const head = {
    front: copyText(text.slice(0, text.length - length)),
    bodyLength: length,
    imports: findImports(front.body),
    hasReplacement: text.includes('\ufffd'),
  };
  // Whether a fence without an end is front matter depends on the text behind it.
  if (front.fault === null && (head.front !== '' || !/^[-+]/.test(text))) heads?.keep(file, head);
  keeper.kept += text.length;
  const { body } = front;
  const readBody = keeper.kept <= MAX_KEPT ? () => body : bodyReader(source, file, text.length, length);
  return { ...head, front: withoutBody(front), readBody };
}

/** Skills (`skill.md` at the root, and in dot folders) are served as they are. */
const inDotFolder = (file: string): boolean => /(?:^|\/)\./.test(file);

const isSafeFile = (file: string): boolean =>
  isSafePath(file) && (!PAGE.test(file) || isSafePath(outputPath(pagePath(file))));

/** Whether a file is in a folder for snippets (format of docs.json: `snippets` and `_snippets`). */
function inSnippets(file: string): boolean {
  return /(?:^|\/)_?snippets\//.test(file);
}

/** What a page imports, as written, code fences apart. */
function findImports(body: string): string[] {
  const found: string[] = [];
  const scan: FenceScan = { body, at: 0, fence: null };
  for (let at = body.startsWith('import') ? 0 : nextImport(body, 0); at >= 0; at = nextImport(body, at)) {
    IMPORT.lastIndex = at;
    const target = IMPORT.exec(body)?.[1];
    if (target !== undefined && !isInFence(scan, at)) found.push(copyText(target));
  }
  return found;
}

function nextImport(body: string, at: number): number {
  const before = body.indexOf('\nimport', at);
  return before < 0 ? -1 : before + 1;
}

interface FenceScan {
  body: string;
  /** Start of the next line to read. */
  at: number;
  /** The mark that opened the fence around it; null outside of fences. */
  fence: string | null;
}

/** Whether a line is in a code fence. Offsets must increase from call to call, so that the text is read once. */
function isInFence(scan: FenceScan, line: number): boolean {
  while (scan.at < line) {
    const mark = fenceAt(scan.body, scan.at);
    if (scan.fence === null) scan.fence = mark;
    else if (mark?.startsWith(scan.fence)) scan.fence = null;
    scan.at = scan.body.indexOf('\n', scan.at) + 1;
  }
  return scan.fence !== null;
}

/** The run of backticks or tildes that opens or closes a code fence on the line; null on other lines. */
function fenceAt(body: string, at: number): string | null {
  let from = at;
  while (body[from] === ' ' || body[from] === '\t') from++;
  const mark = body[from];
  if (mark !== '`' && mark !== '~') return null;
  let end = from;
  while (body[end] === mark) end++;
  return end - from >= 3 ? body.slice(from, end) : null;
}

/** Adds the file of the source that an import means, if there is one. */
function addImported(imported: Set<string>, source: SourceTree, file: string, written: string): void {
  const target = findImported(source, file, written);
  if (target !== null) imported.add(target);
}

function findImported(source: SourceTree, file: string, written: string): string | null {
  const isRelative = written.startsWith('.');
  if (!isRelative && !written.startsWith('/') && !IMPORTABLE.test(written)) return null;
  const path = resolvePath(isRelative ? file : '', written);
  if (path === null || path === '') return null;
  return ENDINGS.map((ending) => path + ending).find((name) => source.has(name)) ?? null;
}
