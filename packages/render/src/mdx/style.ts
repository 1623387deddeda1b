import type { Value } from '../tree.ts';
import { isRecord } from './values.ts';

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

/** Declarations of a `style` prop, string or object, without anything that loads or runs; empty when none is left. */
export function styleText(value: Value): string {
  if (typeof value === 'string') return declarations(value);
  if (!isRecord(value)) return '';
  const parts: string[] = [];
  for (const key of Object.keys(value)) {
    const name = key.startsWith('--') ? key : key.replace(/[A-Z]/g, (char) => `-${char.toLowerCase()}`);
    const item = value[key];
    if (typeof item === 'number' && Number.isFinite(item)) {
      const unit = item === 0 || unitless.has(name) || name.startsWith('--') ? '' : 'px';
      parts.push(safeDeclaration(name, `${item}${unit}`));
    } else if (typeof item === 'string') parts.push(safeDeclaration(name, item));
  }
  return parts.filter((part) => part !== '').join(';');
}

function declarations(text: string): string {
  const parts: string[] = [];
  for (const part of text.split(';')) {
    const colon = part.indexOf(':');
    if (colon > 0) parts.push(safeDeclaration(part.slice(0, colon).trim(), part.slice(colon + 1).trim()));
  }
  return parts.filter((part) => part !== '').join(';');
}

/** One declaration, or nothing: no escapes (they hide names), no functions that load, no old script hooks. */
function safeDeclaration(name: string, value: string): string {
  if (!/^(?:--)?-?[a-z][a-z0-9-]{0,60}$/i.test(name)) return '';
  if (value === '' || value.length > 2000 || /[\\<>{};@]|\/\*/.test(value)) return '';
  if (
    /(?:url|image|image-set|cross-fade|src|expression|element|paint)\s*\(|javascript|behavior|-moz-binding/i.test(
      value,
    )
  )
    return '';
  if (/^(?:behavior|-moz-binding)$/i.test(name)) return '';
  return `${name}:${value}`;
}
