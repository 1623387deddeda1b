import { iconDefect } from '../icons/index.ts';
import type { IconLibrary, IconRef } from '../site.ts';
import { isObject } from './json.ts';
import { type Section, warnAt } from './section.ts';

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

/** Whether an icon is meant to come from a library: no markup, path or URL. */
export function isLibraryName(name: string): boolean {
  return !/^<|^data:|[/:]|\.(?:svg|png|jpe?g|webp|gif|ico|avif)$/i.test(name);
}

/** What is wrong with an icon that is meant to come from a library; null for paths, URLs and markup. */
export function libraryIconDefect(icon: IconRef): ReturnType<typeof iconDefect> {
  return isLibraryName(icon.name) ? iconDefect(icon, 'fontawesome') : null;
}

/** `icon` of an entry of the configuration, with a warning where it draws nothing. */
export function iconOf(section: Section): IconRef | null {
  const { icon: written, iconType } = section.value;
  const icon = readIcon(written, iconType);
  if (icon === null) {
    if (written !== undefined && written !== null && written !== '' && written !== false) {
      warnAt(section, 'icon', 'config-type', '"icon" must be a name, a path or {"name"}; it was ignored.');
    }
    return null;
  }
  const defect = libraryIconDefect(icon);
  if (defect !== null) warnAt(section, 'icon', defect.code, defect.message);
  return icon;
}
