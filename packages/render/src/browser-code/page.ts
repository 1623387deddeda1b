import { readFrontMatter } from '../config/front-matter.ts';
import { isObject } from '../config/json.ts';
import { parseExpression } from '../mdx/parse/ast.ts';
import { parseMdx } from '../mdx/parse/parse.ts';
import type { SyntaxAttribute, SyntaxNode } from '../mdx/parse/syntax.ts';
import { type Attribute, checkElement } from './element.ts';
import type { Report } from './found.ts';
import {
  checkExpression,
  checkModule,
  checkSpreadSource,
  declarationsOf,
  type Script,
  textOf,
} from './script.ts';
import { hostOf, isCodeUrl, looksLikeCodeUrl } from './url.ts';

/** Warnings of the parser after which a part of the page is not known. */
const UNREAD = new Set(['invalid-mdx', 'page-too-complex', 'page-too-large']);
/** Texts of front matter and of settings that may be markup. */
const MARKUP = /<[\s/]*[\p{L}_$]|\]\(/u;

/** Reports the code of a page or snippet. Code blocks and inline code are shown and never run. */
export function findInPage(text: string, report: Report): void {
  const { frontMatter, body, bodyLine, unread } = readFrontMatter(text);
  checkTexts(frontMatter, 1, report, readMarkup);
  for (const key of ['api', 'openapi', 'asyncapi']) checkOperation(frontMatter[key], report);
  if (unread !== null) checkTexts(unread, 1, report, readMarkup);
  findInMarkdown(body, bodyLine, report);
}

/** An operation of front matter (`POST https://host/path`, `https://host/openapi.json GET /path`) may name a host. */
function checkOperation(operation: unknown, report: Report): void {
  for (const word of typeof operation === 'string' ? operation.trim().split(/\s+/) : []) {
    const host = hostOf(word);
    if (host === null) continue;
    const what = `API requests to \`${host}\``;
    report({ line: 1, what, code: word, unless: { kind: 'api', name: host } });
  }
}

/** Reports the code of Markdown with JSX, of which `firstLine` lines precede the text in its file. */
export function findInMarkdown(text: string, firstLine: number, report: Report): void {
  const warn = ({ line, code }: { line: number | null; code: string }): void => {
    if (UNREAD.has(code))
      report({
        line: line ?? 1,
        what: 'a part that was not read because of its syntax',
        code: `${code} ${text}`,
      });
  };
  findInTree(parseMdx(text, { file: '', firstLine, frontMatter: false, warn }), report);
}

function findInTree(root: SyntaxNode, report: Report): void {
  const known = declarationsOf(collect(root, 'mdxjsEsm').map(({ value = '' }) => value));
  const scriptOf = (source: string, line: number): Script => ({ source, line, report, ...known });
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    visit(node, scriptOf, report);
    for (const child of (node.children ?? []).toReversed()) stack.push(child);
  }
}

function collect(root: SyntaxNode, type: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === type) found.push(node);
    for (const child of node.children ?? []) stack.push(child);
  }
  return found.reverse();
}

type ScriptOf = (source: string, line: number) => Script;

function visit(node: SyntaxNode, scriptOf: ScriptOf, report: Report): void {
  const line = node.position?.start.line ?? 1;
  const { value = '' } = node;
  switch (node.type) {
    case 'mdxjsEsm': {
      const content = checkModule(scriptOf(value, line));
      if (content !== null) findInMarkdown(content.rest, content.line - 1, report);
      return;
    }
    case 'mdxFlowExpression':
    case 'mdxTextExpression':
      checkExpression(scriptOf(value, line));
      return;
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement':
      checkTag(node, line, scriptOf, report);
      return;
    case 'link':
    case 'definition':
    case 'image': {
      const url = node.url ?? '';
      if (isCodeUrl(url, node.type === 'image'))
        report({ line, what: 'a link whose URL runs code', code: url });
      return;
    }
    case 'html':
      if (!/^\s*<!--[\s\S]*-->\s*$/.test(value)) report({ line, what: 'HTML that is not read', code: value });
      return;
    case 'code':
      checkDiagram(node, line, report);
      return;
    case 'math':
    case 'inlineMath':
      if (/\\(?:href|url|html\w+|includegraphics)\b/.test(value))
        report({ line, what: 'math with a link or HTML', code: value });
      return;
  }
}

