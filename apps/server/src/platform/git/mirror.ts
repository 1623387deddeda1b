import { hash, randomBytes } from 'node:crypto';
import { copyFile, link, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { GitError } from './error.ts';

/**
 * Objects that agent jobs and exports of a project have fetched, for later jobs: these fetch only what is new. A folder with generations:
 *
 *     <generation>/objects/pack/…   packs as the server sent them
 *     <generation>/commits/<id>     a file for each commit that is there, without its history
 *     <generation>/files/<id>       small files of snapshots, see KeptFiles
 *
 * A repository reads a generation as its alternate. Files are only added, each with one atomic call and the file of a
 * commit last, so that jobs need no lock and a kill at any moment leaves what can be used. Nothing is repacked: after
 * a number of commits a new generation starts, and the old one is deleted later.
 */
export interface Mirror {
  folder: string;
  /** The generation in use; null: everything is fetched and starts a new one. */
  generation: string | null;
  /** Whether a repository reads objects of the generation. */
  isUsed: boolean;
}

/** Commits after which a new generation starts: each one is a further pack, in which Git looks up every object. */
const MAX_COMMITS = 64;

/** Bytes of one mirror above which nothing is added: a project that pushes much must not fill the disk of a worker. */
const MAX_BYTES = 4 * 1024 ** 3;

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

/** Finds the newest generation that can be built on. */
export async function openMirror(folder: string): Promise<Mirror> {
  const newest = (await namesIn(folder)).sort(byName).at(-1);
  const generation = newest === undefined ? null : join(folder, newest);
  const commits = generation === null ? [] : await namesIn(join(generation, 'commits'));
  const isUsable = commits.length > 0 && commits.length < MAX_COMMITS;
  return { folder, generation: isUsable ? generation : null, isUsed: false };
}

/**
 * Lets an empty bare repository read the objects of the generation, if they have names of this length. The commits are
 * shallow, and their names are what the repository reports to a server as present.
 */
export async function attachMirror(mirror: Mirror, gitDir: string, idLength: number): Promise<void> {
  const { generation } = mirror;
  if (generation === null) return;
  const commits = (await namesIn(join(generation, 'commits'))).sort(byName);
  if (commits[0]?.length !== idLength) {
    mirror.generation = null;
    return;
  }
  await touch(generation);
  await makeFolder(join(gitDir, 'objects', 'info'));
  await writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${join(generation, 'objects')}\n`);
  await writeFile(join(gitDir, 'shallow'), commits.map((id) => `${id}\n`).join(''));
  const refs = commits.map((id) => `${id} ${keptRef(id)}\n`).join('');
  await writeFile(join(gitDir, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${refs}`);
  mirror.isUsed = true;
}

/** The ref that makes a commit known to the server at the next fetch. */
export const keptRef = (commit: string): string => `refs/offprint/kept/${commit}`;

/** Adds a commit that a repository has fetched without its history, unless the mirror has too many bytes. */
export async function addToMirror(
  mirror: Mirror,
  gitDir: string,
  commit: string,
  maxBytes = MAX_BYTES,
): Promise<void> {
  let bytes = 0;
  for (const name of await namesIn(mirror.folder))
    bytes += await bytesOf(join(mirror.folder, name, 'objects', 'pack'));
  if (bytes > maxBytes) return;
  const generation =
    mirror.generation ??
    join(mirror.folder, `${String(Date.now()).padStart(15, '0')}-${randomBytes(4).toString('hex')}`);
  const packs = join(generation, 'objects', 'pack');
  await makeFolder(packs, 0o700);
  await makeFolder(join(generation, 'commits'), 0o700);
  const fetched = join(gitDir, 'objects', 'pack');
  // Git looks for packs by their index, so that it comes last.
  const names = (await namesIn(fetched)).filter((name) => /^pack-[0-9a-f]+\.(?:pack|rev|idx)$/.test(name));
  for (const ending of ['.pack', '.rev', '.idx'])
    for (const name of names.filter((one) => one.endsWith(ending)))
      await linkFile(join(fetched, name), join(packs, name));
  await writeFile(join(generation, 'commits', commit), '');
  await touch(generation);
  mirror.generation = generation;
}

/** Where snapshots keep their small files; null: nowhere. */
export const keptFilesOf = (mirror: Mirror | undefined): string | null =>
  mirror?.generation == null ? null : join(mirror.generation, 'files');

/** The folder of a project and its repository: another project may not be permitted to read the same one. */
export function mirrorOf(root: string, projectId: string, repository: string): string {
  return join(root, `${projectId}-${hash('sha256', repository).slice(0, 16)}`);
}

/**
 * What an error of reading objects means: those that cannot be read may be of the generation, which is deleted then, so
 * that the next attempt fetches them again. Attempts that still read it fail and are repeated.
 */
export async function mirrorFailure(
  error: unknown,
  mirror: Mirror | undefined,
  url: string,
): Promise<unknown> {
  const isMirror = error instanceof GitError && error.code === 'invalid' && mirror?.isUsed === true;
  if (!isMirror || mirror?.generation == null) return error;
  await rm(mirror.generation, { recursive: true, force: true, maxRetries: 3 });
  return new GitError(
    'unreachable',
    `The local copy of ${url} cannot be read and was deleted. The repository is fetched again.`,
  );
}

/** Deletes the copies of projects that no longer exist. The folders start with the id of their project. */
export async function removeMirrors(
  root: string,
  isKept: (project: string) => Promise<boolean>,
): Promise<void> {
  for (const name of await namesIn(root)) {
    const project = name.split('-')[0] ?? '';
    if (!(await isKept(project))) await rm(join(root, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Milliseconds without use after which a generation is deleted: longer than any job takes. */
const SUPERSEDED_MS = 24 * 3_600_000;
const UNUSED_MS = 14 * SUPERSEDED_MS;

/**
 * Deletes generations below a folder of mirrors: superseded ones after a day without use, others after two weeks, and
 * then the least recently used, if the rest is larger than `maxBytes` and they were not used for a day.
 */
export async function sweepMirrors(root: string, maxBytes: number, now = Date.now()): Promise<void> {
  const left: { path: string; usedAt: number; bytes: number }[] = [];
  for (const project of await namesIn(root)) {
    const names = (await namesIn(join(root, project))).sort(byName);
    for (const name of names) {
      const path = join(root, project, name);
      const usedAt = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => now,
      );
      const most = name === names.at(-1) ? UNUSED_MS : SUPERSEDED_MS;
      if (now - usedAt > most) await rm(path, { recursive: true, force: true, maxRetries: 3 });
      else
        left.push({
          path,
          usedAt,
          bytes: (await bytesOf(join(path, 'objects', 'pack'))) + (await bytesOf(join(path, 'files'))),
        });
    }
  }
  let total = left.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, usedAt, bytes } of left.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= maxBytes || now - usedAt < SUPERSEDED_MS) break;
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
    total -= bytes;
  }
}

async function bytesOf(folder: string): Promise<number> {
  let sum = 0;
  for (const name of await namesIn(folder))
    sum += await stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  return sum;
}

/** Gives a file a second name, or copies it where the file system has no such names. Replaces a file that was cut off. */
async function linkFile(from: string, to: string): Promise<void> {
  const bytesAt = (path: string): Promise<number | null> =>
    stat(path).then(
      ({ size }) => size,
      () => null,
    );
  if ((await bytesAt(from)) === (await bytesAt(to))) return;
  const partial = `${to}.${randomBytes(4).toString('hex')}`;
  await link(from, partial).catch(() => copyFile(from, partial));
  await rename(partial, to);
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
