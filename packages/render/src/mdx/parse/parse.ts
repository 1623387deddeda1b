import { mdxToMdast } from 'satteri';
import type { Warn } from '../../warning.ts';
import type { WarningCode } from '../../warning-codes.ts';
import { guard } from '../guard/guard.ts';
import { openEmphasis } from './cjk-emphasis.ts';
import { firstLineOutsideCode } from './code-lines.ts';
import { markMaths } from './dollars.ts';
import { findOpenFence, openFenceMessage } from './fences.ts';
import { outdentFormulas } from './indented-formulas.ts';
import { INERT_TAG, repairAt, repairCommon } from './repair.ts';
import { offsetOf } from './repaired.ts';
import { pickSentinels, replaceStrings, restoreTree, type Sentinels, standIn } from './sentinel.ts';
import type { SyntaxNode } from './syntax.ts';

/** Characters above which a page is not parsed but shown as plain text. */
const maxSize = 10_000_000;
const maxRounds = 50;
/** What all rounds of one page may cost together, in characters of plain text (about 30 million a second). */
const maxWork = 10_000_000;

export interface ParseOptions {
  /** For warnings: path from the docs root, and lines of the file before the text. */
  file: string;
  firstLine: number;
  /** Whether a YAML or TOML block is allowed at the start (snippets); it is dropped. */
  frontMatter: boolean;
  warn: Warn;
}

/**
 * Parses MDX and never throws. Invalid MDX becomes text, place by place, with one warning each; the lines of
 * the tree are those of the file. Columns and offsets are in UTF-16 units.
 */
export function parseMdx(source: string, options: ParseOptions): SyntaxNode {
  // Generated pages have no text of their own.
  if (source === '') return { type: 'root', children: [] };
  const text = source.includes('\0') ? source.replaceAll('\0', '\uFFFD') : source;
  if (text.length > maxSize) {
    report(
      options,
      1,
      'page-too-large',
      `The text has more than ${maxSize} characters and is shown without formatting.`,
    );
    return plainText(text);
  }
  const maths = markMaths(outdentFormulas(text));
  const guarded = guard(maths.text);
  const opened = openEmphasis(guarded.text);
  const warn: Warn = (warning) =>
    options.warn(opened === null ? warning : { ...warning, message: opened.restore(warning.message) });
  const markdown = opened?.text ?? guarded.text;
  const root = parseWithRepairs(markdown, guarded.cost, maths.math, { ...options, warn });
  for (const { message, offsets } of guarded.faults) {
    // In code they have no force anyway.
    const line = firstLineOutsideCode(offsets, guarded.text, root);
    if (line !== null) report(options, line, 'page-too-complex', message);
  }
  if (opened !== null) replaceStrings(root, opened.restore);
  if (guarded.sentinels !== null) restoreTree(guarded.sentinels, root);
  if (maths.sentinels !== null) restoreTree(maths.sentinels, root);
  if (options.firstLine > 0) shiftLines(root, options.firstLine);
  return root;
}

/** Lines of a tree become those of the file that the text is a part of. */
function shiftLines(root: SyntaxNode, lines: number): void {
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.position !== undefined) {
      node.position.start.line += lines;
      node.position.end.line += lines;
    }
    if (node.children !== undefined) for (const child of node.children) stack.push(child);
  }
}

function report(options: ParseOptions, line: number, code: WarningCode, message: string): void {
  options.warn({ file: options.file, line: line + options.firstLine, code, message });
}

function parseWithRepairs(source: string, cost: number, math: boolean, options: ParseOptions): SyntaxNode {
  let text = source;
  /** The text before its single repairs, whose escapes would be shown where no tag has force. */
  let written = source;
  let work = 0;
  let fault = '';
  let errorLine = 1;
  let last = '';
  let sentinels: Sentinels | null = null;
  for (let round = 0; round < maxRounds && work <= maxWork; round++) {
    const outcome = tryParse(text, math, options.frontMatter);
    if (typeof outcome !== 'string') {
      reportOpenFence(outcome, text, options);
      if (sentinels !== null) restoreTree(sentinels, outcome);
      return outcome;
    }
    work += cost;
    fault = outcome;
    const place = /^(\d+):(\d+): /.exec(outcome);
    errorLine = place === null ? 1 : Number(place[1]);
    const common: string = round === 0 ? repairCommon(text) : text;
    if (common !== text) {
      text = common;
      written = common;
      continue;
    }
    if (place === null) break;
    const next = repairAt(text, offsetOf(text, errorLine, Number(place[2])), outcome.slice(place[0].length));
    if (next === null) break;
    text = next.text;
    if (text.includes(INERT_TAG)) {
      sentinels ??= pickSentinels(text);
      text = text.replaceAll(INERT_TAG, standIn(sentinels, '<'));
    }
    // The same again means that its first repair had no effect.
    const said = Object.values(next.repair).join(' ');
    if (said !== last) report(options, next.repair.line, next.repair.code, next.repair.message);
    last = said;
  }
  report(
    options,
    errorLine,
    'invalid-mdx',
    `The page has too many errors; tags and expressions are shown as text. The next error: ${fault}`,
  );
  return parseInert(written, math, options.frontMatter);
}

function reportOpenFence(root: SyntaxNode, text: string, options: ParseOptions): void {
  const fence = findOpenFence(root, text);
  if (fence !== null) report(options, fence.line, 'unclosed-fence', openFenceMessage(fence));
}

/** A tree, or the message of the parser: `line:column: text`. */
function tryParse(text: string, math: boolean, frontmatter: boolean): SyntaxNode | string {
  try {
    return mdxToMdast(text, { features: { math, frontmatter } }) as SyntaxNode;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Markdown without any tag or expression; plain text if even that fails. */
function parseInert(text: string, math: boolean, frontmatter: boolean): SyntaxNode {
  const sentinels: Sentinels = pickSentinels(text);
  const inert = text
    .replaceAll('{', standIn(sentinels, '{'))
    .replaceAll('<', standIn(sentinels, '<'))
    .replace(/^(?:import|export)\b/gm, (word) => standIn(sentinels, word) + word.slice(1));
  const outcome = tryParse(inert, math, frontmatter);
  if (typeof outcome === 'string') return plainText(text);
  restoreTree(sentinels, outcome);
  return outcome;
}

function plainText(text: string): SyntaxNode {
  return { type: 'root', children: [{ type: 'code', value: text }] };
}
