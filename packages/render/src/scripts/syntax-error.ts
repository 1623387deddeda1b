import { parse } from 'acorn';

/** Characters of a script that is parsed; longer ones are bundles, which tools have parsed. */
const MAX_SOURCE = 200_000;

/** Why browsers do not run a script; null if they do, or if it is not known. */
export function syntaxErrorOf(source: string): { line: number; reason: string } | null {
  if (source.length > MAX_SOURCE) return null;
  try {
    parse(source, { ecmaVersion: 'latest', sourceType: 'script' });
    return null;
  } catch (error) {
    const found = /^([\s\S]*) \((\d+):\d+\)$/.exec(error instanceof SyntaxError ? error.message : '');
    // A nesting that is too deep for the parser is not one for browsers.
    return found === null || found[0].includes('stack space')
      ? null
      : { line: Number(found[2]), reason: (found[1] ?? '').slice(0, 120) };
  }
}
