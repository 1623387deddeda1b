import type { IconLibrary, IconRef } from '../icon-ref.ts';
import { iconDefect } from '../icons/index.ts';
import { isObject } from './json.ts';
import { objectSchema } from './json-schema.ts';
import { defineKey, type Type } from './key.ts';
import { memberOf, warnAt } from './section.ts';
import { oneOf, text } from './types.ts';

export const ICON_LIBRARIES = ['fontawesome', 'lucide', 'tabler'] as const satisfies readonly IconLibrary[];

/**
 * An icon as written: text, or `{name, style?, library?}`. `iconType` is the older place of the style. null for
 * anything else.
 */
function readIcon(value: unknown, iconType: unknown): IconRef | null {
  const style = typeof iconType === 'string' && iconType !== '' ? iconType : null;
  if (typeof value === 'string')
    return value.trim() === '' ? null : { name: value.trim(), style, library: null };
  if (!isObject(value) || typeof value.name !== 'string' || value.name.trim() === '') return null;
  const library = ICON_LIBRARIES.find((name) => name === value.library) ?? null;
  return { name: value.name.trim(), style: typeof value.style === 'string' ? value.style : style, library };
}

/** Whether an icon is meant to come from a library: no markup, path or URL. */
function isLibraryName(name: string): boolean {
  return !/^<|^data:|[/:]|\.(?:svg|png|jpe?g|webp|gif|ico|avif)$/i.test(name);
}

/** What is wrong with an icon that is meant to come from a library; null for paths, URLs and markup. */
function libraryIconDefect(icon: IconRef): ReturnType<typeof iconDefect> {
  return isLibraryName(icon.name) ? iconDefect(icon, 'fontawesome') : null;
}

const members = {
  name: defineKey('Name in the library, path or URL of an image', text, { example: 'rocket' }),
  style: defineKey('Style of a Font Awesome icon', text, { example: 'regular' }),
  library: defineKey('Library of the icon', oneOf(...ICON_LIBRARIES), { otherwise: '`icons.library`' }),
};

/** An icon in docs.json or front matter, with a warning where it draws nothing. Its style may be in `iconType`. */
export const icon: Type<IconRef | null> = {
  values: 'name, path or URL, or `{name, style, library}`',
  isBrief: true,
  members,
  schema: () => ({
    anyOf: [{ type: 'string' }, { ...objectSchema(members), additionalProperties: true }],
  }),
  read(section, key) {
    const written = memberOf(section, key);
    const read = readIcon(written, section.value.iconType);
    if (read === null) {
      if (written !== undefined && written !== '' && written !== false)
        warnAt(section, key, 'config-type', '"icon" must be a name, a path or {"name"}; it was ignored.');
      return null;
    }
    const defect = libraryIconDefect(read);
    if (defect !== null) warnAt(section, key, defect.code, defect.message);
    return read;
  },
};

/** An icon and the older place of its style. */
export const iconKeys = (about: string) => ({
  icon: defineKey(about, icon),
  iconType: defineKey('Style of a Font Awesome icon, such as `regular` or `brands`', text),
});
