import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { BundleError, blockSize, fileHeader, paddingOf, readTar, syncPath } from '@offprint/bundle';
import { makeFolder } from '@offprint/bundle/make-folder';
import { z } from 'zod';
import { AdminError } from '../admin-error.ts';

/** Written last: a backup without it is incomplete. The other file has its digest. */
export const MANIFEST = 'backup.json';
const MANIFEST_DIGEST = 'backup.json.sha256';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

const manifestSchema = z.object({
  format: z.literal(1),
  createdAt: z.string(),
  /** Version of the program that wrote it. */
  program: z.string(),
  contains: z.string(),
  migrations: z.array(z.object({ number: count, name: z.string(), sha256 })),
  /** Rows of each table. */
  tables: z.record(z.string(), count),
  sequences: z.array(
    z.object({ table: z.string(), column: z.string(), last: z.string(), isCalled: z.boolean() }),
  ),
  /** Bundles of exports whose artifacts were already lost. */
  lost: z.array(z.object({ organizationId: z.string(), bundle: sha256, reason: z.string() })),
  files: z.array(z.object({ path: z.string(), bytes: count, sha256 })),
});

export type BackupManifest = z.output<typeof manifestSchema>;

/** Content of a file of a backup: whole, or as a stream of known size. */
export type BackupContent = Uint8Array | { bytes: number; stream: AsyncIterable<Uint8Array> };

export interface BackupWriter {
  /** Adds a file. Returns its digest. */
  add(path: string, content: BackupContent): Promise<string>;
  /** Writes the manifest, after which the backup has its name. Returns its size in bytes. */
  finish(manifest: Omit<BackupManifest, 'files'>): Promise<number>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

export interface BackupEntry {
  path: string;
  bytes: number;
  content: AsyncIterable<Buffer>;
}

export interface BackupReader {
  manifest: BackupManifest;
  /** All files but the manifest; those of the database first. Each is to be read before the next one. */
  entries(): AsyncGenerator<BackupEntry>;
}

const isArchive = (path: string): boolean => /\.tar$/i.test(path);

/**
 * Starts a backup: one tar file if the name ends in `.tar`, else a folder. It gets its name at the end, so an
 * interrupted one is not mistaken for a backup. Throws an AdminError if something is there already.
 */
export async function createBackup(path: string): Promise<BackupWriter> {
  const name = resolve(path);
  const isThere = await readdir(name).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? [] : [error.code],
  );
  if (isThere.length > 0) {
    throw new AdminError(`${path} exists. Choose another name: a backup never replaces a file or a folder.`);
  }
  const partial = `${name}.partial`;
  const files: BackupManifest['files'] = [];
  const target = isArchive(name) ? await openArchive(partial) : await openFolder(partial);
  let bytes = 0;
  const write = async (file: string, content: BackupContent): Promise<string> => {
    const size = content instanceof Uint8Array ? content.byteLength : content.bytes;
    const digest = createHash('sha256');
    let left = size;
    await target.write(file, size, async function* () {
      for await (const piece of content instanceof Uint8Array ? [content] : content.stream) {
        digest.update(piece);
        left -= piece.byteLength;
        yield piece;
      }
      if (left !== 0) throw new Error(`${file} has ${size - left} bytes instead of ${size}`);
    });
    bytes += size;
    return digest.digest('hex');
  };
  return {
    async add(file, content) {
      const digest = await write(file, content);
      files.push({
        path: file,
        bytes: content instanceof Uint8Array ? content.byteLength : content.bytes,
        sha256: digest,
      });
      return digest;
    },
    async finish(manifest) {
      const digest = await write(MANIFEST, Buffer.from(JSON.stringify({ ...manifest, files })));
      await write(MANIFEST_DIGEST, Buffer.from(`${digest}\n`));
      await target.close();
      await rename(partial, name);
      await syncPath(dirname(name));
      return bytes;
    },
    async discard() {
      await target.close().catch(() => undefined);
      await rm(partial, { recursive: true, force: true });
    },
  };
}

interface Target {
  write(path: string, size: number, content: () => AsyncIterable<Uint8Array>): Promise<void>;
  close(): Promise<void>;
}

