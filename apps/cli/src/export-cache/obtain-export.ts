/** An export with what earlier ones of the same docs have left. */
import { rmSync } from 'node:fs';
import { isDamagedBundle } from '@offprint/bundle';
import type { DirectorySource } from '@offprint/render/source-directory';
import type { BundleCache, KeptExport } from '@offprint/server/export-site';
import type { Cache } from './cache-folder.ts';
import { type ExportOutcome, findExport, keepExport, type ReadDates, readInput } from './export-cache.ts';
import { keepLast, lastKey, openLast } from './last-export.ts';

type Dates = Awaited<ReturnType<ReadDates>>;

/** An export that was made now. */
export interface NewExport {
  outcome: ExportOutcome;
  renderedPages: number;
  kept: KeptExport;
}

/** An export that is in the bundle file. */
export interface MadeExport extends ExportOutcome {
  /** Whether the bundle was made by an earlier command. */
  cached: boolean;
  /** Pages that this command rendered. */
  renderedPages: number;
}

export interface CachedTask {
  folder: string;
  /** The bundle to write, which is not there. */
  file: string;
  /** Lists the files of the folder. */
  readSource(): DirectorySource;
  readDates: ReadDates;
  /** Options that pages depend on, and others that only the bundle depends on. */
  pageOptions: object;
  bundleOptions: object;
  cache: Cache;
  /** Writes the bundle, with what the last export left if `cache` is given. */
  make(source: DirectorySource, dates: Dates, cache?: BundleCache): Promise<NewExport>;
}

/** Writes the bundle of an earlier export of the same files, else a new one with the pages that are the same. */
export async function obtainExport(task: CachedTask): Promise<MadeExport> {
  const { folder, file, readSource, readDates, pageOptions, bundleOptions, cache } = task;
  const source = readSource();
  const options = { ...pageOptions, ...bundleOptions };
  const input = readInput(folder, source, options, cache);
  if (input === null) return asMade(await task.make(source, await readDates(null)));
  const { key, program, digests } = input;
  const found = await findExport(input, readDates, cache, file);
  if (found !== null) return { ...found, cached: true, renderedPages: 0 };
  const last = lastKey(folder, program, pageOptions);
  const dates = input.wantsDates === false ? undefined : await readDates(input.wantsDates);
  const made = await makeFromLast(task, source, dates, {
    program,
    digests,
    get: cache.get,
    put: cache.put,
    earlier: openLast(last, cache),
  });
  const { outcome, kept } = made;
  // Files may have changed while they were rendered.
  const isSame = readInput(folder, readSource(), options, cache)?.key === key;
  if (isSame && kept.isFinal && outcome.sizeBytes <= cache.maxEntryBytes) {
    const start = keepExport(key, { outcome, file }, dates, cache);
    keepLast(last, { key, start }, kept, cache);
  }
  return asMade(made);
}

const asMade = ({ outcome, renderedPages }: NewExport): MadeExport => ({
  ...outcome,
  cached: false,
  renderedPages,
});

const isStale = (error: unknown): boolean =>
  isDamagedBundle(error) || (error instanceof Error && error.name === 'StaleRenderError');

/** Makes the bundle with what the last export left; without it if that turns out to be damaged. */
async function makeFromLast(
  { file, make }: CachedTask,
  source: DirectorySource,
  dates: Dates,
  cache: BundleCache,
): Promise<NewExport> {
  const { earlier } = cache;
  try {
    return await make(source, dates, cache);
  } catch (error) {
    if (earlier === null || !isStale(error)) throw error;
    for (const written of [file, `${file}.chunks`]) rmSync(written, { force: true });
    return await make(source, dates, { ...cache, earlier: null });
  } finally {
    earlier?.bundle.close();
  }
}
