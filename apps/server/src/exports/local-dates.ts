import { checkoutDates, type FileDates } from '../platform/git/dates.ts';
import { wantsDates } from './wants-dates.ts';

/**
 * Dates of the files of a docs folder on this machine, if its pages show them and it is in a checkout;
 * undefined otherwise. `wanted` = whether pages show them, if that is known.
 */
export async function localDates(
  folder: string,
  wanted: boolean | null = null,
): Promise<FileDates | undefined> {
  return (wanted ?? (await wantsDates(folder))) ? await checkoutDates(folder) : undefined;
}
