import { escapeAttribute } from '../escape.ts';
import type { Props, Value } from '../tree.ts';
import type { PageScope } from './component.ts';

// Props are what strangers wrote: any name may hold any value. These readers give the one type that a component
// works with, or null.

/** A string (numbers count), trimmed; null when absent, empty or something else. */
export function readText(props: Props, name: string): string | null {
  const value = own(props, name);
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** `disabled`, `disabled={true}`, `disabled="true"`; everything else but absence is false. */
export function readFlag(props: Props, name: string): boolean {
  const value = own(props, name);
  return value === true || value === 'true' || value === '';
}

/** A whole number within bounds; `fallback` when it is absent or no number. */
export function readNumber(props: Props, name: string, min: number, max: number, fallback: number): number {
  const value = own(props, name);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return fallback;
  return Math.min(max, Math.max(min, Math.trunc(number)));
}

/** Texts of an array, or the one text. */
export function readList(props: Props, name: string): string[] {
  const value = own(props, name);
  const list: readonly Value[] = Array.isArray(value) ? value : [value];
  return list.filter((item) => typeof item === 'string').map((item) => item.trim());
}

/** HTML of a prop that may be text or nodes; empty when absent. */
export function readHtml(props: Props, name: string, page: PageScope): string {
  const value = own(props, name);
  return value === undefined || value === null || typeof value === 'boolean' ? '' : page.value(value);
}

const HEX = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i;
const NAMED = /^[a-z]{3,20}$/i;
const FUNCTIONAL = /^(?:rgb|rgba|hsl|hsla|hwb|lab|lch|oklab|oklch)\([\d.,%/ a-z+-]{1,80}\)$/i;

/** A CSS colour as written when it is nothing but a colour; null otherwise. */
export function readColor(value: Value): string | null {
  if (typeof value !== 'string') return null;
  const color = value.trim();
  return HEX.test(color) || NAMED.test(color) || FUNCTIONAL.test(color) ? color : null;
}

/** An id as written, when it can be one. */
export function readId(props: Props): string | null {
  const id = readText(props, 'id');
  return id === null || /\s/.test(id) ? null : id;
}

/** ` class="..."` of a component's root: its own classes, then the author's. */
export function classAttribute(props: Props, ...classes: (string | null)[]): string {
  const own = readText(props, 'className') ?? readText(props, 'class');
  return ` class="${escapeAttribute([...classes, own].filter((name) => name !== null).join(' '))}"`;
}

/** ` name="value"`, or nothing for null. */
export function attribute(name: string, value: string | null): string {
  return value === null ? '' : ` ${name}="${escapeAttribute(value)}"`;
}

/** HTML of an icon prop, painted in a colour that has been read by {@link readColor}; empty without an icon. */
export function readIcon(
  props: Props,
  page: PageScope,
  options: { size: number; className?: string; color?: string | null; name?: string },
): string {
  const icon = own(props, options.name ?? 'icon');
  if (icon === undefined || icon === null || icon === '' || typeof icon === 'boolean') return '';
  const { size, className, color } = options;
  const style = readText(props, 'iconType');
  const html = page.icon(icon, { style, size, ...(className === undefined ? {} : { className }) });
  // A presentation attribute and no style attribute: the pages forbid inline styles.
  return color && html.startsWith('<svg') ? html.replace('<svg', `<svg${attribute('color', color)}`) : html;
}

function own(props: Props, name: string): Value {
  return Object.hasOwn(props, name) ? props[name] : undefined;
}

/** The same HTML without links, for places that stand inside a link or a button themselves. */
export function withoutLinks(html: string): string {
  return html.includes('<a') ? html.replace(/<\/?a(?=[\s>])[^>]*>/g, '') : html;
}
