/**
 * Poisoned sources (test/support/poison.ts): each builds or fails by name, in the sandbox of the platform, within its
 * time and memory, and time grows in proportion. OFFPRINT_TEST=full takes the full sizes.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RenderInput } from '../apps/server/src/exports/render-child.ts';
import type { RenderAnswer } from '../apps/server/src/exports/summary.ts';
import { runChild } from '../apps/server/src/platform/sandbox/run-child.ts';
import { type PoisonCase, poisonCases, writeFiles } from './support/poison.ts';
import { isFull } from './support/size.ts';

const RENDER_CHILD = fileURLToPath(new URL('../apps/server/src/exports/render-child.ts', import.meta.url));
const TIME_CHILD = fileURLToPath(new URL('./support/poison-time.ts', import.meta.url));
/** A machine with other work takes many times as long; how time grows is held by processor time below. */
const PATIENCE = 10;
/** Children at a time; each has a core of its own on the smallest machine that the tests are for. */
const CHILDREN = 2;

/** Work in turn, some at a time. */
async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CHILDREN }, worker));
}

describe('in the sandbox', () => {
  let work: string;
  const outcomes = new Map<string, unknown>();

  async function render(each: PoisonCase): Promise<unknown> {
    const folder = mkdtempSync(join(work, 'case-'));
    const source = join(folder, 'source');
    const artifactDir = join(folder, 'artifact');
    mkdirSync(source);
    mkdirSync(artifactDir);
    writeFiles(source, each.make(isFull ? each.full : each.size));
    each.prepare?.(source);
    const input: RenderInput = {
      domain: 'docs.example.com',
      siteUrl: 'https://docs.example.com',
      commit: null,
      committedAt: null,
      canFetch: false,
    };
    const answer = await runChild<RenderInput, unknown, RenderAnswer>({
      module: RENDER_CHILD,
      input,
      readable: [source, folder],
      writable: artifactDir,
      limits: {
        cpuMs: each.seconds * 1000 * PATIENCE,
        wallMs: each.seconds * 1000 * PATIENCE * 4,
        memoryMb: each.memoryMb,
        outputBytes: 100_000_000,
      },
      signal: new AbortController().signal,
      onMessage: () => {},
    });
    rmSync(folder, { recursive: true, force: true });
    if (answer.status === 'refused') {
      const { code, file, line } = answer.fault;
      return { fails: code, at: line === null ? file : `${file}:${line}` };
    }
    return { warnings: [...new Set(answer.summary.warnings.map(({ code }) => code))].sort() };
  }

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'offprint-poison-'));
    await inTurn(poisonCases, async (each) => {
      outcomes.set(
        each.name,
        await render(each).catch(
          (error: Error) => `${error.message} ${'detail' in error ? error.detail : ''}`,
        ),
      );
    });
  }, 3_600_000);
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test.each(poisonCases.map(({ name, expect: expected }) => ({ name, expected })))(
    '$name: builds or fails by name',
    ({ name, expected }) => {
      expect(outcomes.get(name)).toEqual(expected);
    },
  );
});

describe('growth', () => {
  /** Shorter durations cannot be distinguished from the overhead. */
  const MIN_MS = 25;
  const MAX_MEASUREMENTS = 6;
  /** Four times the size is twice doubled. */
  const MAX_RATIO = 2.5 ** 2;
  const scaling = poisonCases.filter(({ scales }) => scales);
  const sizes = ({ size, full }: PoisonCase): [number, number] => {
    const large = isFull ? full : Math.max(size * 2, Math.ceil(full / 4));
    return [Math.ceil(large / 4), large];
  };
  const best = new Map<string, number>();

  /** Measures in a fresh process; the least of several measurements is the one that least came in between. */
  function measure(cases: readonly PoisonCase[]): Promise<void> {
    const jobs = cases.flatMap((each) => {
      const [small, large] = sizes(each);
      // The first warms up. What it left in caches is a quarter of the next, whose is a quarter of the last.
      return [Math.ceil(small / 4), small, large].map((size) => `${each.name}\t${size}`);
    });
    const child = spawn(process.execPath, ['--expose-gc', '--max-old-space-size=3072', TIME_CHILD, ...jobs], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => {
        if (code !== 0) return reject(new Error(`the measuring process ended with ${code}`));
        for (const line of out.trim().split('\n')) {
          const { name, size, ms } = JSON.parse(line) as { name: string; size: number; ms: number };
          const key = `${name}\t${size}`;
          best.set(key, Math.min(best.get(key) ?? Number.POSITIVE_INFINITY, ms));
        }
        resolve();
      });
    });
  }

  const ratio = (each: PoisonCase): number => {
    const [small, large] = sizes(each).map((size) => Math.max(MIN_MS, best.get(`${each.name}\t${size}`)!));
    return large! / small!;
  };

  beforeAll(async () => {
    const halves = [0, 1].map((half) => scaling.filter((_, at) => at % 2 === half));
    await inTurn(halves, measure);
    for (let count = 1; count < MAX_MEASUREMENTS; count++) {
      const doubtful = scaling.filter((each) => ratio(each) > MAX_RATIO);
      await inTurn(
        doubtful.map((each) => [each]),
        measure,
      );
    }
  }, 3_600_000);

  test.each(scaling.map((each) => ({ name: each.name, each })))(
    '$name: twice the input takes at most 2.5 times the processor time',
    ({ each }) => {
      expect(ratio(each)).toBeLessThanOrEqual(MAX_RATIO);
    },
  );
});
