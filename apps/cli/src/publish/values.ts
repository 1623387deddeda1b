/**
 * Values files of deployments as text. Only the values that change are written over, so that the rest stays as it was
 * byte for byte; what comes out is read again and compared before anybody uses it.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Pair,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import type { StaticExport } from './target.ts';

/** The file cannot be written into. `line` counts from 1. */
export class ValuesError extends Error {
  override name = 'ValuesError';
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

export interface ValuesFile {
  text: string;
  format: 'yaml' | 'json';
  /** `staticExport` as it is; empty when it is missing. */
  staticExport: StaticExport;
  /** Line of a value below `staticExport`, or of what is nearest to it. */
  lineOf(path: readonly string[]): number;
}

type Written = Readonly<Record<string, string | boolean>>;

interface Parsed {
  document: Document.Parsed;
  lines: LineCounter;
  root: YAMLMap | null;
  pair: Pair | null;
}

const KEY = 'staticExport';
const BOM = '\uFEFF';

/** Reads a values file. Throws a ValuesError when `staticExport` can be no map in it. */
export function readValues(text: string, format: 'yaml' | 'json'): ValuesFile {
  const { document, lines, pair } = parse(text);
  const map = pair !== null && isMap(pair.value) ? pair.value : null;
  const values = document.toJS({ maxAliasCount: 100 }) as Record<string, unknown> | null;
  return {
    text,
    format,
    staticExport: (values?.[KEY] as StaticExport | null | undefined) ?? {},
    lineOf(path) {
      const node = map?.getIn(path, true) ?? pair?.key;
      return lineAt(lines, node);
    },
  };
}

/** The text of the file with these values in `staticExport`. */
export function writeValues(file: ValuesFile, values: Written): string {
  const bom = file.text.startsWith(BOM) ? BOM : '';
  const text = file.text.slice(bom.length);
  const before = parse(text);
  const wanted = { ...(before.document.toJS() as object | null), [KEY]: { ...file.staticExport, ...values } };
  const written = isBlank(before.root) ? startAnew(file, values) : edit(text, before, values);
  let found: unknown;
  try {
    found = file.format === 'json' ? JSON.parse(written) : parse(written).document.toJS();
  } catch {
    found = undefined;
  }
  if (!isDeepStrictEqual(found, wanted)) {
    throw new ValuesError(
      `${KEY} is written in a way that cannot be changed without changing more; write it as a plain map of its own`,
      lineAt(before.lines, before.pair?.key),
    );
  }
  return bom + written;
}

function parse(text: string): Parsed {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  if (!Array.isArray(documents) || documents.length === 0) {
    const document = parseAllDocuments('{}')[0] as Document.Parsed;
    return { document, lines, root: null, pair: null };
  }
  const document = documents[0] as Document.Parsed;
  const fault = documents.flatMap(({ errors }) => errors)[0];
  // What the parser says may quote the file, and so a link.
  if (fault !== undefined)
    throw new ValuesError(`not readable as YAML (${fault.code})`, lineAt(lines, fault));
  if (documents.length > 1) {
    throw new ValuesError('a second document begins; a values file is one', lineAt(lines, documents[1]));
  }
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) === undefined)
        throw new ValuesError('an alias leads nowhere', lineAt(lines, alias));
    },
  });
  const root = document.contents;
  if (root !== null && !isMap(root) && !isNull(root)) {
    throw new ValuesError('the file holds no map of values', lineAt(lines, root));
  }
  if (!isMap(root)) return { document, lines, root: null, pair: null };
  const pair = pairOf(root, KEY);
  if (pair !== null && !isMap(pair.value) && !isNull(pair.value)) {
    throw new ValuesError(`${KEY} is no map`, lineAt(lines, pair.key));
  }
  return { document, lines, root: root as YAMLMap, pair };
}

function pairOf(map: YAMLMap, key: string): Pair | null {
  return map.items.find((item) => isScalar(item.key) && item.key.value === key) ?? null;
}

