import type { IconLibrary, IconRef } from '../site.ts';
import { isObject } from './json.ts';

const LIBRARIES: readonly IconLibrary[] = ['fontawesome', 'lucide', 'tabler'];

/**
 * An icon as written in docs.json or front matter: text, or `{name, style?, library?}`. `iconType` is the older
 * place of the style. null for anything else.
 */
export function readIcon(value: unknown, iconType: unknown): IconRef | null {
  const style = typeof iconType === 'string' && iconType !== '' ? iconType : null;
  if (typeof value === 'string')
    return value.trim() === '' ? null : { name: value.trim(), style, library: null };
  if (!isObject(value) || typeof value.name !== 'string' || value.name.trim() === '') return null;
  const library = LIBRARIES.find((name) => name === value.library) ?? null;
  return { name: value.name.trim(), style: typeof value.style === 'string' ? value.style : style, library };
}
