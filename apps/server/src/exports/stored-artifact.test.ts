import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPacker, memoryChunks } from '@offprint/bundle';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFsBlobStore } from '../platform/blob/fs.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { systemClock } from '../platform/clock.ts';
import { storeArtifact } from './artifact.ts';
import { createArtifactReader } from './stored-artifact.ts';

const ORGANIZATION = 'org_00112233445566778899aabbccddeeff';
const KEPT = 10;

let folder: string;
let blobs: BlobStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offprint-artifacts-'));
  blobs = await openFsBlobStore({
    folder,
    secret: Buffer.alloc(32),
    publicUrl: () => 'http://127.0.0.1',
    now: systemClock,
  });
});
afterAll(() => rm(folder, { recursive: true }));

/** Stores an artifact of one file; its bundle. */
async function store(content: string, redirects: number): Promise<string> {
  const chunks = memoryChunks();
  const packer = createPacker({ store: chunks });
  packer.add('index.html', Buffer.from(content));
  const index = await packer.finish({
    site: { domain: 'docs.example.com', name: 'Docs', url: 'https://docs.example.com' },
    version: '1',
    commit: null,
    renderer: { name: 'offprint', version: '0.1.0' },
    redirects: Array.from({ length: redirects }, (_, place) => ({
      source: `/${place}`,
      destination: '/',
      permanent: true,
    })),
    features: {},
  });
  await storeArtifact(blobs, ORGANIZATION, index, async (chunk) => chunks.get(chunk));
  return index.bundle.sha256;
}

test('manifests are kept by what they hold, redirects too, so that small sites cannot fill the memory', async () => {
  const [small, other, wide] = [await store('a', 0), await store('b', 0), await store('c', KEPT)];
  const read: string[] = [];
  const get: BlobStore['get'] = (key, range) => {
    if (key.endsWith('/index.json')) read.push(key.split('/')[2] ?? '');
    return blobs.get(key, range);
  };
  const artifacts = createArtifactReader({ ...blobs, get }, KEPT);
  for (const bundle of [small, other, small, wide, wide, small, wide]) {
    expect(await artifacts.open(ORGANIZATION, bundle)).not.toBeNull();
  }
  expect(read).toEqual([small, other, wide, small, wide]);
});
