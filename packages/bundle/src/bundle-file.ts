import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import * as zlib from 'node:zlib';
import type { ArtifactChunk } from './artifact.ts';
import type { ChunkSink } from './chunk-sink.ts';
import { deflateOptions } from './compress.ts';
import { chunkSize } from './cut.ts';
import type { EarlierBundle } from './earlier-bundle.ts';
import { bundleEnd, gzipHeader } from './join.ts';
import { createPackWork, type PackFiles, type PackRange } from './pack-work.ts';

/** Chunks that may wait for the thread; further ones are compressed in place. */
const MAX_WAITING = 32;
/** Chunks that are compressed in place before the thread is started: a small site needs none. */
const BEFORE_THREAD = 12;

/** Tasks of the thread, which it does in order. */
type Task =
  | { kind: 'compress'; buffer: Uint8Array<ArrayBuffer>; used: number; options: zlib.ZlibOptions }
  | { kind: 'append'; packed: Uint8Array }
  | { kind: 'join'; start: Uint8Array; ranges: readonly PackRange[]; end: Uint8Array };

type Reply =
  | { kind: 'compressed'; chunk: ArtifactChunk; buffer: Uint8Array<ArrayBuffer> }
  | { kind: 'appended' }
  | { kind: 'joined'; sha256: string }
  | { kind: 'failed'; error: Error; details: object };

export interface BundleFile extends ChunkSink {
  /** Closes the files; the caller removes them after a failure, and the one of the chunks always. */
  close(): Promise<void>;
}

/**
 * Writes a bundle to a new file. Its chunks are collected in a second one (`.chunks` behind the name), because the
 * manifest comes first in the bundle and last from the packer. Above a few megabytes, a thread compresses and writes.
 * The bytes are the same either way. Chunks of an earlier bundle are copied when the bundle is written; it must stay open
 * until then.
 */
export function bundleFile(file: string, earlier: EarlierBundle | null = null): BundleFile {
  const bundle = fs.openSync(file, 'wx');
  return writeBundle({ bundle, chunks: openBeside(`${file}.chunks`, bundle) }, earlier);
}

/** As `bundleFile`, to open files, which it closes. */
export function writeBundle(own: PackFiles, earlier: EarlierBundle | null = null): BundleFile {
  const files = earlier === null ? own : { ...own, earlier: earlier.descriptor };
  const work = createPackWork({ crypto, fs, zlib }, files);
  const chunks: ArtifactChunk[] = [];
  /** Start of each chunk in the earlier bundle, if it is there. */
  const starts: (number | undefined)[] = [];
  const free: Uint8Array<ArrayBuffer>[] = [];
  let failure: { error: unknown } | null = null;
  let thread: PackThread | null = null;
  let digest = '';

  const receive = (reply: Reply): void => {
    if (reply.kind === 'failed') failure ??= { error: Object.assign(reply.error, reply.details) };
    if (reply.kind === 'joined') digest = reply.sha256;
    if (reply.kind !== 'compressed') return;
    place(reply.chunk);
    free.push(reply.buffer);
  };
  // Replies come in the order of the tasks; chunks that were compressed in place have their places already.
  let next = 0;
  const place = (chunk: ArtifactChunk): void => {
    while (chunks[next] !== undefined) next++;
    chunks[next++] = chunk;
  };
  let count = 0;
  const inPlace = (buffer: Uint8Array<ArrayBuffer>, used: number, options: zlib.ZlibOptions): void => {
    const { chunk, packed } = work.compress(buffer.subarray(0, used), options);
    chunks[count++] = chunk;
    free.push(buffer);
    if (thread === null) work.append(packed);
    else thread.send({ kind: 'append', packed });
  };
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      failure ??= { error };
    }
  };
  return {
    buffer: () => free.pop() ?? new Uint8Array(chunkSize),
    put(buffer, used, level) {
      const options = deflateOptions(level);
      if (count >= BEFORE_THREAD) thread ??= startThread(files, receive);
      if (thread === null || thread.waiting() >= MAX_WAITING) {
        attempt(() => inPlace(buffer, used, options));
        return;
      }
      count++;
      thread.send({ kind: 'compress', buffer, used, options }, [buffer.buffer]);
    },
    reuse(key) {
      const known = earlier?.find(key) ?? null;
      if (known === null) return false;
      starts[count] = known.from;
      chunks[count++] = known.chunk;
      return true;
    },
    room: async () => thread?.until(MAX_WAITING - 1),
    async end() {
      await thread?.until(0);
      if (failure !== null) throw failure.error;
      return chunks;
    },
    async join(ordered, front) {
      const all = rangesOf(chunks, starts);
      const ranges = [...all.slice(chunks.length - front), ...all.slice(0, chunks.length - front)];
      if (thread === null) return work.join(gzipHeader, ranges, bundleEnd(ordered));
      thread.send({ kind: 'join', start: gzipHeader, ranges, end: bundleEnd(ordered) });
      await thread.until(0);
      if (failure !== null) throw failure.error;
      return digest;
    },
    async close() {
      await thread?.end();
      fs.closeSync(files.chunks);
      fs.closeSync(files.bundle);
    },
  };
}

