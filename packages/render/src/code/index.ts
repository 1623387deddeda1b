import { type Attributes, htmlOf } from '../components/markup.ts';
import { iconSvg } from '../icons/index.ts';
import type { IconLibrary } from '../site.ts';
import type { Strings } from '../theme/strings.ts';
import { stringsFor } from '../theme/words/index.ts';
import { type FenceMeta, parseFenceMeta } from './fence.ts';
import { highlight } from './highlight.ts';
import { findLanguage, type Language } from './languages.ts';
import { writeCode, writeLines } from './lines.ts';
import { addFenceMarks, type LineMarks, readNotations } from './notation.ts';
import { isLightTheme } from './themes.ts';
import { codeView, MIN_EXPANDABLE_LINES } from './view.ts';

export { type FenceMeta, type LineRange, parseFenceMeta } from './fence.ts';

/** More lines than this stay without an element each, even where numbers or marks were asked for. */
const MAX_LINE_ELEMENTS = 20_000;

const ENGLISH = stringsFor('en');
const PLAIN: Language = findLanguage('text')!;

export interface CodeOptions {
  /** Library in which the icon of the title is looked up first. */
  library?: IconLibrary;
  /** Words in the language of the page; default: English. */
  strings?: Strings;
  /** Attributes of the root besides. */
  attributes?: Attributes;
}

/**
 * HTML of a code block as a fence with that language and info string gives it: title, highlighted code, copy
 * button (`[data-op-copy]`, copies the text of the `code` element beside it). Never throws; time is linear in the length
 * of the code.
 */
export function renderCode(
  code: string,
  lang: string | null,
  meta: string | null,
  { library = 'fontawesome', strings = ENGLISH, attributes }: CodeOptions = {},
): string {
  const [name, options] = splitLanguage(lang, meta);
  const fence = parseFenceMeta(options);
  const language = name === null ? PLAIN : (findLanguage(name) ?? PLAIN);
  const marks: LineMarks = new Map();
  const written = code.endsWith('\n') ? code.slice(0, -1) : code;
  const source = readNotations(fence.twoslash ? withoutQueries(written) : written, marks);
  const lineCount = countLines(source);
  addFenceMarks(marks, fence, lineCount);
  const spans = highlight(source, language.grammar);
  const hasLines = (fence.lines || marks.size > 0) && lineCount <= MAX_LINE_ELEMENTS;
  const body = hasLines ? writeLines(source, spans, marks) : writeCode(source, spans);
  return writeBlock(body, { fence, language, marks, lineCount, library, hasLines, strings, attributes });
}

/** The label of a fence in a group of tabs: its title, else its language, else `fallback`. */
export function codeLabel(lang: string | null, meta: string | null, fallback: string): string {
  const [name, options] = splitLanguage(lang, meta);
  const title = parseFenceMeta(options).title;
  if (title !== null) return title;
  return name === null ? fallback : (findLanguage(name)?.label ?? name);
}

/** ```` ```python{15} ```` holds its options in the first word. */
function splitLanguage(lang: string | null, meta: string | null): [string | null, string | null] {
  const word = lang?.trim() ?? '';
  if (word === '') return [null, meta];
  const brace = word.search(/[{[]/);
  if (brace >= 0) return [word.slice(0, brace) || null, `${word.slice(brace)} ${meta ?? ''}`];
  return word.toLowerCase() === 'nocopy' ? ['text', `nocopy ${meta ?? ''}`] : [word, meta];
}

/** Lines of twoslash for the type checker: directives, queries, and all above the last cut. */
function withoutQueries(code: string): string {
  const lines = code.split('\n');
  const cut = lines.findLastIndex((line) => /^\s*\/\/ ?-{3,} ?cut(?:-before)? ?-{3,}\s*$/.test(line));
  return lines
    .slice(cut + 1)
    .filter((line) => !/^\s*\/\/ *(?:@\w+(?::.*)?|\^[?|].*)$/.test(line))
    .join('\n');
}

/** A block with a theme of its own is light or dark like that theme. */
function themeClass(name: string): string {
  const isLight = isLightTheme(name) ?? /light/i.test(name);
  return isLight ? 'op-code-light' : 'op-code-dark';
}

function countLines(code: string): number {
  let count = 1;
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) count++;
  return count;
}

interface Block {
  fence: FenceMeta;
  language: Language;
  marks: LineMarks;
  lineCount: number;
  library: IconLibrary;
  hasLines: boolean;
  strings: Strings;
  attributes: Attributes | undefined;
}

function writeBlock(body: string, block: Block): string {
  const { fence, language, marks, library, strings } = block;
  const isExpandable = fence.expandable && block.lineCount >= MIN_EXPANDABLE_LINES;
  const looks: string[] = [];
  if (fence.theme !== null) looks.push(themeClass(fence.theme));
  if (fence.wrap) looks.push('wrap');
  if (isExpandable) looks.push('op-expandable-code');
  if (block.hasLines && fence.lines) looks.push('numbered');
  if (block.hasLines && [...marks.values()].some((list) => list.includes('focus'))) looks.push('has-focus');
  const { title, icon: name } = fence;
  const look = { size: 14, className: 'code-block-icon' };
  const icon = name === null ? null : iconSvg({ name, style: null, library: null }, library, look);
  return htmlOf(
    codeView(
      {
        attributes: block.attributes,
        looks,
        language: language.name,
        title,
        icon: icon === null ? null : { html: icon },
        label: title ?? (language === PLAIN ? strings.code : `${strings.code}: ${language.label}`),
        body: { html: body },
        hasCopy: !fence.nocopy,
        isExpandable,
      },
      strings,
    ),
  );
}
