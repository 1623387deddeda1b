import { attempt, isForBrowser } from '../../islands/attempt.ts';
import { expressionIsland, handable } from '../../islands/page-code.ts';
import type { Node, Value } from '../../tree.ts';
import { sizeOf, spend, steps } from '../guard/work.ts';
import { type Expression, parseExpression } from '../parse/ast.ts';
import { lineOf, type SyntaxNode } from '../parse/syntax.ts';
import type { SiteState } from '../state.ts';
import { textNode, toNodes } from './jsx.ts';
import { lookUp } from './names.ts';
import { readerValueOf } from './reader-value.ts';
import type { Frame, Resolver } from './resolver.ts';
import { type Context, evaluate, type Origin, refuse } from './run.ts';
import { Refusal } from './values.ts';

/** Appends what an expression of the content shows. */
export function resolveExpression(node: SyntaxNode, frame: Frame, resolver: Resolver, out: Node[]): void {
  const source = node.value ?? '';
  const line = lineOf(node) ?? 1;
  const context: Context = {
    run: resolver.run,
    origin: { file: frame.file, line, source },
    scope: frame.scope,
  };
  const literal = /^\{\s*([A-Za-z0-9_.-]+)\s*\}$/.exec(source.trim());
  if (literal !== null) {
    const message = `\`{{${literal[1]}}}\` is not defined in \`variables\` and is shown unchanged.`;
    resolver.site.warn({ file: frame.file, line, code: 'undefined-variable', message });
    out.push(textNode(`{${source}}`));
    return;
  }
  const shown = readerValueOf(source);
  if (shown !== null && lookUp('user', context) === null) {
    out.push({ ...textNode(shown.fallback), reader: shown.path });
    return;
  }
  const what = `\`{${shorten(source)}}\``;
  const inline = node.type === 'mdxTextExpression';
  const read = (): Node[] => {
    try {
      return toNodes(evaluateOrThrow(source, line, context, resolver), context, 0);
    } catch (error) {
      const isShown = isPlaceholder(source) && !isForBrowser(error);
      refuse(resolver.run, {
        error,
        outcome: `${what} ${isShown ? 'is shown as written' : 'is left out'}`,
        origin: context.origin,
        offset: error instanceof Refusal ? error.offset : 0,
      });
      return isShown ? [textNode(`{${source}}`)] : [];
    }
  };
  if (simpleValue(source) !== undefined || !handable(context)) {
    appendContent(read(), inline, out);
    return;
  }
  const { nodes, needsBrowser, refused, report } = attempt(resolver.run, read);
  // What a page says outside a component is run for its handlers only, never to find out what it shows.
  if (needsBrowser && !refused) out.push(expressionIsland(source, frame.file, nodes ?? [], inline));
  else {
    report();
    appendContent(nodes ?? [], inline, out);
  }
}

export function shorten(source: string): string {
  const line = source.replace(/\s+/g, ' ').trim();
  return line.length > 50 ? `${line.slice(0, 50)}…` : line;
}

/** Whether source text is a placeholder like `user_id` or a set like `A, [B], C`, which readers need to see. */
export function isPlaceholder(source: string): boolean {
  return /^[^\n`]{1,80}$/.test(source) && !/=>|<[A-Za-z/>]|[\w$\])]\(/.test(source);
}

/** Value of source text; undefined with a warning when it has none. */
export function evaluateSource(
  source: string,
  what: string,
  line: number,
  context: Context,
  resolver: Resolver,
): Value {
  try {
    const value = evaluateOrThrow(source, line, context, resolver);
    spend(resolver.run, sizeOf(value), 0);
    return value;
  } catch (error) {
    const origin: Origin = { file: context.origin.file, line, source };
    const offset = error instanceof Refusal ? error.offset : 0;
    refuse(resolver.run, { error, outcome: `${what} is left out`, origin, offset });
    return undefined;
  }
}

/** Throws Refusal or SyntaxError for source text without a value. */
function evaluateOrThrow(source: string, line: number, context: Context, resolver: Resolver): Value {
  const simple = simpleValue(source);
  if (simple !== undefined) return simple;
  const origin: Origin = { file: context.origin.file, line, source };
  spend(resolver.run, steps('read', source.length), 0);
  if (!resolver.site.expressions.has(source)) spend(resolver.run, steps('parse', source.length), 0);
  const ast = astOf(source, resolver.site);
  return ast === null ? undefined : evaluate(ast, { run: resolver.run, origin, scope: context.scope });
}

/** Numbers, booleans and plain strings are nearly all attribute expressions; they need no parser. */
export function simpleValue(source: string): Value {
  const text = source.trim();
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (/^\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  return /^"[^"\\\n]*"$|^'[^'\\\n]*'$/.test(text) ? text.slice(1, -1) : undefined;
}

/** Parsed expressions are kept: snippets and translations repeat them. */
function astOf(source: string, site: SiteState): Expression | null {
  const known = site.expressions.get(source);
  if (known !== undefined) return known;
  const ast = parseExpression(source);
  if (site.expressions.size < 5000 && source.length < 1000) site.expressions.set(source, ast);
  return ast;
}

/** Whether the source is one expression, which can be put in brackets. */
export function isExpression(source: string, site: SiteState): boolean {
  try {
    return astOf(source, site) !== null;
  } catch {
    return false;
  }
}

/** Content that comes to stand inside a line of text loses the paragraph around it. */
export function appendContent(nodes: readonly Node[], inline: boolean, out: Node[]): void {
  const [only] = nodes;
  const content = inline && nodes.length === 1 && only?.type === 'paragraph' ? only.children : nodes;
  for (const node of content) out.push(node);
}
