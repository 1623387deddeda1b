/** What a file names: a target of a link or image, a file that is imported, a snippet of the snippet folders. */
export type LinkKind = 'link' | 'import' | 'snippet' | 'spec';

/** A place where a file names another, as it is written. */
export interface WrittenLink {
  kind: LinkKind;
  start: number;
  end: number;
  /** The text between start and end. */
  href: string;
}

/** Attributes and keys whose text is a link. */
const LINK_NAMES = 'href|src|url|link|img|poster';
/** Maximum characters of a link that is checked. */
const MAX_HREF = 2000;
/** Characters in which the end of inline code is looked for. */
const MAX_CODE = 5000;

/**
 * Every place of a page, snippet or script that names another file, in order. Code, inline code and comments are left
 * out: they show links and have none. Read by marks alone, nothing is parsed or run.
 */
export function scanLinks(file: string, text: string): WrittenLink[] {
  const found: WrittenLink[] = [];
  if (/\.mdx?$/i.test(file)) {
    const front = frontMatterEnd(text);
    if (front > 0) scanFrontMatter(text.slice(0, front), found);
    const body = maskCode(text, front);
    scanInline(body, text, found);
    scanDefinitions(body, text, found);
    scanMarkup(body, text, found);
  } else if (/\.[jt]sx?$/i.test(file)) scanMarkup(text, text, found);
  return withoutOverlap(found);
}

/** Links of Markdown in a text that is not a separate file. */
export function scanMarkdown(text: string): WrittenLink[] {
  const found: WrittenLink[] = [];
  scanInline(maskCode(text, 0), text, found);
  return withoutOverlap(found);
}

function withoutOverlap(found: WrittenLink[]): WrittenLink[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = -1;
  return found.filter((link) => {
    if (link.start < end) return false;
    end = link.end;
    return true;
  });
}

/** Offset behind the front matter; 0 without one. */
function frontMatterEnd(text: string): number {
  const opening = /^\ufeff?---[ \t]*\r?\n/.exec(text);
  if (opening === null) return 0;
  const closing = /^---[ \t]*\r?$/gm;
  closing.lastIndex = opening[0].length;
  const match = closing.exec(text);
  return match === null ? 0 : match.index + match[0].length;
}

/** Values that are a path from the root, and the description that `openapi` names. */
function scanFrontMatter(text: string, found: WrittenLink[]): void {
  const value =
    /^[ \t]*(?:-[ \t]+)?(?:["']?[\w: .-]{1,80}["']?:[ \t]+)?(["']?)(\/[^\s"']{0,2000})\1[ \t]*\r?$/gm;
  for (const match of text.matchAll(value)) {
    const href = match[2] ?? '';
    const start = match.index + match[0].indexOf('/');
    found.push({ kind: 'link', start, end: start + href.length, href });
  }
  const spec = /^openapi:[ \t]*["']?([^\s"']{1,500}\.(?:json|ya?ml))(?=[ \t"'])/gim;
  for (const match of text.matchAll(spec)) {
    const href = match[1] ?? '';
    const start = match.index + match[0].length - href.length;
    found.push({ kind: 'spec', start, end: start + href.length, href });
  }
}

/** The text with code, inline code and comments, and what is before `from`, as blanks; offsets and lines stay. */
function maskCode(text: string, from: number): string {
  const masked: string[] = [blank(text.slice(0, from))];
  let fence: string | null = null;
  let open = from;
  const flush = (to: number): void => {
    const part = text.slice(open, to);
    masked.push(fence === null ? maskInline(part) : blank(part));
    open = to;
  };
  for (let at = from; at < text.length; ) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next + 1;
    const line = text.slice(at, end);
    const mark = /^[ \t>]{0,200}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,20}){0,10}(`{3,}|~{3,})/.exec(line);
    const run = mark?.[1];
    if (
      fence === null &&
      run !== undefined &&
      !(run[0] === '`' && line.slice(mark![0].length).includes('`'))
    ) {
      flush(at);
      fence = run;
    } else if (fence !== null && run?.startsWith(fence) && line.slice(mark![0].length).trim() === '') {
      flush(end);
      fence = null;
    }
    at = end;
  }
  flush(text.length);
  return masked.join('');
}

function maskInline(text: string): string {
  let result = '';
  let kept = 0;
  const ends = new Map<string, boolean>();
  const hide = (from: number, to: number): void => {
    result += text.slice(kept, from) + blank(text.slice(from, to));
    kept = to;
  };
  const marks = /`+|<!--|\{\/\*|\\`/g;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const [mark] = match;
    if (mark === '\\`') continue;
    const start = match.index;
    const end = mark.startsWith('`') ? codeEnd(text, start, mark) : commentEnd(text, start, mark, ends);
    if (end === null) continue;
    hide(start, end);
    marks.lastIndex = end;
  }
  return result + text.slice(kept);
}

