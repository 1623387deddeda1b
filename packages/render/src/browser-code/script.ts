import { type Expression, parseExpression, parseModule } from '../mdx/parse/ast.ts';
import { type Attribute, checkElement } from './element.ts';
import { linesBefore, type Report } from './found.ts';
import { looksLikeCodeUrl } from './url.ts';

/** A node of any type, as a walk sees it. */
type Node = Expression & Record<string, unknown>;

/** Source of one expression or of the module code of a page, with what a walk over it knows. */
export interface Script {
  source: string;
  /** Line of the file on which the source starts. */
  line: number;
  report: Report;
  /** Texts of the constants of the file, by name. */
  constants: ReadonlyMap<string, string>;
  /** Names that the file declares. */
  names: ReadonlySet<string>;
}

/** Nodes that compute a value of others and do nothing else. Everything else is code. */
const PLAIN = new Set(
  (
    'Literal TemplateLiteral TemplateElement Identifier MemberExpression ChainExpression ParenthesizedExpression ' +
    'ConditionalExpression LogicalExpression BinaryExpression UnaryExpression ObjectExpression Property ArrayExpression ' +
    'SequenceExpression SpreadElement JSXElement JSXFragment JSXText JSXExpressionContainer JSXEmptyExpression ' +
    'JSXSpreadChild VariableDeclaration VariableDeclarator ExportNamedDeclaration ExportSpecifier ' +
    'ExpressionStatement EmptyStatement ObjectPattern ArrayPattern Program'
  ).split(' '),
);

const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration']);
const CLASSES = new Set(['ClassDeclaration', 'ClassExpression']);
const CALLS = new Set(['CallExpression', 'NewExpression', 'TaggedTemplateExpression', 'ImportExpression']);

/** Names that a browser gives to every script. */
const GLOBALS = new Set(
  (
    'window self globalThis top parent frames opener document location history navigator localStorage sessionStorage ' +
    'indexedDB caches cookieStore customElements fetch XMLHttpRequest WebSocket EventSource Worker SharedWorker ' +
    'importScripts postMessage eval Function setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame ' +
    'requestIdleCallback open close alert confirm prompt print Image Audio Option Reflect Proxy process require module ' +
    'exports Element Node Event DOMParser Blob File FileReader FormData Request Response Notification crypto'
  ).split(' '),
);
/** Ordinary words, which are the names of values of a snippet as well: they count where something is done with them. */
const WORDS = new Set(
  'open close print parent top self history module exports Option Event Node File Request Response confirm prompt location process'.split(
    ' ',
  ),
);

/** Properties that lead from a value to the code behind it, and those that write HTML. */
const REACHING = new Set(
  'constructor __proto__ prototype __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ caller callee'.split(
    ' ',
  ),
);
const HTML = new Set(['dangerouslySetInnerHTML', '__html', 'innerHTML', 'outerHTML', 'srcDoc', 'srcdoc']);
const RUNNING_ELEMENT = /^(?:script|iframe|object|embed|base|applet)$/i;

const PAGE_IMPORT = /\.(?:mdx?|json)$/i;

/** Code of an expression between braces. */
export function checkExpression(script: Script): void {
  let root: Expression | null;
  try {
    root = parseExpression(script.source);
  } catch {
    // What the parser of the page accepts and this one does not is not known.
    script.report({ line: script.line, what: 'an expression that cannot be parsed', code: script.source });
    return;
  }
  if (root !== null) walk(root as Node, script);
}

