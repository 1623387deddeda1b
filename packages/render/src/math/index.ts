import { createRequire } from 'node:module';
import { packageFile } from '../assets.ts';

const require = createRequire(import.meta.url);

type Katex = typeof import('katex').default;

/** Longer formulas are not rendered. */
const maxLength = 8000;
/** Formulas that define macros may grow with each use of one, so they get less of both. */
const maxLengthWithMacros = 2000;
const definition = /\\(?:[egx]?def|(?:re|provide)?(?:new)?command|(?:future)?let|DeclareMathOperator)\b/;
/** Formulas repeat within a page and over translations. */
const maxCached = 2000;

let katex: Katex | null = null;
const cache = new Map<string, Formula>();

/** HTML of a formula, or the reason why it could not be rendered. */
export type Formula = { html: string; fault: null } | { html: null; fault: string };

/**
 * Typesets TeX as HTML with MathML for assistive technology, or as MathML alone. Nothing of the formula can link,
 * load or name classes; macros live and end with it. Never throws; time is bounded by the limits above.
 */
export function renderFormula(tex: string, display: boolean, mathmlOnly: boolean): Formula {
  const key = `${display ? 'd' : 'i'}${mathmlOnly ? 'm' : 'h'}${tex}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const formula = typeset(tex, display, mathmlOnly);
  if (cache.size >= maxCached) cache.clear();
  cache.set(key, formula);
  return formula;
}

function typeset(tex: string, displayMode: boolean, mathmlOnly: boolean): Formula {
  const hasMacros = definition.test(tex);
  if (tex.length > (hasMacros ? maxLengthWithMacros : maxLength))
    return { html: null, fault: 'it is too long' };
  // Only sites with formulas load the library.
  katex ??= require(packageFile('katex', 'dist/katex.js')) as Katex;
  try {
    const html = katex.renderToString(tex, {
      displayMode,
      output: mathmlOnly ? 'mathml' : 'htmlAndMathml',
      throwOnError: true,
      strict: false,
      trust: false,
      maxSize: 50,
      maxExpand: hasMacros ? 100 : 1000,
    });
    return { html, fault: null };
  } catch (error) {
    return { html: null, fault: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replace(/^KaTeX parse error: /, '').replace(/\s+/g, ' ');
  // The parser underlines the place with combining characters, which terminals garble.
  return line.replaceAll('\u0332', '').slice(0, 200);
}
