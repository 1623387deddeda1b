import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { directoryChunks, joinBundle, verifyBundle } from '@offprint/bundle';
import { memorySource } from '@offprint/render';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runChild } from '../platform/sandbox/run-child.ts';
import { type ArtifactRequest, exportBundle, exportSite } from './export-site.ts';
import { failureOf } from './failure.ts';
import type { RenderInput } from './render-child.ts';
import { readAnswer, readChunk, readProgress } from './summary.ts';

const SITE: Record<string, string> = {
  'docs.json': JSON.stringify({
    $schema: 'https://mintlify.com/docs.json',
    theme: 'mint',
    name: 'Field notes',
    colors: { primary: '#336699' },
    navigation: { groups: [{ group: 'Start', pages: ['index', 'guides/first'] }] },
  }),
  'index.mdx': '---\ntitle: Home\n---\n\nWelcome to [the guide](/guides/first).\n\n<Note>Read on.</Note>\n',
  'guides/first.mdx': '---\ntitle: First\n---\n\n# One\n\n```js\nconst a = 1;\n```\n',
  'unlisted.mdx': '---\ntitle: Unlisted\n---\n\nText.\n',
};
const COMMIT = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334';

let work: string;
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'offprint-export-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

function request(changes: Partial<ArtifactRequest> = {}): ArtifactRequest {
  return {
    source: memorySource(SITE),
    artifactDir: join(work, 'artifact'),
    domain: 'docs.example.com',
    siteUrl: 'https://docs.example.com',
    commit: COMMIT,
    committedAt: '2026-01-02T03:04:05Z',
    ...changes,
  };
}

async function writeSite(files: Record<string, string> = SITE): Promise<string> {
  const root = join(work, 'source');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

async function inSandbox(
  source: string,
  artifactDir: string,
  progress: unknown[] = [],
  limits: { stepCpuMs?: number } = {},
) {
  await mkdir(artifactDir, { recursive: true });
  const { onProgress: _onProgress, artifactDir: _dir, source: _source, ...input } = request({ artifactDir });
  const answer = await runChild<RenderInput, unknown, unknown>({
    module: fileURLToPath(new URL('./render-child.ts', import.meta.url)),
    input,
    readable: [source],
    writable: artifactDir,
    limits: { cpuMs: 240_000, wallMs: 240_000, memoryMb: 512, outputBytes: 1e9, ...limits },
    signal: new AbortController().signal,
    onMessage: (message) => progress.push(readProgress(message)),
  });
  return readAnswer(answer);
}

test('an artifact folder holds the chunks and the index, and joins to a bundle that verifies', async () => {
  const progress: number[] = [];
  const summary = await exportSite(request({ onProgress: ({ rendered }) => progress.push(rendered) }));
  const { index } = summary;
  expect(summary).toMatchObject({
    pageCount: 3,
    commit: COMMIT,
    version: 'a1b2c3d4e5f6',
    site: { name: 'Field notes' },
  });
  expect(summary.warningCount).toBe(summary.warnings.length);
  expect(progress.at(-1)).toBe(3);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  const folder = join(work, 'artifact');
  const names = new Set(index.chunks.map(({ sha256 }) => sha256));
  expect((await readdir(folder)).sort()).toEqual([...names, 'artifact.json', 'links.ndjson.gz'].sort());
  expect(JSON.parse(await readFile(join(folder, 'artifact.json'), 'utf8'))).toEqual(index);
  const parts: Uint8Array[] = [];
  for await (const part of joinBundle(index, directoryChunks(folder).get)) parts.push(part);
  await writeFile(join(work, 'bundle.tar.gz'), Buffer.concat(parts));
  const { sha256, bytes } = index.bundle;
  const verified = await verifyBundle(join(work, 'bundle.tar.gz'), { sha256 });
  expect(verified).toMatchObject({ bytes, manifest: { commit: COMMIT, version: 'a1b2c3d4e5f6' } });
});

test('a page that takes too much CPU time is named, whatever the other pages took', async () => {
  const paragraph = 'Some *words* with `code`, a [link](/index) and more of **them**.\n\n';
  const big = `---\ntitle: Big\n---\n\n${paragraph.repeat(60_000)}`;
  const config = JSON.parse(SITE['docs.json'] ?? '{}') as { navigation: unknown };
  config.navigation = { pages: ['index', 'big'] };
  const source = await writeSite({ ...SITE, 'docs.json': JSON.stringify(config), 'big.mdx': big });
  const work = inSandbox(source, join(dirname(source), 'd'), [], { stepCpuMs: 50 });
  const error = await work.then(
    () => expect.fail('it had a result'),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ fault: 'step-limit', step: 'big.mdx' });
  expect(failureOf(error)).toMatchObject({
    code: 'page_cpu_limit',
    message: expect.stringMatching(/^big\.mdx needs more than /),
    retryable: false,
  });
});

