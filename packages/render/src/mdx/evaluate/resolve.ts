import { elementIsland, type Handed, handable } from '../../islands/page-code.ts';
import { plainUse, type Use, viewOf } from '../../islands/view.ts';
import type { Page } from '../../site.ts';
import type { Element, Node, UserFunction, Value } from '../../tree.ts';
import { splitHeadingId } from '../parse/heading-id.ts';
import type { Module } from '../parse/modules.ts';
import { parseMdx } from '../parse/parse.ts';
import { lineOf, type SyntaxNode } from '../parse/syntax.ts';
import type { SiteState } from '../state.ts';
import { lineText } from '../text.ts';
import { evaluateExpression } from './expressions.ts';
import { instantiate } from './instantiate.ts';
import { componentOf, textNode, toNodes } from './jsx.ts';
import { isPrimitive } from './operators.ts';
import { type Reading, resolveAttributes } from './resolve-attributes.ts';
import { appendContent, isPlaceholder, resolveExpression, shorten } from './resolve-expression.ts';
import { type Frame, type Resolver, reportRefusal } from './resolver.ts';
import {
  type Context,
  emptyScope,
  type Instance,
  lineAt,
  type Origin,
  type RunHost,
  refuse,
  type Scope,
  startRun,
} from './run.ts';
import { mark, maxSnippetDepth, moduleHost, namedSnippet } from './snippets.ts';
import { emptyObject, isRecord, Refusal } from './values.ts';

/** A page without source text: mdast and elements with evaluated props. */
export interface ResolvedPage {
  children: Node[];
  /** By identifier. */
  footnotes: Map<string, Node>;
  /** Steps that its expressions took. */
  steps: number;
  /** First heading that is left out because the header of the page shows the same title. */
  repeatedTitle?: Node & { type: 'heading' };
}

/** Levels of the tree that are kept; what is deeper becomes text. */
const maxDepth = 100;
/** Nodes of a page; each character of its source may become one more. */
const maxNodes = 300_000;
/** What a component call takes from the budget of nodes. */
const callCost = 20;
/** For views that components show later. */
const maxSpareSteps = 500_000;
const maxSpareNodes = 100_000;

/** What the evaluation of a text may take. */
interface Limits {
  steps: number;
  /** Characters of the source of the page; each may become a node. */
  sourceLength: number;
}

/** Evaluates everything on a page. Never throws. */
export function resolvePage(page: Page, module: Module, limits: Limits, site: SiteState): ResolvedPage {
  const { steps } = limits;
  const resolver = startResolver(page, limits, site);
  const instance = instantiate(module, moduleHost(resolver));
  resolver.run.pageNames = instance.scope.names;
  const frame = { file: module.file, scope: instance.scope, module, fenceNames: null };
  const children = resolveNodes(module.children ?? [], frame, resolver);
  return { children, footnotes: resolver.footnotes, steps: steps - Math.max(0, resolver.run.steps) };
}

/** Resolves Markdown that is not a page (props, descriptions): it sees no names. */
export function resolveFragment(page: Page, module: Module, steps: number, site: SiteState): Node[] {
  const resolver = startResolver(page, { steps, sourceLength: 0 }, site);
  const frame = { file: module.file, scope: emptyScope(), module, fenceNames: null };
  return resolveNodes(module.children ?? [], frame, resolver);
}

function startResolver(page: Page, { steps, sourceLength }: Limits, site: SiteState): Resolver {
  const host: RunHost = {
    evaluate: evaluateExpression,
    parseMdx: (source, origin, scope) => resolveMdxBody(source, origin, scope, resolver),
    callComponent: (name, component, props, origin, line) =>
      callComponent(name, component, plainUse(props), origin.file, line, resolver),
    expandSnippet: (instance, props) => expandSnippet(resolver, instance, props),
    aside: (work) => aside(work, resolver),
    report: ({ error, outcome, origin, offset }) =>
      reportRefusal(resolver, error, outcome, origin.file, lineAt(origin, offset)),
  };
  const resolver: Resolver = {
    site,
    page,
    run: startRun(host, steps, maxSpareSteps),
    footnotes: new Map(),
    nodesLeft: maxNodes + sourceLength,
    overflowed: false,
    isExhausted: false,
    depth: 0,
  };
  return resolver;
}

function aside(work: () => void, resolver: Resolver): void {
  const { site, nodesLeft, overflowed } = resolver;
  const { isQuiet } = site;
  resolver.nodesLeft = Math.min(nodesLeft, maxSpareNodes);
  site.isQuiet = true;
  try {
    work();
  } finally {
    site.isQuiet = isQuiet;
    resolver.nodesLeft = nodesLeft;
    resolver.overflowed = overflowed;
  }
}

