import type { SourceTree } from '../source.ts';
import { invalidLine, readTextFile } from '../text-file.ts';
import { SourceError, type Warn } from '../warning.ts';
import type { WarningCode } from '../warning-codes.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { mergePlaces, placeOf } from './place.ts';

/** Containers inside containers, `$ref` included; real sites need about 30. */
const MAX_DEPTH = 200;
/** Values after every `$ref` is put in; stops small files that name each other many times over. */
const MAX_VALUES = 4_000_000;

/** Bytes of one configuration file. */
const MAX_BYTES = 32 * 1024 * 1024;

interface Resolved {
  value: unknown;
  /** Containers on the deepest branch. */
  height: number;
  values: number;
}

interface Resolver {
  source: SourceTree;
  warn: Warn;
  done: Map<string, Resolved>;
  /** Files being resolved, outermost first. */
  open: string[];
}

/** A configuration file with every `$ref` replaced. */
export interface ConfigTree {
  value: unknown;
  /** The file, then the files it refers to, each once, in order of first use. */
  files: string[];
}

/**
 * Reads a JSON file and puts the target of every `{"$ref": "./other.json", ...siblings}` in its place: relative
 * to the file that holds it, nested, inside the docs root, `.json` only. Siblings win over the keys of an
 * object; beside an array or scalar they are ignored (format of docs.json).
 * Throws SourceError `invalid-json`, `ref-missing`, `ref-escape`, `ref-cycle`, `ref-type` or `config-too-large`.
 */
export function readConfigTree(source: SourceTree, file: string, warn: Warn): ConfigTree {
  const resolver: Resolver = { source, warn, done: new Map(), open: [] };
  const { value } = resolveFile(resolver, file, 0);
  return { value, files: [file, ...[...resolver.done.keys()].filter((name) => name !== file)] };
}

function resolveFile(resolver: Resolver, file: string, depth: number): Resolved {
  const known = resolver.done.get(file);
  if (known !== undefined) return known;
  if (resolver.source.size(file) > MAX_BYTES) {
    const message = `A configuration file must not be larger than ${MAX_BYTES} bytes. Split it with $ref.`;
    throw new SourceError({ file, line: null, code: 'config-too-large', message });
  }
  resolver.open.push(file);
  const tree = parseFile(resolver, file);
  const resolved = resolveValue(resolver, tree, file, depth);
  resolver.open.pop();
  resolver.done.set(file, resolved);
  return resolved;
}

function parseFile({ source, warn }: Resolver, file: string): unknown {
  const text = readTextFile(source, file, warn);
  try {
    return parseJson(text, file, warn);
  } catch (error) {
    const line = error instanceof SourceError ? invalidLine(source.read(file)) : null;
    if (line === null) throw error;
    const message = 'The file is not UTF-8. Save it as UTF-8.';
    throw new SourceError({ file, line, code: 'invalid-json', message });
  }
}

function resolveValue(resolver: Resolver, value: unknown, file: string, depth: number): Resolved {
  if (typeof value !== 'object' || value === null) return { value, height: 0, values: 1 };
  if (depth >= MAX_DEPTH) return tooDeep(resolver, value, file);
  let height = 0;
  let values = 1;
  const container = value as JsonObject;
  const reference = Array.isArray(value) ? undefined : takeReference(resolver, container, file);
  for (const key of Object.keys(container)) {
    const member = container[key];
    if (typeof member !== 'object' || member === null) {
      values++;
      continue;
    }
    const resolved = resolveValue(resolver, member, file, depth + 1);
    container[key] = resolved.value;
    height = Math.max(height, resolved.height);
    values += resolved.values;
  }
  if (reference === undefined) return checked({ value, height: height + 1, values }, file);
  const target = resolveTarget(resolver, reference, container, file, depth);
  return checked(
    {
      value: mergeReference(target.value, container),
      height: Math.max(height + 1, target.height),
      values: values + target.values,
    },
    file,
  );
}

function checked(resolved: Resolved, file: string): Resolved {
  if (resolved.values <= MAX_VALUES) return resolved;
  throw new SourceError({
    file,
    line: null,
    code: 'config-too-large',
    message: `The configuration has more than ${MAX_VALUES} values after every $ref is resolved. Reference each file once.`,
  });
}

/** Takes `$ref` out of an object; undefined without one. */
function takeReference(resolver: Resolver, container: JsonObject, file: string): string | undefined {
  if (!Object.hasOwn(container, '$ref')) return undefined;
  const reference = container.$ref;
  delete container.$ref;
  if (typeof reference === 'string') return reference;
  const line = placeOf(container, '$ref')?.line ?? null;
  resolver.warn({
    file,
    line,
    code: 'config-type',
    message: '"$ref" must be the path of a JSON file; it was ignored.',
  });
  return undefined;
}

function resolveTarget(
  resolver: Resolver,
  reference: string,
  at: JsonObject,
  file: string,
  depth: number,
): Resolved {
  const line = placeOf(at, '$ref')?.line ?? null;
  const fail = (code: WarningCode, message: string) => new SourceError({ file, line, code, message });
  if (!reference.endsWith('.json') || /[\\\0]|^[a-z][a-z0-9+.-]*:/i.test(reference)) {
    throw fail('ref-type', `"$ref": ${quote(reference)} is not a .json file in the docs folder.`);
  }
  const target = resolvePath(file, reference);
  if (target === null) throw fail('ref-escape', `"$ref": ${quote(reference)} is outside the docs folder.`);
  if (!resolver.source.has(target)) {
    throw fail('ref-missing', `"$ref": ${quote(reference)} does not exist (expected at ${quote(target)}).`);
  }
  const start = resolver.open.indexOf(target);
  if (start >= 0) {
    const circle = [...resolver.open.slice(start), target].slice(0, 10).join(' -> ');
    throw fail(
      'ref-cycle',
      `"$ref": ${quote(reference)} is a circular reference: ${circle}. Remove one of the references.`,
    );
  }
  const resolved = resolveFile(resolver, target, depth);
  return depth + resolved.height > MAX_DEPTH ? tooDeep(resolver, at, file) : resolved;
}

/** A path of the source for a path written in a file; null when it leaves the root. */
export function resolvePath(file: string, path: string): string | null {
  const segments = path.startsWith('/') ? [] : file.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return null;
    } else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

function mergeReference(target: unknown, siblings: JsonObject): unknown {
  if (!isObject(target) || Object.keys(siblings).length === 0) return target;
  return mergePlaces(siblings, target, { ...target, ...siblings });
}

function tooDeep(resolver: Resolver, value: object, file: string): Resolved {
  const line = placeOf(value)?.line ?? null;
  resolver.warn({
    file,
    line,
    code: 'nested-too-deep',
    message: `Nested more than ${MAX_DEPTH} levels deep; the content was ignored.`,
  });
  return { value: null, height: 0, values: 1 };
}

const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text);
