import { escapeAttribute, escapeText } from '../../escape.ts';
import { mathAsset } from '../../math/asset.ts';
import { renderFormula } from '../../math/index.ts';
import type { MathNode, Node } from '../../tree.ts';
import type { Writer } from './writer.ts';

/** What a formula takes from the budget of nodes. */
const cost = 100;

/** A formula; one that cannot be read is a warning and shown as its source. `root` are attributes of its root. */
export function writeMath(tex: string, display: boolean, writer: Writer, root = ''): string {
  writer.nodesLeft -= cost;
  if (display) writer.blocks++;
  if (writer.nodesLeft < 0 || tex.trim() === '') return writeSource(tex, display, root);
  // Without the style sheet only MathML is readable, which browsers set by themselves.
  const isPlain = writer.site.siteMap.config.styling.latex === false;
  const formula = renderFormula(tex, display, isPlain);
  if (formula.html === null) {
    const line = tex.replace(/\s+/g, ' ').trim();
    const shown = line.length > 80 ? `${line.slice(0, 80)}…` : line;
    writer.warn('invalid-math', `The formula \`${shown}\` is shown as source text: ${formula.fault}.`);
    return writeSource(tex, display, root);
  }
  writer.charactersLeft -= formula.html.length;
  if (!isPlain) writer.use(mathAsset());
  if (!display) return `<span${root} class="op-math op-math-inline">${formula.html}</span>`;
  const label = escapeAttribute(writer.strings.formula);
  return `<div${root} class="op-math op-math-display" tabindex="0" role="group" aria-label="${label}">${formula.html}</div>`;
}

/** `$$…$$` on one line is a formula in a line of text to the parser; alone in its paragraph it is meant as a block. */
export function isDisplayMath(node: Node): node is MathNode {
  if (node.type !== 'inlineMath' || node.position === undefined) return false;
  const { start, end } = node.position;
  return (end.offset ?? 0) - (start.offset ?? 0) >= node.value.length + 4;
}

function writeSource(tex: string, display: boolean, root: string): string {
  return display
    ? `<pre${root} class="op-math-source"><code>${escapeText(tex)}</code></pre>`
    : `<code${root} class="op-math-source">${escapeText(tex)}</code>`;
}
