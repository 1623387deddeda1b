import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { addEndpoint, toldOf } from '../notifications/endpoint.fixture.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { requeueOrder } from './store.ts';

const DAY_MS = 86_400_000;
let postgres: TestDatabase;
let database: OpenDatabase;
const projectId = newId('prj');
const id = newId('dom');

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 2 });
  const { db } = database;
  const organizationId = (await createOrganization(db, { name: 'Acme', plan: 'enterprise' })).id;
  const of = { organization_id: organizationId, project_id: projectId };
  await db
    .insertInto('projects')
    .values({ id: projectId, organization_id: organizationId, name: 'Docs', source_kind: 'upload' })
    .execute();
  await addEndpoint(db, { organizationId, projectId }, ['certificate.expiring']);
  await db
    .insertInto('site_domains')
    .values({ id, ...of, host: 'docs.example.com', state: 'verified' })
    .execute();
  await db.insertInto('certificates').values({ domain_id: id, organization_id: organizationId }).execute();
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

/** A renewal that fails when the certificate expires in this number of days; null: none was issued. */
async function failRenewal(days: number | null, warned?: number): Promise<number> {
  const { db } = database;
  await db
    .updateTable('certificates')
    .set({
      state: 'running',
      attempt: 1,
      expires_at: days === null ? null : new Date(Date.now() + days * DAY_MS),
      ...(warned === undefined ? {} : { warned_at: new Date(Date.now() - warned * DAY_MS) }),
    })
    .execute();
  const failure = { error: 'The authority refuses.', delayMs: 1, isRefused: false, counts: true };
  await db.transaction().execute((tx) => requeueOrder(tx, { id, attempt: 1 }, failure));
  return (await toldOf(db, projectId)).length;
}

test('a renewal that fails is reported in the last 14 days, at most once a day', async () => {
  expect(await failRenewal(null), 'the first order').toBe(0);
  expect(await failRenewal(15)).toBe(0);
  expect(await failRenewal(13)).toBe(1);
  expect(await failRenewal(12), 'reported today').toBe(1);
  expect(await failRenewal(12, 2)).toBe(2);
  expect((await toldOf(database.db, projectId))[0]).toMatchObject({
    event: 'certificate.expiring',
    subject: 'The certificate of docs.example.com could not be renewed',
    data: { domainId: id, domain: 'docs.example.com', error: 'The authority refuses.' },
  });
});

test('an attempt that has lost its order reports nothing', async () => {
  const { db } = database;
  await db.updateTable('certificates').set({ attempt: 2, state: 'running', warned_at: null }).execute();
  const before = (await toldOf(db, projectId)).length;
  const failure = { error: 'Late.', delayMs: 1, isRefused: false, counts: true };
  expect(await db.transaction().execute((tx) => requeueOrder(tx, { id, attempt: 1 }, failure))).toBe(false);
  expect(await toldOf(db, projectId)).toHaveLength(before);
});