/** End of inline code: the next run of as many backticks before the paragraph ends. */
function codeEnd(text: string, start: number, run: string): number | null {
  const from = start + run.length;
  const window = text.slice(from, from + MAX_CODE);
  const stop = /\r?\n[ \t]*\r?\n/.exec(window)?.index ?? window.length;
  const runs = /`+/g;
  for (let match = runs.exec(window); match !== null && match.index < stop; match = runs.exec(window)) {
    if (match[0].length === run.length) return from + match.index + run.length;
  }
  return null;
}

function commentEnd(text: string, start: number, mark: string, ends: Map<string, boolean>): number | null {
  const closing = mark === '<!--' ? '-->' : '*/}';
  // One look that found none is enough for the text.
  if (ends.get(closing) === false) return null;
  const end = text.indexOf(closing, start + mark.length);
  ends.set(closing, end !== -1);
  return end === -1 ? null : end + closing.length;
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** `[text](target "title")`, images too. */
function scanInline(masked: string, text: string, found: WrittenLink[]): void {
  const opening = /\]\([ \t]{0,50}(?:\r?\n[ \t]{0,50})?/g;
  for (let match = opening.exec(masked); match !== null; match = opening.exec(masked)) {
    if (masked[match.index - 1] === '\\') continue;
    const range = destination(masked, match.index + match[0].length, true);
    if (range !== null) push(found, 'link', text, range);
  }
}

/** `[label]: target` at the start of a line. */
function scanDefinitions(masked: string, text: string, found: WrittenLink[]): void {
  const opening = /^[ \t>]{0,50}\[(?!\^)(?:[^\]\\\n]|\\.){1,500}\]:[ \t]{0,50}(?:\r?\n[ \t]{0,50})?/gm;
  for (let match = opening.exec(masked); match !== null; match = opening.exec(masked)) {
    const range = destination(masked, match.index + match[0].length, false);
    if (range !== null) push(found, 'link', text, range);
  }
}

type Range = readonly [start: number, end: number];

/** A target in angle brackets, or up to the next blank; inside of parentheses up to the closing one. */
function destination(text: string, start: number, isInParentheses: boolean): Range | null {
  const most = Math.min(text.length, start + MAX_HREF);
  if (text[start] === '<') {
    const end = text.indexOf('>', start);
    return end === -1 || end > most || text.slice(start, end).includes('\n') ? null : [start + 1, end];
  }
  let depth = 0;
  let at = start;
  for (; at < most && !isBlank(text.charCodeAt(at)); at++) {
    if (!isInParentheses) continue;
    const char = text[at];
    if (char === '\\') at++;
    else if (char === '(') depth++;
    else if (char === ')' && depth-- === 0) break;
    // Another link starts, so this is not one; scanning on from each of many would take quadratic time.
    else if (char === ']' && text[at + 1] === '(') return null;
  }
  return at > start && (at < most || !isInParentheses) ? [start, Math.min(at, most)] : null;
}

const isBlank = (code: number): boolean => code <= 32;

/** Attributes, keys of objects, imports and `<Snippet file>`. */
function scanMarkup(masked: string, text: string, found: WrittenLink[]): void {
  const attribute = new RegExp(
    `\\b(?:${LINK_NAMES})\\s{0,10}[=:]\\s{0,10}(?:\\{\\s{0,10})?(?:"([^"\\n]{1,${MAX_HREF}})"|'([^'\\n]{1,${MAX_HREF}})')`,
    'g',
  );
  const patterns: [LinkKind, RegExp][] = [
    ['link', attribute],
    ['snippet', /<Snippet\b[^<>]{0,500}?\bfile\s{0,10}=\s{0,10}(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')/g],
    [
      'import',
      /^[ \t]*(?:import|export)\b[^'"`;]{0,2000}?\bfrom\s{0,10}(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')/gm,
    ],
    ['import', /^[ \t]*import\s{0,10}(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')/gm],
  ];
  for (const [kind, pattern] of patterns) {
    for (const match of masked.matchAll(pattern)) {
      const length = (match[1] ?? match[2] ?? '').length;
      const end = match.index + match[0].length - 1;
      push(found, kind, text, [end - length, end]);
    }
  }
}

function push(found: WrittenLink[], kind: LinkKind, text: string, [start, end]: Range): void {
  found.push({ kind, start, end, href: text.slice(start, end) });
}
