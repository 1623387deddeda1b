import type { JsonObject } from './json.ts';

const FIELD: Readonly<Record<'yaml' | 'toml', RegExp>> = {
  yaml: /^([A-Za-z][\w-]*(?::[A-Za-z][\w-]*)*): +(\S.*)$/,
  toml: /^([A-Za-z][\w-]*) *= *(\S.*)$/,
};
/** Words that YAML reads as something else than text, as keys or values. */
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['null', null],
  ['Null', null],
  ['NULL', null],
]);
const TEXT_LIST = /^\[ *(?:"[^"\\]*" *(?:, *"[^"\\]*" *)*)?\]$/;
/** Line breaks of other alphabets, control characters, byte order marks: the parser decides on those. */
const UNUSUAL = /[\0-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

/**
 * The plain subset of YAML (or TOML) that nearly every page uses: one `key: value` a line, where a value is
 * plain text, quoted text without escapes, a small whole number, true, false, or a list of quoted texts.
 * null when there is anything else, or a key occurs twice; the YAML parser then decides. Reads exactly as the
 * parser does (a test compares them), in a fiftieth of its time.
 */
export function readPlainFields(block: string, language: 'yaml' | 'toml'): JsonObject | null {
  if (UNUSUAL.test(block)) return null;
  const fields: JsonObject = {};
  for (const written of block.split('\n')) {
    const line = withoutTrail(written);
    if (line === '') continue;
    const [, key, value] = FIELD[language].exec(line) ?? [];
    if (key === undefined || value === undefined || WORDS.has(key) || Object.hasOwn(fields, key)) return null;
    const read = readValue(value, language);
    if (read === undefined) return null;
    fields[key] = read;
  }
  return fields;
}

function withoutTrail(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\r')) end--;
  return end === line.length ? line : line.slice(0, end);
}

function readValue(value: string, language: 'yaml' | 'toml'): unknown {
  const first = value[0] ?? '';
  if (first === '"') return /^"[^"\\]*"$/.test(value) ? value.slice(1, -1) : undefined;
  if (first === "'") return /^'[^']*'$/.test(value) ? value.slice(1, -1) : undefined;
  if (first === '[') return TEXT_LIST.test(value) ? JSON.parse(value) : undefined;
  if (/^(?:0|[1-9]\d{0,14})$/.test(value)) return Number(value);
  const word = WORDS.get(value);
  if (word !== undefined)
    return language === 'yaml' || value === 'true' || value === 'false' ? word : undefined;
  if (language === 'toml' || !/^[A-Za-z]/.test(first)) return undefined;
  return value.includes(': ') || value.includes(' #') || value.endsWith(':') ? undefined : value;
}
