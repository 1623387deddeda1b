import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMetrics } from '../../metrics.ts';
import type { ChildError } from '../child.ts';
import { createSandbox, type Sandbox, type SandboxRun } from '../sandbox.ts';
import { createRemoteSandbox } from './client.ts';
import { type SandboxServer, serveSandbox } from './server.ts';

const MODULE = fileURLToPath(new URL('../../../../test/hostile-child.ts', import.meta.url));
const PROGRAMS = {
  hostile: { module: MODULE, priority: 'normal', slot: 'export' },
  other: { module: MODULE, priority: 'normal', slot: 'check' },
} as const;
/** Only ends what hangs. */
const HANG_MS = 120_000;
const LIMITS = { cpuMs: HANG_MS, wallMs: HANG_MS, memoryMb: 128, outputBytes: 1_000_000 };
const log = pino({ level: 'silent' });

let root: string;
let server: SandboxServer;
let sandbox: Sandbox;
let local: Sandbox;
let lines: string[];

async function serve(port = 0): Promise<SandboxServer> {
  local = createSandbox({ programs: PROGRAMS, folder: join(root, 'sandbox'), log });
  return serveSandbox(
    {
      sandbox: local,
      programs: PROGRAMS,
      folder: join(root, 'runs'),
      slots: {
        export: { runs: 1, limits: LIMITS },
        image: { runs: 1, limits: LIMITS },
        check: { runs: 1, limits: LIMITS },
      },
      sourceBytes: 10_000_000,
      version: '1',
      log,
      metrics: createMetrics(),
    },
    { host: '127.0.0.1', port },
  );
}

function connectTo(port: number, version = '1'): Sandbox {
  const write = (fields: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  return createRemoteSandbox({
    url: `http://127.0.0.1:${port}`,
    version,
    folder: join(root, 'replies'),
    log: { info: write, warn: write },
  });
}

beforeEach(async () => {
  lines = [];
  root = await mkdtemp(join(tmpdir(), 'offprint-remote-'));
  server = await serve();
  sandbox = connectTo(server.port);
});
afterEach(async () => {
  await sandbox.close();
  await server.stop(0);
  await local.close();
  // Nothing of a run stays.
  for (const folder of ['sandbox', 'runs', 'replies'])
    expect(await readdir(join(root, folder)).catch(() => []), folder).toEqual([]);
  await rm(root, { recursive: true });
});

function start(name: string, args: string[] = [], changes: Partial<SandboxRun<unknown>> = {}) {
  return sandbox.run({
    program: 'hostile',
    input: { name, args },
    limits: LIMITS,
    signal: new AbortController().signal,
    ...changes,
  });
}
const errorOf = (work: Promise<unknown>): Promise<ChildError> =>
  work.then(
    () => expect.fail('it had a result'),
    (error: ChildError) => error,
  );

async function makeSource(files: Record<string, string | Buffer>): Promise<string> {
  const source = join(root, 'source');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(source, name, '..'), { recursive: true });
    await writeFile(join(source, name), content);
  }
  return source;
}

test('a program reads the files of its source, sends messages in order, writes files and has a result', async () => {
  const large = Buffer.alloc(700_000, 'é');
  const source = await makeSource({ 'a/b/ü \\ "x".md': large, 'empty.md': '' });
  const output = join(root, 'output');
  const copied = start('copy', ['{source}/a/b/ü \\ "x".md', '{output}/out'], { source, output });
  expect(await copied).toEqual({ value: large.toString() });
  expect(await readFile(join(output, 'out'))).toEqual(large);
  const messages: unknown[] = [];
  const sent = Array.from({ length: 500 }, (_, index) => `${index} ü\n`);
  expect(await start('echo', sent, { onMessage: (message) => messages.push(message) })).toEqual({
    value: 500,
  });
  expect(messages).toEqual(sent);
});

test('messages that the worker does not read yet cause no warning of too many listeners', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const sent = Array.from({ length: 60 }, () => 'x'.repeat(200_000));
  const received: unknown[] = [];
  const run = start('echo', sent, { onMessage: (message) => received.push(message) });
  expect(await run).toEqual({ value: 60 });
  process.off('warning', note);
  expect([received.length, warnings]).toEqual([60, []]);
});

test('an input that is too large for a message is an error at once', async () => {
  await expect(start('echo', ['x'.repeat(17 * 1024 ** 2)])).rejects.toThrow('a message has more than');
});