/** Where each chunk is: one after the other in the file of new chunks, or in the earlier bundle. */
function rangesOf(chunks: readonly ArtifactChunk[], starts: readonly (number | undefined)[]): PackRange[] {
  let end = 0;
  return chunks.map(({ bytes, sha256 }, place) => {
    const start = starts[place];
    if (start !== undefined) return { from: start, to: start + bytes, sha256 };
    end += bytes;
    return { from: end - bytes, to: end };
  });
}

function openBeside(file: string, bundle: number): number {
  try {
    return fs.openSync(file, 'wx+', 0o600);
  } catch (error) {
    fs.closeSync(bundle);
    throw error;
  }
}

interface PackThread {
  send(task: Task, transfer?: ArrayBuffer[]): void;
  /** Tasks that are not done. */
  waiting(): number;
  /** Resolves when at most this number of tasks waits, or the thread has failed. */
  until(tasks: number): Promise<void>;
  end(): Promise<void>;
}

function startThread(files: PackFiles, onReply: (reply: Reply) => void): PackThread {
  const { port1: port, port2 } = new MessageChannel();
  const workerData = { port: port2, files };
  const worker = new Worker(THREAD, { eval: true, execArgv: [], workerData, transferList: [port2] });
  worker.unref();
  let waiting = 0;
  let isOver = false;
  let wake = (): void => {};
  const receive = (reply: Reply): void => {
    waiting--;
    onReply(reply);
    wake();
  };
  port.on('message', receive).unref();
  const fail = (error: Error): void => {
    isOver = true;
    onReply({ kind: 'failed', error, details: {} });
    wake();
  };
  worker.on('error', fail);
  worker.on('exit', () => {
    if (!isOver) fail(new Error('The thread that writes the bundle has ended.'));
  });
  /** Receives what has come, although the event loop does not run. */
  const drain = (): void => {
    for (let one = receiveMessageOnPort(port); one !== undefined; one = receiveMessageOnPort(port))
      receive(one.message as Reply);
  };
  return {
    send(task, transfer = []) {
      waiting++;
      port.postMessage(task, transfer);
    },
    waiting() {
      drain();
      return waiting;
    },
    async until(tasks) {
      worker.ref();
      port.ref();
      while (waiting > tasks && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      worker.unref();
      port.unref();
    },
    async end() {
      isOver = true;
      port.close();
      await worker.terminate();
    },
  };
}

const THREAD = `
const { port, files } = require('node:worker_threads').workerData;
const modules = { crypto: require('node:crypto'), fs: require('node:fs'), zlib: require('node:zlib') };
const work = (${createPackWork.toString()})(modules, files);
const run = (task) => {
  if (task.kind === 'append') return work.append(task.packed), { kind: 'appended' };
  if (task.kind === 'join') return { kind: 'joined', sha256: work.join(task.start, task.ranges, task.end) };
  const { chunk, packed } = work.compress(task.buffer.subarray(0, task.used), task.options);
  work.append(packed);
  return { kind: 'compressed', chunk, buffer: task.buffer };
};
port.on('message', (task) => {
  try {
    const reply = run(task);
    port.postMessage(reply, reply.buffer === undefined ? [] : [reply.buffer.buffer]);
  } catch (error) {
    port.postMessage({ kind: 'failed', error, details: { ...error } });
  }
});
`;
