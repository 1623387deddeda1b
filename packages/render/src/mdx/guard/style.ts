import { cleanValue, cssDeclarations, instead } from '../../clean/css.ts';
import type { Value } from '../../tree.ts';
import { isRecord } from '../evaluate/values.ts';

const unitless = new Set([
  'animation-iteration-count',
  'aspect-ratio',
  'column-count',
  'columns',
  'fill-opacity',
  'flex',
  'flex-grow',
  'flex-shrink',
  'font-weight',
  'grid-area',
  'grid-column',
  'grid-column-end',
  'grid-column-start',
  'grid-row',
  'grid-row-end',
  'grid-row-start',
  'line-clamp',
  'line-height',
  'opacity',
  'order',
  'orphans',
  'scale',
  'stroke-opacity',
  'stroke-width',
  'tab-size',
  'widows',
  'z-index',
  'zoom',
]);

/** URL of a file in the output for a URL as written; null for one that pages do not load. */
export type ResolveFile = (url: string) => string | null;

const noFile: ResolveFile = () => null;

/** Declarations of a `style` prop, string or object, without anything that loads or runs; empty when none is left. */
export function styleText(value: Value, resolve: ResolveFile = noFile): string {
  const given = typeof value === 'string' ? cssDeclarations(value) : isRecord(value) ? entriesOf(value) : [];
  return given
    .map(([name, text]) => safeDeclaration(name, text, resolve))
    .filter((part) => part !== '')
    .join(';');
}

function entriesOf(value: Readonly<Record<string, Value>>): [string, string][] {
  return Object.entries(value).map(([key, item]) => {
    const name = key.startsWith('--') ? key : key.replace(/[A-Z]/g, (char) => `-${char.toLowerCase()}`);
    if (typeof item === 'string') return [name, item];
    if (typeof item !== 'number' || !Number.isFinite(item)) return [name, ''];
    return [name, `${item}${item === 0 || unitless.has(name) || name.startsWith('--') ? '' : 'px'}`];
  });
}

const maxLength = 50_000;

/** One declaration, or nothing if it is none or loads what it may not load. */
function safeDeclaration(name: string, value: string, resolve: ResolveFile): string {
  if (!/^(?:--)?-?[a-z][a-z0-9-]{0,60}$/i.test(name) || /^(?:behavior|-moz-binding)$/i.test(name)) return '';
  if (value === '' || value.length > maxLength) return '';
  const cleaned = cleanValue(value, (url) => (url.startsWith('#') ? url : resolve(url)));
  if (cleaned !== null) return `${name}:${cleaned}`;
  // Without its mask, an icon would be a block of its color.
  const other = instead(name);
  return other === 'none' ? '' : `${name}:${other}`;
}
