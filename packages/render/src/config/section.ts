import type { Excluded } from '../excluded.ts';
import type { Warn } from '../warning.ts';
import { isObject, type JsonObject } from './json.ts';
import { placeOf } from './place.ts';
import { suggestName } from './suggest-name.ts';

/** An object of the configuration being read: its name for messages, its values, and where warnings go. */
export interface Section {
  /** As a reader would write it: `colors`, `navbar.links[2]`; empty for the root. */
  name: string;
  value: JsonObject;
  file: string;
  warn: Warn;
  /** What the export leaves out; default nothing. */
  excluded?: Excluded;
}

/** Name of a member for messages: `colors.primary`. */
export function memberName(section: Section, key: string): string {
  return section.name === '' ? key : `${section.name}.${key}`;
}

/** Warns about a member at the line it is written on. */
export function warnAt(
  section: Section,
  key: string | number | undefined,
  code: string,
  message: string,
): void {
  const place = placeOf(section.value, key);
  section.warn({ file: place?.file ?? section.file, line: place?.line ?? null, code, message });
}

function warnType(section: Section, key: string, expected: string): null {
  warnAt(section, key, 'config-type', `"${memberName(section, key)}" must be ${expected}; it was ignored.`);
  return null;
}

/** The member, where it is the object's own and not null. */
function member(section: Section, key: string): unknown {
  return Object.hasOwn(section.value, key) ? (section.value[key] ?? undefined) : undefined;
}

/** Unknown members of one object that get a warning. */
const MAX_UNKNOWN = 10;

/** Warns about each member that an object of the format does not have. */
export function checkMembers(section: Section, known: readonly string[]): void {
  let unknown = 0;
  for (const key of Object.keys(section.value)) {
    if (known.includes(key) || ++unknown > MAX_UNKNOWN) continue;
    const near = suggestName(key, known);
    const hint = near === null ? `Known keys: ${known.join(', ')}.` : `Did you mean "${near}"?`;
    const shown = JSON.stringify(key.slice(0, 80));
    warnAt(section, key, 'config-unknown-key', `Unknown key ${shown} in "${section.name}". ${hint}`);
  }
}

/** An object member; an empty section where it is missing or (with a warning) of another type. */
export function subsection(section: Section, key: string): Section {
  const value = member(section, key);
  const known = isObject(value);
  if (!known && value !== undefined) warnType(section, key, 'an object');
  return { ...section, name: memberName(section, key), value: known ? value : {} };
}

/** Text, trimmed, or a number as text; null where it is missing or empty. */
export function text(section: Section, key: string): string | null {
  const value = member(section, key);
  if (value === undefined) return null;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return warnType(section, key, 'text');
  const trimmed = value.trim();
  return trimmed === '' ? null : trimmed;
}

/** true or false, also as text ("true" is common in real files); null where it is missing. */
export function flag(section: Section, key: string): boolean | null {
  const value = member(section, key);
  if (value === undefined) return null;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  return warnType(section, key, 'true or false');
}

/** One of a fixed list of words. */
export function choice<T extends string>(section: Section, key: string, words: readonly T[]): T | null {
  const value = text(section, key);
  if (value === null) return null;
  const word = words.find((candidate) => candidate === value.toLowerCase());
  if (word !== undefined) return word;
  const shown = JSON.stringify(value.slice(0, 60));
  const message = `"${memberName(section, key)}" is ${shown}; it must be one of ${words.join(', ')}.`;
  warnAt(section, key, 'config-value', message);
  return null;
}

/** Items of an array member that are objects, each as a section; others get a warning. */
export function sections(section: Section, key: string): Section[] {
  const value = member(section, key);
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    warnType(section, key, 'a list');
    return [];
  }
  const found: Section[] = [];
  const name = memberName(section, key);
  for (const [index, item] of value.entries()) {
    if (isObject(item)) found.push({ ...section, name: `${name}[${index}]`, value: item });
    else warnItem(section, key, index, 'an object');
  }
  return found;
}

/** The first `most` items of a list that is on every page; a longer list would make the output grow with the square of the site. */
export function limited<T>(section: Section, key: string, items: readonly T[], most: number): T[] {
  if (items.length > most) {
    const name = key === '' ? section.name : memberName(section, key);
    const message = `"${name}" has ${items.length} entries, and every page would show all of them; only the first ${most} are used.`;
    warnAt(section, key, 'config-too-large', message);
  }
  return items.slice(0, most);
}

/** A text or a list of texts, as a list. */
export function texts(section: Section, key: string): string[] {
  const value = member(section, key);
  if (value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  const found: string[] = [];
  for (const [index, item] of list.entries()) {
    if (typeof item === 'string') found.push(item.trim());
    else if (Array.isArray(value)) warnItem(section, key, index, 'text');
    else warnType(section, key, 'a string or a list of strings');
  }
  return found.filter((item) => item !== '');
}

function warnItem(section: Section, key: string, index: number, expected: string): void {
  const place = placeOf(section.value[key], index);
  section.warn({
    file: place?.file ?? section.file,
    line: place?.line ?? null,
    code: 'config-type',
    message: `"${memberName(section, key)}[${index}]" must be ${expected}; it was ignored.`,
  });
}

/** `#rgb` or `#rrggbb` (an alpha part is dropped) as `#rrggbb` in lower case. */
export function color(section: Section, key: string): string | null {
  const value = text(section, key);
  if (value === null) return null;
  const hex = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(value)?.[1]?.toLowerCase();
  if (hex === undefined) {
    const message = `"${memberName(section, key)}" must be a color such as "#0d9373"; it was ignored.`;
    warnAt(section, key, 'config-value', message);
    return null;
  }
  if (hex.length >= 6) return `#${hex.slice(0, 6)}`;
  return `#${[...hex.slice(0, 3)].map((digit) => digit + digit).join('')}`;
}

/** A link target; targets of schemes that run code or leave the web are refused with a warning. */
export function href(section: Section, key: string): string | null {
  const value = text(section, key);
  if (value === null) return null;
  if (isSafeHref(value)) return value;
  const message = `"${memberName(section, key)}" must be a path, or an http, https, mailto or tel URL; it was ignored.`;
  warnAt(section, key, 'unsafe-link', message);
  return null;
}

/** Whether a link target is relative or of a scheme that cannot run code. */
export function isSafeHref(target: string): boolean {
  const scheme = /^[\s\0-\x1f]*([a-z][a-z0-9+.-]*)\s*:/i.exec(target.replace(/[\t\n\r]/g, ''))?.[1];
  return scheme === undefined || ['http', 'https', 'mailto', 'tel'].includes(scheme.toLowerCase());
}
