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
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import { misplaced, STATIC_EXPORT, type StaticExport, valueAt, withValueAt } from './target.ts';

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
  /** Names that lead to `staticExport`, itself the last. */
  path: readonly string[];
  /** `staticExport` as it is, with what it inherits; empty when it is missing. */
  staticExport: StaticExport;
  /** Line of a value below `staticExport`, or of what is nearest to it. */
  lineOf(path: readonly string[]): number;
}

/** Values to write, in maps below the names that lead to them. */
interface Written {
  readonly [name: string]: string | boolean | Written;
}

interface Parsed {
  document: Document.Parsed;
  lines: LineCounter;
  root: YAMLMap | null;
  /** The last of the pairs that lead to `staticExport`, and its map when it is whole and there. */
  nearest: Pair | null;
  map: YAMLMap | null;
}

/** Uses of an anchor, times those in what it brings: files of a few lines can grow without end. */
const MOST_ALIASES = 10_000;

const BOM = '\uFEFF';

/**
 * Reads a values file, in which `staticExport` is below these names: none in the values of the chart itself. Throws a
 * ValuesError when it can be no map there, or stands elsewhere.
 */
export function readValues(text: string, format: 'yaml' | 'json', below: readonly string[]): ValuesFile {
  const path = [...below, STATIC_EXPORT];
  const { document, lines, root, nearest, map } = parse(text, path);
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    const isTooMuch = error instanceof ReferenceError && error.message.startsWith('Excessive alias count');
    const message = isTooMuch
      ? `the file uses its anchors more than ${MOST_ALIASES} times, counting those in what they bring`
      : 'a merge (<<) or an alias of the file leads to no values';
    throw new ValuesError(message, lineAt(lines, nearest?.key));
  }
  const found = valueAt(values, path);
  const elsewhere = found === undefined ? misplaced(values) : null;
  if (elsewhere !== null)
    throw new ValuesError(elsewhere.message, lineAt(lines, pairOf(root!, elsewhere.path[0]!)?.key));
  return {
    text,
    format,
    path,
    staticExport: (found as StaticExport | null | undefined) ?? {},
    lineOf: (names) => lineAt(lines, map?.getIn(names, true) ?? nearest?.key),
  };
}

/** The text of the file with these values in `staticExport`. */
export function writeValues(file: ValuesFile, values: Readonly<Record<string, string | boolean>>): string {
  const bom = file.text.startsWith(BOM) ? BOM : '';
  const text = file.text.slice(bom.length);
  const before = parse(text, file.path);
  const now = before.document.toJS({ maxAliasCount: MOST_ALIASES });
  const wanted = withValueAt(now, file.path, { ...file.staticExport, ...values });
  const tree = withValueAt({}, file.path, values) as Written;
  refuseLateMerges(before, before.root, tree, []);
  const written = isBlank(before.root) ? startAnew(file, tree) : edit(text, before.root!, tree);
  let found: unknown;
  try {
    found =
      file.format === 'json'
        ? JSON.parse(written)
        : parse(written, file.path).document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    found = undefined;
  }
  if (!isDeepStrictEqual(found, wanted)) {
    throw new ValuesError(
      `${file.path.join('.')} is written in a way that cannot be changed without changing more; write it as a plain map of its own`,
      lineAt(before.lines, before.nearest?.key),
    );
  }
  return bom + written;
}

/** A merge behind a value that it brings, too: YAML lets the value win, Helm the merge. */
function refuseLateMerges(parsed: Parsed, map: YAMLMap | null, tree: Written, path: readonly string[]): void {
  const { document, lines } = parsed;
  const merges = mergesOf(map).map((merge) => ({
    start: startOf(merge.key),
    brought: [(merge.value as Node).toJS(document, { maxAliasCount: MOST_ALIASES }) as unknown].flat(),
  }));
  for (const [name, wanted] of Object.entries(tree)) {
    const own = map === null ? null : pairOf(map, name);
    if (own === null) continue;
    const isBrought = merges.some(
      ({ start, brought }) =>
        start > startOf(own.key) && brought.some((one) => Object.hasOwn(Object(one) as object, name)),
    );
    if (isBrought) {
      throw new ValuesError(
        `${[...path, name].join('.')} stands before a merge (<<) that brings it, too, and wins in Helm; put the merge first`,
        lineAt(lines, own.key),
      );
    }
    if (typeof wanted === 'object' && isMap(own.value))
      refuseLateMerges(parsed, own.value as YAMLMap, wanted, [...path, name]);
  }
}

