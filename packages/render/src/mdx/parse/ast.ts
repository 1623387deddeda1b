import { Parser, type Token } from 'acorn';
import jsx from 'acorn-jsx';

/** The nodes of ESTree and JSX that the interpreter knows; every other `type` is refused by name. */
export type Ast =
  | { type: 'Literal'; value: string | number | boolean | null; regex?: unknown; bigint?: string }
  | TemplateNode
  | {
      type: 'TaggedTemplateExpression';
      tag: Expression;
      quasi: TemplateNode & { start: number; end: number };
    }
  | { type: 'Identifier'; name: string }
  | { type: 'ArrayExpression'; elements: (Expression | null)[] }
  | { type: 'ObjectExpression'; properties: Expression[] }
  | {
      type: 'Property';
      key: Expression;
      value: Expression;
      kind: 'init' | 'get' | 'set';
      computed: boolean;
    }
  | { type: 'SpreadElement' | 'RestElement' | 'JSXSpreadAttribute'; argument: Expression }
  | {
      type: 'MemberExpression';
      object: Expression;
      property: Expression;
      computed: boolean;
      optional: boolean;
    }
  | { type: 'ChainExpression' | 'ParenthesizedExpression' | 'ExpressionStatement'; expression: Expression }
  | { type: 'CallExpression'; callee: Expression; arguments: Expression[]; optional: boolean }
  | { type: 'ConditionalExpression'; test: Expression; consequent: Expression; alternate: Expression }
  | { type: 'LogicalExpression' | 'BinaryExpression'; operator: string; left: Expression; right: Expression }
  | { type: 'UnaryExpression'; operator: string; argument: Expression }
  | { type: 'UpdateExpression'; operator: '++' | '--'; prefix: boolean; argument: Expression }
  | { type: 'AssignmentExpression'; operator: string; left: Expression; right: Expression }
  | { type: 'SequenceExpression'; expressions: Expression[] }
  | FunctionNode
  | { type: 'ClassDeclaration'; id: { name: string } | null }
  | { type: 'ObjectPattern'; properties: Expression[] }
  | { type: 'ArrayPattern'; elements: (Expression | null)[] }
  | { type: 'AssignmentPattern'; left: Expression; right: Expression }
  | { type: 'BlockStatement' | 'Program'; body: Expression[] }
  | { type: 'ReturnStatement'; argument: Expression | null }
  | { type: 'IfStatement'; test: Expression; consequent: Expression; alternate: Expression | null }
  | { type: 'ForOfStatement' | 'ForInStatement'; left: Expression; right: Expression; body: Expression }
  | {
      type: 'ForStatement';
      init: Expression | null;
      test: Expression | null;
      update: Expression | null;
      body: Expression;
    }
  | { type: 'WhileStatement'; test: Expression; body: Expression }
  | { type: 'BreakStatement' | 'ContinueStatement'; label: unknown }
  | {
      type: 'SwitchStatement';
      discriminant: Expression;
      cases: { test: Expression | null; consequent: Expression[] }[];
    }
  | { type: 'VariableDeclaration'; declarations: { id: Expression; init: Expression | null }[] }
  | { type: 'EmptyStatement' | 'JSXEmptyExpression' | 'JSXOpeningFragment' }
  | ImportNode
  | {
      type: 'ExportNamedDeclaration';
      declaration: Expression | null;
      specifiers: ExportSpecifier[];
      source: StringLiteral | null;
    }
  | { type: 'ExportDefaultDeclaration'; declaration: Expression }
  | { type: 'ExportAllDeclaration'; source: StringLiteral }
  | { type: 'JSXElement'; openingElement: OpeningElement; children: Expression[] }
  | { type: 'JSXFragment'; children: Expression[] }
  | { type: 'JSXText'; value: string }
  | { type: 'JSXExpressionContainer'; expression: Expression }
  | { type: 'JSXIdentifier'; name: string }
  | { type: 'JSXMemberExpression'; object: Expression; property: Expression }
  | { type: 'JSXNamespacedName'; namespace: { name: string }; name: { name: string } }
  | { type: 'JSXAttribute'; name: Expression; value: Expression | null };

export type Expression = Ast & { start: number; end: number };
export type StringLiteral = { value: string };
export interface ExportSpecifier {
  local: { name?: string; value?: string };
  exported: { name?: string; value?: string };
}
export interface OpeningElement {
  name: Expression;
  attributes: Expression[];
}
interface TemplateNode {
  type: 'TemplateLiteral';
  quasis: { value: { cooked: string | null; raw: string } }[];
  expressions: Expression[];
}
export interface FunctionNode {
  type: 'ArrowFunctionExpression' | 'FunctionExpression' | 'FunctionDeclaration';
  id: { name: string } | null;
  params: Expression[];
  body: Expression;
  async: boolean;
  generator: boolean;
}
export interface ImportNode {
  type: 'ImportDeclaration';
  source: StringLiteral;
  specifiers: {
    type: 'ImportSpecifier' | 'ImportDefaultSpecifier' | 'ImportNamespaceSpecifier';
    local: { name: string };
    imported?: { name?: string; value?: string };
  }[];
}

/** Nesting of brackets, operators and statements that the parser follows before it gives up. */
export const maxNesting = 400;
/** Members and calls in one source; each makes the tree one level deeper. */
const maxLinks = 50_000;

type Step = (this: object, ...args: unknown[]) => unknown;

