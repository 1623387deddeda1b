import { randomBytes } from 'node:crypto';
import { withDatabase } from '../admin.ts';
import { AdminError } from '../admin-error.ts';
import { type Config, misspelledSettings } from '../config.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { isDatabaseFailure } from '../platform/db/failure.ts';
import { watchDisk } from '../platform/disk.ts';
import { openStoredFiles } from '../stored-files.ts';
import { VERSION } from '../version.ts';
import { UNUSED_LINKS, withSnapshot } from './backup.ts';
import { checkDatabase, clockFinding } from './check-database.ts';
import { checkFiles } from './check-files.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import { readNeeded } from './stored-objects.ts';

export type { Finding } from './finding.ts';

export interface DoctorOptions {
  /** Reads every stored object and compares its digest. */
  read: boolean;
  /** Repairs what can be repaired without a decision. */
  repair: boolean;
}

export interface DoctorReport {
  /** The worst of the findings. */
  status: Finding['status'];
  findings: Finding[];
}

const MEGABYTE = 1_000_000;

/** Checks an installation, whether it runs or not. Changes nothing without `repair`. */
export async function examine(
  config: Config,
  options: DoctorOptions,
  onFinding: (finding: Finding) => void,
): Promise<DoctorReport> {
  const findings: Finding[] = [];
  const add = (finding: Finding): void => {
    findings.push(finding);
    onFinding(finding);
  };
  add(ok('program', `Offprint ${VERSION} on Node ${process.versions.node}.`));
  for (const finding of checkSettings()) add(finding);
  add(await checkDisk(config));
  const blobs = await openStore(config, add);
  try {
    await withDatabase(config, async (url) => {
      const database = openDatabase(url, { role: 'doctor', max: 2 });
      try {
        let isUsable = true;
        for await (const finding of checkDatabase(config, database.db)) {
          add(finding);
          if (finding.check === 'schema' && finding.status !== 'ok') isUsable = false;
        }
        if (!isUsable || blobs === null) return;
        await examineFiles({ url, database, blobs: blobs.blobs }, options, add);
      } finally {
        await database.close();
      }
    });
  } catch (error) {
    if (!(error instanceof AdminError)) throw error;
    add(failure('database', error.message, 'The checks of rows and files need it.'));
  } finally {
    blobs?.close();
  }
  const status = (['error', 'warning'] as const).find((each) => findings.some((one) => one.status === each));
  return { status: status ?? 'ok', findings };
}

async function examineFiles(
  { url, database, blobs }: { url: string; database: OpenDatabase; blobs: BlobStore },
  { read, repair }: DoctorOptions,
  add: (finding: Finding) => void,
): Promise<void> {
  const needed = await withSnapshot(url, ({ client }) => readNeeded(client));
  try {
    for await (const finding of checkFiles({ db: database.db, blobs, needed, read, repair })) add(finding);
  } catch (error) {
    if (isDatabaseFailure(error)) throw error;
    add(storeFailure(error));
  }
}

function checkSettings(): Finding[] {
  const misspelled = misspelledSettings();
  if (misspelled.length === 0) return [ok('settings', 'No variable looks like a misspelled setting.')];
  return misspelled.map((message) => warning('settings', message, 'Correct or remove the variable.'));
}

async function checkDisk(config: Config): Promise<Finding> {
  const minBytes = config.minFreeMb * MEGABYTE;
  const free = await watchDisk(config.dataDir, minBytes).freeBytes();
  if (free === null) return ok('disk', 'The system does not report free space.');
  const message = `${Math.floor(free / MEGABYTE)} MB are free for ${config.dataDir}; OFFPRINT_MIN_FREE_MB is ${config.minFreeMb}.`;
  if (free < minBytes) return failure('disk', message, 'Free space: a worker starts no exports here.');
  if (free < 2 * minBytes) return warning('disk', message, 'Free space, or enlarge the volume.');
  return ok('disk', message);
}

type Store = Awaited<ReturnType<typeof openStoredFiles>>;

/** Opens the store after it has stored, returned and deleted an object; null if it did not. */
async function openStore(config: Config, add: (finding: Finding) => void): Promise<Store | null> {
  const place =
    config.s3Bucket === undefined ? `The folder ${config.dataDir}/blobs` : `The bucket ${config.s3Bucket}`;
  let store: Store | null = null;
  try {
    store = await openStoredFiles(config, UNUSED_LINKS);
    const key = `doctor/${randomBytes(8).toString('hex')}`;
    const before = Date.now();
    await store.blobs.put(key, Buffer.from('offprint doctor'));
    const info = await store.blobs.stat(key);
    await store.blobs.delete(key);
    if (info === null) throw new Error('an object that was stored is not there');
    add(ok('store', `${place} can be written and read.`));
    // Times of objects are in whole seconds.
    const seconds = (info.modifiedAt.getTime() + 500 - (before + Date.now()) / 2) / 1_000;
    if (config.s3Bucket !== undefined) add(clockFinding('store', seconds));
    return store;
  } catch (error) {
    store?.close();
    add(storeFailure(error));
    return null;
  }
}

function storeFailure(error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return failure(
    'store',
    `The store cannot be used: ${reason}`,
    'Check the settings OFFPRINT_S3_* or the folder `blobs` of the data folder.',
  );
}
