/**
 * One object of two gigabytes through the S3 driver, to a store of yours and back: time, and the most memory that the
 * process had. The store is the one of the variables that the tests of the driver read (test/support/s3/real.ts).
 *
 *   node bench/storage.ts [megabytes]
 */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { openS3BlobStore } from '../apps/server/src/platform/blob/s3.ts';
import { systemClock } from '../apps/server/src/platform/clock.ts';
import { findRealStore } from '../test/support/s3/real.ts';

const MIB = 1_048_576;
const PIECE = 65_536;
const megabytes = Number(process.argv[2] ?? 2048);
const real = findRealStore();
if (real === null || !Number.isInteger(megabytes) || megabytes < 1) process.exit(2);

const store = openS3BlobStore({
  ...real,
  publicEndpoint: null,
  prefix: 'bench/',
  forcePathStyle: true,
  checksums: 'when-required',
  caFile: null,
  now: systemClock,
});

let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 20);

/** Bytes that differ in every piece, without the cost of random ones. */
async function* content(digest: ReturnType<typeof createHash>) {
  const base = randomBytes(PIECE);
  for (let piece = 0; piece < (megabytes * MIB) / PIECE; piece++) {
    const bytes = Buffer.from(base);
    bytes.writeUInt32BE(piece);
    digest.update(bytes);
    yield bytes;
  }
}

async function measure(what: string, run: () => Promise<void>): Promise<void> {
  const [base, started, cpu] = [process.memoryUsage().rss, performance.now(), process.cpuUsage()];
  peak = base;
  await run();
  const seconds = (performance.now() - started) / 1000;
  const used = process.cpuUsage(cpu);
  const row = [
    what.padEnd(4),
    `${megabytes} MiB`,
    `${seconds.toFixed(1)} s`,
    `${(megabytes / seconds).toFixed(0)} MiB/s`,
    `cpu ${((used.user + used.system) / 1e6).toFixed(1)} s`,
    `peak ${(peak / MIB).toFixed(0)} MiB, before ${(base / MIB).toFixed(0)} MiB`,
  ];
  process.stdout.write(`${row.join('   ')}\n`);
}

const [sent, received] = [createHash('sha256'), createHash('sha256')];
try {
  await measure('put', async () => {
    await store.put('large', Readable.from(content(sent), { objectMode: false }));
  });
  await measure('get', async () => {
    const stream = await store.get('large');
    for await (const piece of stream ?? []) received.update(piece as Buffer);
  });
  const isSame = sent.digest('hex') === received.digest('hex');
  process.stdout.write(isSame ? 'the same bytes were read\n' : 'OTHER BYTES WERE READ\n');
  process.exitCode = isSame ? 0 : 1;
} finally {
  clearInterval(watch);
  await store.delete('large');
  store.close();
}
