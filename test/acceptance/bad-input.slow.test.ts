/** Hostile and broken docs through the API: a clear failure or a warning with file and line, and a worker that lives on. */
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, type Job, makeFolder, runExport, siteFiles } from './api.ts';

interface Warning {
  file: string;
  line: number | null;
  code: string;
  message: string;
}

let platform: TestPlatform;
let tenant: Tenant;

async function exportFolder(
  folder: string,
  body: Record<string, unknown> = {},
): Promise<{ job: Job; warnings: Warning[] }> {
  const { domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path: folder });
  const job = await runExport(platform.url, tenant.key, { domain, ...body });
  const reply = await call<Warning[]>(platform.url, 'GET', `/v1/static-export/jobs/${job.jobId}/warnings`, {
    key: tenant.key,
  });
  return { job, warnings: reply.body };
}

beforeAll(async () => {
  platform = await startTestPlatform();
  tenant = await platform.createTenant();
});
afterAll(() => platform.stop());

const docs = siteFiles(2);

describe('an export that cannot be made fails at once, naming file and line', () => {
  test.each([
    ['no docs.json', { 'index.mdx': 'Hello' }, /docs\.json/],
    ['broken JSON', { ...docs, 'docs.json': '{\n  "name": "x",\n  "theme": \n}' }, /docs\.json:[34]\b/],
    ['JSON of another kind', { ...docs, 'docs.json': '[]' }, /docs\.json/],
    ['an empty docs.json', { ...docs, 'docs.json': '' }, /docs\.json/],
    [
      'a $ref that leaves the root',
      { ...docs, 'docs.json': '{"name":"x","navigation":{"$ref":"../../etc/passwd"}}' },
      /docs\.json/,
    ],
  ])('%s', async (_name, files, message) => {
    const { job } = await exportFolder(await makeFolder(files));
    expect(job.status).toBe('failed');
    expect(job.error).toMatch(message);
    expect(job.error).not.toMatch(/\/tmp\/|node_modules|root:x:|fault of the server/);
    expect(job.errorCode).toMatch(/^[a-z][a-z0-9_]+$/);
    // At once is without another attempt: the same source would fail again.
    const { attempts } = await platform.database.db
      .selectFrom('export_events')
      .select((eb) => eb.fn.count<number>('id').as('attempts'))
      .where('export_id', '=', job.jobId)
      .where('event', '=', 'claimed')
      .executeTakeFirstOrThrow();
    expect(Number(attempts)).toBe(1);
  });

  test('a folder that is gone', async () => {
    const folder = await makeFolder(docs);
    const { domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path: folder });
    await rm(folder, { recursive: true });
    const job = await runExport(platform.url, tenant.key, { domain });
    expect(job).toMatchObject({ status: 'failed', errorCode: 'source_missing' });
  });

  test('a Git host inside the network, and one that does not exist', async () => {
    for (const repository of ['https://127.0.0.1/acme/docs.git', 'https://169.254.169.254/acme/docs.git']) {
      const { domain } = await createProject(platform.url, tenant.key, { kind: 'git', repository });
      const job = await runExport(platform.url, tenant.key, { domain });
      expect(job).toMatchObject({ status: 'failed', errorCode: 'source_refused' });
    }
  });
});

describe('a defect of one page is a warning with file and line, and the rest is exported', () => {
  const cases: [string, Record<string, string>, RegExp, number | null][] = [
    ['invalid YAML', { 'bad.mdx': '---\ntitle: "x\n  y: [\n---\n\nText.\n' }, /bad\.mdx/, 2],
    [
      'a page that does not parse',
      { 'bad.mdx': '---\ntitle: Bad\n---\n\nText {broken\n\n<Card>\n\nMore </b>\n' },
      /bad\.mdx/,
      5,
    ],
    [
      'a snippet cycle',
      {
        'bad.mdx': "---\ntitle: Bad\n---\n\nimport A from '/snippets/a.mdx';\n\n<A />\n",
        'snippets/a.mdx': "import B from '/snippets/b.mdx';\n\n<B />\n",
        'snippets/b.mdx': "import A from '/snippets/a.mdx';\n\n<A />\n",
      },
      /snippets\/[ab]\.mdx|bad\.mdx/,
      null,
    ],
    [
      'an import that leaves the root',
      { 'bad.mdx': "---\ntitle: Bad\n---\n\nimport X from '../../../../etc/passwd';\n\n<X />\n" },
      /bad\.mdx/,
      5,
    ],
  ];

  test.each(cases)('%s', async (_name, files, file, line) => {
    const config = JSON.parse(docs['docs.json']!) as { navigation: { groups: { pages: string[] }[] } };
    config.navigation.groups[0]!.pages.push('bad');
    const { job, warnings } = await exportFolder(
      await makeFolder({ ...docs, ...files, 'docs.json': JSON.stringify(config) }),
    );
    expect(job, job.error).toMatchObject({ status: 'completed', pageCount: 4 });
    const found = warnings.filter((warning) => file.test(warning.file));
    expect(found, JSON.stringify(warnings)).not.toEqual([]);
    if (line !== null) expect(found.map((warning) => warning.line)).toContainEqual(expect.any(Number));
    expect(JSON.stringify(warnings)).not.toMatch(/\/tmp\/|root:x:/);
  });

  test('a symlink is left out and named', async () => {
    const folder = await makeFolder(docs);
    await symlink('/etc/passwd', join(folder, 'secret.txt'));
    await symlink('/etc', join(folder, 'etc'));
    const { job, warnings } = await exportFolder(folder);
    expect(job).toMatchObject({ status: 'completed', pageCount: 3 });
    expect(
      warnings
        .filter(({ code }) => code === 'source-symlink')
        .map(({ file }) => file)
        .sort(),
    ).toEqual(['etc', 'secret.txt']);
  });

  test('a page of 10 MB', async () => {
    const big = `---\ntitle: Big\n---\n\n${'Words of a very long page that never ends.\n\n'.repeat(230_000)}`;
    const { job } = await exportFolder(await makeFolder({ ...docs, 'big.mdx': big }));
    expect(job, job.error).toMatchObject({ status: 'completed', pageCount: 4 });
  });
});

test('after all of it the same worker exports a good site, and no work folder is left', async () => {
  const { job, warnings } = await exportFolder(await makeFolder(docs));
  expect(job).toMatchObject({ status: 'completed', pageCount: 3 });
  expect(warnings).toEqual([]);
  expect((await call(platform.url, 'GET', '/readyz')).status).toBe(200);
});
