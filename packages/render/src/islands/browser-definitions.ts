import type { parseAst } from 'rolldown/parseAst';

/** The members of a definition that a browser reads. The others describe the component or are read by the export. */
const READ: ReadonlySet<string> = new Set(['name', 'aliases', 'isPart', 'props', 'view']);

interface Syntax {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

/**
 * A module with definitions of components, as a browser needs it: without examples, Markdown output, styles and the
 * sentences of the reference, which are most of its text.
 */
export function forBrowser(code: string, parse: typeof parseAst): string {
  const cuts: [start: number, end: number, text: string][] = [];
  const program = parse(code, { lang: 'ts' });
  const schema = schemaNames(program);
  walk(program, (node) => {
    if (node.type !== 'CallExpression') return;
    const { callee, arguments: args } = node as Syntax & { callee: Syntax; arguments: Syntax[] };
    if (callee.name === 'defineComponent') cuts.push(...unreadMembers(args[0]));
    if (typeof callee.name !== 'string' || !schema.has(callee.name)) return;
    for (const { type, value, start, end } of args)
      if (type === 'Literal' && typeof value === 'string') cuts.push([start, end, "''"]);
  });
  let text = '';
  let from = 0;
  for (const [start, end, instead] of cuts.sort(([a], [b]) => a - b)) {
    if (start < from) continue;
    text += code.slice(from, start) + instead;
    from = end;
  }
  return text + code.slice(from);
}

/** Each member that a browser does not read, with the comma before it. The name is first and stays. */
function unreadMembers(definition: Syntax | undefined): [number, number, string][] {
  if (definition?.type !== 'ObjectExpression') return [];
  const members = definition.properties as (Syntax & { key?: { name?: string } })[];
  return members.flatMap(({ key, start, end }, index): [number, number, string][] =>
    key?.name === undefined || READ.has(key.name) ? [] : [[members[index - 1]?.end ?? start, end, '']],
  );
}

/** Names under which a module imports the kinds of props, whose texts are sentences of the reference. */
function schemaNames(program: ReturnType<typeof parseAst>): Set<string> {
  return new Set(
    program.body.flatMap((node) =>
      node.type === 'ImportDeclaration' && node.source.value.endsWith('/schema.ts')
        ? node.specifiers.map(({ local }) => local.name)
        : [],
    ),
  );
}

function walk(value: unknown, visit: (node: Syntax) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) walk(each, visit);
  } else if (isSyntax(value)) {
    visit(value);
    for (const key in value) walk(value[key], visit);
  }
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value;
}