function isNull(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

function isBlank(root: YAMLMap | null): boolean {
  return root === null || root.items.length === 0;
}

function lineAt(lines: LineCounter, node: unknown): number {
  const { range, pos } = (node ?? {}) as { range?: readonly number[]; pos?: readonly number[] };
  return lines.linePos(range?.[0] ?? pos?.[0] ?? 0).line || 1;
}

/** A text as YAML and JSON both read it, whatever it looks like: a digest can look like a number. */
const quoted = (value: string | boolean): string => JSON.stringify(value);

function blockLines(values: Written, indent: string): string[] {
  return Object.entries(values).map(([name, value]) => `${indent}${name}: ${quoted(value)}`);
}

/** For a file that is missing or holds comments only. */
function startAnew(file: ValuesFile, values: Written): string {
  if (file.format === 'json') return `${JSON.stringify({ [KEY]: values }, null, 2)}\n`;
  const head = file.text.replace(BOM, '').replace(/^\s*(?:\{\s*\}|null|~)\s*$/m, '');
  const gap = head === '' || head.endsWith('\n') ? '' : '\n';
  return `${head.trim() === '' ? '' : `${head}${gap}`}${[`${KEY}:`, ...blockLines(values, '  ')].join('\n')}\n`;
}

interface Change {
  from: number;
  to: number;
  text: string;
}

function edit(text: string, { root, pair }: Parsed, values: Written): string {
  const changes =
    pair === null ? [addKey(text, root!, values)] : changesOf(text, pair, values, root!.flow === true);
  return changes
    .sort((a, b) => b.from - a.from)
    .reduce((rest, { from, to, text: piece }) => rest.slice(0, from) + piece + rest.slice(to), text);
}

/** `staticExport` at the end of a file that has none. */
function addKey(text: string, root: YAMLMap, values: Written): Change {
  if (root.flow === true) return addToFlow(text, root, { [KEY]: values });
  const eol = eolOf(text);
  const end = text.endsWith('\n') || text === '' ? '' : eol;
  const column = startOf(root.items[0]!.key) - lineStart(text, startOf(root.items[0]!.key));
  const margin = ' '.repeat(column);
  const lines = [`${margin}${KEY}:`, ...blockLines(values, `${margin}  `)];
  return { from: text.length, to: text.length, text: `${end}${lines.join(eol)}${eol}` };
}

function changesOf(text: string, pair: Pair, values: Written, inFlow: boolean): Change[] {
  const { value } = pair;
  if (!isMap(value) || value.items.length === 0) return [fillEmpty(text, pair, values, inFlow)];
  const changes: Change[] = [];
  const missing: [string, string | boolean][] = [];
  let last: Pair | null = null;
  for (const [name, wanted] of Object.entries(values)) {
    const found = pairOf(value as YAMLMap, name);
    if (found === null) {
      missing.push([name, wanted]);
      continue;
    }
    last = found;
    const node = found.value as { range?: [number, number, number]; value?: unknown } | null;
    if (isScalar(node) && node.value === wanted) continue;
    const from = node?.range?.[0] ?? endOf(found.key);
    const gap = /\s/.test(text[from - 1] ?? ' ') ? '' : ' ';
    changes.push({ from, to: Math.max(from, endIn(text, node)), text: `${gap}${quoted(wanted)}` });
  }
  if (missing.length === 0) return changes;
  if (value.flow === true) {
    return [...changes, addToFlow(text, value as YAMLMap, Object.fromEntries(missing))];
  }
  const first = value.items[0] as Pair;
  const column = startOf(first.key) - lineStart(text, startOf(first.key));
  const at = lineEnd(text, last === null ? endOf(pair.key) : endIn(text, last.value ?? last.key));
  const eol = eolOf(text);
  const lines = blockLines(Object.fromEntries(missing), ' '.repeat(column));
  changes.push({ from: at, to: at, text: lines.map((line) => `${eol}${line}`).join('') });
  return changes;
}

/** `staticExport:` with nothing, `null` or `{}` behind it. */
function fillEmpty(text: string, pair: Pair, values: Written, inFlow: boolean): Change {
  const { range } = (pair.value ?? {}) as { range?: [number, number, number] };
  const isWritten = range !== undefined && range[1] > range[0];
  const [from, to] = isWritten ? range : [endOf(pair.key), endOf(pair.key)];
  if (inFlow) return { from, to, text: JSON.stringify(values) };
  const margin = startOf(pair.key) - lineStart(text, startOf(pair.key));
  const eol = eolOf(text);
  const end = lineEnd(text, to);
  const lines = blockLines(values, ' '.repeat(margin + 2));
  const begin = isWritten ? text.slice(0, from).trimEnd().length : to;
  return {
    from: begin,
    to: end,
    text: `${text.slice(to, end)}${lines.map((line) => `${eol}${line}`).join('')}`,
  };
}

/** Behind the last entry of `{ … }`, on a line of its own where the entries have lines of their own. */
function addToFlow(text: string, map: YAMLMap, values: Readonly<Record<string, unknown>>): Change {
  const last = map.items.at(-1) as Pair;
  const start = startOf(last.key);
  const margin = text.slice(lineStart(text, start), start);
  const gap = margin.trim() === '' && start > 0 ? `${eolOf(text)}${margin}` : ' ';
  const isQuoted = text[start] === '"';
  const entries = Object.entries(values).map(
    ([name, value]) => `,${gap}${isQuoted ? JSON.stringify(name) : name}: ${JSON.stringify(value)}`,
  );
  const at = endOf(last.value ?? last.key);
  return { from: at, to: at, text: entries.join('') };
}

const rangeOf = (node: unknown): readonly number[] =>
  (node as { range?: number[] } | null)?.range ?? [0, 0, 0];
const startOf = (node: unknown): number => rangeOf(node)[0] ?? 0;
const endOf = (node: unknown): number => rangeOf(node)[1] ?? 0;
/** Where a value ends, without the line breaks that belong to a text in lines of its own. */
const endIn = (text: string, node: unknown): number => text.slice(0, endOf(node)).trimEnd().length;
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** Where the line ends, before its line break. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}
