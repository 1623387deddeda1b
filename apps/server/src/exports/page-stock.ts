import { hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Kysely } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import type { Logger } from '../platform/log.ts';
import { bundleKey } from './artifact.ts';
import { keptBundle, keptFile, maxKeptBytes } from './kept-pages.ts';
import type { RenderInput } from './render-child.ts';
import type { ExportRow } from './store.ts';
import { readOutput } from './summary.ts';

/** Pages of the last export of each project, in the store that all workers share. */
export interface PageStock {
  /** Null: this export uses and leaves nothing. */
  open(row: ExportRow, input: RenderInput): Promise<OpenStock | null>;
}

export interface OpenStock {
  /** Writes what the last export has left into a folder. False if there is nothing. */
  provide(folder: string, signal: AbortSignal): Promise<boolean>;
  /** Digest of the bundle of the last export; null before `provide`, and for the first export. */
  earlier(): string | null;
  /** Stores what a render has left in its folder. A store that fails is logged: only the next export is slower. */
  keep(artifactDir: string, bundleSha256: string): Promise<void>;
}

/** Objects with what exports leave. */
export const KEPT_PREFIX = 'kept-pages/';
/** The digest of the bundle comes first. */
const DIGEST_LENGTH = 64;
/** A larger bundle is not read: rendering all pages does not take much longer. */
const MAX_BUNDLE_BYTES = 256 * 1024 * 1024;
/** Days without an export after which its pages are removed. */
const KEPT_DAYS = 30;

export interface PageStockAdapters {
  blobs: BlobStore;
  /** Whether the docs are those of the project: what strangers have written must not leave anything for others. */
  isTrusted(exportId: string): Promise<boolean>;
  log: Logger;
}

export function createPageStock({ blobs, isTrusted, log }: PageStockAdapters): PageStock {
  return {
    async open(row, input) {
      const { organization_id: organizationId, project_id: projectId } = row;
      if (projectId === null || row.paths !== null || !(await isTrusted(row.id))) return null;
      const key = keyOf(organizationId, projectId, input);
      let earlier: string | null = null;
      return {
        earlier: () => earlier,
        async provide(folder, signal) {
          try {
            earlier = await provide(blobs, organizationId, key, folder, signal);
            return earlier !== null;
          } catch (error) {
            signal.throwIfAborted();
            log.warn({ err: error, exportId: row.id }, 'the pages of the last export cannot be read');
            return false;
          }
        },
        async keep(artifactDir, bundleSha256) {
          try {
            const kept = await readOutput(artifactDir, keptFile, maxKeptBytes);
            if (kept !== null) await blobs.put(key, Buffer.concat([Buffer.from(bundleSha256), kept]));
          } catch (error) {
            log.warn({ err: error, exportId: row.id }, 'the pages of an export were not kept');
          }
        },
      };
    },
  };
}

/** One object for each set of options that pages depend on. */
function keyOf(organizationId: string, projectId: string, input: RenderInput): string {
  const { commit: _commit, committedAt: _at, modified: _modified, version: _version, ...options } = input;
  const digest = hash('sha256', JSON.stringify(Object.entries(options).sort()));
  return `${KEPT_PREFIX}${organizationId}/${projectId}/${digest}`;
}

/** The digest of the bundle that was written to the folder; null: nothing was. */
async function provide(
  blobs: BlobStore,
  organizationId: string,
  key: string,
  folder: string,
  signal: AbortSignal,
): Promise<string | null> {
  const stream = await blobs.get(key);
  if (stream === null) return null;
  const content = await buffer(stream);
  const digest = content.toString('latin1', 0, DIGEST_LENGTH);
  if (!/^[0-9a-f]{64}$/.test(digest)) return null;
  const bundle = bundleKey(organizationId, digest);
  if (((await blobs.stat(bundle))?.bytes ?? Number.POSITIVE_INFINITY) > MAX_BUNDLE_BYTES) return null;
  const source = await blobs.get(bundle);
  if (source === null) return null;
  await pipeline(source, createWriteStream(join(folder, keptBundle)), { signal });
  await writeFile(join(folder, keptFile), content.subarray(DIGEST_LENGTH));
  return digest;
}

/** Removes what exports of deleted projects have left, and of projects without an export for a month. */
export async function removeOldPages(
  { db, blobs }: { db: Kysely<Database>; blobs: BlobStore },
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const old = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  let project = { id: '', exists: false };
  for await (const { key, modifiedAt } of blobs.list(KEPT_PREFIX)) {
    if (signal.aborted) return;
    const id = key.split('/')[2] ?? '';
    if (project.id !== id) {
      const row = await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
      project = { id, exists: row !== undefined };
    }
    if (!project.exists || modifiedAt < old) await blobs.delete(key);
  }
}
