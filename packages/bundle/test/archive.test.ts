import { execFileSync } from 'node:child_process';
import {
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
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ArchiveOptions, BundleError, readArchive, unpackArchive } from '../src/index.ts';
import { entry, pax, rawHeader, stream, tarEnd, tarGz } from './craft.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-archive-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function read(bytes: Buffer, options: ArchiveOptions = {}) {
  const files: Record<string, string> = {};
  const summary = await readArchive(
    stream(bytes, 100),
    async ({ path, content }) => {
      const pieces: Buffer[] = [];
      for await (const piece of content) pieces.push(piece);
      files[path] = Buffer.concat(pieces).toString();
    },
    options,
  );
  return { files, summary };
}

const docs = entry({ name: 'docs.json', content: '{}' });
const codeOf = async (work: Promise<unknown>) => {
  const error = await work.catch((caught: unknown) => caught);
  return error instanceof BundleError ? error.code : String(error);
};

describe('an uploaded archive', () => {
  it.each([
    ['GNU tar', ['--format=gnu']],
    ['pax', ['--format=posix']],
    ['ustar', ['--format=ustar']],
    ['V7', ['--format=v7']],
  ])('of %s is read, folders and long names included', async (format, options) => {
    const source = join(root, 'source');
    mkdirSync(join(source, 'guides/empty'), { recursive: true });
    const long = format === 'V7' ? 'short' : `${'l'.repeat(99)}/${'m'.repeat(90)}`;
    mkdirSync(join(source, long), { recursive: true });
    writeFileSync(join(source, 'docs.json'), '{}');
    writeFileSync(join(source, 'guides/start.mdx'), '# Start\n'.repeat(1000));
    writeFileSync(join(source, long, 'x.mdx'), 'long');
    const archive = execFileSync('tar', ['cz', ...options, '-C', source, '.'], { maxBuffer: 1e7 });
    const { files, summary } = await read(archive);
    expect(Object.keys(files).sort()).toEqual(['docs.json', 'guides/start.mdx', `${long}/x.mdx`].sort());
    expect(files['guides/start.mdx']).toBe('# Start\n'.repeat(1000));
    expect(summary).toMatchObject({ files: 3, skipped: [], topFolder: null });
  });

  it('of git is read: the commit in its global header is not a file', async () => {
    const archive = tarGz(
      pax({ comment: '0'.repeat(40) }, 'g'),
      rawHeader({ name: 'docs/', type: '5' }),
      docs,
    );
    expect((await read(archive)).files).toEqual({ 'docs.json': '{}' });
  });

  it('with one folder around everything unpacks to what is in it', async () => {
    const archive = tarGz(
      rawHeader({ name: 'acme-docs-1a2b3c/', type: '5' }),
      entry({ name: 'acme-docs-1a2b3c/docs.json', content: '{}' }),
      entry({ name: 'acme-docs-1a2b3c/guides/a.mdx', content: 'A' }),
    );
    const summary = await unpackArchive(stream(archive), join(root, 'in'), { stripTopFolder: true });
    expect(summary.topFolder).toBe('acme-docs-1a2b3c');
    expect(readdirSync(join(root, 'in')).sort()).toEqual(['docs.json', 'guides']);
    expect(readdirSync(root)).toEqual(['in']);
  });

  it('with files beside the folder keeps the folder', async () => {
    const archive = tarGz(
      entry({ name: './guides/a.mdx', content: 'A' }),
      entry({ name: './docs.json', content: '{}' }),
    );
    const summary = await unpackArchive(stream(archive), join(root, 'in'), { stripTopFolder: true });
    expect(summary).toMatchObject({ topFolder: null, files: 2, bytes: 3 });
    expect(readFileSync(join(root, 'in/guides/a.mdx'), 'utf8')).toBe('A');
  });

  it('with a link is refused, or read without it, as the caller says', async () => {
    const archive = tarGz(docs, rawHeader({ name: 'CLAUDE.md', type: '2', link: 'docs.json' }));
    expect(await codeOf(read(archive))).toBe('entry_kind');
    const { files, summary } = await read(archive, { links: 'skip' });
    expect(files).toEqual({ 'docs.json': '{}' });
    expect(summary.skipped).toEqual([{ path: 'CLAUDE.md', reason: 'It is a link.' }]);
  });

  it('never follows a link that an earlier entry made', async () => {
    const archive = tarGz(
      docs,
      rawHeader({ name: 'out', type: '2', link: root }),
      entry({ name: 'out/escaped', content: 'x' }),
    );
    await unpackArchive(stream(archive), join(root, 'in'), { links: 'skip' });
    expect(readdirSync(root)).toEqual(['in']);
    expect(readFileSync(join(root, 'in/out/escaped'), 'utf8')).toBe('x');
  });

  it('does not write through a link at the path that it unpacks to', async () => {
    symlinkSync(root, join(root, 'in'));
    expect(await codeOf(unpackArchive(stream(tarGz(docs)), join(root, 'in')))).toBe('target_exists');
  });

  it.each([
    ['a path to the parent', tarGz(entry({ name: '../x' })), 'path_unsafe'],
    ['a path to the parent behind a dot', tarGz(entry({ name: './../x' })), 'path_unsafe'],
    ['an absolute path', tarGz(entry({ name: '/etc/passwd' })), 'path_unsafe'],
    ['a folder to the parent', tarGz(rawHeader({ name: '../../x/', type: '5' })), 'path_unsafe'],
    ['an unsafe path by pax', tarGz(pax({ path: '/etc/x' }), entry({ name: 'x' })), 'path_unsafe'],
    [
      'an unsafe path by a global pax',
      tarGz(pax({ path: '../x' }, 'g'), entry({ name: 'x' })),
      'path_unsafe',
    ],
    [
      'an unsafe path by a GNU long name',
      tarGz(entry({ name: '././@LongLink', type: 'L', content: '../x\0' }), entry({ name: 'x' })),
      'path_unsafe',
    ],
    ['an unsafe path by a prefix', tarGz(entry({ name: 'x', prefix: '..' })), 'path_unsafe'],
    ['a device', tarGz(docs, rawHeader({ name: 'null', type: '3' })), 'entry_kind'],
    ['a hard link', tarGz(docs, rawHeader({ name: 'a', type: '1', link: 'docs.json' })), 'entry_kind'],
    ['case twins', tarGz(entry({ name: 'a.mdx' }), entry({ name: 'A.mdx' })), 'path_collision'],
    ['the same file twice', tarGz(docs, docs), 'path_collision'],
    ['a file over a folder', tarGz(entry({ name: 'a/b' }), entry({ name: 'a' })), 'path_collision'],
    ['a cut archive', tarGz(docs).subarray(0, -12), 'truncated'],
    ['a file that is cut', gzipSync(rawHeader({ name: 'a', size: 1000 })), 'truncated'],
    ['a size far past the end', tarGz(rawHeader({ name: 'a', size: 100_000 })), 'truncated'],
    ['data after the end', gzipSync(Buffer.concat([docs, tarEnd, docs])), 'trailing_data'],
    ['a zip', Buffer.from('PK\u0003\u0004'), 'gzip_invalid'],
    ['a plain tar', Buffer.concat([docs, tarEnd]), 'gzip_invalid'],
  ])('with %s is refused and leaves nothing behind', async (_name, archive, code) => {
    expect(await codeOf(unpackArchive(stream(archive), join(root, 'in')))).toBe(code);
    expect(readdirSync(root)).toEqual([]);
  });

  it('names the entry in the error', async () => {
    await expect(read(tarGz(entry({ name: 'a/../b' })))).rejects.toThrow(
      '"a/../b": The path has a .. segment.',
    );
  });

  it('past a limit is refused: files, size of a file, size of all, entries', async () => {
    const archive = tarGz(
      entry({ name: 'a', content: 'x'.repeat(5000) }),
      entry({ name: 'b', content: 'y' }),
    );
    expect(await codeOf(read(archive, { limits: { maxFiles: 1 } }))).toBe('too_large');
    expect(await codeOf(read(archive, { limits: { maxFileBytes: 4999 } }))).toBe('too_large');
    expect(await codeOf(read(archive, { limits: { maxBytes: 6000 } }))).toBe('too_large');
    const folders = tarGz(...Array.from({ length: 5 }, (_, i) => rawHeader({ name: `d${i}/`, type: '5' })));
    expect(await codeOf(read(folders, { limits: { maxFiles: 2 } }))).toBe('too_large');
    const zeros = tarGz(entry({ name: 'a', content: Buffer.alloc(40_000_000) }));
    expect(await codeOf(read(zeros))).toBe('too_large');
  });

  it('of nothing is read as nothing', async () => {
    expect((await read(gzipSync(tarEnd))).summary).toMatchObject({ files: 0, topFolder: null });
  });

  it('may be padded by zeros, as GNU tar does', async () => {
    expect((await read(gzipSync(Buffer.concat([docs, Buffer.alloc(10_240)])))).summary.files).toBe(1);
  });

  it('is read when the reader of a file stops early', async () => {
    const archive = tarGz(entry({ name: 'a', content: 'x'.repeat(200_000) }), docs);
    const seen: string[] = [];
    await readArchive(stream(archive), async ({ path, content }) => {
      seen.push(path);
      for await (const _ of content) break;
    });
    expect(seen).toEqual(['a', 'docs.json']);
  });
});
