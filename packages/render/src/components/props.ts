import { escapeAttribute } from '../escape.ts';
import { styleText } from '../mdx/style.ts';
import type { Node, Props, Value } from '../tree.ts';
import type { PageScope } from './component.ts';

// Props are untrusted input: any name may have any value. These readers return the one type that a component
// works with, or null.

/** A string (numbers count), trimmed; null when absent, empty or something else. */
export function readText(props: Props, name: string): string | null {
  const value = owned(props, name);
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** `disabled`, `disabled={true}`, `disabled="true"`; everything else but absence is false. */
export function readFlag(props: Props, name: string): boolean {
  const value = owned(props, name);
  return value === true || value === 'true' || value === '';
}

/** A whole number within bounds; `fallback` when it is absent or no number. */
export function readNumber(props: Props, name: string, min: number, max: number, fallback: number): number {
  const value = owned(props, name);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return fallback;
  return Math.min(max, Math.max(min, Math.trunc(number)));
}

/** Texts of an array, or the one text. */
export function readList(props: Props, name: string): string[] {
  const value = owned(props, name);
  const list: readonly Value[] = Array.isArray(value) ? value : [value];
  return list.filter((item) => typeof item === 'string').map((item) => item.trim());
}

/** `name={false}`; for props that are on unless they are switched off. */
export function isOff(props: Props, name: string): boolean {
  const value = owned(props, name);
  return value === false || value === 'false';
}

/** HTML of a prop that may be text or nodes; empty when absent. */
export function readHtml(props: Props, name: string, page: PageScope): string {
  const value = owned(props, name);
  return value === undefined || value === null || typeof value === 'boolean' ? '' : page.value(value);
}

/** HTML of a label in a button, a summary or a contents entry: without links of its own. */
export function readLabel(props: Props, name: string, page: PageScope): string {
  return page.withoutLinks(() => readHtml(props, name, page));
}

/** HTML of a prop that may hold inline Markdown. */
export function readMarkdown(props: Props, name: string, page: PageScope): string {
  const text = readText(props, name);
  return text === null ? readHtml(props, name, page) : page.inline(text);
}

/** Children of an inline component, without the paragraph around them. */
export function inlineChildren(children: readonly Node[]): readonly Node[] {
  const [only] = children;
  return children.length === 1 && only?.type === 'paragraph' ? only.children : children;
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

/** An id as written, reserved in this page; null when it is missing or invalid. Read it only once. */
export function readId(props: Props, page: PageScope): string | null {
  const id = readText(props, 'id');
  if (id === null || /\s/.test(id)) return null;
  return page.takeId(id) || null;
}

/**
 * ` id class style` of a component's root. The first class is the public name, which style sheets of sites select; our
 * rules select its twin with the prefix `op-`, so that an author's own element of that class gets none of them.
 */
export function rootAttributes(
  props: Props,
  page: PageScope,
  classes: readonly (string | null)[],
  id: string | null = readId(props, page),
): string {
  const own = readText(props, 'className') ?? readText(props, 'class');
  const [name, ...looks] = classes;
  const names = [name, name == null ? null : `op-${name}`, ...looks, own].filter((each) => each != null);
  const style = styleText(owned(props, 'style'), page.asset);
  return [
    attribute('id', id),
    names.length === 0 ? '' : attribute('class', names.join(' ')),
    style === '' ? '' : attribute('style', style),
  ].join('');
}

/** A link that a component makes; null without one, for an unsafe one, when disabled, and where links are text. */
export function readLink(props: Props, page: PageScope): { href: string; external: boolean } | null {
  const href = readText(props, 'href');
  return href === null || page.noLinks || readFlag(props, 'disabled') ? null : page.link(href);
}

/** ` href target rel` of a link. */
export function linkAttributes(link: { href: string; external: boolean }): string {
  return attribute('href', link.href) + (link.external ? ' target="_blank" rel="noopener noreferrer"' : '');
}

/** ` name="value"`, or nothing for null. */
export function attribute(name: string, value: string | null): string {
  return value === null ? '' : ` ${name}="${escapeAttribute(value)}"`;
}

/** HTML of an icon prop, painted in a color that has been read by {@link readColor}; empty without an icon. */
export function readIcon(
  props: Props,
  page: PageScope,
  options: { size: number; className?: string; color?: string | null; name?: string },
): string {
  const icon = owned(props, options.name ?? 'icon');
  if (icon === undefined || icon === null || icon === '' || typeof icon === 'boolean') return '';
  const { size, className, color } = options;
  const style = readText(props, 'iconType');
  const html = page.icon(icon, { style, size, ...(className === undefined ? {} : { className }) });
  return color && html.startsWith('<svg') ? html.replace('<svg', `<svg${attribute('color', color)}`) : html;
}

function owned(props: Props, name: string): Value {
  return Object.hasOwn(props, name) ? props[name] : undefined;
}
