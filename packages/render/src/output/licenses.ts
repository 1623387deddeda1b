import { ICON_NOTICE } from '../icons/index.ts';
import { fontLicenses } from '../theme/fonts.ts';

/** Notices of what others made and the bundle carries: fonts and icons. */
export function licenses(): string {
  return `Parts of this site were made by others and are used under these licences.\n\n${ICON_NOTICE}\n\n---\n\n${fontLicenses()}\n`;
}
