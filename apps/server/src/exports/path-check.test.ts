import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { sandboxIn } from '../../../../test/support/sandbox.ts';
import { createOrganization } from '../organizations/service.ts';
import { openFsBlobStore } from '../platform/blob/fs.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import { createPathCheck, type FindUnknownPath } from './path-check.ts';

let postgres: TestDatabase;
let database: OpenDatabase;
let folder: string;
let workDir: string;
let organizationId: string;
let docs: string;
/** Takes connections and says nothing. */
let silent: Server;
let hanging: string;
let sandbox: Sandbox;
let check: (wallMs?: number) => FindUnknownPath;

async function addProject(values: { source_kind: 'git' | 'folder'; repository: string }): Promise<string> {
  const id = newId('prj');
  await database.db
    .insertInto('projects')
    .values({ id, organization_id: organizationId, name: 'Docs', ...values })
    .execute();
  return id;
}

const ask = (find: FindUnknownPath, id: string, paths: string[], signal = new AbortController().signal) =>
  find({ project: { organizationId, id }, ref: null, paths, groups: [], signal });

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 4 });
  folder = await mkdtemp(join(tmpdir(), 'offprint-paths-'));
  workDir = join(folder, 'work');
  const site = join(folder, 'site');
  await mkdir(site);
  const navigation = { pages: ['index'] };
  await writeFile(join(site, 'docs.json'), JSON.stringify({ name: 'Docs', theme: 'mint', navigation }));
  await writeFile(join(site, 'index.mdx'), '# Home\n');
  const blobs = await openFsBlobStore({
    folder: join(folder, 'blobs'),
    secret: Buffer.alloc(32, 1),
    publicUrl: () => 'http://localhost',
    now: () => new Date(),
  });
  silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  organizationId = (await createOrganization(database.db, { name: 'Acme', plan: 'enterprise' })).id;
  docs = await addProject({ source_kind: 'folder', repository: site });
  hanging = await addProject({ source_kind: 'git', repository: `http://127.0.0.1:${port}/docs.git` });
  sandbox = sandboxIn(folder);
  check = (wallMs = 3_600_000) =>
    createPathCheck({
      snapshot: {
        db: database.db,
        blobs,
        credentialKey: Buffer.alloc(32, 2),
        folderRoot: '/',
        sourceBytes: 1_000_000,
        mirrorDir: null,
        providedFeatures: new Set<string>(),
        policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] },
      },
      sandbox,
      workDir,
      log: pino({ level: 'silent' }),
      wallMs,
    });
});
afterEach(async () => expect(await readdir(workDir).catch(() => [])).toEqual([]));
afterAll(async () => {
  silent.close();
  await database.close();
  await postgres.drop();
  await rm(folder, { recursive: true });
});

test('returns the first path that is not a page, and null if all are pages', async () => {
  const find = check();
  expect(await ask(find, docs, ['index', 'none', 'nothing'])).toBe(1);
  expect(await ask(find, docs, ['/index.mdx'])).toBeNull();
});

test('says nothing when time is up, when the client has gone, and of a project that is gone', async () => {
  // the other two would wait for an hour
  expect(await ask(check(300), hanging, ['none'])).toBeNull();
  expect(await ask(check(), hanging, ['none'], AbortSignal.timeout(300))).toBeNull();
  expect(await ask(check(), newId('prj'), ['none'])).toBeNull();
});

test('at most two checks run at a time; a third returns at once without a result, and the next one runs again', async () => {
  const find = check();
  const stop = new AbortController();
  const running = [1, 2].map(() => ask(find, hanging, ['none'], stop.signal));
  expect(await ask(find, docs, ['none'])).toBeNull();
  stop.abort();
  expect(await Promise.all(running)).toEqual([null, null]);
  expect(await ask(find, docs, ['none'])).toBe(0);
});
