import { cleanDataUrl } from '../clean/files.ts';
import { escapeAttribute } from '../escape.ts';
import { iconSvg } from '../icons/index.ts';
import type { IconRef } from '../site.ts';
import { relativeLink } from './paths.ts';
import type { Theme } from './theme.ts';

/**
 * An icon of the chrome: drawn inline, an image of the source, or inline markup as an image, where scripts
 * cannot run. Empty for an icon that is unknown or on another host.
 */
export function chromeIcon(
  theme: Theme,
  output: string,
  icon: IconRef | null,
  size = 16,
  className = '',
): string {
  if (icon === null || icon.name.trim() === '') return '';
  const name = icon.name.trim();
  if (name.startsWith('<svg'))
    return image(
      cleanDataUrl(`data:image/svg+xml,${encodeURIComponent(name.toWellFormed())}`) ?? '',
      size,
      className,
    );
  if (/^https?:|^data:/i.test(name)) return '';
  if (name.includes('/') || /\.(svg|png|jpe?g|webp|gif|ico|avif)$/i.test(name)) {
    const path = name.replace(/^\.?\/+/, '');
    return theme.hasAsset(path) ? image(relativeLink(output, path), size, className) : '';
  }
  return (
    iconSvg(icon, theme.siteMap.config.icons.library, className === '' ? { size } : { size, className }) ?? ''
  );
}

function image(src: string, size: number, className: string): string {
  return `<img class="op-icon${className === '' ? '' : ` ${className}`}" src="${escapeAttribute(src)}" width="${size}" height="${size}" alt="">`;
}

const parts = new Map<string, string>();

/** Icon of the chrome itself, from lucide; every page asks for the same few. */
export function partIcon(name: string, size = 16, className?: string): string {
  const key = `${name} ${size} ${className ?? ''}`;
  let svg = parts.get(key);
  if (svg === undefined) {
    const options = className === undefined ? { size } : { size, className };
    svg = iconSvg({ name, style: null, library: 'lucide' }, 'lucide', options) ?? '';
    parts.set(key, svg);
  }
  return svg;
}

const brands = new Map<string, string>();

/** Icon of a brand (`github`, `x`), else `fallback` of lucide. */
export function brandIcon(platform: string, size = 18, fallback = 'globe'): string {
  const key = `${platform.toLowerCase()} ${size} ${fallback}`;
  let svg = brands.get(key);
  if (svg === undefined) {
    const name = BRANDS[platform.toLowerCase()] ?? platform.toLowerCase();
    svg =
      iconSvg({ name, style: 'brands', library: 'fontawesome' }, 'fontawesome', { size }) ??
      partIcon(fallback, size);
    // Platforms are words of a source; the table stays small whatever it holds.
    if (brands.size < 200) brands.set(key, svg);
  }
  return svg;
}

const BRANDS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  x: 'x-twitter',
  twitter: 'twitter',
  website: 'globe',
  'earth-americas': 'earth-americas',
  podcast: 'podcast',
});
