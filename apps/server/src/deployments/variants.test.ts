/** Releases of deployments for groups of readers: which ones are made, when, and what site servers get of them. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestExports, produceOne, type TestExports } from '../exports/job.fixture.ts';
import type { Produce } from '../exports/produce.ts';
import { removeVariants } from '../exports/service.ts';
import type { StoredPageAccess } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { forgetGroups, recordGroups } from '../readers/groups.ts';
import { promoteDeployment } from './promote.ts';
import { settleExport } from './settle.ts';
import {
  audiencesOf,
  findServedVariant,
  MAX_VARIANTS,
  queueVariantsOf,
  servedVariants,
  settleVariants,
} from './variants.ts';

let exports: TestExports;
let siteId: string;
let position = 0;
const named: StoredPageAccess = {
  groups: ['admin', 'guest', 'staff'],
  excluding: ['guest'],
  hasPublic: true,
};

beforeAll(async () => {
  exports = await openTestExports();
});
afterAll(() => exports.close());

beforeEach(async () => {
  const { db } = exports.database;
  position = 0;
  siteId = newId('site');
  await db.deleteFrom('reader_groups').execute();
  await db.deleteFrom('reader_access').execute();
  await db.updateTable('sites').set({ deployment_id: null, export_id: null }).execute();
  await db.deleteFrom('deployments').execute();
  await db.deleteFrom('sites').execute();
  await db
    .insertInto('sites')
    .values({ id: siteId, organization_id: exports.organizationId, project_id: exports.projectId })
    .execute();
  await setKind('token');
});

const site = () => ({
  organizationId: exports.organizationId,
  projectId: exports.projectId,
  site: 'production' as const,
});

async function setKind(kind: 'token' | 'public'): Promise<void> {
  await exports.database.db
    .insertInto('reader_access')
    .values({
      organization_id: exports.organizationId,
      project_id: exports.projectId,
      site: 'production',
      kind,
      session_hours: 1,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'site']).doUpdateSet({ kind }))
    .execute();
}

const producing =
  (content: string, access: StoredPageAccess): Produce =>
  async (...given) => ({ ...(await produceOne(content)(...given)), access });

/** A deployment whose export has completed. */
async function deploy(content: string, access = named): Promise<string> {
  const { db } = exports.database;
  const exportId = await exports.start();
  const id = newId('dep');
  position += 1;
  await db.updateTable('sites').set({ requests: position }).where('id', '=', siteId).execute();
  await db
    .insertInto('deployments')
    .values({
      id,
      organization_id: exports.organizationId,
      project_id: exports.projectId,
      site_id: siteId,
      position,
      export_id: exportId,
      source: 'api',
      created_by: 'test',
    })
    .execute();
  await exports.run(exportId, producing(content, access));
  await db.transaction().execute((tx) => settleExport(tx, exportId));
  return id;
}

const variants = (deploymentId: string) =>
  exports.database.db
    .selectFrom('deployment_variants')
    .leftJoin('exports', 'exports.id', 'deployment_variants.export_id')
    .select(['deployment_variants.id', 'deployment_variants.groups', 'deployment_variants.status', 'unless'])
    .select(['export_id', 'exports.groups as rendered', 'public_only', 'is_variant', 'commit'])
    .where('deployment_id', '=', deploymentId)
    .orderBy('deployment_variants.created_at')
    .execute();
const groupsOf = async (deploymentId: string) => (await variants(deploymentId)).map(({ groups }) => groups);

/** Renders what is queued, with the groups as its content. */
async function renderQueued(deploymentId: string, content: string): Promise<void> {
  for (const { export_id: id, groups, status } of await variants(deploymentId)) {
    if (id === null || status !== 'queued') continue;
    await exports.run(id, producing(`${content} for ${groups}`, named));
    await exports.database.db.transaction().execute((tx) => settleExport(tx, id));
  }
}

/** What site servers get: groups with the deployment of each. */
async function served(): Promise<Record<string, string>> {
  const { db } = exports.database;
  const list = (await servedVariants(db)).get(siteId) ?? [];
  const found: Record<string, string> = {};
  for (const { groups, deploymentId, sha256 } of list) {
    const bundle = await findServedVariant(db, deploymentId);
    expect(bundle?.sha256).toBe(sha256);
    const row = await db
      .selectFrom('deployment_variants')
      .select('deployment_id')
      .where('id', '=', deploymentId)
      .executeTakeFirstOrThrow();
    found[`${groups}`] = row.deployment_id;
  }
  return found;
}

test('audiences are the combinations that occur, without what no page names, up to a maximum', () => {
  expect(
    audiencesOf(
      named,
      [['admin', 'other'], ['other'], ['staff', 'admin'], ['admin'], ['staff', 'guest']],
      MAX_VARIANTS,
    ),
  ).toEqual([
    { groups: null, unless: [] },
    { groups: ['admin'], unless: ['guest'] },
    { groups: ['admin', 'staff'], unless: ['guest'] },
    { groups: ['guest', 'staff'], unless: [] },
  ]);
  const many = Array.from({ length: 50 }, (_, at) => `g${at}`);
  const access = { groups: many, excluding: [], hasPublic: false };
  const found = audiencesOf(
    access,
    many.map((name) => [name]),
    MAX_VARIANTS,
  );
  expect(found.map(({ groups }) => groups?.[0])).toEqual(many.slice(0, MAX_VARIANTS));
});

