import { type CSSToken, TokenType } from '@csstools/css-tokenizer';
import { CLOSING, tokensOf } from '../clean/css-tokens.ts';
import { withHooks } from './element-hooks.ts';
import { withTextColor } from './ground-text.ts';

/**
 * Rules of a site's own sheet that name elements only (`* { margin: 0 }`, `h1 { … }`) go below the theme, where a
 * reset does no harm; all others go above it, unchanged but for a text color that the banner needs on its ground. Rules
 * for the page as a whole (`body`, `:root`) are not touched. A sheet that cannot be parsed is returned unchanged.
 */
export function placeRules(css: string): string {
  const sheet = read(css);
  return placed(sheet, 0, sheet.tokens.length, 0) ?? css;
}

const maxDepth = 8;

interface Sheet {
  tokens: readonly CSSToken[];
  /** For each opening bracket, the place of the one that closes it. */
  ends: ReadonlyMap<number, number>;
}

function read(css: string): Sheet {
  const stream = tokensOf(css);
  const tokens: CSSToken[] = [];
  const ends = new Map<number, number>();
  const open: { at: number; close: string }[] = [];
  for (let token = stream.next(); token[0] !== TokenType.EOF; token = stream.next()) {
    const close = CLOSING[token[0]];
    if (close !== undefined) open.push({ at: tokens.length, close });
    else if (token[1] === open.at(-1)?.close) ends.set(open.pop()?.at ?? 0, tokens.length);
    tokens.push(token);
  }
  return { tokens, ends };
}

/** The text with each plain rule in its layer; null where braces do not close. */
function placed(sheet: Sheet, from: number, to: number, depth: number): string | null {
  if (depth > maxDepth) return null;
  const { tokens, ends } = sheet;
  let out = '';
  let start = from;
  for (let at = from; at < to; at++) {
    const type = tokens[at]?.[0];
    if (type === TokenType.CloseCurly) return null;
    const end = ends.get(at);
    if (type === TokenType.OpenCurly) {
      const rule = end === undefined ? null : placedRule(sheet, { start, at, end }, depth);
      if (rule === null || end === undefined) return null;
      out += rule;
      at = end;
      start = end + 1;
    } else if (type === TokenType.Semicolon) {
      out += textBetween(tokens, start, at + 1);
      start = at + 1;
    } else at = end ?? at;
  }
  return out + textBetween(tokens, start, to);
}

function placedRule(
  sheet: Sheet,
  { start, at, end }: { start: number; at: number; end: number },
  depth: number,
): string | null {
  const { tokens } = sheet;
  const prelude = textBetween(tokens, start, at);
  const body = textBetween(tokens, at + 1, end);
  const name = tokens
    .slice(start, at)
    .map(([type, text]) => (type === TokenType.Comment ? ' ' : text))
    .join('')
    .trim();
  if (/^@(?:media|supports|container)\b/i.test(name)) {
    const inner = placed(sheet, at + 1, end, depth + 1);
    return inner === null ? null : `${prelude}{${inner}}`;
  }
  if (name.startsWith('@')) return `${prelude}{${body}}`;
  const rule = `${withHooks(prelude)}{${withTextColor(name, body)}}`;
  if (!isPlain(withHooks(name))) return rule;
  let first = start;
  while (tokens[first]?.[0] === TokenType.Whitespace || tokens[first]?.[0] === TokenType.Comment) first++;
  const lead = textBetween(tokens, start, first);
  return `${lead}@layer base{${rule.slice(lead.length)}}`;
}

function textBetween(tokens: readonly CSSToken[], from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++) text += tokens[at]?.[1] ?? '';
  return text;
}

/** Whether a list of selectors names elements only, none of them the page itself. */
function isPlain(selectors: string): boolean {
  if (/[.#[&]|:root|:host/.test(selectors)) return false;
  return selectors.split(',').every((selector) => {
    const first = selector.trim();
    return first !== '' && !first.startsWith('::') && !/(?:^|[\s>+~])(?:html|body)(?![\w-])/i.test(first);
  });
}
