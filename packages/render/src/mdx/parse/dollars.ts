import { pickSentinels, type Sentinels, standIn } from './sentinel.ts';

/**
 * Decides which dollar signs delimit math. Prices, `$ref` and shell variables are far more common in prose than TeX, so
 * a single `$` opens math only by pandoc's rule (no space inside the delimiters, no digit behind the closing one)
 * and with no word character directly outside; a letter, or the end of emphasis, may follow what only TeX writes
 * (`$x_1$s`). Signs in the text of an expression (`{'$'}`) or with a closing tag between them open none. All others are
 * kept from the parser by a stand-in.
 */
export function markMaths(written: string): { text: string; math: boolean; sentinels: Sentinels | null } {
  const raw = rawTags.some((tag) => written.includes(`<${tag}`)) ? protectRaw(written) : null;
  const text = raw?.text ?? written;
  const given = raw?.sentinels ?? null;
  if (!text.includes('$')) return { text, math: false, sentinels: given };
  const signs = singleDollars(text);
  const kept = pairs(text, signs.filter(outside(text)));
  const display = text.includes('$$');
  if (kept.size === 0 && !display) return { text, math: false, sentinels: given };
  if (kept.size === signs.length) return { text, math: true, sentinels: given };
  const sentinels = given ?? pickSentinels(text);
  const sign = standIn(sentinels, '$');
  let result = '';
  let from = 0;
  for (const at of signs) {
    if (kept.has(at)) continue;
    result += text.slice(from, at) + sign;
    from = at + 1;
  }
  return { text: result + text.slice(from), math: true, sentinels };
}

/** Elements whose content is another language, in which braces and marks mean something else. */
const rawTags = ['Latex', 'style'] as const;

/** Keeps that content from the parser by stand-ins. A single expression in braces stays one. */
function protectRaw(text: string): { text: string; sentinels: Sentinels } {
  const sentinels = pickSentinels(text);
  let result = text;
  for (const tag of rawTags) result = protectTag(result, tag, sentinels);
  return { text: result, sentinels };
}

function protectTag(text: string, tag: string, sentinels: Sentinels): string {
  let result = '';
  let from = 0;
  for (let at = text.indexOf(`<${tag}`); at !== -1; at = text.indexOf(`<${tag}`, from)) {
    const start = text.indexOf('>', at) + 1;
    const end = start === 0 ? -1 : text.indexOf(`</${tag}>`, start);
    if (end === -1) break;
    const inner = text.slice(start, end);
    // A tag that is written about, in code, ends with the code and not with the next closing tag.
    if (text[at - 1] === '`' || /\n[ \t]*(?:```|~~~)/.test(inner)) {
      result += text.slice(from, start);
      from = start;
      continue;
    }
    const isRaw = text[start - 2] !== '/' && /[\s>]/.test(text[at + tag.length + 1] ?? '');
    const kept =
      isRaw && !isOneBrace(inner.trim())
        ? inner.replace(/[!-/:-@[-`{-~]/g, (char) => standIn(sentinels, char))
        : inner;
    result += text.slice(from, start) + kept;
    from = end;
  }
  return result + text.slice(from);
}

/** Whether the brace at the start closes at the end. */
function isOneBrace(text: string): boolean {
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 123) depth++;
    else if (code === 125 && --depth === 0) return at === text.length - 1;
  }
  return false;
}

/** Offsets of dollar signs that stand alone and are not escaped. */
function singleDollars(text: string): number[] {
  const signs: number[] = [];
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', at + 1)) {
    let end = at + 1;
    while (text[end] === '$') end++;
    if (end === at + 1 && text[at - 1] !== '\\') signs.push(at);
    at = end - 1;
  }
  return signs;
}

/** An expression that is nothing but a text. */
const TEXT_EXPRESSION = /\{[ \t]*(["'`])(?:(?!\1)[^\\\n{}]|\\.)*\1[ \t]*\}/g;

/** Whether an offset is outside all expressions that are a text. Offsets are asked for in ascending order. */
function outside(text: string): (at: number) => boolean {
  const inner = [...text.matchAll(TEXT_EXPRESSION)].map(({ index, 0: { length } }) => [
    index,
    index + length,
  ]);
  let next = 0;
  return (at) => {
    while (next < inner.length && (inner[next]?.[1] ?? 0) <= at) next++;
    return at < (inner[next]?.[0] ?? Number.POSITIVE_INFINITY);
  };
}

function pairs(text: string, signs: number[]): Set<number> {
  const kept = new Set<number>();
  for (let index = 0; index + 1 < signs.length; index++) {
    const open = signs[index] ?? 0;
    const close = signs[index + 1] ?? 0;
    if (!opens(text, open) || !closes(text, open, close) || leavesParagraph(text, open, close)) continue;
    kept.add(open);
    kept.add(close);
    index++;
  }
  return kept;
}

function opens(text: string, at: number): boolean {
  return !isSpace(text[at + 1]) && (!isWord(text[at - 1]) || startsEmphasis(text, at - 1));
}

/** A `_` that no word precedes. */
function startsEmphasis(text: string, at: number): boolean {
  return text[at] === '_' && !isWord(text[at - 1]);
}

function closes(text: string, open: number, at: number): boolean {
  const next = text[at + 1];
  if (isSpace(text[at - 1]) || next === '{') return false;
  return !isWord(next) || (/[A-Za-z_]/.test(next ?? '') && isTex(text.slice(open + 1, at)));
}

/** Whether text cannot be a price or a variable: it has a mark of TeX and ends as a formula does, not as `${a}/`. */
function isTex(content: string): boolean {
  return /[\\{}^_]/.test(content) && /[\w)\]}'|!]$/.test(content) && !/^\{\w+\}/.test(content);
}

function isSpace(char: string | undefined): boolean {
  return char === undefined || char === ' ' || char === '\n' || char === '\t' || char === '\r';
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && /[\w$]/.test(char);
}

/** Math does not leave its paragraph or element, nor grow past what anyone writes in a line of text. */
function leavesParagraph(text: string, open: number, close: number): boolean {
  return close - open > 1000 || /\n[ \t]*\r?\n|<\/[A-Za-z]/.test(text.slice(open, close));
}
