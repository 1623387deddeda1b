import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common';
import { parser } from '@lezer/xml';
import { decodeEntities } from '../entities.ts';
import { type Attribute, checkElement, localName } from './element.ts';
import { linesBefore, type Report } from './found.ts';

const XHTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

/** Elements of SVG that hold other languages. */
const FOREIGN = new Set(['foreignobject', 'handler', 'listener']);

/** Tags that a tolerant parser closes. */
const BROKEN = new Set(['MismatchedCloseTag', 'MissingCloseTag', 'StartTagError']);

interface Scope {
  /** Namespace of a prefix; '' is the default one. */
  namespaces: ReadonlyMap<string, string>;
  parent: Scope | null;
}

/**
 * Reports the code of an SVG image, which runs when the image is opened by its own URL. Names are those of the
 * namespaces, so that `h:script` is a script when `h` is HTML.
 */
export function findInSvg(text: string, report: Report): void {
  const at = (node: { from: number; to: number }, what: string): void =>
    report({
      line: 1 + linesBefore(text, node.from),
      what,
      code: text.slice(node.from, Math.min(node.to, node.from + 2_000)),
    });
  let scope: Scope = { namespaces: new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]), parent: null };
  let isBroken = false;
  parser.parse(text).iterate({
    enter(ref: SyntaxNodeRef) {
      const { name, node } = ref;
      if ((ref.type.isError || BROKEN.has(name)) && !isBroken) {
        isBroken = true;
        at(node, 'XML that cannot be parsed');
      } else if (name === 'DoctypeDecl' && /\[|ENTITY/i.test(text.slice(node.from, node.to))) {
        at(node, 'entities, which may contain code');
      } else if (name === 'ProcessingInst' && !/^<\?xml\s/.test(text.slice(node.from, node.from + 6))) {
        at(node, 'a processing instruction');
      } else if (name === 'OpenTag' || name === 'SelfClosingTag') {
        scope = openScope(node, text, scope);
        checkTag(node, text, scope, report);
        if (name === 'SelfClosingTag') scope = scope.parent ?? scope;
      } else if (name === 'CloseTag' || name === 'MismatchedCloseTag') {
        scope = scope.parent ?? scope;
      }
    },
  });
}

function attributesOf(tag: SyntaxNode, text: string): Attribute[] {
  return tag.getChildren('Attribute').map((node) => {
    const name = node.getChild('AttributeName');
    const value = node.getChild('AttributeValue');
    const quoted = value === null ? '' : text.slice(value.from, value.to);
    return {
      name: name === null ? '' : text.slice(name.from, name.to),
      value: value === null ? null : decodeEntities(quoted.replace(/^["']|["']$/g, '')),
      isComputed: false,
      line: 1 + linesBefore(text, node.from),
      code: text.slice(node.from, node.to),
    };
  });
}

function openScope(tag: SyntaxNode, text: string, parent: Scope): Scope {
  const namespaces = new Map(parent.namespaces);
  for (const { name, value } of attributesOf(tag, text)) {
    if (name === 'xmlns') namespaces.set('', value ?? '');
    else if (name.startsWith('xmlns:')) namespaces.set(name.slice(6), value ?? '');
  }
  return { namespaces, parent };
}

function checkTag(tag: SyntaxNode, text: string, { namespaces }: Scope, report: Report): void {
  const nameNode = tag.getChild('TagName');
  const name = nameNode === null ? '' : text.slice(nameNode.from, nameNode.to);
  const colon = name.indexOf(':');
  const namespace = namespaces.get(colon < 0 ? '' : name.slice(0, colon)) ?? '';
  const local = localName(name);
  const attributes = attributesOf(tag, text);
  const line = 1 + linesBefore(text, tag.from);
  const code = text.slice(tag.from, tag.to);
  if (namespace === XHTML) report({ line, what: `an HTML element in an image (<${local}>)`, code });
  else if (FOREIGN.has(local))
    report({ line, what: `an element that holds other documents (<${local}>)`, code });
  else if (namespace !== SVG && namespace !== '' && local === 'script')
    report({ line, what: 'a <script> element', code });
  checkElement(name.slice(colon + 1), attributes, { line, code }, report);
}
