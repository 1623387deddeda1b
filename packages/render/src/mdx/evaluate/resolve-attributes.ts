import { attempt } from '../../islands/attempt.ts';
import { type Handed, isHandler } from '../../islands/page-code.ts';
import { isCode } from '../../islands/view.ts';
import type { Props, Value } from '../../tree.ts';
import type { SyntaxAttribute } from '../parse/syntax.ts';
import { copyProperties } from './properties.ts';
import { evaluateSource, isExpression, simpleValue } from './resolve-expression.ts';
import type { Resolver } from './resolver.ts';
import { type Context, refuse } from './run.ts';
import { emptyObject } from './values.ts';

/** The element whose attributes are read. */
export interface Reading {
  element: string;
  line: number;
  context: Context;
  resolver: Resolver;
  /** Takes what a browser shall run; null where nothing may. */
  handed: Handed | null;
}

/** Props of an element, and whether a browser has to find out one of them. */
export function resolveAttributes(
  attributes: readonly SyntaxAttribute[],
  reading: Reading,
): { props: Props; needsBrowser: boolean } {
  const props = emptyObject();
  let needsBrowser = false;
  for (const attribute of attributes) {
    const { value } = attribute;
    if (attribute.type === 'mdxJsxExpressionAttribute') {
      spreadAttribute(typeof value === 'string' ? value : '', props, reading);
      continue;
    }
    const written = attribute.name ?? '';
    const name = written === 'class' ? 'className' : written;
    if (name === 'key' || name === 'ref') continue;
    if (value === null) props[name] = true;
    else if (typeof value === 'string') props[name] = value;
    else if (readExpression(name, value.value, props, reading)) needsBrowser = true;
  }
  return { props, needsBrowser };
}

/** Sets the prop that an expression gives; true where a browser has to find out its value. */
function readExpression(name: string, source: string, props: Props, reading: Reading): boolean {
  const { element, line, context, resolver, handed } = reading;
  const code = { file: context.origin.file, source };
  if (isHandler(name)) {
    if (handed === null || !isExpression(source, resolver.site)) return false;
    handed[name] = code;
    return true;
  }
  const what = `\`${name}\` of \`<${element}>\``;
  const read = (): Value => evaluateSource(source, what, line, context, resolver);
  const isOwn = handed !== null && !/^[a-z]/.test(element) && simpleValue(source) === undefined;
  const result = isOwn ? attempt(resolver.run, read) : null;
  const value = result === null ? read() : result.nodes;
  if (value !== undefined) props[name] = value;
  if (result === null || handed === null) return false;
  if (result.needsBrowser || isCode(value ?? undefined)) handed[name] = code;
  else result.report();
  return result.needsBrowser;
}

function spreadAttribute(source: string, props: Props, reading: Reading): void {
  const { element, line, context, resolver } = reading;
  const value = evaluateSource(
    source.trim().replace(/^\.\.\./, ''),
    `The spread on \`<${element}>\``,
    line,
    context,
    resolver,
  );
  const copied = emptyObject();
  try {
    copyProperties(value, copied, resolver.run, 0);
  } catch (error) {
    const outcome = `The spread on \`<${element}>\` is left out`;
    refuse(resolver.run, { error, outcome, origin: context.origin, offset: 0 });
  }
  for (const name of Object.keys(copied)) {
    if (name !== 'key' && name !== 'ref') props[name === 'class' ? 'className' : name] = copied[name];
  }
}
