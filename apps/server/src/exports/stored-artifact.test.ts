import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArtifactChunk, createPacker, memoryChunks } from '@offprint/bundle';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BlobStoreError } from '../platform/blob/error.ts';
import { openFsBlobStore } from '../platform/blob/fs.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { systemClock } from '../platform/clock.ts';
import { chunkKey, isStored, readStoredChunk, removeArtifact, storeArtifact } from './artifact.ts';
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

/** An artifact of these files. */
async function pack(files: Readonly<Record<string, Uint8Array>>, redirects = 0) {
  const chunks = memoryChunks();
  const packer = createPacker({ store: chunks });
  for (const [path, content] of Object.entries(files)) packer.add(path, content);
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
  return { index, readChunk: async (chunk: ArtifactChunk) => chunks.get(chunk) };
}

/** Stores an artifact of one file; its bundle. */
async function store(content: string, redirects: number): Promise<string> {
  const { index, readChunk } = await pack({ 'index.html': Buffer.from(content) }, redirects);
  await storeArtifact(blobs, ORGANIZATION, index, readChunk);
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

describe('an artifact that shares chunks with an earlier one', () => {
  // Larger than a chunk, and not to be compressed: each file has chunks of its own.
  const image = (seed: string): Uint8Array =>
    Buffer.concat(
      Array.from({ length: 20_000 }, (_, at) => createHash('sha256').update(`${seed} ${at}`).digest()),
    );
  const [shared, changed, edited] = ['shared', 'changed', 'edited'].map(image);
  const files = (two: Uint8Array | undefined) => ({
    'a.png': shared ?? Buffer.alloc(0),
    'b.png': two ?? Buffer.alloc(0),
  });

  /** Stores the first artifact, then the second; the chunks that were put as bytes, and those that the store has. */
  async function storeBoth(given: Partial<BlobStore>) {
    const [one, two] = [await pack(files(changed)), await pack(files(edited))];
    await storeArtifact(blobs, ORGANIZATION, one.index, one.readChunk);
    const put: string[] = [];
    const watched: BlobStore = {
      ...blobs,
      ...given,
      put(key, content) {
        put.push(key.split('/').at(-1) ?? '');
        return blobs.put(key, content);
      },
    };
    const earlier = one.index.bundle.sha256;
    await storeArtifact(watched, ORGANIZATION, two.index, two.readChunk, { earlier });
    const bundle = two.index.bundle.sha256;
    expect(await isStored(blobs, ORGANIZATION, two.index)).toBe(true);
    // Also reads and checks the content of each.
    for (const chunk of two.index.chunks) await readStoredChunk(blobs, ORGANIZATION, bundle, chunk);
    const inBoth = two.index.chunks.filter(({ sha256 }) =>
      one.index.chunks.some((chunk) => chunk.sha256 === sha256),
    );
    expect(inBoth.length, 'the test compares something').toBeGreaterThan(0);
    expect(inBoth.length).toBeLessThan(two.index.chunks.length);
    const all = two.index.chunks.map(({ sha256 }) => sha256);
    await removeArtifact(blobs, ORGANIZATION, earlier, new AbortController().signal);
    for (const chunk of two.index.chunks) await readStoredChunk(blobs, ORGANIZATION, bundle, chunk);
    await removeArtifact(blobs, ORGANIZATION, bundle, new AbortController().signal);
    return { put, all, inBoth: inBoth.map(({ sha256 }) => sha256) };
  }

  test('gets them within the store, and stays when the earlier one is removed', async () => {
    const { put, all, inBoth } = await storeBoth({});
    expect(put.toSorted()).toEqual(
      [...all.filter((chunk) => !inBoth.includes(chunk)), 'index.json'].toSorted(),
    );
  });

  test('is stored from its bytes where the store cannot copy, or has lost the chunks', async () => {
    const copy = async () => {
      throw new BlobStoreError('refused', 'the store has no copies');
    };
    for (const given of [{ copy }, { copy: async () => false }]) {
      const { put, all } = await storeBoth(given);
      expect(put.toSorted()).toEqual([...all, 'index.json'].toSorted());
    }
  });

  test('does not get chunks of another size than its own', async () => {
    const [one, two] = [await pack(files(changed)), await pack(files(edited))];
    await storeArtifact(blobs, ORGANIZATION, one.index, one.readChunk);
    const earlier = one.index.bundle.sha256;
    for (const { sha256 } of one.index.chunks)
      await blobs.put(chunkKey(ORGANIZATION, earlier, sha256), Buffer.from('cut off'));
    await storeArtifact(blobs, ORGANIZATION, two.index, two.readChunk, { earlier });
    for (const chunk of two.index.chunks)
      await readStoredChunk(blobs, ORGANIZATION, two.index.bundle.sha256, chunk);
  });
});
