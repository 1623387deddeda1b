import { posix } from 'node:path';
import { cleanCss } from '../../clean/css.ts';
import type { PageAsset } from '../../page-asset.ts';
import { hashOf } from '../../theme/hash.ts';
import type { Node } from '../../tree.ts';
import { plainText } from '../text.ts';
import type { Writer } from './writer.ts';

const maxLength = 200_000;

/**
 * A `<style>` element of the content becomes a style sheet that its page loads: a strict policy refuses inline ones.
 * What would load from elsewhere or run in old browsers is taken out.
 */
export function useStyle(children: readonly Node[], writer: Writer): void {
  const css = plainText(children);
  if (css === '') return;
  if (css.length > maxLength) {
    writer.warn('removed-element', 'The `<style>` is too long and is removed; put it into a `.css` file.');
    return;
  }
  writer.use(styleAsset(safeCss(css, writer)));
}

function styleAsset(css: string): PageAsset {
  return { kind: 'style', path: `_offprint/style-${hashOf(css)}.css`, content: () => css };
}

function safeCss(css: string, writer: Writer): string {
  return cleanCss(css, {
    isMinified: true,
    resolve({ url, isImport }) {
      if (!isImport) return address(url, writer);
      writer.warn(
        'removed-element',
        'An `@import` in a `<style>` is removed; put the rules into the element.',
      );
      return null;
    },
  });
}

/** A file of the docs folder as the sheet in `_offprint/` names it; null for anything else. */
function address(written: string, writer: Writer): string | null {
  if (written === '' || written.startsWith('#')) return written;
  const file = writer.asset(written);
  if (file === null || file.startsWith('data:')) return file;
  return `../${posix.join(posix.dirname(writer.page.output), file)}`;
}
