import {
  type Element,
  isNode,
  type Node,
  type Props,
  type Text,
  type UserFunction,
  type Value,
} from '../../tree.ts';
import { charge, sizeOf, spend, steps } from '../guard/work.ts';
import type { Expression, OpeningElement } from '../parse/ast.ts';
import { lookUp } from './names.ts';
import { copyProperties } from './properties.ts';
import { type Context, evaluate, lineAt, refuse } from './run.ts';
import { emptyObject, isFunction, isMissing, member, Refusal } from './values.ts';

type JsxNode = Expression & { type: 'JSXElement' | 'JSXFragment' };

/** Nodes of a JSX expression: an element, or the children of a fragment or of a component of the page. */
export function evaluateJsx(node: JsxNode, context: Context): Value {
  if (node.type === 'JSXFragment') return childNodes(node.children, context);
  const { openingElement } = node;
  const name = elementName(openingElement.name);
  if (name === 'Fragment' || name === 'React.Fragment') return childNodes(node.children, context);
  const props = attributes(openingElement, context);
  const line = lineAt(context.origin, node.start);
  if (name === 'MDX') return markdownChildren(node, context, props, line);
  const children = childNodes(node.children, context);
  const component = componentOf(name, context);
  if (component !== null) {
    props.children = children;
    return context.run.host.callComponent(name, component, props, context.origin, line);
  }
  return makeElement(name, props, children, context, line);
}

function makeElement(name: string, props: Props, children: Node[], context: Context, line: number): Element {
  const given = props.children;
  if (children.length === 0 && given !== undefined) children = toNodes(given, context, 0);
  delete props.children;
  // Content was charged when it became nodes.
  spend(context.run, sizeOf(props), 0);
  const point = { line, column: 1 };
  return {
    type: 'element',
    name,
    props,
    children,
    inline: false,
    file: context.origin.file,
    position: { start: point, end: point },
  };
}

/** Name as written: `Card`, `Tree.Folder`, `svg:path`. */
function elementName(node: Expression): string {
  if (node.type === 'JSXIdentifier') return node.name;
  if (node.type === 'JSXMemberExpression') return `${elementName(node.object)}.${elementName(node.property)}`;
  if (node.type === 'JSXNamespacedName') return `${node.namespace.name}:${node.name.name}`;
  return '';
}

/** The function of the page behind a component name (`Name` or `group.Name`), or null for built-in ones and HTML. */
export function componentOf(name: string, context: Context): UserFunction | null {
  const parts = name.split('.');
  const found = lookUp(parts[0] ?? '', context);
  if (found === null) return null;
  let value = found.value;
  for (let index = 1; index < parts.length; index++) value = member(value, parts[index] ?? '');
  return isFunction(value) ? value : null;
}

function attributes(element: OpeningElement, context: Context): Props {
  const props = emptyObject();
  for (const attribute of element.attributes) {
    if (attribute.type === 'JSXSpreadAttribute') {
      copyProperties(evaluate(attribute.argument, context), props, context.run, attribute.start);
    } else if (attribute.type === 'JSXAttribute') {
      const name = elementName(attribute.name);
      props[name === 'class' ? 'className' : name] = attributeValue(name, attribute.value, context);
    }
  }
  delete props.key;
  delete props.ref;
  return props;
}

const endsExpression: ReadonlySet<string> = new Set(['budget', 'exhausted', 'cycle']);

/** Event handlers have no value here, and what cannot be evaluated costs the attribute, not the element. */
function attributeValue(name: string, value: Expression | null, context: Context): Value {
  if (value === null) return true;
  if (/^on[A-Z]/.test(name) || name === 'ref' || name === 'dangerouslySetInnerHTML') {
    context.run.needsBrowser = true;
    return undefined;
  }
  try {
    return evaluate(value, context);
  } catch (error) {
    if (error instanceof Refusal && endsExpression.has(error.reason)) throw error;
    charge(context.run, refusalCost);
    refuse(context.run, {
      error,
      outcome: `The attribute \`${name}\` is left out`,
      origin: context.origin,
      offset: error instanceof Refusal ? error.offset : value.start,
    });
    return undefined;
  }
}

