import type { Props, Value } from '../tree.ts';

// Props are untrusted input: any name may have any value. Each kind of prop reads one type, and nothing of any other.

/** A prop of a component: how it is read, and what the reference says about it. */
export interface Prop<T> {
  /** Values that it accepts, as Markdown: `text`, `flag`, names. */
  readonly values: string;
  /** What it does, a part of a sentence; may be empty. */
  readonly about: string;
  /** Readers see its text in the content, so that the search finds it. */
  readonly isSearched?: boolean;
  /** What a value of any type means; anything that the prop does not accept is the same as none. */
  read(value: Value): T;
}

/** Props of a component by name. */
export type Schema = Readonly<Record<string, Prop<unknown>>>;

/** Props as their schema reads them. `common` are those of every component. */
export type Read<S extends Schema> = { readonly [K in keyof S]: S[K] extends Prop<infer T> ? T : never } & {
  readonly common: Common;
};

/** Props that every component accepts for its root element. */
export interface Common {
  readonly id: string | null;
  readonly className: string | null;
  /** Declarations as text or as an object; not yet checked. */
  readonly style: Value;
  /** All props as written. */
  readonly written: Props;
}

/** Reads props by their schema. */
export function readProps<S extends Schema>(schema: S, props: Props): Read<S> {
  const read: Record<string, unknown> = { common: readCommon(props) };
  for (const name in schema) read[name] = schema[name]?.read(owned(props, name));
  return read as Read<S>;
}

function readCommon(props: Props): Common {
  const className = readText(owned(props, 'className')) ?? readText(owned(props, 'class'));
  return { id: readText(owned(props, 'id')), className, style: owned(props, 'style'), written: props };
}

function owned(props: Props, name: string): Value {
  return Object.hasOwn(props, name) ? props[name] : undefined;
}

/** A string (numbers count), trimmed; null when absent, empty or something else. */
export function readText(value: Value): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** `disabled`, `disabled={true}`, `disabled="true"`; everything else but absence is false. */
export function readFlag(value: Value): boolean {
  return value === true || value === 'true' || value === '';
}

/** Texts of an array, or the one text. */
function readList(value: Value): string[] {
  const list: readonly Value[] = Array.isArray(value) ? value : [value];
  return list.filter((item) => typeof item === 'string').map((item) => item.trim());
}

const HEX = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i;
const NAMED = /^[a-z]{3,20}$/i;
const FUNCTIONAL = /^(?:rgb|rgba|hsl|hsla|hwb|lab|lch|oklab|oklch)\([\d.,%/ a-z+-]{1,80}\)$/i;

/** A CSS color as written; null when the value is anything else. */
export function readColor(value: Value): string | null {
  if (typeof value !== 'string') return null;
  const color = value.trim();
  return HEX.test(color) || NAMED.test(color) || FUNCTIONAL.test(color) ? color : null;
}

/** Plain text, null without it. */
export const text = (about: string, values = 'text'): Prop<string | null> => ({
  values,
  about,
  read: readText,
});

/** Any value. */
export const data = (about: string, values = 'any value'): Prop<Value> => ({
  values,
  about,
  read: (value) => value,
});

/** A prop whose text the search finds. */
export const searched = <T>(prop: Prop<T>): Prop<T> => ({ ...prop, isSearched: true });

/** Text, or elements in braces; the search finds it. */
export const label = (about: string): Prop<Value> => searched(data(about, 'text'));

/** Inline Markdown, or elements in braces; the search finds it. */
export const markdown = (about: string): Prop<Value> => searched(data(about, 'Markdown'));

/** On if it is written without a value, `{true}` or `"true"`. */
export const flag = (about: string): Prop<boolean> => ({ values: 'flag', about, read: readFlag });

/** {@link flag} that also says whether it is set at all; null if not. */
export const choice = (about: string, values = 'flag'): Prop<boolean | null> => ({
  values,
  about,
  read: (value) => (value === undefined ? null : readFlag(value)),
});

/** On unless it is `{false}`. */
export const switchedOn = (about: string): Prop<boolean> => ({
  values: '`{false}`',
  about,
  read: (value) => value !== false && value !== 'false',
});

/** A CSS color, null for anything else. */
export const color = (about: string): Prop<string | null> => ({
  values: 'a CSS color',
  about,
  read: readColor,
});

/** A page or file of the docs, or a URL; the page checks it. */
export const url = (about: string): Prop<string | null> => text(about, 'page or URL');

/** Texts. */
export const list = (about: string, values = 'list of texts'): Prop<string[]> => ({
  values,
  about,
  read: readList,
});

/** A whole number within bounds, or null. */
export const integer = (min: number, max: number, about: string): Prop<number | null> => ({
  values: `number from ${min} to ${max}`,
  about,
  read(value) {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) return null;
    return Math.min(max, Math.max(min, Math.trunc(number)));
  },
});

/** One of some names, in any case if they are all lower case; null for any other. */
export const oneOf = <const N extends string>(names: readonly N[], about: string): Prop<N | null> => ({
  values: names.map((name) => `\`${name}\``).join(', '),
  about,
  read(value) {
    const written = readText(value)?.toLowerCase();
    return names.find((name) => name === written) ?? null;
  },
});

/** Accepted, and without effect. */
export const ignored = (about: string): Prop<null> => ({ values: 'any', about, read: () => null });

/** An icon and its style. */
export const iconProps = (about: string) => ({
  icon: data(about, 'icon'),
  iconType: text('style of a Font Awesome icon', '`solid`, `regular`, `brands`'),
});
