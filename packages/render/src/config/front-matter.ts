import { CORE_SCHEMA, load } from 'js-yaml';
import { parseDocument } from 'yaml';
import { copyText } from '../copy-text.ts';
import { isObject, type JsonObject } from './json.ts';
import { readPlainFields } from './plain-fields.ts';
import { explainYamlError } from './yaml-error.ts';

/** Characters between the fences; longer text is not front matter. */
const MAX_LENGTH = 32 * 1024;
const MAX_DEPTH = 32;
const MAX_VALUES = 20_000;

export interface FrontMatter {
  frontMatter: JsonObject;
  /** The text after the closing fence. */
  body: string;
  /** Lines before the body, so that body line n is file line n + bodyLine. */
  bodyLine: number;
  /** Why the front matter was not used; null if it was used. */
  fault: { line: number; message: string } | null;
  /** The text between the fences, if it could not be read; it may name access rules that must not get lost. */
  unread: string | null;
}

const OPENING = /^---([A-Za-z]*)[ \t]*\r?\n|^\+\+\+[ \t]*\r?\n/;

/**
 * Splits a page into front matter and body. YAML 1.2 (core schema: no dates, no custom tags, no merge keys);
 * also simple `+++` TOML. Never throws and never runs code: `---js` is skipped with an error.
 */
export function readFrontMatter(text: string): FrontMatter {
  const first = text.charCodeAt(0);
  if (first !== 45 && first !== 43) return withoutFront(text);
  const opening = OPENING.exec(text);
  if (opening === null) return withoutFront(text);
  const fence = first === 45 ? '---' : '+++';
  const start = opening[0].length;
  const closing = findFence(text, fence, start);
  if (closing === null) return unclosed(text, start, fence);
  const block = copyText(text.slice(start, closing.from));
  const split = { body: text.slice(closing.to), bodyLine: countLines(text, closing.to) };
  const language = fence === '+++' ? 'toml' : (opening[1] ?? '').toLowerCase();
  const read = readBlock(block, language);
  return { ...read, ...split, unread: read.fault === null ? null : block };
}

const withoutFront = (text: string): FrontMatter => ({
  frontMatter: {},
  body: text,
  bodyLine: 0,
  fault: null,
  unread: null,
});

/** A page may start with a thematic break; it is an unclosed fence only if a key follows. */
function unclosed(text: string, start: number, fence: string): FrontMatter {
  const plain = withoutFront(text);
  if (!/^[A-Za-z_"][\w"-]*\s{0,9}[:=]/.test(text.slice(start, start + 200))) return plain;
  const message = `The front matter has no closing "${fence}"; the page was used without front matter.`;
  return { ...plain, fault: { line: 1, message }, unread: text.slice(start, start + MAX_LENGTH) };
}

function findFence(text: string, fence: string, start: number): { from: number; to: number } | null {
  for (let at = start; ; ) {
    if (text.startsWith(fence, at)) {
      let end = at + fence.length;
      while (text[end] === ' ' || text[end] === '\t' || text[end] === '\r') end++;
      if (end >= text.length) return { from: at, to: end };
      if (text.charCodeAt(end) === 10) return { from: at, to: end + 1 };
    }
    const next = text.indexOf('\n', at);
    if (next < 0) return null;
    at = next + 1;
  }
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

type Read = Pick<FrontMatter, 'frontMatter' | 'fault'>;

function readBlock(block: string, language: string): Read {
  if (block.length > MAX_LENGTH) return failed(1, `it is longer than ${MAX_LENGTH} characters`);
  if (language === 'toml') {
    const fields = readPlainFields(firstTable(block), 'toml');
    return fields === null
      ? failed(1, 'only simple TOML is supported. Use YAML')
      : { frontMatter: fields, fault: null };
  }
  if (language !== '' && language !== 'yaml' && language !== 'yml' && language !== 'json') {
    return failed(1, `"---${language}" is not supported. Use YAML`);
  }
  const fields = readPlainFields(block, 'yaml');
  return fields === null ? readYaml(block) : { frontMatter: fields, fault: null };
}

/**
 * The keys of a TOML document before its first `[table]`, which are the keys of a page, without comments. A table
 * that holds `groups` is kept, for the error: an access rule must not get lost.
 */
function firstTable(block: string): string {
  const lines = block.split('\n').filter((line) => !/^\s*#/.test(line));
  const end = lines.findIndex((line) => /^\s*\[/.test(line));
  if (end < 0 || lines.slice(end).some((line) => /^\s*["']?groups["']?\s*=/.test(line)))
    return lines.join('\n');
  return lines.slice(0, end).join('\n');
}

/** Front matter as YAML. Anything but a mapping or an empty block is an error. */
export function readYaml(block: string): Read {
  const { value, fault } = parseYaml(block);
  if (fault !== null) return { frontMatter: {}, fault };
  if (value === null || value === undefined) return { frontMatter: {}, fault: null };
  if (!isObject(value)) return failed(2, 'it must be a list of "key: value" lines');
  try {
    return { frontMatter: copyPlain(value, { left: MAX_VALUES }, 0) as JsonObject, fault: null };
  } catch (error) {
    return failed(1, error instanceof Error ? firstLine(error.message) : 'it cannot be parsed');
  }
}

/**
 * The value of a YAML document. What the strict parser rejects is parsed again by the one that the reference product
 * uses, which accepts a quoted text that continues at the start of a line; the error is that of the strict parser.
 */
function parseYaml(block: string): { value: unknown; fault: Read['fault'] } {
  const strict = parseStrictly(block);
  if (strict.fault === null) return strict;
  try {
    return { value: load(block, { schema: CORE_SCHEMA, json: true }), fault: null };
  } catch {
    return strict;
  }
}

function parseStrictly(block: string): { value: unknown; fault: Read['fault'] } {
  try {
    const document = parseDocument(block, {
      version: '1.2',
      schema: 'core',
      uniqueKeys: false,
      logLevel: 'silent',
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const { code, message, linePos } = error;
      const parsed = { code, message: firstLine(message), line: linePos?.[0].line ?? 1 };
      const { line, reason } = explainYamlError(parsed, block);
      const { fault } = failed(line + 1, reason);
      return { value: undefined, fault };
    }
    return { value: document.toJS({ maxAliasCount: 100 }), fault: null };
  } catch (error) {
    const { fault } = failed(1, error instanceof Error ? firstLine(error.message) : 'it cannot be parsed');
    return { value: undefined, fault };
  }
}

const TOO_MUCH = 'it is nested too deeply or too large';

/** The reason of a parser, which exceeds the stack for a text that is nested too deeply. */
const firstLine = (message: string): string =>
  /call stack/.test(message)
    ? TOO_MUCH
    : message.replace(/( at line \d+, column \d+)?:?\n[\s\S]*$/, '').slice(0, 200);

function failed(line: number, reason: string): Read {
  const message = `The front matter was ignored: ${reason}.`.replace(/\.\.$/, '.');
  return { frontMatter: {}, fault: { line, message } };
}

/** Plain JSON-like copy: bounded in depth and size (aliases repeat), without `__proto__`. */
function copyPlain(value: unknown, budget: { left: number }, depth: number): unknown {
  if (--budget.left < 0 || depth > MAX_DEPTH) throw new Error(TOO_MUCH);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? Number(value) : value;
  if (Array.isArray(value)) return value.map((item) => copyPlain(item, budget, depth + 1));
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__') copy[key] = copyPlain(member, budget, depth + 1);
  }
  return copy;
}