test('a deployment gets a release for each combination of readers, of its own commit, in the switch', async () => {
  const { db } = exports.database;
  expect(await recordGroups(db, site(), ['staff', 'other', 'admin'])).toBe(true);
  expect(await recordGroups(db, site(), ['admin', 'staff', 'other', 'staff'])).toBe(false);
  expect(await recordGroups(db, site(), [])).toBe(false);
  const id = await deploy('one');
  const [open, both, ...rest] = await variants(id);
  expect(rest).toEqual([]);
  expect(open).toMatchObject({ groups: null, rendered: [], public_only: true, is_variant: true, unless: [] });
  expect(both).toMatchObject({ rendered: ['admin', 'staff'], public_only: false, unless: ['guest'] });
  expect(await served()).toEqual({});
  await renderQueued(id, 'one');
  expect(await served()).toEqual({ null: id, 'admin,staff': id });
});

test('a sign-in with groups that have not occurred adds a release of what is live', async () => {
  const id = await deploy('one');
  expect(await groupsOf(id)).toEqual([null]);
  await recordGroups(exports.database.db, site(), ['admin']);
  await queueVariantsOf(exports.database.db, site());
  await queueVariantsOf(exports.database.db, site());
  expect(await groupsOf(id)).toEqual([null, ['admin']]);
});

test('until a new release is rendered, its readers get the one before; after a rollback nothing newer', async () => {
  const { db } = exports.database;
  await recordGroups(db, site(), ['admin']);
  const first = await deploy('one');
  await renderQueued(first, 'one');
  const second = await deploy('two');
  expect(await served()).toEqual({ null: first, admin: first });
  await renderQueued(second, 'two');
  expect(await served()).toEqual({ null: second, admin: second });

  await recordGroups(db, site(), ['staff']);
  await queueVariantsOf(db, site());
  await renderQueued(second, 'two');
  expect(await served()).toEqual({ null: second, admin: second, staff: second });
  const target = { organizationId: exports.organizationId, projectId: exports.projectId, id: first };
  await promoteDeployment(db, target, { replaces: undefined, by: 'test' });
  expect(await served()).toEqual({ null: first, admin: first });
  await renderQueued(first, 'one');
  expect(await served()).toEqual({ null: first, admin: first, staff: first });
});

test('a release that cannot be rendered, and an audience that no page names any more, get nothing of their own', async () => {
  const { db } = exports.database;
  await recordGroups(db, site(), ['admin']);
  const first = await deploy('one');
  await renderQueued(first, 'one');
  const second = await deploy('two', { groups: ['admin'], excluding: [], hasPublic: false });
  expect(await served()).toEqual({ admin: first });
  const [admins] = await variants(second);
  await db
    .updateTable('exports')
    .set({ status: 'failed', error: 'A page is broken.' })
    .where('id', '=', admins?.export_id ?? '')
    .execute();
  await settleVariants(db);
  expect(await variants(second)).toMatchObject([{ status: 'failure' }]);
  expect(await served()).toEqual({});
});

test('what is not rendered yet of a deployment that is no longer live is not rendered', async () => {
  const { db } = exports.database;
  await recordGroups(db, site(), ['admin']);
  const first = await deploy('one');
  const [open] = await variants(first);
  await deploy('two');
  expect(await variants(first)).toEqual([]);
  const adapters = { db, blobs: exports.blobs, log: pino({ level: 'silent' }) };
  await removeVariants(adapters, new AbortController().signal);
  const row = db
    .selectFrom('exports')
    .select('id')
    .where('id', '=', open?.export_id ?? '');
  expect(await row.executeTakeFirst()).toBeUndefined();
});

test('a public site needs none; once it is restricted, the next check makes them', async () => {
  const { db } = exports.database;
  await recordGroups(db, site(), ['admin']);
  await setKind('public');
  const id = await deploy('one');
  expect(await groupsOf(id)).toEqual([]);
  await setKind('token');
  await settleVariants(db);
  expect(await groupsOf(id)).toEqual([null, ['admin']]);
});

test('exports of releases for groups are deleted with their deployment, and not before', async () => {
  const { db } = exports.database;
  const adapters = { db, blobs: exports.blobs, log: pino({ level: 'silent' }) };
  const left = async () =>
    (await db.selectFrom('exports').select('id').where('is_variant', '=', true).execute()).map(
      ({ id }) => id,
    );
  const { signal } = new AbortController();
  await removeVariants(adapters, signal);
  await recordGroups(db, site(), ['admin']);
  const first = await deploy('one');
  await renderQueued(first, 'one');
  const second = await deploy('two');
  await renderQueued(second, 'two');
  await removeVariants(adapters, signal);
  expect(await left()).toHaveLength(4);
  await db.deleteFrom('deployments').where('id', '=', first).execute();
  await removeVariants(adapters, signal);
  const kept = (await variants(second)).map(({ export_id: id }) => id);
  expect((await left()).sort()).toEqual(kept.sort());
});

test('combinations that no session can have any more are forgotten', async () => {
  const { db } = exports.database;
  await recordGroups(db, site(), ['admin']);
  const ago = new Date(Date.now() - 91 * 86_400_000);
  await db.updateTable('reader_groups').set({ last_at: ago }).execute();
  await recordGroups(db, site(), ['staff']);
  await forgetGroups(db);
  expect(
    (await db.selectFrom('reader_groups').select('groups').execute()).map(({ groups }) => groups),
  ).toEqual([['staff']]);
});
