import { readFileSync } from 'node:fs';
import { assetPath } from '../../assets.ts';
import { escapeAttribute } from '../../escape.ts';
import type { PageAsset } from '../../page-asset.ts';
import { hashOf } from '../../theme/hash.ts';

const SCRIPT = 'packages/render/src/theme/client/reader.js';

let script: PageAsset | null = null;

/** The script that writes values of a signed-in reader into a page that shows some. */
export function readerAsset(): PageAsset {
  if (script !== null) return script;
  const code = readFileSync(assetPath(SCRIPT), 'utf8');
  script = { kind: 'script', path: `_offprint/reader-${hashOf(code)}.js`, content: () => code };
  return script;
}

/** Text that a signed-in reader sees replaced by what is at `path` of the reader's `content`. */
export const readerValue = (path: string, html: string): string =>
  `<span data-op-reader="${escapeAttribute(path)}">${html}</span>`;
