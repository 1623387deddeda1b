import { type Expression, parseScript } from '../mdx/parse/ast.ts';

/** Characters of a script that is examined; longer ones are bundles for browsers. */
const MAX_SOURCE = 1_000_000;
/** What is in every such file. */
const MAY_BE = /^#!|\brequire\s*\(|\bmodule\s*\.\s*exports\b|\bexports\s*\.|\b(?:import|export)\b/;

/** Names that Node gives to a file and browsers do not, defined in a file for itself. */
const DEFINES = /\b(?:var|let|const|function)\s+(?:require|module|exports)\b/;
const DEFINES_FOR_ALL = /\b(?:window|globalThis|self)\s*\.\s*(?:require|module|exports)\s*=(?!=)/;

/** Whether a script gives those names to all scripts of the page. */
export function definesNodeNames(source: string): boolean {
  return DEFINES_FOR_ALL.test(source);
}

/**
 * Why a browser cannot run a file as a script of a page: it is a module or starts with a line for the shell
 * (`module`), or it needs names of Node (`names`); null where it can. Bundles that also run in Node are scripts of
 * browsers: they look for `module` or `require` before they use it, or get it as a parameter. So only what runs at
 * once and without a condition counts.
 */
export function nodeUse(source: string): 'module' | 'names' | null {
  if (source.length > MAX_SOURCE || !MAY_BE.test(source)) return null;
  if (source.startsWith('#!')) return 'module';
  try {
    const body = parseScript(source, () => {});
    if (body.some(({ type }) => /^(?:Import|Export)/.test(type))) return 'module';
    const isOwn = DEFINES.test(source) || DEFINES_FOR_ALL.test(source);
    return !isOwn && body.some(usesNode) ? 'names' : null;
  } catch {
    return null;
  }
}

type Node = { type: string } & Record<string, unknown>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Members of a node that are not evaluated at once, or only on a condition. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  IfStatement: ['consequent', 'alternate'],
  ConditionalExpression: ['consequent', 'alternate'],
  LogicalExpression: ['right'],
  SwitchStatement: ['cases'],
  WhileStatement: ['body'],
  ForStatement: ['body', 'update'],
  ForInStatement: ['body'],
  ForOfStatement: ['body'],
};
const NEVER = /Function|^Class|^TryStatement$/;

function usesNode(statement: Expression): boolean {
  const rest: unknown[] = [statement];
  while (rest.length > 0) {
    const node = rest.pop();
    if (Array.isArray(node)) for (const child of node) rest.push(child);
    if (!isNode(node) || NEVER.test(node.type)) continue;
    if (node.type === 'UnaryExpression' && node.operator === 'typeof') continue;
    if (isNodeUse(node)) return true;
    if (node.type === 'CallExpression') rest.push(runAtOnce(node.callee));
    const later = LATER[node.type] ?? [];
    for (const [name, child] of Object.entries(node)) {
      if (typeof child === 'object' && child !== null && !later.includes(name)) rest.push(child);
    }
  }
  return false;
}

/** What a function that is called where it is written always does: up to the first condition under which it ends. */
function runAtOnce(callee: unknown): unknown {
  if (!isNode(callee) || !/Function/.test(callee.type)) return null;
  const names = Array.isArray(callee.params) ? callee.params.map(nameOf) : [];
  if (names.some((name) => name !== null && NODE_NAMES.has(name))) return null;
  if (!isNode(callee.body) || !Array.isArray(callee.body.body)) return callee.body;
  const statements = callee.body.body.filter(isNode);
  const end = statements.findIndex(({ type }) => /^(?:If|Return|Switch|Throw|Try)/.test(type));
  return end === -1 ? statements : statements.slice(0, end);
}

const NODE_NAMES: ReadonlySet<string> = new Set(['require', 'module', 'exports']);

/** `require('x')`, `module.exports`, `exports.x`, and `import('x')` of a package. */
function isNodeUse(node: Node): boolean {
  if (node.type === 'CallExpression') {
    const [first] = Array.isArray(node.arguments) ? node.arguments : [];
    return nameOf(node.callee) === 'require' && textOf(first) !== null;
  }
  if (node.type === 'ImportExpression') {
    const source = textOf(node.source);
    return source !== null && !/^(?:[./]|https?:|data:|blob:)/i.test(source);
  }
  if (node.type !== 'MemberExpression') return false;
  const object = nameOf(node.object);
  return object === 'exports' || (object === 'module' && nameOf(node.property) === 'exports');
}

function nameOf(node: unknown): string | null {
  return isNode(node) && node.type === 'Identifier' && typeof node.name === 'string' ? node.name : null;
}

function textOf(node: unknown): string | null {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}
