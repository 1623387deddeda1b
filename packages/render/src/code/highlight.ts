import type { Grammar } from './languages.ts';
import { highlightLexed } from './lexers/index.ts';
import { highlightTree } from './nested.ts';
import type { Span } from './spans.ts';
import { highlightStream } from './stream.ts';
import { highlightWords } from './words.ts';

/** Longer code is not highlighted, so that the cost of the parsers stays bounded. */
const MAX_CODE = 64_000;
/** Longer lines are minified or hostile. */
const MAX_LINE = 2000;

/** Spans of `code`, empty where the grammar cannot read it. Never throws. */
export function highlight(code: string, grammar: Grammar | null): Span[] {
  if (grammar === null || code.length > MAX_CODE || hasLongLine(code)) return [];
  try {
    if (grammar.kind === 'lexer') return highlightLexed(code, grammar.name);
    if (grammar.kind === 'stream') return highlightStream(code, grammar.module, grammar.mode);
    return grammar.kind === 'words' ? highlightWords(code, grammar.vocabulary) : highlightTree(code, grammar);
  } catch {
    // A mode that does not advance or a tree too deep for the stack: the code itself is what counts.
    return [];
  }
}

function hasLongLine(code: string): boolean {
  if (code.length <= MAX_LINE) return false;
  let start = 0;
  for (;;) {
    const end = code.indexOf('\n', start);
    if (end < 0) return code.length - start > MAX_LINE;
    if (end - start > MAX_LINE) return true;
    start = end + 1;
  }
}