test('replies to questions come with their files', async () => {
  let folder = '';
  const result = await start('ask-and-read', ['x'], {
    async onQuestion(question, replies) {
      expect(question).toBe('x');
      folder = replies;
      await writeFile(join(replies, 'file'), 'fetched');
      return 'file';
    },
  });
  expect(result).toEqual({ value: 'fetched' });
  expect(await readdir(folder).catch(() => null)).toBeNull();
  const twice = start('ask-in-turn', ['one', 'two'], {
    onQuestion: async (question) => ({ said: question }),
  });
  expect(await twice).toEqual({ value: [{ said: 'one' }, { said: 'two' }] });
  expect((await errorOf(start('ask', ['x']))).fault).toBe('crashed');
});

test.each([
  ['fail', {}, 'crashed', 'broken on purpose'],
  ['exit', {}, 'crashed', 'no result'],
  ['spin', { cpuMs: 2_000 }, 'cpu-limit', 'more than 2 s of CPU time'],
  ['heap', { memoryMb: 64 }, 'memory-limit', 'more than 64 MB'],
  ['wait', { wallMs: 700 }, 'wall-limit', 'did not end within'],
] as const)(
  'a program that ends with %s has the error that it has without a renderer',
  async (name, limits, fault, text) => {
    const output = join(root, 'output');
    const error = await errorOf(start(name, [], { limits: { ...LIMITS, ...limits }, output }));
    expect([error.name, error.fault]).toEqual(['ChildError', fault]);
    expect(error.message).toContain(text);
    expect(await readdir(output).catch(() => null)).toBeNull();
  },
);

test('the renderer has the last word about limits', async () => {
  const error = await errorOf(
    start('floodOneFile', ['{output}/x'], { limits: { ...LIMITS, outputBytes: 1e12 } }),
  );
  expect(error.fault).toBe('output-limit');
});

test('runs beyond the slots wait for one, and a check does not wait for an export', async () => {
  const stop = new AbortController();
  const messages: unknown[] = [];
  const blocking = errorOf(
    start('wait', [], { signal: stop.signal, onMessage: (one) => messages.push(one) }),
  );
  await expect.poll(() => messages, { timeout: HANG_MS }).toEqual(['begun']);
  const impatient = await errorOf(start('echo', [], { waitMs: 200 }));
  expect(impatient).toMatchObject({ fault: 'start-failed', detail: 'it has no free slot' });
  const waiting = start('echo', ['x']);
  expect(await start('echo', ['x'], { program: 'other' })).toEqual({ value: 1 });
  stop.abort();
  expect((await blocking).fault).toBe('cancelled');
  expect(await waiting).toEqual({ value: 1 });
});

test('a run waits for a renderer that is not there yet, and the log reports it once', async () => {
  const { port } = server;
  await server.stop(0);
  await expect(sandbox.check()).rejects.toThrow();
  const waiting = start('echo', ['x']);
  const stop = new AbortController();
  const cancelled = errorOf(start('echo', ['x'], { signal: stop.signal }));
  await expect.poll(() => lines.length, { timeout: HANG_MS }).toBe(1);
  stop.abort();
  expect((await cancelled).fault).toBe('cancelled');
  await local.close();
  server = await serve(port);
  expect(await waiting).toEqual({ value: 1 });
  await sandbox.check();
  expect(lines).toEqual([
    expect.stringContaining('no renderer is available'),
    expect.stringContaining('a renderer is available again'),
  ]);
});

test('a renderer that stops finishes what it can and gives the rest to the next one', async () => {
  const { port } = server;
  const messages: unknown[] = [];
  const asked = Promise.withResolvers<void>();
  const given: unknown[] = [];
  const run = start('ask', ['go on?'], {
    onMessage: (one) => messages.push(one),
    onQuestion(question) {
      given.push(question);
      asked.resolve();
      return given.length === 1 ? new Promise(() => undefined) : Promise.resolve('yes');
    },
  });
  await asked.promise;
  await server.stop(0);
  await local.close();
  server = await serve(port);
  expect(await run).toEqual({ value: ['yes'] });
  expect(given).toEqual(['go on?', 'go on?']);
});

test('a renderer of another version is not used', async () => {
  const other = connectTo(server.port, '2');
  const run = other.run({
    program: 'hostile',
    input: { name: 'echo', args: [] },
    limits: LIMITS,
    waitMs: 300,
    signal: new AbortController().signal,
  });
  expect(await errorOf(run)).toMatchObject({
    fault: 'start-failed',
    detail: expect.stringContaining('version'),
  });
  await other.close();
});
