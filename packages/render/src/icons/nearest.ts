import { readFileSync } from 'node:fs';
import { assetPath } from '../assets.ts';
import type { IconLibrary } from '../icon-ref.ts';

/** An icon of a free library. */
export interface FreeIcon {
  library: IconLibrary;
  name: string;
}

let table: ReadonlyMap<string, FreeIcon> | null = null;

/** The free icon that replaces one that only the paid set or another icon set has; null for other names. */
export function nearestIcon(name: string): FreeIcon | null {
  table ??= readTable(readFileSync(assetPath('packages/render/src/icons/nearest.txt'), 'utf8'));
  return table.get(name) ?? null;
}

/** Reads lines like `lucide/ghost: alien-8bit`; lines with `#` are comments. */
export function readTable(text: string): Map<string, FreeIcon> {
  const icons = new Map<string, FreeIcon>();
  for (const line of text.split('\n')) {
    const parts = /^(fontawesome|lucide|tabler)\/([a-z0-9-]+): (.+)$/.exec(line);
    if (parts === null) continue;
    const [, library, name = '', names = ''] = parts;
    const icon = { library: library as IconLibrary, name };
    for (const each of names.split(' ')) icons.set(each, icon);
  }
  return icons;
}

const styleEnding =
  /-(?:alt|simple|solid|regular|light|thin|duotone|sharp|outlined?|filled?|line|icon|o)$|^(?:icon|lucide|tabler)-/;

/** Other spellings of a name: without a style in it, singular and plural. */
export function otherSpellings(name: string): string[] {
  const plain = name.replace(styleEnding, '');
  const counted = plain.endsWith('s') ? plain.slice(0, -1) : `${plain}s`;
  return [plain, counted].filter((spelling) => spelling !== name && spelling !== '');
}
