import { checkoutDates, type FileDates } from '../platform/git/dates.ts';
import { wantsDates } from './wants-dates.ts';

/**
 * Dates of the files of a docs folder on this machine, if its pages show them and it is in a checkout;
 * undefined otherwise.
 */
export async function localDates(folder: string): Promise<FileDates | undefined> {
  return (await wantsDates(folder)) ? await checkoutDates(folder) : undefined;
}
