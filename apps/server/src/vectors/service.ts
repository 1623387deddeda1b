import type { Embeddings } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { type EmbeddingsBody, presentSettings, settingsColumns, type VectorConfig } from './settings.ts';
import { findSettings, readState, saveSettings } from './store.ts';

export { createVectorsKind } from './job.ts';
export { type CompareSections, createNearness } from './nearness.ts';
export type { VectorConfig } from './settings.ts';
export { queueVectorsOfExport } from './store.ts';
export { startVectorSweeper } from './sweep.ts';

interface Owner {
  organizationId: string;
  projectId: string;
}

/** The endpoint of a project for vectors, with its state; null: its sites are searched by words. */
export async function readEmbeddings(db: Kysely<Database>, projectId: string): Promise<Embeddings | null> {
  const row = await findSettings(db, projectId);
  return row === undefined ? null : presentSettings(row, await readState(db, row));
}

/** Sets the endpoint of a project, or with null turns vectors off. Throws the 400. */
export async function updateEmbeddings(
  tx: Transaction<Database>,
  of: Owner,
  body: EmbeddingsBody | null,
  config: VectorConfig,
): Promise<void> {
  const before = body === null ? undefined : await findSettings(tx, of.projectId);
  await saveSettings(tx, of, body === null ? null : settingsColumns(config, of.projectId, body, before));
}
