import { SourceError, type Warn } from '../warning.ts';
import { setPlace } from './place.ts';

export type JsonObject = Record<string, unknown>;

/** An integer with all of its digits (`JSON.rawJSON`), which is an object for the engine, is none. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

interface Frame {
  container: JsonObject | unknown[];
  keys: string[] | null;
  lines: number[];
  line: number;
  /** Key that waits for its value. */
  key: string;
}

interface Cursor {
  text: string;
  file: string;
  warn: Warn;
  at: number;
  line: number;
  lineStart: number;
}

/** Where a text is not JSON. Its message quotes the text. */
class JsonError extends SourceError {
  readonly error: JsonSyntaxError;
  constructor(file: string, error: JsonSyntaxError) {
    super({ file, line: error.line, code: 'invalid-json', message: error.message });
    this.error = error;
  }
}

export interface JsonSyntaxError {
  /** Quotes the text, and names the column. */
  message: string;
  line: number;
  column: number;
  /** Whether the text may be the start of valid JSON, as of a file that was cut off. */
  endsEarly: boolean;
}

/** The first error of a text that is not JSON; null for JSON. */
export function findJsonError(text: string): JsonSyntaxError | null {
  try {
    parseJson(text, '');
    return null;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return error.error;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** What a text can be cut off in, other than a string. */
const STARTS = [...LITERALS.map(([word]) => word), '-'];
const LONGEST_LITERAL = 5;

/**
 * Parses JSON (RFC 8259) and notes the line of every member for warnings (`placeOf`). Nesting may be of any
 * depth. A `__proto__` key is dropped; of a repeated key the last one counts, with a warning.
 * Throws SourceError `invalid-json` with line, column and a hint.
 */
export function parseJson(text: string, file: string, warn: Warn = () => {}): unknown {
  const cursor: Cursor = { text, file, warn, at: 0, line: 1, lineStart: 0 };
  skipSpace(cursor);
  if (cursor.at >= text.length) throw fault(cursor, 'The file is empty. It must contain a JSON object.');
  const stack: Frame[] = [];
  let root: unknown;
  for (;;) {
    const opened = openValue(cursor, stack);
    let value: unknown = opened.value;
    if (opened.frame !== null) {
      if (!closesAt(cursor, opened.frame)) {
        stack.push(opened.frame);
        if (opened.frame.keys !== null) readKey(cursor, opened.frame);
        continue;
      }
      value = finish(opened.frame, cursor.file);
    }
    for (;;) {
      const frame = stack.at(-1);
      if (frame === undefined) {
        root = value;
        break;
      }
      addMember(cursor, frame, value);
      if (readSeparator(cursor, frame)) break;
      stack.pop();
      value = finish(frame, cursor.file);
    }
    if (stack.length === 0) break;
  }
  skipSpace(cursor);
  if (cursor.at < text.length)
    throw fault(cursor, 'Unexpected text after the end of the JSON value. Remove it.');
  return root;
}

function openValue(cursor: Cursor, stack: readonly Frame[]): { value: unknown; frame: Frame | null } {
  skipSpace(cursor);
  const { text, at, line } = cursor;
  const char = text[at];
  if (char === '{' || char === '[') {
    cursor.at++;
    const isArray = char === '[';
    const container: JsonObject | unknown[] = isArray ? [] : {};
    const parent = stack.at(-1);
    if (parent !== undefined) parent.lines.push(line);
    return { value: null, frame: { container, keys: isArray ? null : [], lines: [], line, key: '' } };
  }
  const parent = stack.at(-1);
  if (parent !== undefined) parent.lines.push(line);
  if (char === '"') return { value: readString(cursor), frame: null };
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text)?.[0];
  if (number !== undefined) {
    cursor.at += number.length;
    return { value: Number(number), frame: null };
  }
  for (const [word, value] of LITERALS) {
    if (text.startsWith(word, at)) {
      cursor.at += word.length;
      return { value, frame: null };
    }
  }
  throw unexpected(cursor, stack.at(-1));
}

function closesAt(cursor: Cursor, frame: Frame): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== (frame.keys === null ? ']' : '}')) return false;
  cursor.at++;
  return true;
}

/** Reads `,` (true, with the next key of an object) or the closing bracket (false). */
function readSeparator(cursor: Cursor, frame: Frame): boolean {
  if (closesAt(cursor, frame)) return false;
  const char = cursor.text[cursor.at];
  if (char !== ',') {
    if (cursor.at >= cursor.text.length) throw unclosed(cursor, frame);
    const starts = char === '"' || char === '{' || char === '[' || /[\w-]/.test(char ?? '');
    throw fault(cursor, starts ? `Missing comma before ${shown(cursor)}.` : `Unexpected ${shown(cursor)}.`);
  }
  const comma = { ...cursor };
  cursor.at++;
  skipSpace(cursor);
  const next = cursor.text[cursor.at];
  if (next === '}' || next === ']') throw fault(comma, `Trailing comma before "${next}". Remove the comma.`);
  if (frame.keys !== null) readKey(cursor, frame);
  return true;
}

