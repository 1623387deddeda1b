import type { Span } from '../spans.ts';
import { lexJson } from './json.ts';
import { lexPython } from './python.ts';
import type { Scan } from './scan.ts';
import { lexScript } from './script.ts';
import { lexYaml } from './yaml.ts';

/** Languages with a lexer here: those of most code blocks, which a parser reads several times slower. */
const LEXERS = {
  json: lexJson,
  python: (scan) => lexPython(scan),
  javascript: (scan) => lexScript(scan, { hasTypes: false, hasElements: true }),
  typescript: (scan) => lexScript(scan, { hasTypes: true, hasElements: false }),
  tsx: (scan) => lexScript(scan, { hasTypes: true, hasElements: true }),
  yaml: lexYaml,
} satisfies Record<string, (scan: Scan) => void>;

export type LexerName = keyof typeof LEXERS;

/** Spans of `code` by a lexer; time is linear in the length, for code with mistakes, too. */
export function highlightLexed(code: string, name: LexerName): Span[] {
  const spans: Span[] = [];
  LEXERS[name]({ code, end: code.length, at: 0, spans });
  return spans;
}