// Nodes

function resolveNodes(nodes: readonly SyntaxNode[], frame: Frame, resolver: Resolver): Node[] {
  const out: Node[] = [];
  for (const node of nodes) resolveNode(node, frame, resolver, out);
  return out;
}

function resolveNode(node: SyntaxNode, frame: Frame, resolver: Resolver, out: Node[]): void {
  if (--resolver.nodesLeft < 0) {
    if (!resolver.overflowed) {
      resolver.overflowed = true;
      const message = `The page has more than ${maxNodes} elements beyond its own text, because snippets and components repeat their content; the rest is removed. Split the page, or include less.`;
      resolver.site.warn({ file: frame.file, line: lineOf(node), code: 'page-too-large', message });
    }
    return;
  }
  switch (node.type) {
    case 'text':
    case 'inlineCode':
    case 'break':
    case 'thematicBreak':
    case 'inlineMath':
    case 'math':
    case 'footnoteReference':
    case 'image':
    case 'html':
      out.push(node as Node);
      return;
    case 'code':
      out.push(resolveCode(node, frame));
      return;
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement':
      resolveElement(node, frame, resolver, out);
      return;
    case 'mdxFlowExpression':
    case 'mdxTextExpression':
      resolveExpression(node, frame, resolver, out);
      return;
    case 'heading':
      resolveHeading(node, frame, resolver, out);
      return;
    case 'linkReference':
    case 'imageReference':
      resolveReference(node, frame, resolver, out);
      return;
    case 'footnoteDefinition':
      resolveFootnote(node, frame, resolver);
      return;
    case 'definition':
    case 'mdxjsEsm':
    case 'yaml':
    case 'toml':
      return;
    default:
      resolveParent(node, frame, resolver, out);
  }
}

function resolveParent(node: SyntaxNode, frame: Frame, resolver: Resolver, out: Node[]): void {
  const children = resolveChildren(node, frame, resolver);
  if (node.type === 'paragraph' && isBlank(children)) return;
  out.push({ ...(node as unknown as Node), children } as Node);
}

/** A paragraph whose only content was dropped. */
function isBlank(children: readonly Node[]): boolean {
  for (const child of children) {
    if (child.type !== 'text' || child.value.trim() !== '') return false;
  }
  return true;
}

function resolveChildren(node: SyntaxNode, frame: Frame, resolver: Resolver): Node[] {
  if (resolver.depth >= maxDepth) {
    resolver.site.warn({
      file: frame.file,
      line: lineOf(node),
      code: 'page-too-complex',
      message: `The page is nested more than ${maxDepth} levels deep; deeper content is shown as text.`,
    });
    return [textNode(flatText(node))];
  }
  resolver.depth++;
  try {
    return resolveNodes(node.children ?? [], frame, resolver);
  } finally {
    resolver.depth--;
  }
}

function flatText(root: SyntaxNode): string {
  const parts: string[] = [];
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code')
      parts.push(node.value ?? '');
    const children = node.children ?? [];
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index] as SyntaxNode);
  }
  return parts.join(' ');
}

function resolveHeading(node: SyntaxNode, frame: Frame, resolver: Resolver, out: Node[]): void {
  const { children, id } = takeHeadingId(node.children ?? []);
  if (id === null) {
    if (children.some(isComponentNode)) resolveMixedHeading(node, frame, resolver, out);
    else resolveParent(node, frame, resolver, out);
    return;
  }
  const resolved = resolveChildren({ ...node, children }, frame, resolver);
  trimEnd(resolved);
  out.push({ type: 'heading', depth: node.depth as 1, children: resolved, id, ...place(node) });
}

/** The id at the end of a heading, and the content in front of it. */
function takeHeadingId(nodes: SyntaxNode[]): { children: SyntaxNode[]; id: string | null } {
  let count = nodes.length;
  while (isBlankText(nodes[count - 1])) count--;
  const last = nodes[count - 1];
  const before = nodes.slice(0, Math.max(0, count - 1));
  const value = last?.value ?? '';
  if (last?.type === 'mdxTextExpression') {
    const { id } = splitHeadingId(`{${value.trim()}}`);
    if (id !== null) return { children: before, id };
  } else if (last?.type === 'text') {
    const { text, id } = splitHeadingId(value);
    if (id !== null) return { children: text === '' ? before : [...before, { ...last, value: text }], id };
  }
  return { children: nodes, id: null };
}

function isBlankText(node: SyntaxNode | undefined): boolean {
  return node?.type === 'text' && (node.value ?? '').trim() === '';
}