async function openArchive(path: string): Promise<Target> {
  await rm(path, { recursive: true, force: true });
  const file: FileHandle = await open(path, 'wx', 0o600);
  let isOpen = true;
  return {
    async write(name, size, content) {
      await file.write(fileHeader(name, size));
      for await (const piece of content()) await writeAll(file, piece);
      await file.write(Buffer.alloc(paddingOf(size)));
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        await file.write(Buffer.alloc(2 * blockSize));
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}

async function openFolder(folder: string): Promise<Target> {
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder, 0o700);
  return {
    async write(name, _size, content) {
      const path = join(folder, ...name.split('/'));
      await makeFolder(dirname(path), 0o700);
      const file = await open(path, 'wx', 0o600);
      try {
        for await (const piece of content()) await writeAll(file, piece);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    close: () => syncPath(folder),
  };
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.byteLength; ) at += (await file.write(piece, at)).bytesWritten;
}

/**
 * Opens a backup after reading all of it: every file is there, whole and with its digest. Throws an AdminError that
 * names the first file that is not.
 */
export async function openBackup(path: string): Promise<BackupReader> {
  const name = resolve(path);
  const info = await stat(name).catch(() => null);
  if (info === null) throw new AdminError(`${path} not found.`);
  const read = () => (info.isDirectory() ? walk(name, name) : readArchive(name));
  const found = await readAll(path, read());
  const digest = found.texts.get(MANIFEST_DIGEST);
  const text = found.texts.get(MANIFEST);
  if (text === undefined) throw damaged(path, `it has no ${MANIFEST}, which is written last`);
  if (digest === undefined) throw damaged(path, `it has no ${MANIFEST_DIGEST}, which is written last`);
  if (found.files.get(MANIFEST)?.sha256 !== digest.trim())
    throw damaged(path, `${MANIFEST} has another digest`);
  const manifest = parseManifest(path, text);
  requireFiles(path, manifest, found.files);
  return {
    manifest,
    async *entries() {
      for await (const entry of read()) {
        if (entry.path !== MANIFEST && entry.path !== MANIFEST_DIGEST) yield entry;
      }
    },
  };
}

type Digests = Map<string, { bytes: number; sha256: string }>;

/** Digests of all files, and the texts of those that describe the others. */
async function readAll(
  path: string,
  entries: AsyncIterable<BackupEntry>,
): Promise<{ files: Digests; texts: Map<string, string> }> {
  const files: Digests = new Map();
  const texts = new Map<string, string>();
  try {
    for await (const { path: file, bytes, content } of entries) {
      const digest = createHash('sha256');
      const pieces: Buffer[] = [];
      const isKept = file === MANIFEST || file === MANIFEST_DIGEST;
      for await (const piece of content) {
        digest.update(piece);
        if (isKept) pieces.push(piece);
      }
      files.set(file, { bytes, sha256: digest.digest('hex') });
      if (isKept) texts.set(file, Buffer.concat(pieces).toString());
    }
    return { files, texts };
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw damaged(path, `it cannot be read to its end: ${error.message.replace(/\.$/, '')}`, error);
  }
}

function requireFiles(path: string, { files }: BackupManifest, actual: Digests): void {
  const extra = new Set(actual.keys());
  for (const file of [MANIFEST, MANIFEST_DIGEST]) extra.delete(file);
  for (const { path: file, bytes, sha256: digest } of files) {
    const known = actual.get(file);
    if (known === undefined) throw damaged(path, `${file} is missing`);
    if (known.bytes !== bytes) throw damaged(path, `${file} has ${known.bytes} bytes instead of ${bytes}`);
    if (known.sha256 !== digest) throw damaged(path, `${file} has another digest`);
    extra.delete(file);
  }
  for (const file of extra) throw damaged(path, `${file} is not in its list`);
}

function parseManifest(path: string, text: string): BackupManifest {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new AdminError(
      `${path} has a format that this version does not know. Restore it with the version that wrote it, or a newer one.`,
      { cause: error },
    );
  }
}

function damaged(path: string, what: string, cause?: unknown): AdminError {
  return new AdminError(
    `The backup ${path} is incomplete or damaged: ${what}. Nothing was changed. Use another backup.`,
    { cause },
  );
}

async function* readArchive(file: string): AsyncGenerator<BackupEntry> {
  for await (const { kind, path, size, content } of readTar(
    createReadStream(file, { highWaterMark: 1 << 20 }),
  )) {
    if (kind === 'file') yield { path, bytes: size, content };
  }
}

/** The files of a folder in the order in which an archive has them: `database` before `files`. */
async function* walk(root: string, folder: string): AsyncGenerator<BackupEntry> {
  const names: { name: string; isFolder: boolean }[] = [];
  for await (const entry of await opendir(folder)) {
    names.push({ name: entry.name, isFolder: entry.isDirectory() });
  }
  for (const { name, isFolder } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, name);
    if (isFolder) {
      yield* walk(root, path);
      continue;
    }
    const { size } = await stat(path);
    yield { path: relative(root, path).replaceAll(sep, '/'), bytes: size, content: createReadStream(path) };
  }
}

/** The whole content of a small file. */
export async function collect(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}