test('a bundle written at once is the one that the artifact joins to', async () => {
  const { index } = await exportSite(request());
  const { artifactDir: _artifactDir, ...rest } = request();
  const file = join(work, 'at-once.tar.gz');
  const summary = await exportBundle({ ...rest, file });
  expect(summary.index).toEqual(index);
  const { sha256, bytes } = index.bundle;
  expect(await verifyBundle(file, { sha256 })).toMatchObject({ bytes });
});

test('the same source gives the same bytes in this process, in the sandbox, and from another folder', async () => {
  const here = await exportSite(request());
  const source = await writeSite();
  const there = await exportSite(request({ source, artifactDir: join(work, 'b') }));
  const progress: unknown[] = [];
  const sandboxed = await inSandbox(source, join(work, 'c'), progress);
  expect(there.index).toEqual(here.index);
  // What is for the next export stays in the process.
  const { kept: _kept, renderedPages: _renderedPages, ...summary } = there;
  expect(sandboxed).toEqual({ status: 'completed', summary });
  expect(progress.at(-1)).toEqual({ rendered: 3, total: 3 });
  expect(progress).not.toContain(null);
});

test('a version label is as asked, else of the commit, else of the content', async () => {
  const label = async (changes: Partial<ArtifactRequest>) =>
    (await exportSite(request({ artifactDir: join(work, `${Math.random()}`), ...changes }))).version;
  expect(await label({ version: '2.1' })).toBe('2.1');
  expect(await label({})).toBe(COMMIT.slice(0, 12));
  const none = { commit: null, committedAt: null };
  const first = await label(none);
  expect(first).toMatch(/^[0-9a-f]{12}$/);
  expect(await label(none)).toBe(first);
  const changed = memorySource({ ...SITE, 'index.mdx': `${SITE['index.mdx']}More.\n` });
  expect(await label({ ...none, source: changed })).not.toBe(first);
});

test('a selection of pages and leaving out what is not listed both hold', async () => {
  const selected = await exportSite(request({ paths: ['/guides/first.mdx'] }));
  expect(selected.pageCount).toBe(1);
  const listed = await exportSite(request({ includeUnlisted: false, artifactDir: join(work, 'listed') }));
  expect(listed.pageCount).toBe(2);
});

test('a source that cannot be exported is refused with file and line, also out of the sandbox', async () => {
  const source = await writeSite({ ...SITE, 'docs.json': '{\n  "name": "x",\n  oops\n}' });
  const refused = await inSandbox(source, join(work, 'artifact'));
  expect(refused).toMatchObject({ status: 'refused', fault: { file: 'docs.json' } });
  await expect(exportSite(request({ source }))).rejects.toMatchObject({
    name: 'SourceError',
    file: 'docs.json',
  });
});

test('a chunk that is a link, or not as its index says, is never read', async () => {
  const { index } = await exportSite(request());
  const [chunk] = index.chunks;
  if (chunk === undefined) return expect.fail('no chunk');
  const folder = join(work, 'artifact');
  expect((await readChunk(folder, chunk)).byteLength).toBe(chunk.bytes);
  await writeFile(join(work, 'secret'), Buffer.alloc(chunk.bytes));
  await rm(join(folder, chunk.sha256));
  await symlink(join(work, 'secret'), join(folder, chunk.sha256));
  await expect(readChunk(folder, chunk)).rejects.toThrow();
  await rm(join(folder, chunk.sha256));
  await writeFile(join(folder, chunk.sha256), 'short');
  await expect(readChunk(folder, chunk)).rejects.toThrow('not as its index says');
});

test.each([
  null,
  1,
  {},
  { status: 'completed' },
  { status: 'completed', summary: { pageCount: -1 } },
  { status: 'refused', fault: { file: 1 } },
])('the result %j of a child is refused', (value) => expect(() => readAnswer(value)).toThrow(TypeError));

test('the scripts of components and the sheets of utility classes are made in the sandbox as outside', async () => {
  const files = {
    ...SITE,
    'snippets/counter.tsx':
      'export const Counter = ({ from }: { from: number }) => { const [n, set] = useState<number>(from); return <button className="p-[3px] md:flex" onClick={() => set(n + 1)}>{n}</button> };\n',
    'index.mdx': 'import { Counter } from "/snippets/counter.tsx"\n\n<Counter from={3} />\n',
  };
  const source = await writeSite(files);
  const here = await exportSite(request({ source }));
  const sandboxed = await inSandbox(source, join(work, 'c'));
  expect(sandboxed).toMatchObject({ status: 'completed', summary: { index: here.index, warnings: [] } });
});
