/** What operators see of domains and certificates before readers do. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { countCertificates } from './certificates/state-counts.ts';
import { countDomainStates } from './domains/state-counts.ts';
import { createOrganization } from './organizations/service.ts';
import { type OpenDatabase, openDatabase } from './platform/db/database.ts';
import { newId } from './platform/ids.ts';

let postgres: TestDatabase;
let database: OpenDatabase;
let organizationId: string;
const projectId = newId('prj');

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 2 });
  organizationId = (await createOrganization(database.db, { name: 'Acme', plan: 'enterprise' })).id;
  await database.db
    .insertInto('projects')
    .values({ id: projectId, organization_id: organizationId, name: 'Docs', source_kind: 'upload' })
    .execute();
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

async function addDomain(
  host: string,
  state: 'pending' | 'verified' | 'expired',
  failing = false,
): Promise<string> {
  const id = newId('dom');
  await database.db
    .insertInto('site_domains')
    .values({
      id,
      organization_id: organizationId,
      project_id: projectId,
      host,
      state,
      failing_since: failing ? new Date() : null,
    })
    .execute();
  return id;
}

/** A certificate of this lifetime in days, of which this number has passed; it was due for renewal at two thirds. */
async function addCertificate(domainId: string, of: { days: number; passed: number } | null): Promise<void> {
  const at = (days: number) => sql<Date>`now() + make_interval(hours => ${Math.round(days * 24)})`;
  await database.db
    .insertInto('certificates')
    .values({
      domain_id: domainId,
      organization_id: organizationId,
      state: 'queued',
      failures: 1,
      ...(of === null
        ? {}
        : {
            chain: 'chain',
            expires_at: at(of.days - of.passed),
            renew_at: at((of.days * 2) / 3 - of.passed),
          }),
    })
    .execute();
}

test('domains are counted by state, those whose proof is missing apart', async () => {
  await addDomain('a.example.com', 'pending');
  await addDomain('b.example.com', 'verified');
  await addDomain('c.example.com', 'verified', true);
  await addDomain('d.example.com', 'expired');
  expect(await countDomainStates(database.db)).toEqual({ pending: 1, verified: 1, failing: 1, expired: 1 });
});

test('a certificate is expiring when half of the time for its renewal has passed, whatever its lifetime', async () => {
  const cases: [host: string, of: Parameters<typeof addCertificate>[1]][] = [
    ['new.example.org', { days: 90, passed: 1 }],
    ['due.example.org', { days: 90, passed: 62 }],
    ['late.example.org', { days: 90, passed: 80 }],
    ['short.example.org', { days: 6, passed: 5.5 }],
    ['over.example.org', { days: 90, passed: 91 }],
    ['none.example.org', null],
  ];
  for (const [host, of] of cases) await addCertificate(await addDomain(host, 'verified'), of);
  // Of a domain that is no longer served, nobody has to renew anything.
  await addCertificate(await addDomain('gone.example.org', 'expired'), { days: 90, passed: 91 });
  expect(await countCertificates(database.db)).toEqual({ valid: 2, expiring: 2, expired: 1, missing: 1 });
});
