import { posix } from 'node:path';
import type { PageAsset } from '../page-asset.ts';
import { minifyCss } from '../theme/css.ts';
import { hashOf } from '../theme/hash.ts';
import type { Node } from '../tree.ts';
import { plainText } from './text.ts';
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
  writer.use(styleAsset(minifyCss(safeCss(css, writer))));
}

function styleAsset(css: string): PageAsset {
  return { kind: 'style', path: `_offprint/style-${hashOf(css)}.css`, content: () => css };
}

/** Strings, and escapes outside of them that spell letters: they could hide the names below. */
const escaped = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\\[0-9a-z]/gi;

function safeCss(css: string, writer: Writer): string {
  return css
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ')
    .replace(escaped, (_, text?: string) => text ?? '')
    .replace(/@import\b[^;]*(?:;|$)/gi, () => {
      writer.warn(
        'removed-element',
        'An `@import` in a `<style>` is removed; put the rules into the element.',
      );
      return '';
    })
    .replace(/\b(?:expression|image-set|-webkit-image-set|src)\s*\(/gi, 'none(')
    .replace(/(?:-moz-binding|behavior)\s*:/gi, 'x-removed:')
    .replace(
      /\burl\(\s*(?:"([^"]*)"|'([^']*)'|([^)"']*))\s*\)/gi,
      (_, double?: string, single?: string, bare?: string) =>
        address(double ?? single ?? bare?.trim() ?? '', writer),
    );
}

/** A file of the docs folder as the sheet in `_offprint/` names it; anything else is nothing. */
function address(written: string, writer: Writer): string {
  if (written.includes('\\')) return 'none';
  if (/^#[\w-]+$/.test(written)) return `url(${written})`;
  const file = writer.asset(written);
  if (file === null) return 'none';
  if (file.startsWith('data:')) return `url("${file.replaceAll('"', '%22')}")`;
  const path = posix.join(posix.dirname(writer.page.output), file);
  return `url("../${path.replace(/["\\\n]/g, encodeURIComponent)}")`;
}
