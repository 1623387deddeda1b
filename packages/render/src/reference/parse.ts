import { CORE_SCHEMA, load } from 'js-yaml';
import { parseDocument } from 'yaml';
import { findJsonError, isObject, type JsonObject } from '../config/json.ts';
import { EXACT_SCHEMA, mayHaveLongIntegers, parseExactJson, settleIntegers } from './long-integers.ts';

/** A value, or why and where the text cannot be read. */
export type Parsed = { document: unknown } | { fault: string; line: number | null };

/**
 * The value of an API description, JSON by its ending and content, else YAML 1.2 without tags and with few aliases; or
 * why it cannot be read. Its size is the caller's to bound.
 */
export function parseDescription(written: string, file: string): Parsed {
  const text = written.startsWith('\ufeff') ? written.slice(1) : written;
  const parsed = parseText(text, file);
  const isShared = hasAliases(text);
  const fault = 'document' in parsed ? excess(parsed.document, isShared) : null;
  if (fault !== null) return { fault, line: null };
  if (!('document' in parsed) || !mayHaveLongIntegers(text)) return parsed;
  return { document: settleIntegers(isJson(text, file) ? parseExactJson(text) : parsed.document) };
}

/** Characters of a text within a description: thousands of operations can refer to one. */
const MAX_TEXT = 100_000;

/** The value of a text of JSON within a description; undefined for other texts, and for one that is too long or too deep. */
export function parseJson(text: string): unknown {
  if (text.length > MAX_TEXT) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    return excess(document, false) === null ? document : undefined;
  } catch {
    return undefined;
  }
}

const isJson = (text: string, file: string): boolean =>
  /^\s*\{/.test(text.slice(0, 1000)) && file.endsWith('.json');

function parseText(text: string, file: string): Parsed {
  if (!isJson(text, file)) return parseYaml(text);
  try {
    return { document: JSON.parse(text) };
  } catch (fault) {
    const error = findJsonError(text);
    if (error === null) return { fault: `Cannot be parsed: ${messageOf(fault)}`, line: null };
    const end = error.endsEarly && !error.message.startsWith('The file ends') ? 'The file ends early. ' : '';
    return { fault: `Cannot be parsed: ${end}${error.message}`, line: error.line };
  }
}

/** Levels of a description; the deepest known one has 29. Deeper ones would exceed the stack of the engine. */
const MAX_LEVELS = 400;
const TOO_DEEP = `Nested more than ${MAX_LEVELS} levels deep.`;
/** Characters and values after every alias is replaced. */
const MAX_EXPANDED = 64 * 1024 * 1024;

/** What no reader of a value could bear; null if it has no such thing. */
function excess(document: unknown, isShared: boolean): string | null {
  const known = new Map<object, { height: number; size: number }>();
  let isTooDeep = false;
  const measure = (value: unknown, depth: number): { height: number; size: number } => {
    if (typeof value !== 'object' || value === null)
      return { height: 0, size: typeof value === 'string' ? value.length : 1 };
    const before = known.get(value);
    if (before !== undefined) return before;
    let height = 0;
    let size = 1;
    if (depth > MAX_LEVELS) isTooDeep = true;
    else
      for (const one of Array.isArray(value) ? value : Object.values(value)) {
        const inner = measure(one, depth + 1);
        height = Math.max(height, inner.height);
        size += inner.size;
      }
    const measured = { height: height + 1, size };
    if (isShared) known.set(value, measured);
    return measured;
  };
  const { height, size } = measure(document, 0);
  if (isTooDeep || height > MAX_LEVELS) return TOO_DEEP;
  return isShared && size > MAX_EXPANDED ? 'Its aliases repeat too much.' : null;
}

/** Whether it may have an alias of an anchor. Texts contain both signs; few contain one name after each. */
function hasAliases(text: string): boolean {
  const anchors = new Set(Array.from(text.matchAll(/(?:^|[\s,:[{])&([^\s,[\]{}]+)/g), ([, name]) => name));
  if (anchors.size === 0) return false;
  for (const [, name] of text.matchAll(/(?:^|[\s,:[{])\*([^\s,[\]{}]+)/g)) if (anchors.has(name)) return true;
  return false;
}

/**
 * The faster parser refuses some files that others accept, and does not bound aliases, which are few in descriptions:
 * the other one reads those.
 */
function parseYaml(text: string): Parsed {
  const isExact = mayHaveLongIntegers(text);
  if (!hasAliases(text)) {
    try {
      return { document: load(text, { schema: isExact ? EXACT_SCHEMA : CORE_SCHEMA }) };
    } catch {
      // The other parser reads it, or says why not.
    }
  }
  try {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      uniqueKeys: false,
      intAsBigInt: isExact,
      logLevel: 'silent',
    });
    const [error] = document.errors;
    if (error !== undefined) return { fault: faultOf(error), line: error.linePos?.[0].line ?? null };
    return merged(document.toJS({ maxAliasCount: 1000 }));
  } catch (fault) {
    return { fault: `Cannot be parsed: ${messageOf(fault)}`, line: null };
  }
}

/** Members that merge keys add; few anchors with many members would take the memory of thousands of copies. */
const MAX_MERGED = 1_000_000;

/**
 * The value with the members that `<<` names instead of it. YAML 1.2 has no such keys, but most readers of descriptions
 * know them, so that authors use them.
 */
function merged(document: unknown): Parsed {
  const known = new Set<object>();
  let left = MAX_MERGED;
  const mergeInto = (value: object): void => {
    if (known.has(value)) return;
    known.add(value);
    if (!Array.isArray(value) && Object.hasOwn(value, '<<')) {
      const written = (value as JsonObject)['<<'];
      const sources = Array.isArray(written) ? written : [written];
      if (sources.every(isObject)) {
        for (const source of sources) mergeInto(source);
        left -= replace(value as JsonObject, sources, left);
      }
    }
    for (const one of Object.values(value)) if (typeof one === 'object' && one !== null) mergeInto(one);
  };
  if (typeof document === 'object' && document !== null) mergeInto(document);
  if (left < 0) return { fault: `Its merge keys add more than ${MAX_MERGED} members.`, line: null };
  return { document };
}

/** Puts the members of sources in the place of `<<`; own members and those of earlier sources count. */
function replace(value: JsonObject, sources: readonly JsonObject[], max: number): number {
  const own = Object.entries(value);
  const names = new Set(own.map(([name]) => name));
  const added: [string, unknown][] = [];
  for (const source of sources)
    for (const name of Object.keys(source)) {
      if (added.length > max) return added.length;
      if (names.has(name)) continue;
      names.add(name);
      added.push([name, source[name]]);
    }
  for (const [name] of own) delete value[name];
  for (const [name, one] of own.flatMap((entry) => (entry[0] === '<<' ? added : [entry])))
    Object.defineProperty(value, name, { value: one, writable: true, enumerable: true, configurable: true });
  return added.length;
}

/** The first line without its place, which is a field of its own. A text that exceeds the stack is nested too deep. */
const faultOf = ({ message }: Error): string => {
  const [first = ''] = message.replace(/ at line \d+, column \d+:\n[\s\S]*/, '').split('\n', 1);
  return /call stack/.test(first) ? TOO_DEEP : first;
};

const messageOf = (fault: unknown): string =>
  fault instanceof Error ? fault.message.slice(0, 200) : 'unknown format';
