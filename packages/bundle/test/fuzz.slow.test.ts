/**
 * Bundles that are nearly sound, by the thousand: each is refused with a BundleError or is what its manifest says; no
 * byte is read twice, nothing is written outside the folder, and nothing stays of what was refused. The usual run takes
 * 3,000; OFFPRINT_TEST=full takes 1,000,000 (OFFPRINT_TEST_SEED: where to begin).
 */
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../../../test/support/random.ts';
import { isFull } from '../../../test/support/size.ts';
import { BundleError, type ManifestFile, parseManifest, readArchive, unpackBundle } from '../src/index.ts';
import { formatManifest } from '../src/manifest.ts';
import { readBundle } from '../src/read.ts';
import { makeNearlySound } from './mutate.ts';
import { makeSurroundings, snapshot } from './tree.ts';

const COUNT = isFull ? 1_000_000 : 3_000;
const FIRST = Number(process.env.OFFPRINT_TEST_SEED ?? 1);
/** Inputs at a time: one waits for the thread pool while another is made. */
const LANES = 4;
/** Nothing here takes a thousandth of it; one that takes longer hangs. */
const HANG_MS = 120_000;
/** So small that mutations reach them. */
const limits = { maxFiles: 50, maxFileBytes: 100_000, maxBytes: 1_000_000, maxRatio: 1100 };

let root: string;
let work: string;
let before: string[];
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-fuzz-'));
  work = makeSurroundings(root);
  before = snapshot(root, work);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The bytes in pieces; `read` counts what was taken. */
function counted(bytes: Buffer, pieceSize: number) {
  const count = { read: 0 };
  const source = async function* () {
    for (let from = 0; from < bytes.length; from += pieceSize) {
      const piece = bytes.subarray(from, from + pieceSize);
      count.read += piece.length;
      yield piece;
    }
  };
  return { count, source: source() };
}

/** By other means than those of the code under test. */
function isSafe(path: string): boolean {
  return (
    /^[^\\\p{Cc}]+$/u.test(path) &&
    posix.resolve('/root', path) === `/root/${path}` &&
    win32.resolve('C:\\root', path) === `C:\\root\\${path.replaceAll('/', '\\')}`
  );
}

function expectSafe(paths: readonly string[]): void {
  expect(paths.filter((path) => !isSafe(path))).toEqual([]);
  expect(new Set(paths.map((path) => path.normalize('NFC').toLowerCase())).size).toBe(paths.length);
}

interface Outcome {
  code: string;
  files: Map<string, Buffer>;
}

const codeOf = (error: unknown): string => {
  if (error instanceof BundleError) return error.code;
  throw error;
};

/** Reads a bundle in memory and holds what is accepted to account. */
async function readInMemory(bytes: Buffer, pieceSize: number): Promise<Outcome> {
  const files = new Map<string, Buffer>();
  const rows: ManifestFile[] = [];
  let taken = 0;
  const { count, source } = counted(bytes, pieceSize);
  const outcome = await readBundle(
    source,
    {
      manifest: async (_manifest, text) => void files.set('offprint.json', text),
      file: async (file, content) => {
        const pieces: Buffer[] = [];
        for await (const piece of content) {
          taken += piece.length;
          pieces.push(Buffer.from(piece));
        }
        rows.push(file);
        files.set(file.path, Buffer.concat(pieces));
      },
    },
    { limits },
  ).catch(codeOf);
  expect(count.read).toBeLessThanOrEqual(bytes.length);
  expect(taken).toBeLessThanOrEqual(limits.maxBytes);
  if (typeof outcome === 'string') return { code: outcome, files };
  const { manifest } = outcome;
  expect(count.read).toBe(bytes.length);
  expect([outcome.bytes, outcome.sha256]).toEqual([bytes.length, hash('sha256', bytes)]);
  expect(parseManifest(formatManifest(manifest, manifest.files))).toEqual(manifest);
  expect(rows).toEqual(manifest.files);
  for (const { path, sha256, size } of manifest.files) {
    const content = files.get(path);
    expect([content?.length, hash('sha256', content ?? '')]).toEqual([size, sha256]);
  }
  expectSafe([...files.keys()]);
  expect(files.size).toBe(manifest.files.length + 1);
  return { code: 'accepted', files };
}

/** Unpacks to disk: the same outcome, the same files, and nothing else anywhere. */
async function unpackOnDisk(bytes: Buffer, expected: Outcome, name: string): Promise<void> {
  const into = join(work, name);
  const { source } = counted(bytes, bytes.length + 1);
  const code = await unpackBundle(source, into, { limits, durable: false }).then(() => 'accepted', codeOf);
  // The chunks decide which of two errors is found first, not whether the bundle is refused.
  expect(code === 'accepted').toBe(expected.code === 'accepted');
  // Of other lanes there may be others, which come and go.
  const left = readdirSync(work).filter((one) => one === name || one.startsWith(`.${name}.`));
  expect(left).toEqual(code === 'accepted' ? [name] : []);
  if (code === 'accepted') {
    const found = readdirSync(into, { recursive: true, withFileTypes: true });
    expect(found.every((one) => one.isFile() || one.isDirectory())).toBe(true);
    const paths = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
    expect(paths.sort()).toEqual([...expected.files.keys()].map((path) => join(into, path)).sort());
    for (const [path, content] of expected.files) {
      expect(readFileSync(join(into, path)).equals(content), path).toBe(true);
    }
    rmSync(into, { recursive: true });
  }
  expect(snapshot(root, work)).toEqual(before);
}

