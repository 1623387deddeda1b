import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FolderLimits, packFolder, receiveFolder } from './folder-stream.ts';

let root: string;
let from: string;
let into: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-folder-'));
  from = join(root, 'from');
  into = join(root, 'into');
  mkdirSync(from);
  mkdirSync(into);
});
afterEach(() => rmSync(root, { recursive: true }));

/** Outside of the folder of the receiver, and of no other process. */
const ABSOLUTE = `/tmp/offprint-absolute-${process.pid}`;
const LIMITS: FolderLimits = { bytes: 1_000_000, files: 100 };

async function packed(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of packFolder(from)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** What a peer may send: names and sizes of its choice. */
function file(name: string | Buffer, content: string, size = Buffer.byteLength(content)): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(Buffer.from(name).byteLength, 0);
  head.writeBigUInt64BE(BigInt(size), 4);
  return Buffer.concat([head, Buffer.from(name), Buffer.from(content)]);
}

function receive(
  stream: Buffer,
  { pieces = stream.byteLength, ...limits }: Partial<FolderLimits> & { pieces?: number } = {},
) {
  const receiver = receiveFolder(into, { ...LIMITS, ...limits });
  try {
    for (let at = 0; at < stream.byteLength; at += pieces) receiver.take(stream.subarray(at, at + pieces));
    receiver.end();
  } finally {
    receiver.close();
  }
}

test.each([1, 7, 4_096, 1_000_000])(
  'a folder arrives as it was sent, in pieces of %i bytes',
  async (pieces) => {
    mkdirSync(join(from, 'deep/er'), { recursive: true });
    writeFileSync(join(from, 'deep/er/ü\n\\ "x"'), 'content');
    writeFileSync(join(from, 'empty'), '');
    writeFileSync(join(from, 'large'), Buffer.alloc(300_000, 'ab'));
    writeFileSync(join(from, 'last'), '');
    receive(await packed(), { pieces });
    execFileSync('diff', ['-r', from, into]);
  },
);

test('files with other names are sent only from a folder of which the sender allows it', async () => {
  writeFileSync(join(root, 'kept'), 'content');
  linkSync(join(root, 'kept'), join(from, 'page.mdx'));
  await expect(packed()).rejects.toThrow('page.mdx is not a regular file');
  const pieces: Buffer[] = [];
  for await (const piece of packFolder(from, { hardLinks: true })) pieces.push(piece);
  receive(Buffer.concat(pieces));
  expect(readFileSync(join(into, 'page.mdx'), 'utf8')).toBe('content');
});

describe('a folder with anything but files is not sent:', () => {
  test.each([
    ['a symbolic link', () => symlinkSync('/etc/passwd', join(from, 'x'))],
    ['a symbolic link to a folder', () => symlinkSync('/etc', join(from, 'x'))],
    [
      'a hard link',
      () => {
        writeFileSync(join(root, 'secret'), 'x');
        linkSync(join(root, 'secret'), join(from, 'x'));
      },
    ],
    ['a pipe, which is not waited for', () => execFileSync('mkfifo', [join(from, 'x')])],
  ])('%s', async (_name, make) => {
    make();
    await expect(packed()).rejects.toThrow('x is not a regular file');
  });
});

describe('a received folder is rejected before it is written:', () => {
  test.each<[string, Buffer, Partial<FolderLimits>?]>([
    ['a name that leads up', file('../x', 'y')],
    ['a name that leads up from a folder', file('a/../../x', 'y')],
    ['an absolute name', file(ABSOLUTE, 'y')],
    ['an empty part', file('a//x', 'y')],
    ['a dot', file('.', 'y')],
    ['a zero byte', file('a\0b', 'y')],
    ['an empty name', file('', 'y')],
    ['a name that is not UTF-8', file(Buffer.from([0xff, 0xfe]), 'y')],
    ['a name of 5,000 bytes', file('x'.repeat(5_000), 'y')],
    ['a name of four gigabytes', Buffer.alloc(12, 0xff)],
    ['a name that the receiver does not take', file('x/y', 'y'), { accepts: (name) => !name.includes('/') }],
    ['a size over the limit', file('x', '', 1_000_001)],
    ['a size over every limit', file('x', '', 2 ** 53)],
    [
      'sizes that are over the limit together',
      Buffer.concat([file('a', 'xx'), file('b', 'xx')]),
      { bytes: 3 },
    ],
    ['too many files', Buffer.concat([file('a', ''), file('b', '')]), { files: 1 }],
    ['a file that stops early', file('x', 'y', 2)],
    ['a head that stops early', file('x', 'y').subarray(0, 5)],
    ['a file twice', Buffer.concat([file('x', 'first'), file('x', 'second')])],
    ['a folder over a file', Buffer.concat([file('x', 'first'), file('x/y', 'second')])],
  ])('%s', (_name, stream, limits = {}) => {
    for (const pieces of [1, stream.byteLength || 1]) {
      expect(() => receive(stream, { ...limits, pieces })).toThrow();
      expect(readdirSync(root)).toEqual(['from', 'into']);
      expect(existsSync(ABSOLUTE)).toBe(false);
      if (existsSync(join(into, 'x'))) expect(readFileSync(join(into, 'x'), 'utf8')).not.toContain('second');
      rmSync(into, { recursive: true });
      mkdirSync(into);
    }
  });
});