function isComponentNode({ type, name }: SyntaxNode): boolean {
  return type === 'mdxJsxTextElement' && /^[A-Z]/.test(name ?? '');
}

/** Keeps the text without what components say (a badge, a version): some hosts leave it out of the anchor. */
function resolveMixedHeading(node: SyntaxNode, frame: Frame, resolver: Resolver, out: Node[]): void {
  const all: Node[] = [];
  const own: Node[] = [];
  for (const child of node.children ?? []) {
    const nodes = resolveChildren({ ...node, children: [child] }, frame, resolver);
    for (const resolved of nodes) all.push(resolved);
    if (!isComponentNode(child)) for (const resolved of nodes) own.push(resolved);
  }
  const anchor = lineText(own).trim();
  const heading: Node = { type: 'heading', depth: node.depth as 1, children: all, ...place(node) };
  out.push(anchor === '' ? heading : { ...heading, anchor });
}

function trimEnd(nodes: Node[]): void {
  const last = nodes.at(-1);
  if (last?.type === 'text') nodes[nodes.length - 1] = { ...last, value: last.value.trimEnd() };
}

function place(node: SyntaxNode): { position?: NonNullable<SyntaxNode['position']> } {
  return node.position === undefined ? {} : { position: node.position };
}

/** In a snippet, `{name}` inside a fence is the value of a prop or export of that name. */
function resolveCode(node: SyntaxNode, frame: Frame): Node {
  const { fenceNames } = frame;
  const value = node.value ?? '';
  if (fenceNames === null || fenceNames.size === 0 || !value.includes('{')) return node as Node;
  const replaced = value.replace(/\{([A-Za-z_$][\w$]{0,99})\}/g, (whole, name: string) => {
    const known = fenceNames.get(name);
    return isPrimitive(known) ? String(known) : whole;
  });
  return replaced === value ? (node as Node) : ({ ...node, value: replaced } as Node);
}

function resolveReference(node: SyntaxNode, frame: Frame, resolver: Resolver, out: Node[]): void {
  const definition = frame.module.definitions.get(node.identifier ?? '');
  const url = definition?.url ?? '';
  const title = definition?.title ?? null;
  if (node.type === 'imageReference')
    out.push({ type: 'image', url, title, alt: node.alt ?? '', ...place(node) });
  else
    out.push({ type: 'link', url, title, children: resolveChildren(node, frame, resolver), ...place(node) });
}

function resolveFootnote(node: SyntaxNode, frame: Frame, resolver: Resolver): void {
  const identifier = node.identifier ?? '';
  if (resolver.footnotes.has(identifier)) return;
  const children = resolveChildren(node, frame, resolver);
  resolver.footnotes.set(identifier, { type: 'footnoteDefinition', identifier, children, ...place(node) });
}

// Elements

function resolveElement(node: SyntaxNode, frame: Frame, resolver: Resolver, out: Node[]): void {
  const name = node.name ?? '';
  const line = lineOf(node) ?? 1;
  if (name === '' || name === 'Fragment' || name === 'React.Fragment') {
    for (const child of resolveChildren(node, frame, resolver)) out.push(child);
    return;
  }
  const context: Context = {
    run: resolver.run,
    origin: { file: frame.file, line, source: '' },
    scope: frame.scope,
  };
  const own = componentOf(name, context);
  const isTag = /^[a-z]/.test(name);
  const handed: Handed | null = (own !== null || isTag) && handable(context) ? Object.create(null) : null;
  const reading: Reading = { element: name, line, context, resolver, handed };
  const attributes = resolveAttributes(node.attributes ?? [], reading);
  const { props } = attributes;
  const children = completeCode(node, resolveChildren(node, frame, resolver));
  const isInclude = own === null && name === 'Snippet' && typeof props.file === 'string';
  const component = isInclude ? namedSnippet(String(props.file), frame.file, line, resolver) : own;
  if (component !== null) {
    if (children.length > 0 || props.children === undefined) {
      props.children = mark(resolver.site, children, frame.file);
    }
    const use = {
      ...attributes,
      code: handed ?? {},
      inline: node.type === 'mdxJsxTextElement',
      ...place(node),
    };
    const content = callComponent(name, component, use, frame.file, line, resolver);
    appendContent(content, use.inline, out);
    return;
  }
  if (isInclude) return;
  const given = props.children;
  delete props.children;
  const element: Element = {
    type: 'element',
    name,
    props,
    children:
      children.length === 0 && given !== undefined
        ? nodesOf(given, context, resolver, `\`children\` of \`<${name}>\``)
        : children,
    inline: node.type === 'mdxJsxTextElement',
    ...place(node),
  };
  if (frame.file !== resolver.page.source) element.file = frame.file;
  out.push(isTag && handed !== null ? elementIsland(element, handed) : element);
}