const STATEMENT =
  /^(?:import\s*(?:["'{*(]|[\w$]+\s*(?:,|from\b)|type\b)|export\s*(?:[{*]|(?:const|let|var|default|function|class|async|type|enum|interface)\b))/;

/**
 * Code of `import` and `export` statements. Returns the text below them that is not code, which the renderer shows as
 * content, and its line.
 */
export function checkModule(script: Script): { rest: string; line: number } | null {
  const { source, line, report } = script;
  const statements = readModule(source);
  if (Array.isArray(statements)) {
    for (const statement of statements) walk(statement as Node, script);
    return null;
  }
  const split = source.lastIndexOf('\n', statements);
  const head = split < 0 ? [] : readModule(source.slice(0, split));
  if (split >= 0 && Array.isArray(head)) {
    for (const statement of head) walk(statement as Node, script);
    return { rest: source.slice(split + 1), line: line + linesBefore(source, split + 1) };
  }
  // The renderer drops what is not a module. Prose may start with these words.
  if (STATEMENT.test(source)) report({ line, what: 'module code that cannot be parsed', code: source });
  return null;
}

/** The statements of module code, or the offset of the first error. */
function readModule(source: string): Expression[] | number {
  try {
    return parseModule(source);
  } catch (error) {
    const at = (error as { pos?: unknown }).pos;
    return typeof at === 'number' ? at : 0;
  }
}

/** Names that module code declares, and the texts of its constants. */
export function declarationsOf(sources: readonly string[]): Pick<Script, 'constants' | 'names'> {
  const constants = new Map<string, string>();
  const names = new Set<string>();
  for (const source of sources) {
    const statements = readModule(source);
    for (const statement of Array.isArray(statements) ? statements : []) {
      for (const { id, init } of declaratorsOf(statement as Node)) {
        if (id?.type !== 'Identifier') continue;
        names.add(id.name);
        const text = init === null ? null : textOf(init, constants);
        if (text !== null) constants.set(id.name, text);
      }
    }
  }
  return { constants, names };
}

function declaratorsOf(statement: Node): { id: Expression; init: Expression | null }[] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  return declaration?.type === 'VariableDeclaration' ? declaration.declarations : [];
}

function walk(node: Node, script: Script): void {
  const { source, report } = script;
  const tell = (what: string): void => {
    const line = script.line + linesBefore(source, node.start);
    const code = source.slice(node.start, node.end);
    const name = node.type === 'ImportDeclaration' ? node.source.value : null;
    report({ line, what, code, ...(name?.startsWith('/') ? { unless: { kind: 'import', name } } : {}) });
  };
  const code = codeOf(node, script);
  if (code !== null) {
    tell(code);
    return;
  }
  if (node.type === 'ImportDeclaration') return;
  const text = textOf(node, script.constants);
  if (looksLikeCodeUrl(text ?? joinedText(node, script.constants))) {
    tell('a URL that runs code');
    return;
  }
  if (node.type === 'JSXElement') checkJsx(node, script);
  if (node.type === 'VariableDeclaration') {
    for (const { id, init } of node.declarations) {
      const element = init === null ? null : textOf(init, script.constants);
      if (id.type === 'Identifier' && /^[A-Z]/.test(id.name) && RUNNING_ELEMENT.test(element ?? ''))
        tell(`a component that is the element ${element}`);
    }
  }
  for (const child of childrenOf(node)) walk(child, script);
}

/** What a node does besides computing a value; null for nothing. */
function codeOf(node: Node, script: Script): string | null {
  if (FUNCTIONS.has(node.type))
    return named('a function', (node as { id?: { name?: string } | null }).id?.name);
  if (CLASSES.has(node.type)) return named('a class', (node as { id?: { name?: string } | null }).id?.name);
  if (CALLS.has(node.type)) return named('a function call', calleeOf(node));
  if (node.type === 'ImportDeclaration')
    return isPageImport(node.source.value) ? null : importOf(node.source.value);
  if (node.type === 'ExportNamedDeclaration' && node.source !== null)
    return isPageImport(node.source.value) ? null : importOf(node.source.value);
  if (node.type === 'Identifier' && isGlobal(node.name, script)) return `the browser object \`${node.name}\``;
  if (node.type === 'MemberExpression') return memberOf(node, script);
  if (node.type === 'Property') return propertyOf(node, script);
  if (node.type === 'UnaryExpression' && node.operator === 'delete') return 'code that changes something';
  const isJsxName =
    /^JSX(?:Identifier|MemberExpression|NamespacedName|Attribute|SpreadAttribute|Opening|Closing)/.test(
      node.type,
    );
  return PLAIN.has(node.type) || isJsxName ? null : 'code';
}

const named = (what: string, name: string | undefined): string =>
  name === undefined ? what : `${what} (\`${name}\`)`;
const isPageImport = (specifier: string): boolean =>
  PAGE_IMPORT.test(specifier) && /^\.{0,2}\//.test(specifier) && hostlessPath(specifier);
const hostlessPath = (specifier: string): boolean => !/^[\\/]{2}/.test(specifier);
const importOf = (specifier: string): string => `an import of \`${specifier.slice(0, 200)}\``;

function calleeOf(node: Node): string | undefined {
  const callee = (node as { callee?: Node; tag?: Node }).callee ?? (node as { tag?: Node }).tag;
  if (callee?.type === 'Identifier') return callee.name;
  if (callee?.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier')
    return callee.property.name;
  return undefined;
}

function isGlobal(name: string, { names }: Script): boolean {
  return GLOBALS.has(name) && !WORDS.has(name) && !names.has(name);
}

function memberOf(node: Extract<Node, { type: 'MemberExpression' }>, script: Script): string | null {
  const { object, property, computed } = node;
  if (object.type === 'Identifier' && GLOBALS.has(object.name) && !script.names.has(object.name))
    return `the browser object \`${object.name}\``;
  const isName = !computed && property.type === 'Identifier';
  const name = isName ? property.name : textOf(property, script.constants);
  if (name === null)
    return property.type === 'Literal' && typeof property.value === 'number'
      ? null
      : 'a computed property name';
  if (REACHING.has(name)) return `the property \`${name}\``;
  return HTML.has(name) ? `the property \`${name}\`` : null;
}

function propertyOf(node: Extract<Node, { type: 'Property' }>, script: Script): string | null {
  const { key, computed, kind } = node;
  if (kind !== 'init') return 'a function';
  const name =
    !computed && key.type === 'Identifier' ? key.name : (textOf(key, script.constants) ?? numberOf(key));
  if (name === null) return 'a computed property name';
  if (
    /^on[A-Z]/.test(name) ||
    /^on(?:click|error|load|mouse\w+|key\w+|focus\w*|blur|input|change|submit)$/i.test(name)
  )
    return `an event handler (\`${name}\`)`;
  if (REACHING.has(name) || HTML.has(name)) return `the property \`${name}\``;
  const value = textOf(node.value, script.constants);
  return value !== null && RUNNING_ELEMENT.test(value) && /^[A-Z]/.test(name)
    ? `a component that is the element ${value}`
    : null;
}

const numberOf = (key: Expression): string | null =>
  key.type === 'Literal' && typeof key.value === 'number' ? String(key.value) : null;

/** The text that an expression of constants is; null where it is none. */
export function textOf(node: Expression, constants: ReadonlyMap<string, string>, depth = 0): string | null {
  if (depth > 200) return null;
  const below = (one: Expression): string | null => textOf(one, constants, depth + 1);
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : null;
    case 'Identifier':
      return constants.get(node.name) ?? null;
    case 'ParenthesizedExpression':
    case 'ChainExpression':
    case 'JSXExpressionContainer':
      return below(node.expression);
    case 'SequenceExpression': {
      const last = node.expressions.at(-1);
      return last === undefined ? null : below(last);
    }
    case 'BinaryExpression': {
      if (node.operator !== '+') return null;
      const [left, right] = [below(node.left), below(node.right)];
      return left === null || right === null ? null : left + right;
    }
    case 'TemplateLiteral': {
      let text = node.quasis[0]?.value.cooked ?? '';
      for (const [index, expression] of node.expressions.entries()) {
        const value = below(expression);
        if (value === null) return null;
        text += value + (node.quasis[index + 1]?.value.cooked ?? '');
      }
      return text;
    }
    default:
      return null;
  }
}

/** Stands for a value that is not known before the code runs. */
const UNKNOWN = '\ufffc';

/**
 * The text of texts that are joined with unknown values. An unknown start before `script:` is read as the start of that
 * scheme: no other URL continues like this.
 */
function joinedText(node: Expression, constants: ReadonlyMap<string, string>): string {
  const parts: string[] = [];
  const stack: Expression[] = [node];
  for (let one = stack.pop(); one !== undefined && parts.length < MAX_PARTS; one = stack.pop()) {
    const text = textOf(one, constants);
    if (text !== null) parts.push(text);
    else if (one.type === 'BinaryExpression' && one.operator === '+') stack.push(one.right, one.left);
    else if (one.type === 'ParenthesizedExpression') stack.push(one.expression);
    else if (one.type === 'TemplateLiteral') {
      const { quasis, expressions } = one;
      const [first] = quasis;
      parts.push(first?.value.cooked ?? '');
      // Only the start of a URL decides what it is.
      if (expressions.length > 0) parts.push(`${UNKNOWN}${quasis[1]?.value.cooked ?? ''}`);
    } else parts.push(UNKNOWN);
  }
  return parts.join('').replace(/^\s*\ufffc+(?:[a-z]{0,10}script|ript|cript|pt):/i, 'javascript:');
}

const MAX_PARTS = 200;

function checkJsx(node: Extract<Node, { type: 'JSXElement' }>, script: Script): void {
  const { source, report } = script;
  const { name, attributes } = node.openingElement;
  const place = (one: Expression): { line: number; code: string } => ({
    line: script.line + linesBefore(source, one.start),
    code: source.slice(one.start, one.end),
  });
  const opening = node.openingElement as unknown as Expression;
  checkElement(
    source.slice(name.start, name.end),
    attributes.flatMap((attribute): Attribute[] => {
      if (attribute.type !== 'JSXAttribute') return [];
      const { value } = attribute;
      const written = source.slice(attribute.name.start, attribute.name.end);
      const text = value === null ? null : textOf(value, script.constants);
      return [
        { name: written, value: text, isComputed: value !== null && text === null, ...place(attribute) },
      ];
    }),
    place(opening),
    report,
  );
  for (const attribute of attributes) {
    if (attribute.type === 'JSXSpreadAttribute') checkSpread(attribute.argument, script);
  }
}

/** Attributes that an expression gives: only those of an object that is written there are known. */
export function checkSpread(argument: Expression, script: Script): void {
  const { source, line, report } = script;
  if (argument.type === 'Identifier' && argument.name === 'props') return;
  if (argument.type === 'ObjectExpression' && argument.properties.every(({ type }) => type === 'Property')) {
    const attributes = argument.properties.flatMap((property): Attribute[] => {
      if (property.type !== 'Property') return [];
      const { key } = property;
      const name = key.type === 'Identifier' && !property.computed ? key.name : textOf(key, script.constants);
      const at = {
        line: line + linesBefore(source, property.start),
        code: source.slice(property.start, property.end),
      };
      const value = textOf(property.value, script.constants);
      return name === null ? [] : [{ name, value, isComputed: value === null, ...at }];
    });
    checkElement('', attributes, { line, code: source }, report);
    return;
  }
  report({
    line: line + linesBefore(source, argument.start),
    what: 'attributes that an expression gives (`{...}`)',
    code: source.slice(argument.start, argument.end),
  });
}

/** The source of a spread attribute of a page: `...expression`. */
export function checkSpreadSource(script: Script): void {
  const source = script.source.replace(/^\s*\.\.\./, (dots) => ' '.repeat(dots.length));
  let argument: Expression | null;
  try {
    argument = parseExpression(source);
  } catch {
    script.report({ line: script.line, what: 'an expression that cannot be parsed', code: script.source });
    return;
  }
  if (argument === null) return;
  checkSpread(argument, { ...script, source });
  walk(argument as Node, { ...script, source });
}

const SKIPPED = new Set(['type', 'start', 'end', 'loc', 'range', 'closingElement', 'regex', 'value']);

/** Nodes below a node. Names that declare or label something are not read: they are not values. */
function childrenOf(node: Node): Node[] {
  return childValues(node).flat(2).filter(isNode);
}

function childValues(node: Node): unknown[] {
  switch (node.type) {
    case 'MemberExpression':
      return [node.object, node.computed ? node.property : null];
    case 'Property':
      return [node.computed ? node.key : null, node.value];
    case 'JSXElement': {
      const values = node.openingElement.attributes.map((attribute) => {
        if (attribute.type === 'JSXAttribute') return attribute.value;
        return attribute.type === 'JSXSpreadAttribute' ? attribute.argument : null;
      });
      return [values, node.children];
    }
    case 'VariableDeclaration':
      // A pattern may have default values.
      return node.declarations.map(({ id, init }) => [id.type === 'Identifier' ? null : id, init]);
    case 'ExportNamedDeclaration':
      return [node.declaration];
    default:
      return Object.entries(node).flatMap(([key, value]) => (SKIPPED.has(key) ? [] : [value]));
  }
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
