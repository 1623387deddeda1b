/** How organizations share the slots of a worker. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { call, createProject, follow, type Job, makeFolder, siteFiles } from './api.ts';

const JOBS = '/v1/static-export/jobs';

let platform: TestPlatform;
let server: GitServer;

beforeAll(async () => {
  // Accepts requests and never replies, as a repository does that makes its exports slow on purpose.
  server = await startGitServer({ intercept: () => true });
  platform = await startTestPlatform({
    env: {
      OFFPRINT_EXPORT_CONCURRENCY: '2',
      OFFPRINT_ALLOW_PRIVATE_HOSTS: '*',
      OFFPRINT_ALLOW_HTTP_GIT_HOSTS: new URL(server.url).host,
    },
  });
});
afterAll(async () => {
  await platform.stop();
  await server.close();
});

test('the export of one organization runs at once while another has ten that do not end', async () => {
  const [slow, quick] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  const path = await makeFolder(siteFiles(3, 'Quick'));
  const held = await createProject(platform.url, slow.key, {
    kind: 'git',
    repository: `${server.url}/slow.git`,
  });
  const free = await createProject(platform.url, quick.key, { kind: 'folder', path });
  const start = async (key: string, domain: string): Promise<string> => {
    const reply = await call<Job>(platform.url, 'POST', JOBS, { key, body: { domain } });
    expect(reply.status, reply.text).toBe(202);
    return reply.body.jobId;
  };
  const waiting: string[] = [];
  for (let index = 0; index < 10; index += 1) waiting.push(await start(slow.key, held.domain));
  const statuses = async () => {
    const read = (id: string) => call<Job>(platform.url, 'GET', `${JOBS}/${id}`, { key: slow.key });
    return (await Promise.all(waiting.map(read))).map(({ body }) => body.status);
  };
  await expect.poll(statuses, { timeout: 120_000 }).toContain('running');
  for (let round = 0; round < 3; round += 1) {
    const seen = await follow(platform.url, quick.key, await start(quick.key, free.domain));
    expect(seen.at(-1)).toMatchObject({ status: 'completed' });
  }
  expect(await statuses()).toEqual(['running', ...Array.from({ length: 9 }, () => 'queued')]);
  for (const id of waiting) await call(platform.url, 'POST', `${JOBS}/${id}/cancel`, { key: slow.key });
});
