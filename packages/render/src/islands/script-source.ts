import { createRequire } from 'node:module';

/** Nesting of brackets, and of operators that need none, that the native parser is given at most. */
const maxBrackets = 300;
const maxOperators = 2000;
const maxSize = 500_000;

export type ScriptSource = { code: string } | { fault: string; line: number };

interface Tools {
  transformSync(
    name: string,
    source: string,
    options: { lang: 'tsx' | 'jsx'; jsx: 'preserve' },
  ): { code: string; errors: { message: string; loc?: { line: number } }[] };
}

let tools: Tools | null = null;

/**
 * JavaScript of a script that is written in TypeScript, with its JSX; an error with its 1-based line if it is
 * neither. The compiler is loaded at the first call: most sites need none.
 */
export function compileScript(source: string): ScriptSource {
  if (source.length > maxSize) return { fault: `the file has more than ${maxSize} characters`, line: 1 };
  const deep = tooDeep(source);
  if (deep !== null) return { fault: 'it is nested too deeply', line: deep };
  tools ??= createRequire(import.meta.url)('rolldown/utils') as Tools;
  const { code, errors } = tools.transformSync('script.tsx', source, { lang: 'tsx', jsx: 'preserve' });
  const [first] = errors;
  if (first === undefined) return { code };
  return { fault: plainMessage(first.message), line: first.loc?.line ?? 1 };
}

/** The first line of a message, without colors and its own name. */
function plainMessage(message: string): string {
  const text = message.replace(/\u001b\[[\d;]*m/g, '').split('\n')[0] ?? '';
  return text.replace(/^\[\w+\]\s*/, '').trim() || 'it is not valid JavaScript';
}

/**
 * Line at which a source is nested deeper than the native parser follows, which ends the process there; null where it
 * is not. Counts more than there is, since it reads texts and comments as code.
 */
function tooDeep(source: string): number | null {
  const runs: number[] = [];
  let run = 0;
  let total = 0;
  for (const { 0: token, index } of source.matchAll(
    /[([{]|[)\]}]|[;,]|=>|<\/?|\/>|[?:=!~+-]|\b(?:keyof|typeof|await|new|else|if)\b/g,
  )) {
    if (token === '(' || token === '[' || token === '{') {
      runs.push(run);
      run = 0;
    } else if (token === ')' || token === ']' || token === '}' || token === ';' || token === ',') {
      total -= run;
      run = 0;
      if (token !== ';' && token !== ',') run = runs.pop() ?? 0;
    } else if (token === '</' || token === '/>') {
      if (run > 0) {
        run--;
        total--;
      }
    } else {
      run++;
      total++;
    }
    if (runs.length > maxBrackets || total > maxOperators) return source.slice(0, index).split('\n').length;
  }
  return null;
}
