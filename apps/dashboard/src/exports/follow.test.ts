import { ApiError } from '@offprint/client';
import type { ExportEvent, ExportJob } from '@offprint/contract';
import { describe, expect, test } from 'vitest';
import { type ExportSource, followExport } from './follow.ts';

const job = (progress: number, status: ExportJob['status'] = 'running') =>
  ({ jobId: 'se_1', status, progress }) as ExportJob;

type Step = ExportEvent | Error;
const progress = (percent: number): ExportEvent => ({ event: 'progress', data: job(percent) });
const done: ExportEvent = { event: 'done', data: job(100, 'completed') };

/** Each stream sends its steps and ends; each read returns the next job or error. */
function sourceOf(streams: Step[][], reads: (ExportJob | Error)[] = []) {
  const pauses: number[] = [];
  const source: ExportSource = {
    async *stream() {
      for (const step of streams.shift() ?? []) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
    async read() {
      const next = reads.shift() ?? new Error('no more reads');
      if (next instanceof Error) throw next;
      return next;
    },
    async pause(seconds) {
      pauses.push(seconds);
      if (pauses.length > 20) throw new ApiError('enough', { status: 404 });
    },
  };
  return { source, pauses };
}

async function all(source: ExportSource, signal = new AbortController().signal): Promise<number[]> {
  const seen: number[] = [];
  for await (const { progress: percent } of followExport(source, signal)) seen.push(percent);
  return seen;
}

describe('followExport', () => {
  test('ends with the finished export', async () => {
    const { source } = sourceOf([[progress(0), progress(40), done]]);
    expect(await all(source)).toEqual([0, 40, 100]);
  });

  test('continues after a broken stream, and sees an end that happened in between', async () => {
    const again = sourceOf([[progress(10), progress(20), new Error('reset')], [done]], [job(30)]);
    expect(await all(again.source)).toEqual([10, 20, 30, 100]);
    const over = sourceOf([[progress(10)]], [job(100, 'failed')]);
    expect(await all(over.source)).toEqual([10, 100]);
  });

  test('reads the export ever less often where events cannot pass', async () => {
    const { source, pauses } = sourceOf([], [job(1), job(2), job(3), job(4), job(100, 'completed')]);
    expect(await all(source)).toEqual([1, 2, 3, 4, 100]);
    expect(pauses).toEqual([2, 4, 8, 8, 8]);
  });

  test('gives up on an export that is gone, not on a server that is', async () => {
    const gone = sourceOf([[new ApiError('No export.', { status: 404 })]]);
    await expect(all(gone.source)).rejects.toThrow('No export.');
    const back = sourceOf([[new ApiError('Down.', { status: 503 })], [done]], [new Error('refused')]);
    expect(await all(back.source)).toEqual([100]);
  });

  test('stops when nobody looks any more', async () => {
    const stop = new AbortController();
    const { source } = sourceOf([[progress(1), progress(2), progress(3)]]);
    const seen: number[] = [];
    for await (const { progress: percent } of followExport(source, stop.signal)) {
      seen.push(percent);
      if (percent === 3) stop.abort();
    }
    expect(seen).toEqual([1, 2, 3]);
  });
});
