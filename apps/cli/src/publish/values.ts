/**
 * Edits values files of deployments as text. Only changed values are overwritten; all other bytes stay the same. The
 * result is parsed and compared before it is returned.
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

/** The file cannot be edited. `line` starts at 1. */
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
  /** Path to `staticExport`, including its name. */
  path: readonly string[];
  /** The current `staticExport` with merged values; empty if missing. */
  staticExport: StaticExport;
  /** Line of a value below `staticExport`, or of its closest existing parent. */
  lineOf(path: readonly string[]): number;
}

/** Values to write, as nested maps. */
interface Written {
  readonly [name: string]: string | boolean | Written;
}

interface Parsed {
  document: Document.Parsed;
  lines: LineCounter;
  root: YAMLMap | null;
  /** The deepest existing pair on the path to `staticExport`, and the map at the full path if it exists. */
  closest: Pair | null;
  map: YAMLMap | null;
}

/** Maximum number of expanded aliases, including nested ones: a few lines could expand without limit. */
const MAX_ALIASES = 10_000;

const BOM = '\uFEFF';

/**
 * Reads a values file with `staticExport` below these names; no names for the values of the chart itself. Throws a
 * ValuesError if it cannot be a map there, or is at another path.
 */
export function readValues(text: string, format: 'yaml' | 'json', below: readonly string[]): ValuesFile {
  const path = [...below, STATIC_EXPORT];
  const { document, lines, root, closest, map } = parse(text, path);
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    const isTooMuch = error instanceof ReferenceError && error.message.startsWith('Excessive alias count');
    const message = isTooMuch
      ? `the file expands to more than ${MAX_ALIASES} YAML aliases`
      : 'a merge (<<) or an alias does not refer to values';
    throw new ValuesError(message, lineAt(lines, closest?.key));
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
    lineOf: (names) => lineAt(lines, map?.getIn(names, true) ?? closest?.key),
  };
}

/** The text of the file with these values in `staticExport`. */
export function writeValues(file: ValuesFile, values: Readonly<Record<string, string | boolean>>): string {
  const bom = file.text.startsWith(BOM) ? BOM : '';
  const text = file.text.slice(bom.length);
  const before = parse(text, file.path);
  const now = before.document.toJS({ maxAliasCount: MAX_ALIASES });
  const wanted = withValueAt(now, file.path, { ...file.staticExport, ...values });
  const tree = withValueAt({}, file.path, values) as Written;
  refuseLateMerges(before, before.root, tree, []);
  const written = isBlank(before.root) ? createText(file, tree) : edit(text, before.root!, tree);
  let found: unknown;
  try {
    found =
      file.format === 'json'
        ? JSON.parse(written)
        : parse(written, file.path).document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    found = undefined;
  }
  if (!isDeepStrictEqual(found, wanted)) {
    throw new ValuesError(
      `${file.path.join('.')} cannot be edited without changing other values. Write it as a plain map`,
      lineAt(before.lines, before.closest?.key),
    );
  }
  return bom + written;
}

/** Rejects a merge after a value that it also contains: in YAML the value has priority, in Helm the merge. */
function refuseLateMerges(parsed: Parsed, map: YAMLMap | null, tree: Written, path: readonly string[]): void {
  const { document, lines } = parsed;
  const merges = mergesOf(map).map((merge) => ({
    start: startOf(merge.key),
    merged: [(merge.value as Node).toJS(document, { maxAliasCount: MAX_ALIASES }) as unknown].flat(),
  }));
  for (const [name, wanted] of Object.entries(tree)) {
    const own = map === null ? null : pairOf(map, name);
    if (own === null) continue;
    const isMerged = merges.some(
      ({ start, merged }) =>
        start > startOf(own.key) && merged.some((one) => Object.hasOwn(Object(one) as object, name)),
    );
    if (isMerged) {
      throw new ValuesError(
        `${[...path, name].join('.')} is before a merge (<<) that also contains it and overrides it in Helm. Move the merge before it`,
        lineAt(lines, own.key),
      );
    }
    if (typeof wanted === 'object' && isMap(own.value))
      refuseLateMerges(parsed, own.value as YAMLMap, wanted, [...path, name]);
  }
}

function parse(text: string, path: readonly string[]): Parsed {
  const lines = new LineCounter();
  // Helm parses YAML 1.1, which supports `<<` merges.
  const options = { lineCounter: lines, prettyErrors: false, merge: true };
  const documents = parseAllDocuments(text, options);
  if (!Array.isArray(documents) || documents.length === 0) {
    const document = parseAllDocuments('{}')[0] as Document.Parsed;
    return { document, lines, root: null, closest: null, map: null };
  }
  const document = documents[0] as Document.Parsed;
  const error = documents.flatMap(({ errors }) => errors)[0];
  // The message of the parser may quote the file, and with it a link.
  if (error !== undefined) throw new ValuesError(`not valid YAML (${error.code})`, lineAt(lines, error));
  if (documents.length > 1) {
    throw new ValuesError('a values file must contain a single YAML document', lineAt(lines, documents[1]));
  }
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) === undefined)
        throw new ValuesError('the anchor of an alias is not defined', lineAt(lines, alias));
    },
  });
  const root = document.contents;
  if (root !== null && !isMap(root) && !isNull(root)) {
    throw new ValuesError('the file must contain a map', lineAt(lines, root));
  }
  let map = isMap(root) ? (root as YAMLMap) : null;
  let closest: Pair | null = null;
  for (const [at, name] of path.entries()) {
    const pair: Pair | null = map === null ? null : pairOf(map, name);
    map = null;
    if (pair === null) break;
    if (isMap(pair.value)) map = pair.value as YAMLMap;
    else if (!isNull(pair.value))
      throw new ValuesError(`${path.slice(0, at + 1).join('.')} must be a map`, lineAt(lines, pair.key));
    closest = pair;
  }
  return { document, lines, root: isMap(root) ? (root as YAMLMap) : null, closest, map };
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

/** A quoted value, valid in YAML and JSON: without quotes, a digest can be parsed as a number. */
const quoted = (value: string | boolean | Written): string => JSON.stringify(value);

function blockLines(values: Written, indent: string): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'object'
      ? [`${indent}${name}:`, ...blockLines(value, `${indent}  `)]
      : [`${indent}${name}: ${quoted(value)}`],
  );
}

/** For a file that is missing or contains only comments. */
function createText(file: ValuesFile, tree: Written): string {
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

/** Appends the first key of the path to a file that does not have it. */
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

/** Fills a key whose value is empty, `null` or `{}`. */
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

/** After the last entry of `{ … }`, on a separate line if the other entries are. */
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
/** Where a value ends, without the trailing line breaks of a block scalar. */
const endIn = (text: string, node: unknown): number => text.slice(0, endOf(node)).trimEnd().length;
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;
const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** End of the line, before its line break. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}
