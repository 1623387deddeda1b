import { CORE_SCHEMA, load } from 'js-yaml';
import type { SourceTree } from '../../source.ts';
import { lineFinder } from '../async-schema.ts';
import type { Path } from './words.ts';

/** Characters of YAML that are read at once, by the faster parser and by the one for files that it refuses. */
const MAX_FAST = 8 * 1024 * 1024;
const MAX_SLOW = 4 * 1024 * 1024;

/** Where a part of a file is. */
export interface FoundLine {
  readonly line: number;
  /** How many keys of its path the file has; fewer than the path for the closest part around it. */
  readonly depth: number;
}

/**
 * Lines of members of a description by their paths, or of the closest parts around them; null where that is not known.
 * The file is one that `parseDescription` could read.
 */
export function findLines(
  source: Pick<SourceTree, 'read' | 'readText'>,
  file: string,
  paths: readonly Path[],
): (FoundLine | null)[] {
  if (file.endsWith('.json')) {
    const { buffer, byteOffset, byteLength } = source.read(file);
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    const start = skipSpace(bytes, bytes[0] === 0xef ? 3 : 0);
    if (bytes[start] === OPEN_BRACE) return linesOfJson(bytes, start, paths);
  }
  return linesOfYaml(source.readText(file), paths);
}

// JSON

interface Wanted {
  readonly children: Map<string, Wanted>;
  offset: number;
}

/**
 * Reads only as much structure as the paths need, and no text: a whole parse with lines takes ten times as long. The
 * characters that matter are the same bytes in UTF-8.
 */
function linesOfJson(bytes: Buffer, start: number, paths: readonly Path[]): FoundLine[] {
  const root: Wanted = { children: new Map(), offset: start };
  const found = paths.map((path) => {
    const chain = [root];
    for (const key of path) {
      const { children } = chain.at(-1) ?? root;
      const next = children.get(String(key)) ?? { children: new Map(), offset: -1 };
      children.set(String(key), next);
      chain.push(next);
    }
    return chain;
  });
  scanValue(bytes, start, root);
  const ends = found.map((chain) => chain.findLastIndex(({ offset }) => offset >= 0));
  const offsets = ends.map((depth, index) => found[index]?.[depth]?.offset ?? 0);
  const lineAt = linesAt(bytes, offsets);
  return ends.map((depth, index) => ({ line: lineAt.get(offsets[index] ?? 0) ?? 1, depth }));
}

/** Returns the offset after the value. */
function scanValue(bytes: Buffer, start: number, wanted: Wanted | undefined): number {
  let at = skipSpace(bytes, start);
  if (wanted === undefined || wanted.children.size === 0) return skipValue(bytes, at);
  const isList = bytes[at] === OPEN_BRACKET;
  if (!isList && bytes[at] !== OPEN_BRACE) return skipValue(bytes, at);
  const end = isList ? CLOSE_BRACKET : CLOSE_BRACE;
  at = skipSpace(bytes, at + 1);
  for (let index = 0; at < bytes.length && bytes[at] !== end; index++) {
    const offset = at;
    let key = String(index);
    if (!isList) {
      at = skipString(bytes, at);
      key = String(JSON.parse(bytes.toString('utf8', offset, at)));
      at = skipSpace(bytes, at) + 1;
    }
    const child = wanted.children.get(key);
    if (child !== undefined) child.offset = offset;
    at = skipSpace(bytes, scanValue(bytes, at, child));
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return at + 1;
}

function skipValue(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) at = skipString(bytes, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      // The end of what is around a number or a word.
      if (depth === 0) return at;
      depth--;
    } else if (depth > 0 || code !== COMMA) continue;
    else return at;
    if (depth === 0) return at + 1;
  }
  return bytes.length;
}

const [QUOTE, COMMA, SLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

function skipString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === SLASH) at++;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return bytes.length;
}

function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while ((bytes[at] ?? Number.POSITIVE_INFINITY) <= 0x20) at++;
  return at;
}

/** Lines of offsets, in one pass over the file. */
function linesAt(bytes: Buffer, offsets: readonly number[]): Map<number, number> {
  const lines = new Map<number, number>();
  let line = 1;
  let next = bytes.indexOf(0x0a);
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    for (; next >= 0 && next < offset; next = bytes.indexOf(0x0a, next + 1)) line++;
    lines.set(offset, line);
  }
  return lines;
}

// YAML

/** A node with its parts: keys and values of a mapping by turns, or items. */
interface YamlNode {
  readonly line: number;
  readonly parts: YamlNode[];
  value: unknown;
}

