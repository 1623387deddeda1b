import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSandbox, type Sandbox } from './sandbox.ts';

const MODULE = fileURLToPath(new URL('../../../test/hostile-child.ts', import.meta.url));
const LIMITS = { cpuMs: 120_000, wallMs: 120_000, memoryMb: 128, outputBytes: 1_000_000 };
let root: string;
let sandbox: Sandbox;
const lines: string[] = [];
/** The page of the run, to a file of its output. */
const COPY = ['{source}/page.md', '{output}/out'];

beforeEach(() => {
  lines.length = 0;
  root = mkdtempSync(join(tmpdir(), 'offprint-sandbox-'));
  const write = (_fields: object, message: string): void => void lines.push(message);
  sandbox = createSandbox({
    programs: { hostile: { module: MODULE, priority: 'background', slot: 'export' } },
    folder: join(root, 'sandbox'),
    spare: { program: 'hostile', limits: LIMITS },
    log: { info: write, warn: write },
  });
});
afterEach(async () => {
  await sandbox.close();
  rmSync(root, { recursive: true, force: true });
});

function run(name: string, args: string[], number = 1): Promise<unknown> {
  const work = join(root, `work-${number}`);
  mkdirSync(join(work, 'source'), { recursive: true });
  writeFileSync(join(work, 'source', 'page.md'), `page ${number}`);
  return sandbox.run({
    program: 'hostile',
    source: join(work, 'source'),
    output: join(work, 'output'),
    input: { name, args },
    limits: LIMITS,
    signal: new AbortController().signal,
  });
}

test('a child reads the folder of its run and its output is moved to where it was asked for', async () => {
  for (const number of [1, 2, 3]) {
    const result = await run('copy', COPY, number);
    expect(result).toEqual({ value: `page ${number}` });
    expect(readFileSync(join(root, `work-${number}`, 'output', 'out'), 'utf8')).toBe(`page ${number}`);
  }
});

test('runs at the same time have children of their own, which do not see one another', async () => {
  const seen = await Promise.all([1, 2, 3].map((number) => run('copy', COPY, number)));
  expect(seen).toEqual([1, 2, 3].map((number) => ({ value: `page ${number}` })));
  const other = join(root, 'sandbox', 'other', 'source');
  mkdirSync(other, { recursive: true });
  expect(await run('list', [other, join(root, 'work-1')], 4)).toEqual({
    value: ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED'],
  });
});

test('a run that fails leaves no folder, and the next one works', async () => {
  await expect(run('fail', [], 1)).rejects.toMatchObject({ fault: 'crashed' });
  expect(existsSync(join(root, 'work-1', 'output'))).toBe(false);
  expect(await run('copy', COPY, 2)).toEqual({ value: 'page 2' });
  await sandbox.close();
  expect(readdirSync(join(root, 'sandbox'))).toEqual([]);
});

test('how children are cut off is said once at the start', async () => {
  await sandbox.check();
  await sandbox.close();
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => line.startsWith('sandbox: '))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('did not start'))).toEqual([]);
});

/** A child that asks, and a parent that replies after some time. */
function runAsking(
  name: string,
  args: string[],
  answer?: (question: unknown, folder: string) => Promise<unknown>,
) {
  const work = join(root, 'work-asking');
  mkdirSync(join(work, 'source'), { recursive: true });
  return sandbox.run({
    program: 'hostile',
    source: join(work, 'source'),
    output: join(work, 'output'),
    input: { name, args },
    limits: LIMITS,
    signal: new AbortController().signal,
    ...(answer === undefined ? {} : { onQuestion: answer }),
  });
}

test('a child receives the reply to each of its questions', async () => {
  const answer = async (question: unknown): Promise<unknown> => ({ said: question });
  expect(await runAsking('ask-in-turn', ['one', 'zwei ü\n'], answer)).toEqual({
    value: [{ said: 'one' }, { said: 'zwei ü\n' }],
  });
});

test('the child can read what the parent leaves in the folder of replies, and it is removed afterwards', async () => {
  let folder = '';
  const result = await runAsking('ask-and-read', ['x'], async (_question, answers) => {
    folder = answers;
    writeFileSync(join(answers, 'file'), 'fetched');
    return 'file';
  });
  expect(result).toEqual({ value: 'fetched' });
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ['asks where nobody answers', 'ask', ['x'], undefined],
  [
    'asks again before it was answered',
    'ask',
    ['x', 'y'],
    (): Promise<unknown> => new Promise<unknown>(() => undefined),
  ],
  [
    'asks without end',
    'ask-in-turn',
    new Array(40).fill('x') as string[],
    async (): Promise<unknown> => 'yes',
  ],
  [
    'asks what cannot be answered',
    'ask',
    ['x'],
    (): Promise<unknown> => Promise.reject(new TypeError('no question')),
  ],
] as const)('a child that %s is ended', async (_name, action, args, answer) => {
  await expect(runAsking(action, [...args], answer)).rejects.toMatchObject({ fault: 'crashed' });
});