/** The same bytes as an upload of a stranger. */
async function readUpload(bytes: Buffer): Promise<string> {
  const paths: string[] = [];
  const { count, source } = counted(bytes, bytes.length + 1);
  const code = await readArchive(
    source,
    async ({ path, size, content }) => {
      let length = 0;
      for await (const piece of content) length += piece.length;
      expect(length).toBe(size);
      paths.push(path);
    },
    { limits, links: 'skip' },
  ).then(() => 'accepted', codeOf);
  expect(count.read).toBeLessThanOrEqual(bytes.length);
  expectSafe(paths);
  return code;
}

/**
 * Ends this process when a lane stays at its seed: a loop that never ends leaves no turn to anything in its own thread.
 */
function watchFromOutside(seeds: Int32Array): Worker {
  const code = `
    const { workerData: { seeds, limit } } = require('node:worker_threads');
    const since = [...seeds].map((seed) => ({ seed, at: Date.now() }));
    setInterval(() => {
      for (const [lane, seed] of [...seeds].entries()) {
        if (seed !== since[lane].seed) since[lane] = { seed, at: Date.now() };
        else if (Date.now() - since[lane].at > limit && Math.max(...seeds) > 0) {
          const rest = 'The lanes are at the seeds ' + [...seeds].join(', ') + ': one of them hangs.\\n';
          require('node:fs').writeSync(2, rest);
          process.kill(process.pid, 'SIGKILL');
        }
      }
    }, 1000);`;
  return new Worker(code, { eval: true, workerData: { seeds, limit: HANG_MS } });
}

function count(found: Map<string, number>, code: string): void {
  found.set(code, (found.get(code) ?? 0) + 1);
}

test(
  `${COUNT} bundles that are nearly sound`,
  async () => {
    const codes = new Map<string, number>();
    const uploads = new Map<string, number>();
    let slowest = { seed: 0, ms: 0, bytes: 0 };
    let unpacked = 0;
    let next = FIRST;
    const began = performance.now();
    const report = (done: number): void => {
      const rate = Math.round((1000 * done) / (performance.now() - began));
      const figures = [codes, uploads].map((found) => JSON.stringify(Object.fromEntries([...found].sort())));
      process.stdout.write(
        `${done} bundles, ${rate}/s, ${unpacked} also to disk; slowest ${JSON.stringify(slowest)}; ${figures.join('; as uploads ')}\n`,
      );
    };
    const seeds = new Int32Array(new SharedArrayBuffer(4 * LANES));
    const watch = watchFromOutside(seeds);
    const takeOne = async (seed: number): Promise<void> => {
      const random = createRandom(seed);
      const bytes = makeNearlySound(random);
      const start = performance.now();
      const piece = Math.ceil(bytes.length / (random() < 0.8 ? 1 : 1 + random() * 200));
      const outcome = await readInMemory(bytes, piece);
      count(codes, outcome.code);
      const ms = performance.now() - start;
      if (ms > slowest.ms) slowest = { seed, ms: Math.round(ms), bytes: bytes.length };
      if (random() < (outcome.code === 'accepted' ? 0.05 : 0.01)) {
        await unpackOnDisk(bytes, outcome, `site-${seed}`);
        unpacked += 1;
      }
      if (random() < 0.1) count(uploads, await readUpload(bytes));
    };
    const lane = async (at: number): Promise<void> => {
      while (next < FIRST + COUNT) {
        const seed = next++;
        seeds[at] = seed;
        if (seed > FIRST && (seed - FIRST) % 100_000 === 0) report(seed - FIRST);
        await takeOne(seed).catch((error: unknown) => {
          throw new Error(`The bundle of seed ${seed} is treated wrongly.`, { cause: error });
        });
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)));
    await watch.terminate();
    report(COUNT);
    // Else the mutations do not reach what they are for.
    const wanted = [
      ...['accepted', 'path_unsafe', 'path_collision', 'gzip_invalid', 'tar_invalid', 'truncated'],
      ...[
        'trailing_data',
        'entry_kind',
        'entry_unexpected',
        'digest_mismatch',
        'manifest_invalid',
        'too_large',
      ],
    ];
    expect([...codes.keys()].sort()).toEqual(wanted.sort());
    expect(readdirSync(work)).toEqual([]);
    expect(snapshot(root, work)).toEqual(before);
  },
  isFull ? 4 * 3_600_000 : 300_000,
);
