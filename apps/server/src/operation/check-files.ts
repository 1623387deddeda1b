import { createHash } from 'node:crypto';
import { counted } from '@offprint/contract/counted';
import type { Kysely } from 'kysely';
import { bundleKey, findLoss, LostArtifactError, readIndex } from '../exports/artifact.ts';
import { recordLoss, retryLoss } from '../exports/lost-artifact.ts';
import type { BlobInfo, BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { removeUnusedUpload } from '../projects/service.ts';
import { uploadKey } from '../projects/upload.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { NeededObjects } from './stored-objects.ts';

export interface FileCheck {
  db: Kysely<Database>;
  blobs: BlobStore;
  /** Rows as they were before the store was listed. */
  needed: NeededObjects;
  /** Reads every object and compares its digest; otherwise names and sizes only. */
  read: boolean;
  /** Queues the restoration of lost artifacts, and removes what is damaged or unused and can be made again. */
  repair: boolean;
}

/** Nothing is stored for as long before a row names it; the sweep of the workers waits as long. */
const ORPHAN_MS = 24 * 3_600_000;
/** Findings of one kind that are listed. */
const MAX_LISTED = 20;

interface Problems {
  lost: string[];
  damagedBundles: string[];
  lostUploads: string[];
  orphans: string[];
  /** Artifacts that are recorded as lost, and stored. */
  restored: string[];
  objects: number;
}

/** Compares the rows with the stored objects, in both directions. */
export async function* checkFiles(check: FileCheck): AsyncGenerator<Finding> {
  const problems: Problems = {
    lost: [],
    damagedBundles: [],
    lostUploads: [],
    orphans: [],
    restored: [],
    objects: 0,
  };
  await checkArtifacts(check, problems);
  await checkBundles(check, problems);
  await checkUploads(check, problems);
  const { repair } = check;
  const done = (text: string): string => (repair ? text : 'Run `offprint doctor --repair`.');
  yield* listed(problems.lost, (message) =>
    failure(
      'files',
      message,
      done('It is queued to be rendered again.') +
        (repair ? '' : ' It queues the artifact to be rendered again.'),
    ),
  );
  yield* listed(problems.damagedBundles, (message) =>
    failure('files', message, done('It was deleted, and is made again at the next request.')),
  );
  yield* listed(problems.lostUploads, (message) =>
    failure('files', message, 'Restore it from a backup, or upload the docs of the project again.'),
  );
  yield* listed(problems.restored, (message) => warning('files', message, done('It was checked again.')));
  yield* listed(problems.orphans, (message) =>
    warning(
      'files',
      message,
      'Workers remove artifacts and bundles after a day; `--repair` removes uploads.',
    ),
  );
  const { lost, damagedBundles, lostUploads, orphans, restored, objects } = problems;
  if (lost.length + damagedBundles.length + lostUploads.length + orphans.length + restored.length > 0) return;
  const { artifacts, uploads } = check.needed;
  const how = check.read ? 'and read' : 'by name and size';
  yield ok(
    'files',
    `The store contains ${counted(artifacts.length, 'artifact')} and ${counted(uploads.length, 'upload')} (${counted(objects, 'object')}, compared ${how}).`,
  );
}

function* listed(messages: readonly string[], describe: (message: string) => Finding): Generator<Finding> {
  for (const message of messages.slice(0, MAX_LISTED)) yield describe(message);
  const more = messages.length - MAX_LISTED;
  if (more > 0) yield describe(`${more} more of the same kind.`);
}

async function checkArtifacts(check: FileCheck, problems: Problems): Promise<void> {
  const { needed, blobs } = check;
  const missing = new Map(needed.artifacts.map((one) => [`${one.organizationId}/${one.bundle}`, one]));
  const losses = await recordedLosses(check);
  for await (const { name, objects } of groups(blobs, 'artifacts/')) {
    problems.objects += objects.length;
    const artifact = missing.get(name);
    if (artifact === undefined) {
      if (isOld(objects)) problems.orphans.push(`The stored artifact ${name} belongs to no export.`);
      continue;
    }
    missing.delete(name);
    const reason = await lossOf(check, artifact, objects);
    if (reason !== null) await noteLoss(check, problems, artifact, reason);
    else if (losses.has(name)) await noteRestored(check, problems, artifact);
  }
  for (const artifact of missing.values()) await noteLoss(check, problems, artifact, 'all of it is missing');
}

type Artifact = NeededObjects['artifacts'][number];

async function recordedLosses({ db }: FileCheck): Promise<Set<string>> {
  const rows = await db.selectFrom('lost_artifacts').select(['organization_id', 'bundle_sha256']).execute();
  return new Set(rows.map((row) => `${row.organization_id}/${row.bundle_sha256}`));
}

async function lossOf(
  { blobs, read }: FileCheck,
  { organizationId, bundle }: Artifact,
  objects: readonly BlobInfo[],
): Promise<string | null> {
  if (read) return findLoss(blobs, organizationId, bundle);
  const sizes = new Map(objects.map(({ key, bytes }) => [key.split('/').at(-1), bytes]));
  try {
    const { chunks } = await readIndex(blobs, organizationId, bundle);
    for (const { sha256, bytes } of chunks) {
      const size = sizes.get(sha256);
      if (size === undefined) return `the chunk ${sha256} is missing`;
      if (size !== bytes) return `the chunk ${sha256} has ${size} bytes instead of ${bytes}`;
    }
    return null;
  } catch (error) {
    if (error instanceof LostArtifactError) return error.message;
    throw error;
  }
}

async function noteLoss(
  { db, repair }: FileCheck,
  problems: Problems,
  { organizationId, bundle }: Artifact,
  reason: string,
): Promise<void> {
  const row = await db
    .selectFrom('exports')
    .select(['id', 'organization_id', 'bundle_sha256', 'domain'])
    .where('organization_id', '=', organizationId)
    .where('bundle_sha256', '=', bundle)
    .limit(1)
    .executeTakeFirst();
  // Deleted since the rows were read.
  if (row === undefined) return;
  problems.lost.push(`The artifact of ${row.domain} (${row.id}) is lost: ${reason}.`);
  if (repair) await recordLoss(db, row, reason);
}

async function noteRestored(
  { db, repair }: FileCheck,
  problems: Problems,
  { organizationId, bundle }: Artifact,
): Promise<void> {
  problems.restored.push(`The artifact ${bundle} of ${organizationId} is recorded as lost, but stored.`);
  if (repair) await db.transaction().execute((tx) => retryLoss(tx, organizationId, bundle));
}

async function checkBundles(check: FileCheck, problems: Problems): Promise<void> {
  const { needed, blobs, read, repair } = check;
  const known = new Map(
    needed.artifacts.map((one) => [bundleKey(one.organizationId, one.bundle), one] as const),
  );
  for await (const info of blobs.list('bundles/')) {
    problems.objects += 1;
    const artifact = known.get(info.key);
    if (artifact === undefined) {
      if (isOld([info])) problems.orphans.push(`The stored bundle ${info.key} belongs to no export.`);
      continue;
    }
    const isWhole =
      info.bytes === artifact.bytes && (!read || (await digestOf(blobs, info.key)) === artifact.bundle);
    if (isWhole) continue;
    problems.damagedBundles.push(`The stored bundle ${info.key} is damaged.`);
    // It is made of its artifact at the next request.
    if (repair) await blobs.delete(info.key);
  }
}

async function checkUploads(check: FileCheck, problems: Problems): Promise<void> {
  const { db, needed, blobs, read, repair } = check;
  const missing = new Map(needed.uploads.map((one) => [uploadKey(one.organizationId, one.sha256), one]));
  for await (const info of blobs.list('sources/')) {
    problems.objects += 1;
    const upload = missing.get(info.key);
    missing.delete(info.key);
    if (upload !== undefined) {
      if (read && (await digestOf(blobs, info.key)) !== upload.sha256)
        problems.lostUploads.push(`The uploaded archive ${info.key} is damaged.`);
      continue;
    }
    if (!isOld([info])) continue;
    problems.orphans.push(`The uploaded archive ${info.key} belongs to no project.`);
    const [, organizationId, sha256] = /^sources\/([^/]+)\/([0-9a-f]{64})\.tar\.gz$/.exec(info.key) ?? [];
    if (repair && organizationId !== undefined && sha256 !== undefined)
      await removeUnusedUpload({ db, blobs }, organizationId, sha256);
  }
  for (const [key, { organizationId, sha256 }] of missing) {
    const row = await db
      .selectFrom('projects')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('upload_sha256', '=', sha256)
      .executeTakeFirst();
    // Replaced since the rows were read.
    if (row !== undefined) problems.lostUploads.push(`The uploaded archive ${key} of ${row.id} is missing.`);
  }
}

async function digestOf(blobs: BlobStore, key: string): Promise<string | null> {
  const stream = await blobs.get(key);
  if (stream === null) return null;
  const digest = createHash('sha256');
  for await (const piece of stream) digest.update(piece);
  return digest.digest('hex');
}

const isOld = (objects: readonly BlobInfo[]): boolean =>
  objects.every(({ modifiedAt }) => modifiedAt.getTime() < Date.now() - ORPHAN_MS);

/** Objects below a prefix by organization and digest. */
async function* groups(
  blobs: BlobStore,
  prefix: string,
): AsyncGenerator<{ name: string; objects: BlobInfo[] }> {
  let name = '';
  let objects: BlobInfo[] = [];
  for await (const info of blobs.list(prefix)) {
    const next = info.key.split('/').slice(1, 3).join('/');
    if (next !== name && objects.length > 0) {
      yield { name, objects };
      objects = [];
    }
    name = next;
    objects.push(info);
  }
  if (objects.length > 0) yield { name, objects };
}
