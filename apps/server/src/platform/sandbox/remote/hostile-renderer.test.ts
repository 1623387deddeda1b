/** A renderer that was taken over: what its side of the connection can do to a worker. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ChildError } from '../child.ts';
import type { Sandbox, SandboxRun } from '../sandbox.ts';
import { createRemoteSandbox } from './client.ts';

const LIMITS = { cpuMs: 1_000, wallMs: 120_000, memoryMb: 64, outputBytes: 1_000 };
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: offprint-run\r\n\r\n';

let root: string;
let renderer: Server;
let sandbox: Sandbox;
let sockets: Set<Socket>;
/** What the renderer does with the connection of a run. */
let behave: (socket: Socket) => void;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'offprint-hostile-'));
  sockets = new Set();
  renderer = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.once('data', () => behave(socket));
  });
  await new Promise<void>((resolve) => renderer.listen(0, '127.0.0.1', resolve));
  const { port } = renderer.address() as { port: number };
  sandbox = createRemoteSandbox({
    url: `http://127.0.0.1:${port}`,
    version: '1',
    folder: join(root, 'replies'),
    log: { info: () => undefined, warn: () => undefined },
    timing: { beatMs: 50, idleMs: 500 },
  });
});
afterEach(async () => {
  await sandbox.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => renderer.close(resolve));
  await rm(root, { recursive: true });
});

const frame = (type: number, payload: Buffer | string, length = Buffer.byteLength(payload)): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt8(type, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, Buffer.from(payload)]);
};
const message = (value: unknown): Buffer => frame(1, JSON.stringify(value));
const data = (name: string, content: string, size = content.length): Buffer => {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(Buffer.byteLength(name), 0);
  head.writeBigUInt64BE(BigInt(size), 4);
  return frame(2, Buffer.concat([head, Buffer.from(name + content)]));
};
const RESULT = message({ kind: 'result', result: 1 });
const END = message({ kind: 'end' });

/** Runs against a renderer that sends these bytes. The folders of the worker must be as they were. */
async function run(changes: Partial<SandboxRun<unknown>> = {}): Promise<unknown> {
  const output = join(root, 'output');
  await mkdir(join(root, 'source'), { recursive: true });
  await writeFile(join(root, 'source', 'page.md'), 'page');
  return sandbox.run({
    program: 'render',
    input: null,
    source: join(root, 'source'),
    output,
    limits: LIMITS,
    signal: new AbortController().signal,
    ...changes,
  });
}

async function errorOf(changes: Partial<SandboxRun<unknown>> = {}): Promise<ChildError> {
  const error = await run(changes).then(
    () => expect.fail('it had a result'),
    (thrown: ChildError) => thrown,
  );
  expect(error.name, String(error.stack)).toBe('ChildError');
  expect((await readdir(root)).filter((name) => name !== 'replies')).toEqual(['source']);
  expect(await readdir(join(root, 'replies')).catch(() => [])).toEqual([]);
  return error;
}

const reply = (...parts: Buffer[]): void => {
  behave = (socket) => socket.write(Buffer.concat([Buffer.from(UPGRADE), ...parts]));
};

test('a renderer that keeps to the protocol is understood, so that the attacks below reach what they aim at', async () => {
  reply(message({ kind: 'message', message: 'm' }), RESULT, data('chunk', 'content'), END);
  const messages: unknown[] = [];
  expect(await run({ onMessage: (one) => messages.push(one) })).toBe(1);
  expect(messages).toEqual(['m']);
  expect(await readdir(join(root, 'output'))).toEqual(['chunk']);
});

describe('breaks the protocol with', () => {
  test.each<[string, Buffer[]]>([
    ['a frame of four gigabytes', [frame(1, '', 2 ** 32 - 1)]],
    ['data of four gigabytes', [RESULT, frame(2, '', 2 ** 32 - 1)]],
    ['a frame of an unknown type', [frame(9, 'x')]],
    ['an empty message', [frame(1, '')]],
    ['a message that is not JSON', [frame(1, '{')]],
    ['a message without a kind', [message({ kind: 'none' })]],
    ['a message that is a list', [message([1])]],
    ['null', [message(null)]],
    [
      'an error of an unknown kind',
      [message({ kind: 'error', fault: 'owned', message: '', detail: '', step: null })],
    ],
    [
      'an error without words',
      [message({ kind: 'error', fault: 'crashed', message: 7, detail: {}, step: null })],
    ],
    ['a prototype', [frame(1, '{"kind":"__proto__","__proto__":{"kind":"end"}}')]],
    ['files before a result', [data('chunk', 'x')]],
    ['an end without a result', [END]],
    ['two results', [RESULT, RESULT]],
    ['a message after the result', [RESULT, message({ kind: 'message', message: 1 })]],
    ['a question nobody takes', [message({ kind: 'question', question: 1 })]],
    ['a path that leads up', [RESULT, data('../escaped', 'x'), END]],
    ['an absolute path', [RESULT, data('/tmp/offprint-escaped', 'x'), END]],
    ['a path in a folder', [RESULT, data('a/b', 'x'), END]],
    ['a hidden file', [RESULT, data('.npmrc', 'x'), END]],
    ['a file larger than the limit', [RESULT, data('chunk', '', 1_001)]],
    [
      'files that are larger than the limit together',
      [RESULT, data('a', 'x'.repeat(600)), data('b', 'x'.repeat(600))],
    ],
    ['a file that ends early', [RESULT, data('chunk', 'x', 2), END]],
    ['the same file twice', [RESULT, data('chunk', 'x'), data('chunk', 'y'), END]],
  ])('%s: the run has an error and the worker has no file of it', async (_name, parts) => {
    reply(...parts);
    const error = await errorOf();
    expect(error.isLimit).toBe(false);
    expect(['crashed', 'killed']).toContain(error.fault);
  });
});

