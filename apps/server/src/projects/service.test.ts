import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { openFsBlobStore } from '../platform/blob/fs.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { snapshotProject } from './service.ts';
import { uploadKey } from './upload.ts';

const [OLD, NEW] = ['a'.repeat(64), 'b'.repeat(64)];

let postgres: TestDatabase;
let database: OpenDatabase;
let blobs: BlobStore;
let folder: string;
let organizationId: string;

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 2 });
  folder = await mkdtemp(join(tmpdir(), 'offprint-projects-'));
  blobs = await openFsBlobStore({
    folder: join(folder, 'blobs'),
    secret: Buffer.alloc(32, 1),
    publicUrl: () => 'http://localhost',
    now: () => new Date(),
  });
  organizationId = (await createOrganization(database.db, { name: 'Acme', plan: 'enterprise' })).id;
  await writeFile(join(folder, 'docs.json'), '{}');
  const archive = execFileSync('tar', ['czf', '-', '-C', folder, 'docs.json']);
  await blobs.put(uploadKey(organizationId, NEW), archive);
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
  await rm(folder, { recursive: true });
});

const snapshotOf = async (get: (id: string) => BlobStore['get']) => {
  const id = newId('prj');
  await database.db
    .insertInto('projects')
    .values({
      id,
      organization_id: organizationId,
      name: 'Docs',
      source_kind: 'upload',
      upload_sha256: OLD,
    })
    .execute();
  const into = join(folder, id);
  const adapters = {
    db: database.db,
    blobs: { ...blobs, get: get(id) },
    credentialKey: Buffer.alloc(32),
    folderRoot: null,
    policy: { allowPrivate: false, allowedHosts: [], allowHttp: [] },
    sourceBytes: 1_000_000,
    mirrorDir: null,
    providedFeatures: new Set<string>(),
    services: new Set<never>(),
    modelFault: async () => null,
  };
  return snapshotProject(
    adapters,
    { organizationId, id },
    { ref: null, into, signal: new AbortController().signal },
  );
};

test('a project read before its archive was replaced uses the new archive', async () => {
  const { root } = await snapshotOf((id) => async (key, range) => {
    await database.db.updateTable('projects').set({ upload_sha256: NEW }).where('id', '=', id).execute();
    return blobs.get(key, range);
  });
  expect(await readdir(root)).toEqual(['docs.json']);
});

test('an archive that is not stored though the project names it is an internal error', async () => {
  await expect(snapshotOf(() => blobs.get)).rejects.toThrow('is not stored');
});
