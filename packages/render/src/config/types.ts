import type { WarningCode } from '../warning-codes.ts';
import { namesSchema, objectSchema, recordSchema } from './json-schema.ts';
import { checkUnknown, type JsonSchema, type Keys, readKeys, type Type, type ValuesOf } from './key.ts';
import {
  isSafeHref,
  limited,
  memberName,
  memberOf,
  type Section,
  sections,
  subsection,
  warnAt,
  warnItem,
  warnMember,
} from './section.ts';
import { suggestName } from './suggest-name.ts';

const TEXT: JsonSchema = { type: ['string', 'number'] };

/** Text, trimmed, or a number as text; null where it is missing or empty. */
export const text: Type<string | null> = {
  values: 'text',
  schema: () => TEXT,
  read(section, key) {
    const value = memberOf(section, key);
    if (value === undefined) return null;
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'string') return warnMember(section, key, 'text');
    const trimmed = value.trim();
    return trimmed === '' ? null : trimmed;
  },
};

/** Text of a form; `expected` completes "must be". */
export function textOf(
  values: string,
  expected: string,
  isAccepted: (value: string) => boolean,
  code: WarningCode = 'config-value',
): Type<string | null> {
  return {
    values,
    schema: () => TEXT,
    read(section, key) {
      const value = text.read(section, key);
      return value === null || isAccepted(value) ? value : warnMember(section, key, expected, code);
    },
  };
}

/** A link target; targets of schemes that run code or leave the web are rejected. */
export const link = textOf(
  'path or URL',
  'a path, or an http, https, mailto or tel URL',
  isSafeHref,
  'unsafe-link',
);

/** A file of the docs, as {@link link}. */
export const file: Type<string | null> = {
  ...link,
  values: 'path or URL of an image',
  read(section, key) {
    const path = link.read(section, key);
    if (path !== null && isMissing(section, path)) {
      const message = `The file ${JSON.stringify(path.slice(0, 120))} of "${memberName(section, key)}" is not in the docs folder. Add it, or correct the path.`;
      warnAt(section, key, 'missing-asset', message);
    }
    return path;
  },
};

