import type { IconOptions } from '../../components/component.ts';
import { attributesOf, htmlOf } from '../../components/markup.ts';
import { escapeAttribute } from '../../escape.ts';
import { iconDefect, iconSvg } from '../../icons/index.ts';
import type { IconRef } from '../../site.ts';
import { isNode, type Value } from '../../tree.ts';
import { schemeOf } from './links.ts';
import type { Writer } from './writer.ts';

/** Inline SVG, or an image for a path; empty with a warning for an unknown name. */
export function writeIcon(icon: IconRef | string | Value, options: IconOptions, writer: Writer): string {
  if (typeof icon === 'string')
    return writeNamedIcon(
      { name: icon.trim(), style: options.style ?? null, library: null },
      options,
      writer,
    );
  if (typeof icon !== 'object' || icon === null) return '';
  if (Array.isArray(icon) || isNode(icon as Value))
    return `<span${attributesOf(options.attributes ?? {})} class="op-icon icon">${htmlOf(writer.value(icon as Value))}</span>`;
  const { name, style, library } = icon as { name?: unknown; style?: unknown; library?: unknown };
  if (typeof name !== 'string') return '';
  const known = library === 'fontawesome' || library === 'lucide' || library === 'tabler' ? library : null;
  return writeNamedIcon(
    { name, style: typeof style === 'string' ? style : (options.style ?? null), library: known },
    options,
    writer,
  );
}

function writeNamedIcon(icon: IconRef, options: IconOptions, writer: Writer): string {
  const { name } = icon;
  if (name === '') return '';
  const size = options.size ?? 16;
  const attributes = attributesOf(options.attributes ?? {});
  const className = options.className === undefined ? 'icon' : `icon ${options.className}`;
  if (name.includes('/') || schemeOf(name) !== null) {
    const src = writer.asset(name);
    return src === null
      ? ''
      : `<img${attributes} class="${escapeAttribute(`op-icon ${className}`)}" src="${escapeAttribute(src)}" alt="" width="${size}" height="${size}">`;
  }
  const library = icon.library ?? writer.site.siteMap.config.icons.library;
  const paint = attributesOf({ color: options.color });
  const svg = iconSvg(icon, library, {
    size,
    attributes: attributes + paint,
    ...(options.isOwn === true ? {} : { className }),
  });
  const defect = iconDefect(icon, library);
  if (defect !== null) writer.warn(defect.code, defect.message);
  return svg ?? '';
}
