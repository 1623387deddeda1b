import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { ChildError, type ChildLimits } from '../../platform/sandbox/child.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { ImageWork } from './encode-image.ts';
import type { ImageInput } from './image-child.ts';

export interface ImageFile extends ImageWork {
  /** Writes the image to a file that does not exist; null if it cannot be read. */
  place: ((file: string) => Promise<void>) | null;
}

export interface EncodedFiles {
  /** Why an image has no record, by its number; the others have one of that name in the folder. */
  faults: Map<number, string>;
  /** Why images have neither a record nor a reason in `faults`; null if all have one of them. */
  fault: string | null;
}

/** Limits of the images of one export. The encoder is a process of its own, so they are not those of its render. */
export interface ImageLimits {
  /** CPU time of all images, and of one. */
  cpuMs: number;
  imageCpuMs: number;
  /** Of the heap. Images are in memory beside it. */
  memoryMb: number;
  /** Of a record. */
  recordBytes: number;
  /** Images that may fail otherwise than by their content, each of which costs a process. */
  failures: number;
  /** Processes that may end because of the machine, such as one that is killed from outside; each is started again. */
  restarts: number;
}

const MEGABYTE = 1_000_000;

export const IMAGE_LIMITS: Readonly<ImageLimits> = {
  cpuMs: 1_200_000,
  imageCpuMs: 20_000,
  memoryMb: 512,
  recordBytes: 32 * MEGABYTE,
  failures: 8,
  restarts: 5,
};

/** Images that one process encodes. */
const BATCH = 32;
/** A process waits for its turn on a busy machine. */
const WALL_FACTOR = 8;
const START_CPU_MS = 5_000;

interface Task {
  sandbox: Sandbox;
  limits: ImageLimits;
  images: readonly ImageFile[];
  /** Takes the records. */
  into: string;
  /** Folder on the file system of the sandbox that does not exist yet. */
  work: string;
  signal: AbortSignal;
}

/**
 * Encodes images in sandboxed processes, since they are hostile input for libraries in C: a process that ends costs the
 * image that it worked on. Throws the reason of the signal only, and errors of this machine's disk.
 */
export async function encodeImages(task: Task): Promise<EncodedFiles> {
  const { limits, images, work } = task;
  const faults = new Map<number, string>();
  const numbers = images.map((_, number) => number);
  for (const number of numbers) if (images[number]?.place === null) faults.set(number, 'it is not a file');
  const waiting = batchesOf(numbers.filter((number) => !faults.has(number)));
  let { cpuMs, failures, restarts } = limits;
  try {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      if (cpuMs <= 0) return { faults, fault: `they need more than ${limits.cpuMs / 1000} s of CPU time.` };
      const ended = await encodeBatch(task, batch, cpuMs);
      if ('cpuMs' in ended) cpuMs -= ended.cpuMs;
      else if ('missing' in ended) return { faults, fault: ended.missing };
      else if (isOfMachine(ended.error) && restarts > 0) {
        waiting.unshift(batch);
        restarts -= 1;
        cpuMs -= limits.imageCpuMs;
      } else if (!isOfImage(ended.error)) return { faults, fault: ended.error.message };
      else if (batch.length > 1) {
        // Which one it was is not known for sure: the process is as hostile as its images.
        waiting.unshift(...batch.map((number) => [number]));
        cpuMs -= limits.imageCpuMs;
      } else {
        faults.set(batch[0] ?? 0, endText(ended.error));
        cpuMs -= limits.imageCpuMs;
        failures -= 1;
        if (failures <= 0) return { faults, fault: `encoding failed for ${limits.failures} of them.` };
      }
    }
    return { faults, fault: null };
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

function batchesOf(numbers: readonly number[]): number[][] {
  const batches: number[][] = [];
  for (let at = 0; at < numbers.length; at += BATCH) batches.push(numbers.slice(at, at + BATCH));
  return batches;
}

/** Whether the process ended because of what it was given, and not because of the machine. */
const isOfImage = (error: ChildError): boolean => error.isLimit || error.fault === 'crashed';

/** Whether the same work may well succeed in another process. */
const isOfMachine = ({ fault }: ChildError): boolean => fault === 'killed' || fault === 'start-failed';

const endText = (error: ChildError): string =>
  error.isLimit ? error.message.replace(/^\d+ needs/, 'it needs').replace(/\.$/, '') : 'the encoder crashed';

async function encodeBatch(
  { sandbox, limits, images, into, work, signal }: Task,
  batch: readonly number[],
  cpuMs: number,
): Promise<{ cpuMs: number } | { missing: string } | { error: ChildError }> {
  const source = join(work, 'source');
  const output = join(work, 'output');
  await rm(work, { recursive: true, force: true });
  await makeFolder(source, 0o700);
  const works = batch.flatMap((number) => {
    const { format, widths } = images[number] ?? {};
    return format === undefined || widths === undefined ? [] : [{ name: String(number), format, widths }];
  });
  for (const number of batch) await images[number]?.place?.(join(source, String(number)));
  try {
    const result = await sandbox.run<ImageInput>({
      program: 'images',
      source,
      output,
      limits: limitsOf(limits, batch.length, cpuMs),
      input: { images: works },
      signal,
    });
    const ended = readResult(result);
    if ('missing' in ended) return ended;
    for (const number of batch) await take(join(output, String(number)), join(into, String(number)), limits);
    return ended;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ChildError)) throw error;
    return { error };
  }
}

function limitsOf(
  { imageCpuMs, memoryMb, recordBytes }: ImageLimits,
  images: number,
  cpuMs: number,
): ChildLimits {
  const most = Math.min(START_CPU_MS + images * imageCpuMs, Math.max(cpuMs, imageCpuMs));
  return {
    cpuMs: most,
    stepCpuMs: imageCpuMs,
    wallMs: most * WALL_FACTOR,
    memoryMb,
    outputBytes: images * recordBytes,
  };
}

/** The highest limits of one process. */
export const IMAGE_RUN_LIMITS: Readonly<ChildLimits> = limitsOf(IMAGE_LIMITS, BATCH, IMAGE_LIMITS.cpuMs);

/** A process that returns none of its records broke the protocol. */
async function take(from: string, to: string, { recordBytes }: ImageLimits): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found?.isFile() !== true || found.size > recordBytes || found.nlink !== 1)
    throw new ChildError('crashed', 'The encoder left no record.', '');
  await rename(from, to);
}

function readResult(result: unknown): { cpuMs: number } | { missing: string } {
  const { cpuMs, missing } = (result ?? {}) as Partial<{ cpuMs: unknown; missing: unknown }>;
  if (typeof missing === 'string') return { missing: missing.slice(0, 200) };
  return { cpuMs: typeof cpuMs === 'number' && cpuMs > 0 ? cpuMs : 0 };
}