test('questions without end are ended', async () => {
  behave = (socket) => {
    socket.write(UPGRADE);
    const ask = (): void => void socket.write(message({ kind: 'question', question: 1 }));
    socket.on('data', (bytes) => {
      if (bytes.includes('"answer"')) ask();
    });
    ask();
  };
  let asked = 0;
  const error = await errorOf({ onQuestion: async () => ++asked });
  expect(error.message).toContain('it asks what it may not');
  expect(asked).toBe(32);
});

test('two questions at a time are ended', async () => {
  const question = message({ kind: 'question', question: 1 });
  reply(question, question);
  expect((await errorOf({ onQuestion: () => new Promise(() => undefined) })).fault).toBe('crashed');
});

/** Writes the same bytes for as long as the other side reads. */
function flood(bytes: Buffer, first = Buffer.alloc(0)): () => number {
  let sent = 0;
  behave = (socket) => {
    socket.write(Buffer.concat([Buffer.from(UPGRADE), first]));
    const more = (): void => {
      while (!socket.destroyed && socket.write(bytes)) sent += bytes.byteLength;
      sent += bytes.byteLength;
    };
    socket.on('drain', more);
    more();
  };
  return () => sent;
}

test('messages without end are ended at their limit, and the memory of the worker stays', async () => {
  const sent = flood(message({ kind: 'message', message: 'x'.repeat(4 * 1024 ** 2) }));
  const error = await errorOf({ onMessage: () => undefined });
  expect(error.message).toContain('too many messages');
  expect(sent()).toBeLessThan(400 * 1024 ** 2);
});

test('empty files without end are ended', async () => {
  let number = 0;
  behave = (socket) => {
    socket.write(Buffer.concat([Buffer.from(UPGRADE), RESULT]));
    const more = (): void => {
      do number += 1;
      while (!socket.destroyed && socket.write(data(`f${number}`, 'x')));
    };
    socket.on('drain', more);
    more();
  };
  expect((await errorOf()).message).toContain('more than 1000 bytes');
});

test('a renderer that says nothing is gone after the time without a sign of life', async () => {
  reply();
  expect((await errorOf()).fault).toBe('killed');
});

/** Only signs of life. */
const lively = (first: Buffer[]): void => {
  behave = (socket) => {
    socket.write(Buffer.concat([Buffer.from(UPGRADE), ...first]));
    const timer = setInterval(() => socket.write(frame(0, '')), 20);
    socket.on('close', () => clearInterval(timer));
  };
};

test('a renderer that lives and never has a result or never ends its files meets the time limit', async () => {
  lively([RESULT]);
  const error = await errorOf({ limits: { ...LIMITS, wallMs: 300 } });
  expect([error.fault, error.message]).toEqual(['killed', 'The renderer did not send its files in time.']);
});

test('a renderer that never takes the source meets the time limit', async () => {
  behave = (socket) => {
    socket.pause();
    socket.write(UPGRADE);
    const timer = setInterval(() => socket.write(frame(0, '')), 20);
    socket.on('close', () => clearInterval(timer));
  };
  await mkdir(join(root, 'source'));
  await writeFile(join(root, 'source', 'large'), Buffer.alloc(50_000_000));
  const error = await errorOf({ limits: { ...LIMITS, wallMs: 1_000 } });
  expect([error.fault, error.message]).toEqual(['killed', 'The renderer did not accept the source in time.']);
});

test('a renderer that is killed loses the run, which says nothing about the source', async () => {
  behave = (socket) => {
    socket.write(UPGRADE);
    socket.resetAndDestroy();
  };
  expect((await errorOf()).fault).toBe('killed');
});

test('a renderer that claims to stop without end loses the run', async () => {
  reply(message({ kind: 'stopping' }));
  expect(await errorOf()).toMatchObject({ fault: 'killed', message: 'The renderer stopped 11 times.' });
});

test.each([
  ['responds with garbage', 'garbage\r\n\r\n'],
  ['redirects', 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'],
  ['has an endless head', `HTTP/1.1 101 x\r\nX: ${'x'.repeat(100_000)}`],
  ['is not a renderer', 'HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\nx'],
])(
  'a server that %s is not a renderer: the run waits, and gives up where it may not wait',
  async (_name, bytes) => {
    behave = (socket) => socket.write(bytes);
    expect((await errorOf({ waitMs: 100 })).fault).toBe('start-failed');
  },
);

test('errors of limits are reported in the words of the worker', async () => {
  reply(
    message({
      kind: 'error',
      fault: 'cpu-limit',
      message: '<a href="//evil">',
      detail: 'x'.repeat(1e6),
      step: null,
    }),
  );
  const error = await errorOf();
  expect(error.message).toBe('The work needs more than 1 s of CPU time.');
  expect(error.detail.length).toBe(8 * 1024);
});