/** Diagrams are drawn in the browser: a click in one may call a function or follow a URL. */
function checkDiagram(node: SyntaxNode & { lang?: string | null }, line: number, report: Report): void {
  if ((node.lang ?? '').toLowerCase() !== 'mermaid') return;
  for (const [index, text] of (node.value ?? '').split('\n').entries()) {
    const isDirective = /%%\s*\{|^\s*securityLevel\s*:|^\s*htmlLabels\s*:/i.test(text);
    const isClick =
      /^\s*(?:click|callback|link)\s+\S+\s+(?:call\b|callback\b|href\s+["']?\s*(?:javascript|data|vbscript)\s*:|["']?\s*(?:javascript|data|vbscript)\s*:)/i.test(
        text,
      );
    if (isDirective && /securityLevel|htmlLabels/i.test(text))
      report({ line: line + index + 1, what: 'a diagram that changes its security level', code: text });
    if (isClick) report({ line: line + index + 1, what: 'a diagram that runs code on a click', code: text });
  }
}

function checkTag(node: SyntaxNode, line: number, scriptOf: ScriptOf, report: Report): void {
  const known = scriptOf('', line).constants;
  const attributes: Attribute[] = [];
  for (const attribute of node.attributes ?? []) {
    const { value } = attribute;
    if (attribute.type === 'mdxJsxExpressionAttribute') {
      checkSpreadSource(scriptOf(typeof value === 'string' ? value : '', line));
      continue;
    }
    const source = typeof value === 'object' && value !== null ? value.value : null;
    // Titles and icons may be markup.
    if (typeof value === 'string' && MARKUP.test(value)) checkTexts(value, line, report, readMarkup);
    attributes.push({
      name: attribute.name ?? '',
      ...readValue(attribute, known),
      line,
      code: `${attribute.name ?? ''}=${source ?? String(value)}`,
    });
    if (source !== null) checkExpression(scriptOf(source, line));
  }
  checkElement(node.name ?? '', attributes, { line, code: shownTag(node) }, report);
}

/** The tag without its content, by which the same tag is known with other words inside. */
function shownTag({ name, attributes = [] }: SyntaxNode): string {
  const shown = attributes.map((attribute) => {
    const { value } = attribute;
    return `${attribute.name ?? '...'}=${typeof value === 'object' && value !== null ? value.value : value}`;
  });
  return `<${name ?? ''} ${shown.join(' ')}>`;
}

function readValue(
  { value }: SyntaxAttribute,
  constants: ReadonlyMap<string, string>,
): Pick<Attribute, 'value' | 'isComputed'> {
  if (value === null || typeof value === 'string') return { value, isComputed: false };
  try {
    const expression = parseExpression(value.value);
    const text = expression === null ? '' : textOf(expression, constants);
    const isLiteral = expression?.type === 'Literal';
    return { value: text, isComputed: text === null && !isLiteral };
  } catch {
    return { value: null, isComputed: true };
  }
}

/**
 * Reports the code in texts of data that pages show: URLs that run code, and markup. `read` parses a text as the page
 * does that shows it.
 */
export function checkTexts(
  value: unknown,
  line: number,
  report: Report,
  read: (text: string, key: string) => SyntaxNode | null,
  key = '',
): void {
  if (typeof value === 'string') {
    const tell = (sample: Parameters<Report>[0]): void => report({ ...sample, line });
    if (looksLikeCodeUrl(value)) tell({ line, what: `a URL that runs code (\`${key}\`)`, code: value });
    else if (MARKUP.test(value)) {
      const root = read(value, key);
      if (root !== null) findInTree(root, tell);
    }
  } else if (Array.isArray(value)) {
    for (const item of value) checkTexts(item, line, report, read, key);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) checkTexts(item, line, report, read, name);
  }
}

/** Markdown with JSX, as in front matter and settings. */
export function readMarkup(text: string): SyntaxNode {
  return parseMdx(text, { file: '', firstLine: 0, frontMatter: false, warn: () => {} });
}
