import { readFileSync } from 'node:fs';
import { packageFile } from '../assets.ts';
import type { PageAsset } from '../page-asset.ts';
import { hashOf } from '../theme/hash.ts';

/** In addition to the rules of KaTeX: formulas are left to right everywhere, and wide ones scroll on their own. */
const own = `.op-math{direction:ltr;unicode-bidi:isolate}
.op-math-display{overflow-x:auto;overflow-y:hidden;padding-block:2px;margin-block:20px}
.op-math-display .katex-display{margin:0;padding-block:4px}
.op-math-display:focus-visible{outline:2px solid var(--color-primary);outline-offset:2px;border-radius:4px}
.katex{font-size:1.12em}
.op-math-inline .katex{white-space:nowrap}
@media (max-width:480px){.op-math-inline .katex{white-space:normal}}
@media print{.op-math-display{overflow:visible}}
`;

let asset: PageAsset | null = null;

/** Style sheet and fonts of formulas. A reader loads the sheet on pages with formulas, and of the fonts those that occur. */
export function mathAsset(): PageAsset {
  asset ??= makeAsset();
  return asset;
}

function makeAsset(): PageAsset {
  const { version } = JSON.parse(readFileSync(packageFile('katex', 'package.json'), 'utf8')) as {
    version: string;
  };
  const fonts = new Map<string, string>();
  const rules = readFileSync(packageFile('katex', 'dist/katex.min.css'), 'utf8').replace(
    /src:url\(fonts\/([\w-]+)\.woff2\)[^;}]*/g,
    (_, font: string) => {
      const file = `${font}-${version}.woff2`;
      fonts.set(font, file);
      return `src:url(fonts/${file}) format("woff2")`;
    },
  );
  const css = rules + own.replaceAll('\n', '');
  const license = readFileSync(packageFile('katex', 'LICENSE'), 'utf8');
  return {
    kind: 'style',
    path: `_offprint/math-${hashOf(css)}.css`,
    content: () => css,
    files: [
      ...[...fonts].map(([font, file]) => ({
        path: `_offprint/fonts/${file}`,
        content: () => new Uint8Array(readFileSync(packageFile('katex', `dist/fonts/${font}.woff2`))),
      })),
      { path: '_offprint/math-license.txt', content: () => new TextEncoder().encode(license) },
    ],
  };
}
