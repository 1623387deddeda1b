import {
  type ArtifactFile,
  createPaths,
  type Found,
  type OpenArtifact,
  openArtifact,
} from '@offprint/bundle';
import type { Kysely } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { readIndex, readStoredChunk } from './artifact.ts';
import { explainLoss } from './lost-artifact.ts';
import { notCompleted } from './present.ts';
import type { ExportRow } from './store.ts';

/** An artifact of the store, ready to be compared and read. */
export interface StoredArtifact extends OpenArtifact {
  /** The file at a path of the site, such as `/guides/start?x`. */
  find(target: string): Found<ArtifactFile>;
}

export interface ArtifactReader {
  /** The artifact of a bundle. Throws a LostArtifactError if it is not stored. */
  open(organizationId: string, bundle: string): Promise<StoredArtifact>;
}

/** Files and redirects of all manifests that are kept: some 400 bytes each. */
const KEPT_ENTRIES = 100_000;

/**
 * Reads artifacts where they are stored, file by file: no bundle is unpacked for it. What a manifest says never
 * changes, so those used last are kept, up to `keptEntries` files and redirects in all (the last one whatever its
 * size). Chunks are not kept: one takes a millisecond to inflate, and browsers keep what they were given.
 */
export function createArtifactReader(blobs: BlobStore, keptEntries = KEPT_ENTRIES): ArtifactReader {
  // The one used last at the end.
  const kept = new Map<string, StoredArtifact>();
  const opening = new Map<string, Promise<StoredArtifact>>();

  const load = async (organizationId: string, bundle: string): Promise<StoredArtifact> => {
    const index = await readIndex(blobs, organizationId, bundle);
    const artifact = await openArtifact(index, (chunk) =>
      readStoredChunk(blobs, organizationId, bundle, chunk),
    );
    return { ...artifact, find: createPaths(artifact.manifest, '') };
  };

  const keep = (name: string, artifact: StoredArtifact): void => {
    kept.delete(name);
    kept.set(name, artifact);
    let entries = 0;
    for (const [other, { manifest }] of [...kept].reverse()) {
      entries += manifest.files.length + manifest.redirects.length;
      if (entries > keptEntries && other !== name) kept.delete(other);
    }
  };

  return {
    async open(organizationId, bundle) {
      const name = `${organizationId}/${bundle}`;
      const known = kept.get(name);
      if (known !== undefined) {
        keep(name, known);
        return known;
      }
      // Those who ask at the same time share one reading.
      const running = opening.get(name) ?? load(organizationId, bundle);
      opening.set(name, running);
      try {
        const artifact = await running;
        keep(name, artifact);
        return artifact;
      } finally {
        opening.delete(name);
      }
    },
  };
}

/**
 * Opens the artifact of an export. Throws the 409 for one that is not completed, and the 410 for a lost artifact, also when
 * a file of it is read.
 */
export type OpenExport = (row: ExportRow) => Promise<StoredArtifact>;

export function createOpenExport(db: Kysely<Database>, artifacts: ArtifactReader): OpenExport {
  return async (row) => {
    if (row.status !== 'completed' || row.bundle_sha256 === null) {
      throw new AppError('not_completed', notCompleted(row));
    }
    try {
      const artifact = await artifacts.open(row.organization_id, row.bundle_sha256);
      return {
        ...artifact,
        read: (...which) => explained(artifact.read(...which), (error) => explainLoss(db, row, error)),
      };
    } catch (error) {
      throw await explainLoss(db, row, error);
    }
  };
}

async function* explained(
  pieces: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    throw await explain(error);
  }
}
