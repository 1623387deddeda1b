/** What changes in the artifact of a site of 1,000 pages when its source changes a little. Counts, and no times. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArtifactIndex, openArtifactFolder } from '@offprint/bundle';
import { memorySource } from '@offprint/render';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportSite } from './export-site.ts';

interface Artifact {
  index: ArtifactIndex;
  /** Digest of each file by path. */
  files: ReadonlyMap<string, string>;
}

let seed = 7;
const random = (below: number): number => {
  // xorshift (Marsaglia 2003)
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) % below;
};
const COMMON = 'the of and to a request response token server client config deploy error value'.split(' ');
const word = (): string =>
  random(2) === 0 ? COMMON[random(COMMON.length)]! : `w${random(5000).toString(36)}`;
const words = (count: number): string => Array.from({ length: count }, word).join(' ');

const PAGES = Array.from({ length: 1000 }, (_, at) => `part-${at % 20}/page-${at}`);
const EDITED = 'part-3/page-503.mdx';
const SITE: Record<string, string> = { 'docs.json': docsJson(PAGES) };
for (const path of PAGES) {
  const body = Array.from({ length: 5 }, () => `## ${words(3)}\n\n${words(120)}\n\n${words(110)}`);
  SITE[`${path}.mdx`] = `---\ntitle: ${words(3)}\n---\n\n${body.join('\n\n')}\n`;
}

function docsJson(pages: readonly string[]): string {
  const groups = Array.from({ length: 20 }, (_, part) => ({
    group: `Part ${part}`,
    pages: pages.filter((path) => path.startsWith(`part-${part}/`)),
  }));
  return JSON.stringify({
    theme: 'mint',
    name: 'Docs',
    colors: { primary: '#336699' },
    navigation: { groups },
  });
}

let work: string;
let before: Artifact;
let runs = 0;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'offprint-delta-'));
  before = await makeArtifact(SITE);
}, 120_000);
afterAll(() => rm(work, { recursive: true, force: true }));

async function makeArtifact(site: Record<string, string>): Promise<Artifact> {
  const artifactDir = join(work, String(runs++));
  const { index } = await exportSite({
    source: memorySource(site),
    artifactDir,
    domain: 'docs.example.com',
    siteUrl: 'https://docs.example.com',
    commit: null,
    committedAt: null,
    modified: Object.fromEntries(PAGES.map((path) => [`${path}.mdx`, '2026-01-02T03:04:05Z'])),
  });
  const { manifest } = await openArtifactFolder(artifactDir);
  return { index, files: new Map(manifest.files.map(({ path, sha256 }) => [path, sha256])) };
}

function difference(after: Artifact) {
  const known = new Set(before.index.chunks.map(({ sha256 }) => sha256));
  const chunks = after.index.chunks.filter(({ sha256 }) => !known.has(sha256));
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  const files = [...after.files].filter(([path, sha256]) => before.files.get(path) !== sha256);
  return {
    files: files.map(([path]) => path),
    chunks: chunks.length,
    share: bytes / after.index.bundle.bytes,
  };
}

test('another wording of a sentence changes at most 12 files and 5% of the bytes', async () => {
  const text = SITE[EDITED]!;
  const changed = text.replace(/(\n\n\S+ \S+ )\S+ \S+ \S+/, '$1request token server');
  expect(changed).not.toBe(text);
  const { files, chunks, share } = difference(await makeArtifact({ ...SITE, [EDITED]: changed }));
  // and the manifest
  expect(files.length + 1, files.join(' ')).toBeLessThanOrEqual(12);
  expect(files.filter((path) => path.endsWith('.html'))).toEqual(['part-3/page-503.html']);
  expect(chunks).toBeLessThanOrEqual(15);
  expect(share).toBeLessThan(0.05);
}, 120_000);

test('a paragraph more changes no other page, no other text and at most 5% of the bytes', async () => {
  const changed = `${SITE[EDITED]}\n${words(15)}\n`;
  const { files, share } = difference(await makeArtifact({ ...SITE, [EDITED]: changed }));
  const pages = files.filter((path) => /\.(?:html|md)$/.test(path));
  expect(pages).toEqual(['part-3/page-503.html', 'part-3/page-503.md']);
  expect(files.filter((path) => path.startsWith('_offprint/search/c-'))).toHaveLength(1);
  expect(share).toBeLessThan(0.05);
}, 120_000);

test('a page more changes a fifth of the bytes at most: its group in the navigation, and the index', async () => {
  const path = 'part-3/page-new';
  const site = { ...SITE, 'docs.json': docsJson([...PAGES, path]), [`${path}.mdx`]: SITE[EDITED]! };
  const { share } = difference(await makeArtifact(site));
  expect(share).toBeLessThan(0.2);
}, 120_000);
