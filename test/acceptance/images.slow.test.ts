/** Variants of images on the platform: real processes, with a renderer that has no other way to images. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { imageFile } from '../support/images.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { startTestRenderer, type TestRenderer } from '../support/renderer.ts';
import { ROOT } from '../support/shell.ts';
import { type Bundle, call, createProject, type Job, makeFolder, runExport } from './api.ts';

const JOBS = '/v1/static-export/jobs';

let renderer: TestRenderer;
let platform: TestPlatform;
let tenant: Tenant;
let docs: string;
let domain: string;
const work = mkdtempSync(join(tmpdir(), 'offprint-image-export-'));

beforeAll(async () => {
  renderer = await startTestRenderer(await freePort());
  platform = await startTestPlatform({ env: { OFFPRINT_RENDERER_URL: renderer.url } });
  tenant = await platform.createTenant('enterprise');
  docs = await makeFolder({
    'docs.json': JSON.stringify({
      name: 'Docs',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: { pages: ['index', 'guide/two'] },
      images: { variants: 'webp' },
    }),
    'index.mdx': '---\ntitle: Home\n---\n\n![A](/img/a.png)\n\nText.\n',
    'guide/two.mdx': '---\ntitle: Two\n---\n\n![A](/img/a.png)\n\n![Bad](/img/bad.png)\n',
  });
  mkdirSync(join(docs, 'img'));
  writeFileSync(join(docs, 'img/a.png'), imageFile(1_600, 700, 1));
  writeFileSync(join(docs, 'img/bad.png'), imageFile(900, 400, 2).subarray(0, 12_000));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path: docs }));
});
afterAll(async () => {
  await platform?.stop();
  await renderer?.end();
  rmSync(work, { recursive: true, force: true });
});

/** Version, number of warnings, and digest of the bundle of an export. */
async function exportOnPlatform(): Promise<Pick<Job, 'warnings'> & Pick<Bundle, 'version' | 'sha256'>> {
  const { url } = platform;
  const { key } = tenant;
  const job = await runExport(url, key, { domain });
  expect(job, platform.log()).toMatchObject({ status: 'completed' });
  const { body, text } = await call<Bundle>(url, 'POST', `${JOBS}/${job.jobId}/bundle`, { key, body: {} });
  expect(body.sha256, text).toMatch(/^[0-9a-f]{64}$/);
  return { warnings: job.warnings, version: body.version, sha256: body.sha256 };
}

/** Digest of the bundle of the command, without a cache. */
function exportByCommand(version: string): string {
  const program = join(ROOT, 'apps/cli/bin/offprint.mjs');
  const file = join(work, 'site.tar.gz');
  const options = ['--site-url', `https://${domain}`, '--label', version, '--no-cache', '--json'];
  const output = execFileSync(process.execPath, [program, 'export', docs, '-o', file, ...options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return (JSON.parse(output) as { sha256: string }).sha256;
}

const runs = () => renderer.runs().filter(({ program }) => program === 'images');
const storedImages = (): string[] =>
  readdirSync(platform.dataDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => /kept-pages\/.*\/images$/.test(path))
    .map((path) => join(platform.dataDir, path));

test('an export has the bytes of the command, and unchanged images are not encoded again', async () => {
  const first = await exportOnPlatform();
  expect(runs()).toEqual([{ program: 'images', outcome: 'completed' }]);
  expect(first.sha256).toBe(exportByCommand(first.version));
  expect(first.warnings).toBe(1);

  writeFileSync(join(docs, 'index.mdx'), '---\ntitle: Start\n---\n\n![A](/img/a.png)\n\nOther text.\n');
  const second = await exportOnPlatform();
  expect(second.sha256).toBe(exportByCommand(second.version));
  expect(runs()).toHaveLength(1);
});

test('damaged records of the store are encoded again', async () => {
  const [stored = ''] = storedImages();
  const bytes = readFileSync(stored);
  // A page that is kept does not ask for its images, so those of the other one are damaged as well.
  for (let at = 4 + bytes.readUInt32LE(0); at < bytes.length; at++) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(stored, bytes);
  writeFileSync(join(docs, 'index.mdx'), '---\ntitle: Again\n---\n\n![A](/img/a.png)\n');
  const before = runs().length;
  const job = await exportOnPlatform();
  expect(job.sha256).toBe(exportByCommand(job.version));
  expect(runs()).toHaveLength(before + 1);
});
