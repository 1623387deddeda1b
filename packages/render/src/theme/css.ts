/**
 * Order of the style rules of a page, the weakest first: plain element rules of the site's own sheets, the theme, utility
 * classes; all other rules of the site's own sheets are in no layer and win.
 */
export const DEFAULT_LAYERS = '@layer base,theme,utilities;';

/** Drops comments and needless white space; strings and `url()` stay as they are. */
export function minifyCss(css: string): string {
  return css
    .replace(
      /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|url\([^)]*\))|\/\*[\s\S]*?\*\/|\s+/g,
      (whole, kept: string | undefined) => kept ?? (whole.startsWith('/*') ? '' : ' '),
    )
    .replace(
      /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|url\([^)]*\))| *([{};,]) */g,
      (_whole, kept, mark) => kept ?? mark,
    )
    .replace(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|;}/g, (_whole, kept) => kept ?? '}')
    .trim();
}
