/** The main job over HTTP: start, poll, bundle, download. */
import { createHash } from 'node:crypto';
import { verifyBundle } from '@offprint/bundle';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, follow, type Job, makeFolder, runExport, siteFiles } from './api.ts';

const PAGES = 600;

let platform: TestPlatform;
let tenant: Tenant;
let domain: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  tenant = await platform.createTenant();
  const path = await makeFolder(siteFiles(PAGES, 'Flow', 30));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
});
afterAll(() => platform.stop());

describe('an export from start to download', () => {
  let seen: Job[];
  let last: Job;

  beforeAll(async () => {
    const started = await call<Job>(platform.url, 'POST', '/v1/static-export/jobs', {
      key: tenant.key,
      body: { domain },
    });
    expect(started.status, started.text).toBe(202);
    seen = [started.body, ...(await follow(platform.url, tenant.key, started.body.jobId, 10))];
    last = seen.at(-1)!;
  });

  test('ends completed with every page', () => {
    expect(last).toMatchObject({
      status: 'completed',
      progress: 100,
      pageCount: PAGES + 1,
      totalPages: PAGES + 1,
    });
    expect(last).not.toHaveProperty('error');
    expect(last.artifact?.files).toBeGreaterThan(PAGES);
  });

  test('is seen queued or running first, then in states that never go back', () => {
    const order = ['queued', 'running', 'completed'];
    const steps = seen.map(({ status }) => order.indexOf(status));
    expect(steps).not.toContain(-1);
    expect(steps).toEqual([...steps].sort());
    expect(steps[0]).toBeLessThan(2);
  });

  test('shows progress that rises from 0 to 100 with pageCount, and 100 only when completed', () => {
    const progress = seen.map((job) => job.progress);
    const pages = seen.map((job) => job.pageCount);
    expect(progress[0]).toBe(0);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(pages).toEqual([...pages].sort((a, b) => a - b));
    expect(seen.filter((job) => job.progress === 100).every((job) => job.status === 'completed')).toBe(true);
    expect(new Set(progress).size, `progress seen: ${[...new Set(progress)]}`).toBeGreaterThanOrEqual(4);
    expect(seen.some((job) => job.pageCount > 0 && job.pageCount < PAGES)).toBe(true);
  });

  test('twenty calls for the bundle at once give one digest, and the link downloads it', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(platform.url, 'POST', `/v1/static-export/jobs/${last.jobId}/bundle`, { key: tenant.key }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const digests = new Set(replies.map(({ body }) => body.sha256));
    expect(digests.size).toBe(1);
    const links = replies.slice(0, 3).map(({ body }) => String(body.bundleUrl));
    for (const link of links) {
      const bytes = Buffer.from(await (await fetch(link)).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe([...digests][0]);
      expect(bytes.length).toBe(replies[0]!.body.sizeBytes);
      const { manifest } = await verifyBundle(
        (async function* () {
          yield bytes;
        })(),
      );
      expect(
        manifest.files.filter(({ path }) => path.startsWith('guide/') && path.endsWith('.html')),
      ).toHaveLength(PAGES);
      expect(manifest).toMatchObject({ version: last.version, commit: null, site: { domain } });
    }
  });

  test('the same source exported again gives the same bundle', async () => {
    const again = await runExport(platform.url, tenant.key, { domain });
    expect(again.artifact).toEqual(last.artifact);
    expect(again.version).toBe(last.version);
    expect(again.version).toMatch(/^[0-9a-f]{12}$/);
  });
});