/** Reads only the blocks with the paths, such as one operation or schema, and all of the file where that fails. */
function linesOfYaml(text: string, paths: readonly Path[]): (FoundLine | null)[] {
  const lines = text.split('\n');
  const indents = Int32Array.from(lines, indentOf);
  const blocks = new Map<number, YamlNode | null>();
  const other = otherFinder(text);
  return paths.map((path) => {
    const block = blockOf({ lines, indents }, path);
    let root = blocks.get(block.from);
    if (root === undefined) {
      root = readYaml(lines.slice(block.from, block.to).join('\n')) ?? null;
      blocks.set(block.from, root);
    }
    if (root === null) return other(path);
    const { line, depth } = lineIn(root, path.slice(block.depth));
    return { line: line + block.from, depth: depth + block.depth };
  });
}

/** Spaces before a line; -1 for a line without content. */
function indentOf(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 0x20) at++;
  const isEmpty = at === line.length || line[at] === '#' || line[at] === '\r' || line === '---';
  return isEmpty ? -1 : at;
}

interface Lines {
  readonly lines: readonly string[];
  readonly indents: Int32Array;
}

/** Levels of blocks: `paths` and `/path`; `components`, `schemas` and `Name`. */
const MAX_BLOCKS = 3;

/** A range of lines with a mapping of one key, and the number of keys of a path that lead to it. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

function blockOf(lines: Lines, path: Path): Block {
  let block: Block = { from: 0, to: lines.lines.length, depth: 0 };
  let from = 0;
  for (const [depth, key] of path.slice(0, MAX_BLOCKS).entries()) {
    const inner = typeof key === 'string' ? blockIn(lines, from, block.to, key) : null;
    if (inner === null) break;
    block = { ...inner, depth };
    from = inner.from + 1;
  }
  return block;
}

/** The lines of a member of the mapping in a range; null if they are not certain. */
function blockIn({ lines, indents }: Lines, from: number, to: number, key: string) {
  const forms = [`${key}:`, `"${key}":`, `'${key}':`];
  let indent = -1;
  let start = -1;
  let end = to;
  for (let at = from; at < to; at++) {
    const own = indents[at] ?? -1;
    if (own < 0) continue;
    if (indent < 0) indent = own;
    if (own > indent) continue;
    const line = (lines[at] ?? '').trim();
    if (own < indent || line.startsWith('-') || line.startsWith('%')) return null;
    if (start >= 0 && end === to) end = at;
    if (!forms.includes(line)) continue;
    if (start >= 0) return null;
    start = at;
  }
  return start < 0 ? null : { from: start, to: end };
}

function readYaml(text: string): YamlNode | undefined {
  if (text.length > MAX_FAST) return undefined;
  const open: YamlNode[] = [];
  let root: YamlNode | undefined;
  try {
    load(text, {
      schema: CORE_SCHEMA,
      listener(event, state) {
        if (event === 'open') {
          open.push({ line: state.line + 1, parts: [], value: null });
          return;
        }
        const node = open.pop();
        if (node === undefined) return;
        node.value = state.result;
        const parent = open.at(-1);
        if (parent === undefined) root = node;
        else parent.parts.push(node);
      },
    });
  } catch {
    return undefined;
  }
  return root;
}

function lineIn(root: YamlNode, path: Path): FoundLine {
  let node = root;
  let { line } = root;
  let depth = 0;
  for (const key of path) {
    const place = memberOf(node, key);
    if (place === null) break;
    [node, line] = [place.node, place.line];
    depth++;
  }
  return { line, depth };
}

function memberOf(written: YamlNode, key: string | number): { node: YamlNode; line: number } | null {
  const { value, parts } = innerNode(written);
  if (Array.isArray(value)) {
    const item = parts.length === value.length ? parts[Number(key)] : undefined;
    return item === undefined ? null : { node: item, line: item.line };
  }
  if (typeof value !== 'object' || value === null || parts.length !== 2 * Object.keys(value).length)
    return null;
  const index = parts.findIndex((part, at) => at % 2 === 0 && String(part.value) === String(key));
  const [name, member] = [parts[index], parts[index + 1]];
  return index < 0 || name === undefined || member === undefined ? null : { node: member, line: name.line };
}

/** The parser reads a value in braces or brackets as a possible key first, so that it is a part of itself. */
function innerNode(node: YamlNode): YamlNode {
  const [only] = node.parts;
  const isSame = typeof node.value === 'object' && node.parts.length === 1 && only?.value === node.value;
  return isSame && only !== undefined ? innerNode(only) : node;
}

/** Some files only the slower parser reads. */
function otherFinder(text: string): (path: Path) => FoundLine | null {
  let lineOf: ReturnType<typeof lineFinder> | null = null;
  return (path) => {
    if (text.length > MAX_SLOW) return null;
    lineOf ??= openFinder(text);
    const line = lineOf(path);
    return line === null ? null : { line, depth: path.length };
  };
}

function openFinder(text: string): ReturnType<typeof lineFinder> {
  try {
    return lineFinder(text);
  } catch {
    return () => null;
  }
}
