import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPacker, memoryChunks } from '@offprint/bundle';
import { pino } from 'pino';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { openFsBlobStore } from '../platform/blob/fs.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { createQueue } from '../platform/jobs/boss.ts';
import type { Job, Queue } from '../platform/jobs/queue.ts';
import { createMetrics } from '../platform/metrics.ts';
import { createExportRunner } from './job.ts';
import type { Produce } from './produce.ts';
import { EXPORT_QUEUE, type ExportPayload, insertExport, setQueueEntry } from './start.ts';

/** What exports run on, all of it real but the renderer. */
export interface TestExports {
  database: OpenDatabase;
  databaseUrl: string;
  queue: Queue;
  blobs: BlobStore;
  organizationId: string;
  projectId: string;
  workDir: string;
  /** Starts an export; its entry is in the queue. */
  start(): Promise<{ id: string; entry: string }>;
  /** Runs one delivery of an entry. */
  run(
    started: { id: string; entry: string },
    produce: Produce,
    changes?: { store?: BlobStore; job?: Partial<Job<ExportPayload>> },
  ): Promise<void>;
  close(): Promise<void>;
}

export async function openTestExports(): Promise<TestExports> {
  const postgres = await createTestDatabase();
  const log = pino({ level: 'silent' });
  const database = openDatabase(postgres.url, { role: 'test', max: 6 });
  const { db } = database;
  const queue = await createQueue({
    url: postgres.url,
    role: 'queue',
    log: { info() {}, error: console.error },
  });
  const folder = await mkdtemp(join(tmpdir(), 'offprint-job-'));
  const blobs = await openFsBlobStore({
    folder: join(folder, 'blobs'),
    secret: Buffer.alloc(32, 1),
    publicUrl: () => 'http://localhost',
    now: () => new Date(),
  });
  const organizationId = (await createOrganization(db, { name: 'Acme', plan: 'enterprise' })).id;
  const projectId = newId('prj');
  await db
    .insertInto('projects')
    .values({ id: projectId, organization_id: organizationId, name: 'Docs', source_kind: 'upload' })
    .execute();
  const workDir = join(folder, 'work');
  return {
    database,
    databaseUrl: postgres.url,
    queue,
    blobs,
    organizationId,
    projectId,
    workDir,
    start() {
      const id = newId('se');
      return db.transaction().execute(async (tx) => {
        await insertExport(tx, {
          id,
          organizationId,
          projectId,
          body: { domain: 'docs.example.com' },
          createdBy: 'test',
          trigger: 'call',
        });
        const entry = await queue.enqueue(tx, EXPORT_QUEUE, { exportId: id }, { owner: organizationId });
        await setQueueEntry(tx, id, entry);
        return { id, entry };
      });
    },
    run({ id, entry }, produce, { store = blobs, job = {} } = {}) {
      const run = createExportRunner({ db, blobs: store, log, metrics: createMetrics(), workDir, produce });
      return run({
        id: entry,
        payload: { exportId: id },
        delivery: 1,
        last: false,
        signal: new AbortController().signal,
        ...job,
      });
    },
    async close() {
      await queue.stop(0);
      await database.close();
      await postgres.drop();
      await rm(folder, { recursive: true });
    },
  };
}

/** A real artifact of one file. */
export const produceOne =
  (content: string): Produce =>
  async (_row, _folder, control) => {
    const store = memoryChunks();
    const packer = createPacker({ store });
    packer.add('index.html', content);
    const index = await packer.finish({
      site: { domain: 'docs.example.com', name: 'Docs', url: 'https://docs.example.com' },
      version: 'v1',
      commit: null,
      renderer: { name: 'offprint', version: '0' },
      redirects: [],
      features: {},
    });
    control.onSource({ commit: null, commitInfo: null });
    control.onRender({ rendered: 1, total: 1 });
    return {
      version: 'v1',
      commit: null,
      commitInfo: null,
      pageCount: 1,
      warnings: [],
      warningCount: 0,
      index,
      readChunk: async (chunk) => store.get(chunk),
    };
  };
