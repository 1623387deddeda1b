import { hash, randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ArtifactIndex, createPacker, memoryChunks, openArtifact, pathFault } from '../src/index.ts';
import { head } from './craft.ts';

async function packed(files: readonly (readonly [string, Uint8Array])[]) {
  const store = memoryChunks();
  const packer = createPacker({ store });
  for (const [path, content] of files) packer.add(path, content);
  return { store, index: await packer.finish(head) };
}

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

// Long and non-ASCII names have headers of other lengths, which move everything behind them.
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 150 })
  .map((text) => text.normalize('NFC').replaceAll('/', '-'))
  .filter((text) => pathFault(text) === null);
const files = fc.uniqueArray(fc.tuple(name, fc.integer({ min: 0, max: 400_000 })), {
  maxLength: 8,
  selector: ([path]) => path.toUpperCase().toLowerCase(),
});

it('reads every file of an artifact, whole and in part, whatever the names and sizes before it', async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.double({ min: 0, max: 1, noNaN: true }), async (list, share) => {
      const contents = list.map(([path, size]) => [path, randomBytes(size)] as const);
      const { store, index } = await packed(contents);
      const artifact = await openArtifact(index, store.get);
      expect(artifact.manifest.files.map(({ path }) => path)).toEqual(contents.map(([path]) => path));
      for (const [place, [, content]] of contents.entries()) {
        const file = artifact.manifest.files[place]!;
        expect((await bytesOf(artifact.read(file))).equals(content)).toBe(true);
        if (content.length === 0) continue;
        const start = Math.floor(share * (content.length - 1));
        const end = Math.min(content.length - 1, start + 300_000);
        const part = await bytesOf(artifact.read(file, { start, end }));
        expect(part.equals(content.subarray(start, end + 1))).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

it('refuses a chunk that is damaged, holds more than a chunk may, or is of another manifest', async () => {
  const { store, index } = await packed([['a.html', Buffer.from('hello')]]);
  const read = async (changed: ArtifactIndex, get = store.get) => {
    const artifact = await openArtifact(changed, get);
    return bytesOf(artifact.read(artifact.manifest.files[0]!));
  };
  expect((await read(index)).toString()).toBe('hello');

  const [front, content] = index.chunks;
  await expect(
    read(index, (chunk) => (chunk === content ? randomBytes(chunk.bytes) : store.get(chunk))),
  ).rejects.toThrow(/is damaged/);

  const bomb = deflateRawSync(Buffer.alloc(50_000_000));
  const bombChunk = {
    sha256: hash('sha256', bomb),
    bytes: bomb.length,
    rawBytes: content!.rawBytes,
    crc32: 0,
  };
  await expect(
    read({ ...index, chunks: [front!, bombChunk] }, (chunk) =>
      chunk === bombChunk ? bomb : store.get(chunk),
    ),
  ).rejects.toThrow(/is damaged/);

  await expect(read({ ...index, artifact: { ...index.artifact, sha256: 'f'.repeat(64) } })).rejects.toThrow(
    /start with its manifest/,
  );
});