function readKey(cursor: Cursor, frame: Frame): void {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== '"') {
    if (cursor.at >= cursor.text.length) throw unclosed(cursor, frame);
    throw unexpected(cursor, frame);
  }
  frame.key = readString(cursor);
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== ':') throw fault(cursor, `Missing colon after the key "${frame.key}".`);
  cursor.at++;
}

function addMember(cursor: Cursor, frame: Frame, value: unknown): void {
  const { container } = frame;
  if (Array.isArray(container)) container.push(value);
  else if (frame.key === '__proto__') frame.lines.pop();
  else {
    if (Object.hasOwn(container, frame.key)) warnRepeated(cursor, frame);
    frame.keys?.push(frame.key);
    container[frame.key] = value;
  }
}

function warnRepeated({ file, warn }: Cursor, frame: Frame): void {
  const key = JSON.stringify(frame.key.slice(0, 80));
  const message = `${key} occurs twice in one object; the last one is used. Remove the other.`;
  warn({ file, line: frame.lines.at(-1) ?? frame.line, code: 'config-duplicate-key', message });
}

function finish(frame: Frame, file: string): unknown {
  setPlace(frame.container, { file, line: frame.line, keys: frame.keys, lines: frame.lines });
  return frame.container;
}

function skipSpace(cursor: Cursor): void {
  const { text } = cursor;
  for (; cursor.at < text.length; cursor.at++) {
    const code = text.charCodeAt(cursor.at);
    if (code === 10) {
      cursor.line++;
      cursor.lineStart = cursor.at + 1;
    } else if (code !== 32 && code !== 9 && code !== 13) return;
  }
}

function readString(cursor: Cursor): string {
  const { text, at } = cursor;
  let plain = true;
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === 92) {
      plain = false;
      end++;
    } else if (code === 34) {
      cursor.at = end + 1;
      return plain ? text.slice(at + 1, end) : decodeString(cursor, at, end + 1);
    } else if (code < 32) {
      throw fault(
        { ...cursor, at: end },
        'A string must not contain a line break or control character. Close the quote, or write \\n.',
      );
    }
  }
  throw fault(cursor, 'A string is not closed. Add the closing quote.', true);
}

function decodeString(cursor: Cursor, from: number, to: number): string {
  try {
    return JSON.parse(cursor.text.slice(from, to)) as string;
  } catch {
    throw fault({ ...cursor, at: from }, 'A string contains an invalid escape. Write a backslash as \\\\.');
  }
}

function unexpected(cursor: Cursor, frame: Frame | undefined): SourceError {
  const rest = cursor.text.slice(cursor.at, cursor.at + 2);
  if (rest === '' && frame !== undefined) return unclosed(cursor, frame);
  if (rest === '//' || rest === '/*')
    return fault(cursor, 'JSON does not allow comments. Remove the comment.');
  if (rest.startsWith("'"))
    return fault(cursor, 'JSON strings use double quotes. Replace the single quotes.');
  if (frame?.keys != null && /^[A-Za-z_$]/.test(rest))
    return fault(cursor, `Unexpected ${shown(cursor)}. Keys and text need double quotes.`);
  return fault(cursor, `Unexpected ${shown(cursor)}.`);
}

const unclosed = (cursor: Cursor, frame: Frame): SourceError =>
  fault(
    cursor,
    `The file ends before "${frame.keys === null ? '[' : '{'}" from line ${frame.line} is closed.`,
  );

function shown(cursor: Cursor): string {
  const word = /^[\w$-]{1,30}|^"[^"\\\n]{1,30}"/.exec(cursor.text.slice(cursor.at, cursor.at + 32))?.[0];
  if (word !== undefined) return `"${word.replaceAll('"', '')}"`;
  const char = cursor.text[cursor.at];
  return char === undefined
    ? 'end of file'
    : char === '"'
      ? 'a quote'
      : JSON.stringify(String.fromCodePoint(cursor.text.codePointAt(cursor.at) ?? 0));
}

function fault(cursor: Cursor, text: string, isCut = false): JsonError {
  const { file, line, at, lineStart } = cursor;
  const column = at - lineStart + 1;
  const rest = cursor.text.slice(at, at + LONGEST_LITERAL).trimEnd();
  const isPartial =
    at + rest.length >= cursor.text.trimEnd().length && STARTS.some((word) => word.startsWith(rest));
  const message = `${text} (column ${column})`;
  return new JsonError(file, { message, line, column, endsEarly: isCut || isPartial });
}
