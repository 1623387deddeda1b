import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { seal } from '../platform/secret.ts';
import { contextOf, createWebhookReceiver, type PullRequestOccasion } from './webhook.ts';

const SECRET = 'whsec_c2VjcmV0';
const key = Buffer.alloc(32, 7);
const NONE = { free: 0, pro: 0, enterprise: 0 };
const projectId = newId('prj');
let organizationId: string;
let postgres: TestDatabase;
let database: OpenDatabase;

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 4 });
  const { db } = database;
  organizationId = (await createOrganization(db, { name: 'Acme', plan: 'enterprise' })).id;
  await db
    .insertInto('projects')
    .values({
      id: projectId,
      organization_id: organizationId,
      name: 'Docs',
      source_kind: 'git',
      repository: 'https://git.example.com/acme/docs.git',
    })
    .execute();
  await db
    .insertInto('automations')
    .values({
      project_id: projectId,
      organization_id: organizationId,
      webhook_enabled: true,
      webhook_secret_sealed: seal(key, SECRET, contextOf(projectId)),
    })
    .execute();
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

function payload(repository: string, head: string) {
  return {
    action: 'synchronize',
    number: 7,
    repository: { full_name: repository },
    pull_request: {
      number: 7,
      user: { login: 'mallory' },
      head: { ref: 'topic', sha: 'a'.repeat(40), repo: { full_name: head } },
      base: { ref: 'main', repo: { full_name: repository } },
    },
  };
}

const seen: PullRequestOccasion[] = [];
function deliver(id: string, body: object, secret = SECRET) {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
  };
  const receive = createWebhookReceiver({
    db: database.db,
    key,
    maxActiveExports: 10,
    quotas: { dailyExports: NONE, dailyAgentJobs: NONE, storageMb: NONE },
    previewDomain: null,
    onPullRequest: async (_tx, occasion) => {
      seen.push(occasion);
      return { outcome: 'skipped', message: 'Waits for the approval of a member.' };
    },
  });
  const header = (name: string) => headers[name];
  return receive({ projectId, header, bytes: Readable.from([bytes]), address: '127.0.0.1' });
}

test('a signed event of a pull request reaches the port once, with its fork', async () => {
  const event = payload('acme/docs', 'mallory/docs');
  expect(await deliver('one', event)).toMatchObject({
    outcome: 'skipped',
    message: 'Waits for the approval of a member.',
    exportId: null,
  });
  expect((await deliver('one', event)).message).toMatch(/already processed/);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    organizationId,
    projectId,
    by: 'GitHub: mallory',
    event: { number: 7, action: 'updated', isFork: true, headRepository: 'mallory/docs' },
  });
});

test('an event with another signature or of another repository does not', async () => {
  const before = seen.length;
  await expect(deliver('two', payload('acme/docs', 'acme/docs'), 'whsec_b3RoZXI=')).rejects.toMatchObject({
    code: 'signature_invalid',
  });
  expect(await deliver('three', payload('acme/other', 'acme/other'))).toMatchObject({ outcome: 'skipped' });
  expect(seen).toHaveLength(before);
});
