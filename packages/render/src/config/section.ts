import type { Excluded } from '../excluded.ts';
import type { WantedServices } from '../services/names.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import type { WarningCode } from '../warning-codes.ts';
import { isObject, type JsonObject } from './json.ts';
import { placeOf } from './place.ts';

/** An object of the configuration being read: its name for messages, its values, and where warnings go. */
export interface Section {
  /** As a reader would write it: `colors`, `navbar.links[2]`; empty for the root. */
  name: string;
  value: JsonObject;
  file: string;
  warn: Warn;
  /** What the export leaves out; default nothing. */
  excluded?: Excluded;
  /** Services of the platform that serves the site; default none. */
  services?: WantedServices;
  /** Files that keys may name; default none. */
  source?: SourceTree;
}

/** Name of a member for messages: `colors.primary`. */
export function memberName(section: Section, key: string): string {
  return section.name === '' ? key : `${section.name}.${key}`;
}

/** Warns about a member at the line it is written on. */
export function warnAt(
  section: Section,
  key: string | number | undefined,
  code: WarningCode,
  message: string,
): void {
  const place = placeOf(section.value, key);
  section.warn({ file: place?.file ?? section.file, line: place?.line ?? null, code, message });
}

/** Warns that a member was ignored because it is not what its key accepts. */
export function warnMember(
  section: Section,
  key: string,
  expected: string,
  code: WarningCode = 'config-type',
): null {
  warnAt(section, key, code, `"${memberName(section, key)}" must be ${expected}; it was ignored.`);
  return null;
}

/** The member, where it is the object's own and not null. */
export function memberOf(section: Section, key: string): unknown {
  return Object.hasOwn(section.value, key) ? (section.value[key] ?? undefined) : undefined;
}

/** An object member; an empty section where it is missing or (with a warning) of another type. */
export function subsection(section: Section, key: string, expected = 'an object'): Section {
  const value = memberOf(section, key);
  const known = isObject(value);
  if (!known && value !== undefined) warnMember(section, key, expected);
  return { ...section, name: memberName(section, key), value: known ? value : {} };
}

/** Objects of an array member, each as a section; a warning for anything else. */
export function sections(section: Section, key: string): Section[] {
  const value = memberOf(section, key);
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    warnMember(section, key, 'a list');
    return [];
  }
  const name = memberName(section, key);
  return value.flatMap((item: unknown, index) => {
    if (isObject(item)) return [{ ...section, name: `${name}[${index}]`, value: item }];
    warnItem(section, key, index, 'an object');
    return [];
  });
}

/** Warns that an item of an array member was ignored. */
export function warnItem(section: Section, key: string, index: number, expected: string): void {
  const place = placeOf(section.value[key], index);
  section.warn({
    file: place?.file ?? section.file,
    line: place?.line ?? null,
    code: 'config-type',
    message: `"${memberName(section, key)}[${index}]" must be ${expected}; it was ignored.`,
  });
}

/** The first `max` items of a list that is on every page; a longer list would make the output grow with the square of the site. */
export function limited<T>(section: Section, key: string, items: readonly T[], max: number): T[] {
  if (items.length > max) {
    const message = `"${memberName(section, key)}" has ${items.length} entries, and every page would show all of them; only the first ${max} are used.`;
    warnAt(section, key, 'config-too-large', message);
  }
  return items.slice(0, max);
}

/** Whether a link target is relative or of a scheme that cannot run code. */
export function isSafeHref(target: string): boolean {
  const scheme = /^[\s\0-\x1f]*([a-z][a-z0-9+.-]*)\s*:/i.exec(target.replace(/[\t\n\r]/g, ''))?.[1];
  return scheme === undefined || ['http', 'https', 'mailto', 'tel'].includes(scheme.toLowerCase());
}
