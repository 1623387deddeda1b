import type { IconLibrary, IconRef } from '../site.ts';

/** Inline SVG of a library icon, or null when no library has it. `size` is in CSS px (default 16). */
export function iconSvg(
  _icon: IconRef,
  _library: IconLibrary,
  _options: { size?: number; className?: string } = {},
): string | null {
  return null;
}
