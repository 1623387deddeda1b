import { readFileSync } from 'node:fs';
import { packageFile } from '../assets.ts';
import { ICON_NOTICE } from '../icons/index.ts';
import { fontLicenses } from '../theme/fonts.ts';

/** Packages of which pages may load a part: components, utility classes, formulas, diagrams. */
const LOADED = ['preact', 'tailwindcss', 'katex', 'mermaid'];

let packages: string | null = null;

/** Notices of what others made and the bundle carries: fonts, icons, and parts that pages may load. */
export function licenses(): string {
  packages ??= LOADED.map((name) => `${name}\n\n${licenseOf(name)}`).join('\n\n---\n\n');
  return `Parts of this site were created by others and are used under these licenses.\n\n${ICON_NOTICE}\n\n---\n\n${fontLicenses()}\n\n---\n\n${packages}\n`;
}

function licenseOf(name: string): string {
  return readFileSync(packageFile(name, 'LICENSE'), 'utf8').trim();
}
