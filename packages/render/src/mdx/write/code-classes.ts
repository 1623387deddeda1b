import { TokenType } from '@csstools/css-tokenizer';
import { CLOSING, tokensOf } from '../../clean/css-tokens.ts';
import type { SourceTree } from '../../source.ts';
import type { Node } from '../../tree.ts';
import { plainText } from '../text.ts';

const CODE_STYLE =
  /^\s*(?:font(?:-family)?\s*:[\s\S]*(?:mono|courier|menlo|consolas)|white-space\s*:\s*pre\s*(?:!\s*important\s*)?$)/i;
const MAY_CONTAIN = /mono|courier|menlo|consolas|white-space\s*:\s*pre/i;
/** Longer style sheets are not handwritten. */
const MAX_LENGTH = 500_000;
const MAX_CLASSES = 2000;
/** Nodes of a page among which its style elements are searched. */
const MAX_NODES = 20_000;

/** Whether declarations give an element the look of code. */
export const looksLikeCode = (declarations: string): boolean =>
  MAY_CONTAIN.test(declarations) && declarations.split(';').some((one) => CODE_STYLE.test(one));

/** Classes that the style sheets of a site give the look of code. */
export function codeClasses(
  source: Pick<SourceTree, 'readText' | 'size'>,
  assets: readonly string[],
): Set<string> {
  const found = new Set<string>();
  for (const file of assets) {
    if (!/\.css$/i.test(file) || source.size(file) > MAX_LENGTH) continue;
    const css = source.readText(file);
    // Nearly all sheets end here, unread.
    if (MAY_CONTAIN.test(css)) readClasses(css, found);
  }
  return found;
}

/** {@link codeClasses} of the site and of the `<style>` elements of a page. */
export function pageCodeClasses(nodes: readonly Node[], ofSite: ReadonlySet<string>): ReadonlySet<string> {
  const sheets: string[] = [];
  const rest = [...nodes];
  let left = MAX_NODES;
  for (let node = rest.pop(); node !== undefined && left > 0; node = rest.pop(), left--) {
    if (!('children' in node)) continue;
    if (node.type !== 'element' || node.name !== 'style') {
      for (const child of node.children.slice(0, left)) rest.push(child);
      continue;
    }
    const css = plainText(node.children);
    if (css.length <= MAX_LENGTH && MAY_CONTAIN.test(css)) sheets.push(css);
  }
  if (sheets.length === 0) return ofSite;
  const found = new Set(ofSite);
  for (const css of sheets) readClasses(css, found);
  return found;
}

/** Rules, at any depth, with a class in the last part of a selector. */
function readClasses(css: string, found: Set<string>): void {
  const stream = tokensOf(css);
  const outer: string[] = [];
  const nested: string[] = [];
  let selector = '';
  let text = '';
  for (let token = stream.next(); token[0] !== TokenType.EOF; token = stream.next()) {
    const [type, raw] = token;
    if (type === TokenType.Comment) continue;
    if (nested.length > 0) {
      text += raw;
      if (raw === nested.at(-1)) nested.pop();
      else if (CLOSING[type] !== undefined) nested.push(CLOSING[type]);
    } else if (type === TokenType.OpenCurly) {
      outer.push(selector);
      selector = text;
      text = '';
    } else if (type === TokenType.CloseCurly) {
      if (looksLikeCode(text)) noteClasses(selector, found);
      selector = outer.pop() ?? '';
      text = '';
    } else {
      text += raw;
      if (CLOSING[type] !== undefined) nested.push(CLOSING[type]);
    }
  }
}

function noteClasses(selectors: string, found: Set<string>): void {
  // Declarations before a nested rule are in front of its selector.
  const own = selectors.slice(selectors.lastIndexOf(';') + 1);
  for (const selector of own.split(',')) {
    const subject =
      selector
        .trim()
        .split(/[\s>+~]+/)
        .at(-1) ?? '';
    // Nothing that is generated, and no state, says what the element contains.
    if (/::|:(?:before|after)/.test(subject)) continue;
    for (const [, name] of subject.matchAll(/\.(-?[A-Za-z_][\w-]*)/g))
      if (name !== undefined && found.size < MAX_CLASSES) found.add(name);
  }
}