/**
 * A parser that refuses deep nesting with a SyntaxError of its own. The limit protects the native parser, which
 * recurses without one and ends the process, and keeps the recursion of the interpreter shallow.
 */
const SafeParser = (() => {
  const Extended = class extends Parser.extend(jsx()) {
    nesting = 0;
    links = 0;
  };
  const prototype = Extended.prototype as unknown as Record<string, Step | undefined>;
  for (const name of [
    'parseMaybeUnary',
    'parseStatement',
    'parseMaybeAssign',
    'parseBindingAtom',
    'jsx_parseElementAt',
    'parseExprOp',
    'parseNew',
  ]) {
    const original = prototype[name];
    if (original === undefined) continue;
    prototype[name] = function limited(this: object, ...args: unknown[]): unknown {
      const parser = this as { nesting: number; pos: number };
      if (++parser.nesting > maxNesting) throw new TooDeep(parser.pos);
      try {
        return original.apply(this, args);
      } finally {
        parser.nesting--;
      }
    };
  }
  const subscript = prototype.parseSubscript;
  prototype.parseSubscript = function limited(this: object, ...args: unknown[]): unknown {
    const parser = this as { links: number; pos: number };
    if (++parser.links > maxLinks) throw new TooDeep(parser.pos);
    return subscript?.apply(this, args);
  };
  // Errors of strict mode or of a second pass do not stop the parser; the native parser continues as well.
  prototype.raiseRecoverable = () => undefined;
  // Names are listed only for such errors, and each is compared with all before it.
  prototype.declareName = () => undefined;
  return Extended;
})();

class TooDeep extends Error {
  readonly pos: number;
  constructor(pos: number) {
    super(`nested deeper than ${maxNesting} levels`);
    this.pos = pos;
  }
}

const options = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowImportExportEverywhere: true,
  checkPrivateFields: false,
} as const;

/** Parses module code. Throws SyntaxError (with `pos`) or TooDeep. */
export function parseModule(source: string): Expression[] {
  const program = SafeParser.parse(source, options) as unknown as { body: Expression[] };
  return program.body;
}

/** A token of a script; `value` of a text is what it means, of a sign how it is written. */
export interface ScriptToken {
  kind: 'name' | 'string' | 'template' | 'sign' | 'other';
  value: string;
  start: number;
}

/** Parses a script and reports its tokens. A module is parsed too, so that callers can recognize it. Throws SyntaxError or TooDeep. */
export function parseScript(source: string, onToken: (token: ScriptToken) => void): Expression[] {
  const program = SafeParser.parse(source, {
    ...options,
    sourceType: 'script',
    onToken: (token) => onToken(scriptToken(token)),
  }) as unknown as { body: Expression[] };
  return program.body;
}

/** Reports the tokens of a script up to its first error, whatever its nesting. */
export function readTokens(source: string, onToken: (token: ScriptToken) => void): void {
  try {
    for (const token of SafeParser.tokenizer(source, options)) onToken(scriptToken(token));
  } catch {
    // A browser reports it.
  }
}

function scriptToken(token: Token): ScriptToken {
  const { start } = token;
  const { label, keyword } = token.type;
  const text = 'value' in token && typeof token.value === 'string' ? token.value : '';
  if (label === 'string' || label === 'template') return { kind: label, value: text, start };
  if (label === 'name' || label === 'jsxName' || keyword !== undefined)
    return { kind: 'name', value: text || label, start };
  return { kind: '(:=.'.includes(label) ? 'sign' : 'other', value: label, start };
}

/** Parses one expression that fills the source; null when there are only comments. Throws SyntaxError or TooDeep. */
export function parseExpression(source: string): Expression | null {
  const expression = isBlank(source) ? null : parseStart(source);
  const rest = source.slice(expression === null ? 0 : expression.end);
  if (!isBlank(rest) && !isBlankBeside(source, expression)) throw new SyntaxError('expected one expression');
  return expression;
}

/**
 * Offset behind the expression that starts at an offset, whatever follows; null when there are only comments. Throws
 * SyntaxError (with `pos`) or TooDeep.
 */
export function findExpressionEnd(source: string, offset: number): number | null {
  // A parser that starts later counts the lines before it, each time.
  const rest = source.slice(offset);
  if (isBlank(rest)) return null;
  try {
    return offset + parseStart(rest).end;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'pos' in error)
      Object.assign(error, { pos: Number(error.pos) + offset });
    throw error;
  }
}

function parseStart(source: string): Expression {
  return SafeParser.parseExpressionAt(source, 0, options) as unknown as Expression;
}

/** Brackets around the expression and comments behind it are not part of its node. */
function isBlankBeside(source: string, expression: Expression | null): boolean {
  if (expression === null) return false;
  let end = expression.end;
  for (;;) {
    end = skipBlank(source, end);
    if (source[end] !== ')') return end >= source.length;
    end++;
  }
}

/** Offset behind white space and comments. */
export function skipBlank(source: string, offset: number): number {
  let at = offset;
  for (;;) {
    const code = source.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13) || code === 0xa0) at++;
    else if (code === 47 && source[at + 1] === '*') {
      const end = source.indexOf('*/', at + 2);
      at = end === -1 ? source.length : end + 2;
    } else if (code === 47 && source[at + 1] === '/') {
      const end = source.indexOf('\n', at + 2);
      at = end === -1 ? source.length : end + 1;
    } else return at;
  }
}

function isBlank(source: string): boolean {
  return skipBlank(source, 0) >= source.length;
}
