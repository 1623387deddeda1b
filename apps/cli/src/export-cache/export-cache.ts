/** Bundles of earlier exports, for docs that have not changed since. */
import { hash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import type { Warning } from '@offprint/render';
import type { DirectorySource } from '@offprint/render/source-directory';
import type { Cache } from './cache-folder.ts';
import { programId } from './program.ts';
import { digestFiles } from './source-files.ts';

/** What a command reports about an export. */
export interface ExportOutcome {
  pageCount: number;
  version: string;
  sha256: string;
  sizeBytes: number;
  /** URL of the site in the bundle; null where it is not known. */
  siteUrl: string | null;
  warnings: readonly Warning[];
}

/** Dates of files by the history of the repository, for docs that show them. */
export type ReadDates = (wanted: boolean | null) => Promise<Readonly<Record<string, string>> | undefined>;

interface Stored {
  /** Digest of the dates that the export shows; null if it shows none. */
  dates: string | null;
  outcome: ExportOutcome;
}

const FORMAT = 1;
const LENGTH_BYTES = 4;

/** What an export is made from, besides the dates of files. */
export interface ExportInput {
  /** Equal keys mean equal bundles, except for the dates of files. */
  key: string;
  program: string;
  /** SHA-256 of each file of the source. */
  digests: readonly string[];
  /** Whether the site shows when its files were changed; null if that is not known. */
  wantsDates: boolean | null;
}

/**
 * What the bundle of these files with these options is made from; `options` are those that it depends on. null if a file
 * cannot be read; the export reports it.
 */
export function readInput(
  folder: string,
  source: DirectorySource,
  options: object,
  cache: Cache,
): ExportInput | null {
  try {
    const { digests, wantsDates } = digestFiles(realpathSync(folder), source.paths, cache);
    const program = programId();
    const parts = [FORMAT, program, options, source.warnings, source.paths, digests];
    return { key: hash('sha256', JSON.stringify(parts)), program, digests, wantsDates };
  } catch {
    return null;
  }
}

/** Writes the bundle of an earlier export with this key and the same dates to a new file; null without one. */
export async function findExport(
  { key, wantsDates }: Pick<ExportInput, 'key' | 'wantsDates'>,
  readDates: ReadDates,
  cache: Cache,
  file: string,
): Promise<ExportOutcome | null> {
  // an entry that is damaged can be shorter
  const headBytes = (start: Buffer): number =>
    start.length < LENGTH_BYTES ? 0 : LENGTH_BYTES + start.readUInt32LE(0);
  const head = cache.getFile(key, headBytes, file);
  if (head === null) return null;
  const { dates, outcome }: Stored = JSON.parse(head.toString('utf8', LENGTH_BYTES));
  if (dates === null || dates === digestOf(await readDates(wantsDates))) return outcome;
  rmSync(file);
  return null;
}

/** Keeps an export that was made with these dates, whose bundle is in a file; returns the place of that in its entry. */
export function keepExport(
  key: string,
  { outcome, file }: { outcome: ExportOutcome; file: string },
  dates: Awaited<ReturnType<ReadDates>>,
  cache: Cache,
): number {
  const stored: Stored = { dates: dates === undefined ? null : digestOf(dates), outcome };
  const head = Buffer.from(JSON.stringify(stored));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.byteLength);
  cache.putFile(key, [length, head], file);
  return LENGTH_BYTES + head.byteLength;
}

function digestOf(dates: Awaited<ReturnType<ReadDates>>): string {
  return hash('sha256', JSON.stringify(Object.entries(dates ?? {}).sort()));
}