function isMissing({ source }: Section, path: string): boolean {
  if (source === undefined || /^(?:[a-z][\w+.-]*:|\/\/|#)/i.test(path)) return false;
  return !source.has(path.replace(/^(?:\.?\/)+/, '').replace(/[?#].*$/s, ''));
}

/** A URL of a website. */
export const webUrl = textOf('URL', 'an http or https URL', (value) => /^https?:\/\//i.test(value));

/** true or false, also as text ("true" is common in real files); null where it is missing. */
export const flag: Type<boolean | null> = {
  values: '`true`, `false`',
  schema: () => ({ anyOf: [{ type: 'boolean' }, { type: 'string', pattern: '^(?:true|false)$' }] }),
  read(section, key) {
    const value = memberOf(section, key);
    if (value === undefined) return null;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    return warnMember(section, key, 'true or false');
  },
};

/** One of some names, in any case. */
export function oneOf<const N extends string>(...names: readonly N[]): Type<N | null> {
  return {
    values: names.map((name) => `\`${name}\``).join(', '),
    schema: () => namesSchema(names),
    read(section, key) {
      const value = text.read(section, key);
      if (value === null) return null;
      const name = names.find((candidate) => candidate === value.toLowerCase());
      if (name !== undefined) return name;
      const shown = JSON.stringify(value.slice(0, 60));
      const near = suggestName(value, names);
      const hint = near === null ? '' : ` Did you mean "${near}"?`;
      const message = `"${memberName(section, key)}" is ${shown}; it must be one of ${names.join(', ')}.${hint}`;
      warnAt(section, key, 'config-value', message);
      return null;
    },
  };
}

/** A number within bounds, also as text; `expected` completes "must be a". */
export function number(
  min: number,
  max: number,
  expected: string,
  code: WarningCode = 'config-value',
): Type<number | null> {
  return {
    values: expected,
    schema: () => ({
      anyOf: [
        { type: 'number', minimum: min, ...(max === Infinity ? {} : { maximum: max }) },
        { type: 'string' },
      ],
    }),
    read(section, key) {
      const value = memberOf(section, key);
      if (value === undefined || value === '') return null;
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof number === 'number' && number >= min && number <= max) return number;
      return warnMember(section, key, `a ${expected}`, code);
    },
  };
}

const HEX = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** `#rgb` or `#rrggbb` (an alpha part is dropped) as `#rrggbb` in lower case. */
export const color: Type<string | null> = {
  values: '`#rrggbb`',
  schema: () => ({
    anyOf: [
      { type: 'string', format: 'color-hex' },
      { type: 'string', pattern: '^\\s*(?:#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8}))?\\s*$' },
    ],
  }),
  read(section, key) {
    const value = text.read(section, key);
    if (value === null) return null;
    return normalColor(value) ?? warnMember(section, key, 'a color such as "#0d9373"', 'config-value');
  },
};

/** A color of the configuration as `#rrggbb`; null if it is not one. */
export function normalColor(value: string): string | null {
  const hex = HEX.exec(value)?.[1]?.toLowerCase();
  if (hex === undefined) return null;
  if (hex.length >= 6) return `#${hex.slice(0, 6)}`;
  return `#${[...hex.slice(0, 3)].map((digit) => digit + digit).join('')}`;
}

/** A text or a list of texts, as a list. */
export const texts: Type<string[]> = {
  values: 'text, or a list of texts',
  schema: () => ({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }),
  read(section, key) {
    const value = memberOf(section, key);
    if (value === undefined) return [];
    if (typeof value !== 'string' && !Array.isArray(value)) {
      warnMember(section, key, 'a string or a list of strings');
      return [];
    }
    const found: string[] = [];
    for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
      if (typeof item === 'string') found.push(item.trim());
      else warnItem(section, key, index, 'text');
    }
    return found.filter((item) => item !== '');
  },
};

/** Any value, which its consumer reads; undefined where it is missing. */
export const any = (values: string, schema: JsonSchema = {}): Type<unknown> => ({
  values,
  schema: () => schema,
  read: memberOf,
});

/** What a list or an object makes of the values of its keys. */
type Make<K extends Keys, R> = (values: ValuesOf<K>, section: Section) => R;

/** An object with these keys; `make` gets their values and the object for warnings. */
export function object<K extends Keys>(members: K): Type<ValuesOf<K>>;
export function object<K extends Keys, R>(members: K, make: Make<K, R>): Type<R>;
export function object<K extends Keys, R>(members: K, make?: Make<K, R>): Type<ValuesOf<K> | R> {
  return {
    values: 'object',
    members,
    schema: () => objectSchema(members),
    read(section, key) {
      const own = subsection(section, key);
      checkUnknown(own, members);
      const values = readKeys(members, own);
      return make === undefined ? values : make(values, own);
    },
  };
}

/** An object with these keys, or text in place of an object that has only the key `short`. */
export function shortened<K extends Keys, R>(short: keyof K & string, members: K, make: Make<K, R>): Type<R> {
  const { schema } = object(members);
  return {
    values: `${members[short]?.type.values ?? 'text'}, or an object`,
    members,
    schema: () => {
      const form = members[short]?.type.schema() ?? TEXT;
      return { anyOf: [...(Array.isArray(form.anyOf) ? form.anyOf : [form]), schema()] };
    },
    read(section, key) {
      const isShort = typeof memberOf(section, key) === 'string';
      const own = isShort ? { ...section, value: {} } : subsection(section, key, 'text or an object');
      checkUnknown(own, members);
      const values = readKeys(members, own);
      return make(isShort ? { ...values, [short]: members[short]?.read(section, key) } : values, own);
    },
  };
}

/** A value for both appearances, or `{light, dark}`; one of the two replaces a missing other. */
export function themed<T>(type: Type<T | null>, about: string): Type<{ light: T; dark: T } | null> {
  const read = type.read;
  const members = {
    light: { about: `${about} on light pages`, type, read },
    dark: { about: `${about} on dark pages`, type, read },
  };
  return {
    ...shortened('light', members, ({ light, dark }) => bothOf(light, dark)),
    values: `${type.values}, or \`{light, dark}\``,
    isBrief: true,
  };
}

/** Values for both appearances where at least one is known. */
function bothOf<T>(light: T | null, dark: T | null): { light: T; dark: T } | null {
  const first = light ?? dark;
  return first === null ? null : { light: first, dark: dark ?? first };
}

interface ListOptions<R> {
  /** Entries that are used of a list that every page shows. */
  max?: number;
  /** What only one entry may have, and the warning for another one, which is dropped. */
  unique?: { by(entry: R): string; warn(entry: R, section: Section): void };
}

/** A list of objects with these keys. `make` gives the entry of an object, or null for none. */
export function list<K extends Keys, R>(
  members: K,
  make: Make<K, R | null>,
  { max = Number.MAX_SAFE_INTEGER, unique }: ListOptions<R> = {},
): Type<R[]> {
  return {
    values: 'list of objects',
    members,
    isList: true,
    schema: () => ({ type: 'array', items: objectSchema(members) }),
    read(section, key) {
      const seen = new Set<string>();
      return limited(section, key, sections(section, key), max).flatMap((own) => {
        checkUnknown(own, members);
        const entry = make(readKeys(members, own), own);
        if (entry === null) return [];
        const isNew = unique === undefined || !seen.has(unique.by(entry));
        if (!isNew) unique?.warn(entry, own);
        else if (unique !== undefined) seen.add(unique.by(entry));
        return isNew ? [entry] : [];
      });
    },
  };
}

interface RecordOptions {
  /** Keys that are used of an object that every page shows. */
  max?: number;
  /** Names that editors suggest. */
  names?: readonly string[];
  /** These are nearly all names in use, so that a similar one is a spelling mistake. */
  areAllNames?: boolean;
}

/** Warns about a name that is very similar to a known one; an object with any keys may have any other. */
function checkSpelling(section: Section, name: string, names: readonly string[]): void {
  if (name.length < 4 || names.includes(name)) return;
  const near = suggestName(name, names);
  if (near === null) return;
  const message = `Unknown key ${JSON.stringify(name.slice(0, 80))} in "${section.name}". Did you mean "${near}"?`;
  warnAt(section, name, 'config-unknown-key', message);
}

/** An object with any keys, each with a value of the type; null values are left out. Inherits nothing. */
export function record<T>(
  type: Type<T | null>,
  { max = Number.MAX_SAFE_INTEGER, names = [], areAllNames = false }: RecordOptions = {},
): Type<Record<string, T>> {
  return {
    values: 'object of texts',
    schema: () => recordSchema(type.schema(), names),
    read(section, key) {
      const own = subsection(section, key);
      const found: Record<string, T> = Object.create(null);
      for (const name of limited(section, key, Object.keys(own.value), max)) {
        const value = type.read(own, name);
        if (areAllNames) checkSpelling(own, name, names);
        if (value !== null) found[name] = value;
      }
      return found;
    },
  };
}
