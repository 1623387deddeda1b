import { isSystemError, systemErrorText } from '@offprint/bundle';
import { StartError } from './platform/start-error.ts';

/** Waits for `started`. An error of the system that concerns a path in the data folder names the setting, too. */
export async function withDataFolder<Result>(dataDir: string, started: Promise<Result>): Promise<Result> {
  try {
    return await started;
  } catch (error) {
    const isInside = isSystemError(error) && error.path?.startsWith(dataDir) === true;
    const text = isInside ? systemErrorText(error) : null;
    if (text === null) throw error;
    throw new StartError(
      `${text} The data folder is ${dataDir}. To use another one, set OFFPRINT_DATA_DIR.`,
      { cause: error },
    );
  }
}