const codeNames: ReadonlySet<string> = new Set(['CodeBlock', 'code', 'pre']);

/** Code whose content has no value shows its expression: an empty code block would look complete. */
function completeCode(node: SyntaxNode, children: Node[]): Node[] {
  if (!codeNames.has(node.name ?? '') || lineText(children).trim() !== '') return children;
  const sources: string[] = [];
  collectExpressions(node, sources);
  const [source] = sources;
  return source === undefined ? children : [textNode(`{${shorten(source)}}`)];
}

/** Sources of the expressions below a node that stand for a value and not for a comment. */
function collectExpressions(node: SyntaxNode, sources: string[]): void {
  for (const child of node.children ?? []) {
    const isExpression = child.type === 'mdxFlowExpression' || child.type === 'mdxTextExpression';
    if (isExpression && isPlaceholder((child.value ?? '').trim())) sources.push((child.value ?? '').trim());
    else if (child.type === 'paragraph') collectExpressions(child, sources);
  }
}

function nodesOf(value: Value, context: Context, resolver: Resolver, what: string): Node[] {
  try {
    return toNodes(value, context, 0);
  } catch (error) {
    const origin = { ...context.origin, source: '' };
    refuse(resolver.run, { error, outcome: `${what} is left out`, origin, offset: 0 });
    return [];
  }
}

function callComponent(
  name: string,
  component: UserFunction,
  use: Use,
  file: string,
  line: number,
  resolver: Resolver,
): Node[] {
  resolver.nodesLeft -= callCost;
  if (resolver.depth >= maxDepth || resolver.nodesLeft < 0) return [];
  resolver.depth++;
  const open = resolver.run.chain.length;
  const context: Context = { run: resolver.run, origin: { file, line, source: '' }, scope: emptyScope() };
  try {
    return viewOf(component, use, resolver.run, (value) => toNodes(value, context, 0));
  } catch (error) {
    resolver.run.chain.length = open;
    const outcome = `\`<${name}>\` is left out`;
    refuse(resolver.run, { error, outcome, origin: context.origin, offset: 0 });
    const { children } = use.props;
    return nodesOf(Array.isArray(children) ? children : undefined, context, resolver, name);
  } finally {
    resolver.depth--;
  }
}

/** Content of a snippet as it is on this page; its props are names that the content sees. */
function expandSnippet(resolver: Resolver, instance: Instance, props: Value): Node[] {
  const { module } = instance;
  const { run } = resolver;
  if (run.chain.includes(module.file))
    throw new Refusal('cycle', `the snippet includes itself: ${[...run.chain, module.file].join(' -> ')}`, 0);
  if (run.chain.length >= maxSnippetDepth) throw new Refusal('budget', 'snippets are nested too deeply', 0);
  resolver.nodesLeft -= instance.exports.size;
  const scope = emptyScope(instance.scope);
  const fenceNames = new Map<string, Value>(instance.exports);
  scope.names.set('props', isRecord(props) ? props : emptyObject());
  scope.names.set('children', undefined);
  if (isRecord(props)) {
    for (const name of Object.keys(props)) {
      scope.names.set(name, props[name]);
      fenceNames.set(name, props[name]);
    }
  }
  run.chain.push(module.file);
  // Content is a page's: what of it needs a browser is an island of its own.
  const { needsBrowser } = run;
  try {
    const nodes = resolveNodes(
      module.children ?? [],
      { file: module.file, scope, module, fenceNames },
      resolver,
    );
    return mark(resolver.site, nodes, module.file);
  } finally {
    run.needsBrowser = needsBrowser;
    run.chain.pop();
  }
}

function resolveMdxBody(source: string, origin: Origin, scope: Scope, resolver: Resolver): Node[] {
  const { site } = resolver;
  if (resolver.depth >= maxDepth) return [];
  resolver.depth += 5;
  try {
    const root = parseMdx(source, {
      file: origin.file,
      firstLine: origin.line - 1,
      frontMatter: false,
      warn: site.warn,
    });
    const module: Module = {
      file: origin.file,
      children: root.children ?? [],
      definitions: new Map(),
      code: [],
      broken: false,
    };
    return resolveNodes(
      module.children ?? [],
      { file: origin.file, scope, module, fenceNames: null },
      resolver,
    );
  } finally {
    resolver.depth -= 5;
  }
}
