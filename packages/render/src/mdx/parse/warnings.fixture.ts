import type { Warning } from '../../warning.ts';
import { parseMdx } from './parse.ts';

/** Warnings about the text of a page when it is parsed. */
export function warningsOf(text: string): Warning[] {
  const warnings: Warning[] = [];
  parseMdx(text, {
    file: 'a.mdx',
    firstLine: 0,
    frontMatter: false,
    warn: (warning) => warnings.push(warning),
  });
  return warnings;
}
