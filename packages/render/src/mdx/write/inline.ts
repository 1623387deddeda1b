import type { Node } from '../../tree.ts';
import { resolveFragment } from '../evaluate/resolve.ts';
import { parseMdx } from '../parse/parse.ts';
import { pickSentinels, restoreTree, standIn } from '../parse/sentinel.ts';
import type { Writer } from './writer.ts';

const markup = /[`*_[\]<&~\\|]|https?:|www\.|@/;

/**
 * Nodes of a text that may hold inline Markdown (captions, hints); null when it is plain. Braces are characters here:
 * the text is a value, not source. The paragraph around a single line is taken off.
 */
export function inlineNodes(markdown: string, writer: Writer): readonly Node[] | null {
  if (!markup.test(markdown)) return null;
  const sentinels = pickSentinels(markdown);
  const inert = markdown
    .replaceAll('{', standIn(sentinels, '{'))
    .replace(/^(?:import|export)\b/gm, (word) => standIn(sentinels, word) + word.slice(1));
  const { file, line, site, page, budget } = writer;
  const root = parseMdx(inert, { file, firstLine: (line ?? 1) - 1, frontMatter: false, warn: site.warn });
  restoreTree(sentinels, root);
  const module = { file, children: root.children ?? [], definitions: new Map(), code: [], broken: false };
  const nodes = resolveFragment(page, module, budget.steps, site);
  const [only] = nodes;
  return nodes.length === 1 && only?.type === 'paragraph' ? only.children : nodes;
}
