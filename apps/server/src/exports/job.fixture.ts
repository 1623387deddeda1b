import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPacker, memoryChunks } from '@offprint/bundle';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { openFsBlobStore } from '../platform/blob/fs.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { claimJob, newWorkerNumber } from '../platform/jobs/leases.ts';
import { runLeased } from '../platform/jobs/run.ts';
import { NO_LIMITS } from '../platform/jobs/task.fixture.ts';
import { createMetrics } from '../platform/metrics.ts';
import { createExportKind } from './job.ts';
import type { Produce } from './produce.ts';
import { EXPORT_KIND, insertExport } from './start.ts';

/** What exports run on, all of it real but the renderer. */
export interface TestExports {
  database: OpenDatabase;
  databaseUrl: string;
  blobs: BlobStore;
  organizationId: string;
  projectId: string;
  workDir: string;
  /** Queues an export and resolves with its id. */
  start(): Promise<string>;
  /** One attempt, now; others wait. */
  run(
    id: string,
    produce: Produce,
    changes?: { store?: BlobStore; controller?: AbortController },
  ): Promise<void>;
  /** What the engine knows of an export that waits or runs. */
  jobOf(id: string): Promise<{ failures: number; worker: number | null } | undefined>;
  close(): Promise<void>;
}

export async function openTestExports(): Promise<TestExports> {
  const postgres = await createTestDatabase();
  const log = pino({ level: 'silent' });
  const database = openDatabase(postgres.url, { role: 'test', max: 6 });
  const { db } = database;
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
    blobs,
    organizationId,
    projectId,
    workDir,
    async start() {
      const id = newId('se');
      await db.transaction().execute((tx) =>
        insertExport(tx, {
          id,
          organizationId,
          projectId,
          body: { domain: 'docs.example.com' },
          createdBy: 'test',
          trigger: 'call',
        }),
      );
      return id;
    },
    async run(id, produce, { store = blobs, controller = new AbortController() } = {}) {
      const worker = newWorkerNumber();
      await db.updateTable('jobs').set({ run_at: sql<Date>`'infinity'` }).where('id', '<>', id).execute();
      await db
        .updateTable('jobs')
        .set({ run_at: sql<Date>`now()`, worker: null })
        .where('id', '=', id)
        .execute();
      const by = { worker, isIdle: true, passOver: [] };
      const job = await claimJob(db, EXPORT_KIND, NO_LIMITS, by);
      if (job?.id !== id) throw new Error(`claimed ${job?.id} instead of ${id}`);
      const kind = createExportKind({ db, blobs: store, log, produce });
      await runLeased(
        { db, worker, workDir, log, metrics: createMetrics() },
        { ...job, kind, organizationId, controller, traceParent: null, isOver: false },
      );
    },
    jobOf: (id) =>
      db.selectFrom('jobs').select(['failures', 'worker']).where('id', '=', id).executeTakeFirst(),
    async close() {
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
      access: { groups: [], excluding: [], hasPublic: false },
      warnings: [],
      warningCount: 0,
      index,
      readChunk: async (chunk) => store.get(chunk),
      links: null,
      earlier: null,
      keepPages: async () => {},
    };
  };
