import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { openFsBlobStore } from '../platform/blob/fs.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { removeOrphans } from './orphans.ts';

const HOUR_MS = 3_600_000;

let postgres: TestDatabase;
let database: OpenDatabase;
let blobs: BlobStore;
let folder: string;
let organizationId: string;
let other: string;

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 4 });
  folder = await mkdtemp(join(tmpdir(), 'offprint-orphans-'));
  blobs = await openFsBlobStore({
    folder,
    secret: Buffer.alloc(32, 1),
    publicUrl: () => 'http://localhost',
    now: () => new Date(),
  });
  [organizationId, other] = (await Promise.all(
    ['Acme', 'Other'].map(
      async (name) => (await createOrganization(database.db, { name, plan: 'enterprise' })).id,
    ),
  )) as [string, string];
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  for (const key of await keys()) await blobs.delete(key);
});

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of blobs.list('')) found.push(key);
  return found;
}

/** Objects as an attempt leaves them; returns the digest of the bundle. */
async function store(parts: readonly ('chunks' | 'index' | 'bundle')[], owner = organizationId) {
  const sha256 = randomBytes(32).toString('hex');
  const artifact = `artifacts/${owner}/${sha256}`;
  if (parts.includes('chunks')) {
    for (let part = 0; part < 3; part++) {
      await blobs.put(`${artifact}/${randomBytes(32).toString('hex')}`, Buffer.from('chunk'));
    }
  }
  if (parts.includes('index')) await blobs.put(`${artifact}/index.json`, Buffer.from('{}'));
  if (parts.includes('bundle')) await blobs.put(`bundles/${owner}/${sha256}.tar.gz`, Buffer.from('bundle'));
  return sha256;
}

async function addExport(sha256: string, owner = organizationId): Promise<void> {
  await database.db
    .insertInto('exports')
    .values({
      id: newId('se'),
      organization_id: owner,
      domain: 'docs.example.com',
      status: 'completed',
      groups: '[]',
      artifact_sha256: randomBytes(32).toString('hex'),
      bundle_sha256: sha256,
    })
    .execute();
}

const sweep = (hours: number, store: BlobStore = blobs) =>
  removeOrphans({
    db: database.db,
    blobs: store,
    log: pino({ level: 'silent' }),
    now: () => new Date(Date.now() + hours * HOUR_MS),
    signal: new AbortController().signal,
  });

test('removes what ended attempts left of artifacts and bundles, after a day', async () => {
  await store(['chunks']);
  await store(['chunks', 'index']);
  await store(['chunks', 'index', 'bundle']);
  await store(['bundle'], 'org_that_was_deleted');
  const before = await keys();
  expect(await sweep(23.9)).toBe(0);
  expect(await keys()).toEqual(before);
  expect(await sweep(24.1)).toBe(4);
  expect(await keys()).toEqual([]);
});

test('keeps whatever an export of the same organization names, however old, and nothing for the sake of another', async () => {
  const mine = await store(['chunks', 'index', 'bundle']);
  await addExport(mine);
  const before = await keys();
  const theirs = await store(['chunks', 'index', 'bundle']);
  await addExport(theirs, other);
  expect(await sweep(24 * 365)).toBe(1);
  expect(await keys()).toEqual(before);
});

test('one object that is younger than a day keeps the whole artifact with its bundle', async () => {
  const old = await store(['chunks', 'index']);
  const before = await keys();
  const young: BlobStore = {
    ...blobs,
    stat: async (key) => {
      const info = await blobs.stat(key);
      return info === null || !key.includes(old)
        ? info
        : { ...info, modifiedAt: new Date(Date.now() + 47 * HOUR_MS) };
    },
  };
  await blobs.put(`bundles/${organizationId}/${old}.tar.gz`, Buffer.from('packed just now'));
  expect(await sweep(48, young)).toBe(0);
  expect(await keys()).toEqual([...before, `bundles/${organizationId}/${old}.tar.gz`]);
});

test('an export that is committed between the look and the removal keeps its files', async () => {
  const [first, second] = [await store(['bundle']), await store(['bundle'])].sort() as [string, string];
  const late: BlobStore = {
    ...blobs,
    // The first is being removed, so what exports name has been read: now one names the second.
    async delete(key) {
      await blobs.delete(key);
      if (key === `bundles/${organizationId}/${first}.tar.gz`) await addExport(second);
    },
  };
  expect(await sweep(48, late)).toBe(1);
  expect(await keys()).toEqual([`bundles/${organizationId}/${second}.tar.gz`]);
});

test('leaves uploads and what bears another name alone', async () => {
  for (const key of [
    `uploads/${organizationId}/x.tar.gz`,
    `bundles/${organizationId}/notes.txt`,
    'artifacts/x',
  ]) {
    await blobs.put(key, Buffer.from('x'));
  }
  const before = await keys();
  expect(await sweep(24 * 365)).toBe(0);
  expect(await keys()).toEqual(before);
});

test('stops where it is when the worker stops', async () => {
  await store(['bundle']);
  const before = await keys();
  const signal = AbortSignal.abort();
  await removeOrphans({
    db: database.db,
    blobs,
    log: pino({ level: 'silent' }),
    now: () => new Date(Date.now() + 48 * HOUR_MS),
    signal,
  });
  expect(await keys()).toEqual(before);
});