function parse(text: string, path: readonly string[]): Parsed {
  const lines = new LineCounter();
  // Helm reads YAML 1.1, in which `<<` merges.
  const options = { lineCounter: lines, prettyErrors: false, merge: true };
  const documents = parseAllDocuments(text, options);
  if (!Array.isArray(documents) || documents.length === 0) {
    const document = parseAllDocuments('{}')[0] as Document.Parsed;
    return { document, lines, root: null, nearest: null, map: null };
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
  let map = isMap(root) ? (root as YAMLMap) : null;
  let nearest: Pair | null = null;
  for (const [at, name] of path.entries()) {
    const pair: Pair | null = map === null ? null : pairOf(map, name);
    map = null;
    if (pair === null) break;
    if (isMap(pair.value)) map = pair.value as YAMLMap;
    else if (!isNull(pair.value))
      throw new ValuesError(`${path.slice(0, at + 1).join('.')} is no map`, lineAt(lines, pair.key));
    nearest = pair;
  }
  return { document, lines, root: isMap(root) ? (root as YAMLMap) : null, nearest, map };
}

function pairOf(map: YAMLMap, key: string): Pair | null {
  return map.items.find((item) => isScalar(item.key) && item.key.value === key) ?? null;
}

/** The merges of a map (`<<`). */
function mergesOf(map: YAMLMap | null): Pair[] {
  return map?.items.filter(({ key }) => isScalar(key) && typeof key.value === 'symbol') ?? [];
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

/** As YAML and JSON both read it, whatever a text looks like: a digest can look like a number. */
const quoted = (value: string | boolean | Written): string => JSON.stringify(value);

function blockLines(values: Written, indent: string): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'object'
      ? [`${indent}${name}:`, ...blockLines(value, `${indent}  `)]
      : [`${indent}${name}: ${quoted(value)}`],
  );
}

/** For a file that is missing or holds comments only. */
function startAnew(file: ValuesFile, tree: Written): string {
  if (file.format === 'json') return `${JSON.stringify(tree, null, 2)}\n`;
  const head = file.text.replace(BOM, '').replace(/^\s*(?:\{\s*\}|null|~)\s*$/m, '');
  const gap = head === '' || head.endsWith('\n') ? '' : '\n';
  return `${head.trim() === '' ? '' : `${head}${gap}`}${blockLines(tree, '').join('\n')}\n`;
}

interface Change {
  from: number;
  to: number;
  text: string;
}

function edit(text: string, root: YAMLMap, tree: Written): string {
  const pair = pairOf(root, Object.keys(tree)[0]!);
  const changes =
    pair === null
      ? [addKey(text, root, tree)]
      : changesOf(text, pair, Object.values(tree)[0] as Written, root.flow === true);
  return changes
    .sort((a, b) => b.from - a.from)
    .reduce((rest, { from, to, text: piece }) => rest.slice(0, from) + piece + rest.slice(to), text);
}

/** At the end of a file that has no such name. */
function addKey(text: string, root: YAMLMap, tree: Written): Change {
  if (root.flow === true) return addToFlow(text, root, tree);
  const eol = eolOf(text);
  const end = text.endsWith('\n') || text === '' ? '' : eol;
  const column = startOf(root.items[0]!.key) - lineStart(text, startOf(root.items[0]!.key));
  const lines = blockLines(tree, ' '.repeat(column));
  return { from: text.length, to: text.length, text: `${end}${lines.join(eol)}${eol}` };
}

function changesOf(text: string, pair: Pair, values: Written, inFlow: boolean): Change[] {
  const { value } = pair;
  if (!isMap(value) || value.items.length === 0) return [fillEmpty(text, pair, values, inFlow)];
  const map = value as YAMLMap;
  const changes: Change[] = [];
  const missing: [string, string | boolean | Written][] = [];
  let last: Pair | null = null;
  for (const [name, wanted] of Object.entries(values)) {
    const found = pairOf(map, name);
    if (found === null) {
      missing.push([name, wanted]);
      continue;
    }
    last = found;
    if (typeof wanted === 'object') {
      changes.push(...changesOf(text, found, wanted, map.flow === true));
      continue;
    }
    const node = found.value as { range?: [number, number, number]; value?: unknown } | null;
    if (isScalar(node) && node.value === wanted) continue;
    const from = node?.range?.[0] ?? endOf(found.key);
    const gap = /\s/.test(text[from - 1] ?? ' ') ? '' : ' ';
    changes.push({ from, to: Math.max(from, endIn(text, node)), text: `${gap}${quoted(wanted)}` });
  }
  if (missing.length === 0) return changes;
  if (map.flow === true) return [...changes, addToFlow(text, map, Object.fromEntries(missing))];
  for (const merge of mergesOf(map)) if (startOf(merge.key) > startOf(last?.key)) last = merge;
  const first = map.items[0] as Pair;
  const column = startOf(first.key) - lineStart(text, startOf(first.key));
  const at = lineEnd(text, last === null ? endOf(pair.key) : endIn(text, last.value ?? last.key));
  const eol = eolOf(text);
  const lines = blockLines(Object.fromEntries(missing), ' '.repeat(column));
  changes.push({ from: at, to: at, text: lines.map((line) => `${eol}${line}`).join('') });
  return changes;
}

/** A name with nothing, `null` or `{}` behind it. */
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
function addToFlow(text: string, map: YAMLMap, values: Written): Change {
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