function childNodes(children: Expression[], context: Context): Node[] {
  const nodes: Node[] = [];
  for (const child of children) {
    if (child.type === 'JSXText') {
      spend(context.run, steps('read', child.value.length), child.start);
      const text = trimJsxText(child.value);
      if (text !== '') nodes.push(textNode(text));
    } else appendNodes(evaluate(child, context), nodes, context, child.start);
  }
  return nodes;
}

/** Line breaks and the indentation around them are layout, as JSX defines; other white space stays. */
function trimJsxText(value: string): string {
  if (!value.includes('\n')) return value;
  const lines = value.split(/\r?\n/);
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    let line = (lines[index] ?? '').replaceAll('\t', ' ');
    if (index > 0) line = line.trimStart();
    if (index < lines.length - 1) line = line.trimEnd();
    if (line !== '') kept.push(line);
  }
  return kept.join(' ');
}

export function textNode(value: string): Text {
  return { type: 'text', value };
}

/** What a value shows as: text, nodes, or nothing for true, false, null, undefined. */
export function toNodes(value: Value, context: Context, offset: number): Node[] {
  const nodes: Node[] = [];
  appendNodes(value, nodes, context, offset);
  return nodes;
}

function appendNodes(value: Value, nodes: Node[], context: Context, offset: number): void {
  // All that a node holds is written out at this place.
  spend(context.run, Array.isArray(value) ? 1 : sizeOf(value), offset);
  if (typeof value === 'string') {
    if (value !== '') nodes.push(textNode(value));
  } else if (typeof value === 'number') nodes.push(textNode(String(value)));
  else if (typeof value !== 'object' || value === null) return;
  else if (Array.isArray(value)) for (const item of value) appendNodes(item, nodes, context, offset);
  else if (isNode(value)) nodes.push(value);
  else if (isFunction(value)) {
    const reason = isMissing(value) ? 'its import was not found' : 'a function cannot be shown';
    throw new Refusal('invalid', reason, offset);
  } else throw new Refusal('invalid', 'an object cannot be shown', offset);
}

/** Steps that an error takes: it is made with its place in the program. */
const refusalCost = 50;

/** Steps that any parse takes. */
const parseCost = 200;

/** The source between the tags of `<MDX>` is Markdown: its common indentation goes, then it is parsed. */
function markdownChildren(
  node: Expression & { type: 'JSXElement' },
  context: Context,
  props: Props,
  line: number,
): Value {
  const first = node.children[0];
  const last = node.children.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const written = context.origin.source.slice(first.start, last.end);
  spend(context.run, parseCost + steps('parse', written.length), node.start);
  const source = dedent(written);
  const origin = { file: context.origin.file, line: lineAt(context.origin, first.start), source };
  const children = context.run.host.parseMdx(source, origin, context.scope);
  if (context.run.islands > 0)
    return { ...makeElement('MDX', props, children, context, line), written: jsxChildren(node, context) };
  if (props.className === undefined) return children;
  return makeElement('div', props, children, context, line);
}

/** What a browser takes for the content of `<MDX>`; empty where it has no value here. */
function jsxChildren(node: Expression & { type: 'JSXElement' }, context: Context): Node[] {
  try {
    return childNodes(node.children, context);
  } catch {
    return [];
  }
}

/** Removes the indentation that all lines but the first have in common. */
function dedent(source: string): string {
  const lines = source.split('\n');
  let common = Number.POSITIVE_INFINITY;
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const indent = line.length - line.trimStart().length;
    if (indent < line.length) common = Math.min(common, indent);
  }
  if (!Number.isFinite(common) || common === 0) return source;
  return lines.map((line, index) => (index === 0 ? line.trimStart() : line.slice(common))).join('\n');
}
