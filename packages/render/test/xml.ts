import { type ChildNode, type Element, isTag } from 'domhandler';
import { parseDocument } from 'htmlparser2';

/** Elements of an XML document by name, in document order. Throws when its tags do not pair. */
export function elementsOf(xml: string, name: string): Element[] {
  checkPairs(xml);
  const found: Element[] = [];
  const visit = (nodes: readonly ChildNode[]): void => {
    for (const node of nodes) {
      if (!isTag(node)) continue;
      if (node.name === name) found.push(node);
      visit(node.children);
    }
  };
  visit(parseDocument(xml, { xmlMode: true, decodeEntities: true }).children);
  return found;
}

/** Texts of the children of that name. */
export function childTexts(parent: Element | undefined, name: string): string[] {
  return (parent?.children ?? [])
    .filter((node): node is Element => isTag(node) && node.name === name)
    .map((node) => node.children.map((child) => ('data' in child ? child.data : '')).join(''));
}

/** Text of the first child of that name; empty without one. */
export function textIn(parent: Element | undefined, name: string): string {
  return childTexts(parent, name)[0] ?? '';
}

/** A parser for HTML forgives what an XML reader does not. */
function checkPairs(xml: string): void {
  const open: string[] = [];
  for (const [, close, name = '', , end] of xml.matchAll(
    /<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    if (close === '/') {
      const expected = open.pop();
      if (expected !== name) throw new Error(`</${name}> closes <${expected}>`);
    } else if (end !== '/') open.push(name);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> is not closed`);
  const rest = xml.replace(/<\?xml[^?]*\?>|<\/?[A-Za-z][\w:.-]*(?:\s+[\w:.-]+="[^"<]*")*\s*\/?>/g, '');
  const stray = /[<>]|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i.exec(rest);
  if (stray !== null)
    throw new Error(`a stray ${stray[0]} at ${JSON.stringify(rest.slice(stray.index, stray.index + 40))}`);
}
