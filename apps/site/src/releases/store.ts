import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, manifestPath, parseManifest, unpackBundle } from '@offprint/bundle';

/** A bundle unpacked to a folder, every file of it verified when it was written. */
export interface Release {
  /** SHA-256 of the bundle: the name of the folder. */
  sha256: string;
  folder: string;
  manifest: Manifest;
}

const releasePattern = /^[0-9a-f]{64}$/;
const currentFile = 'current';
/** The one served and the one before. */
const keptReleases = 2;

/**
 * Verifies a bundle and unpacks it to `<releasesDir>/<sha256>`, or takes the release that is there already.
 * Throws a BundleError and leaves every other release alone.
 */
export async function prepareRelease(bundle: string, releasesDir: string, durable = true): Promise<Release> {
  await mkdir(releasesDir, { recursive: true });
  const sha256 = await digestOf(bundle);
  const there = await openRelease(releasesDir, sha256);
  if (there !== null) return there;
  const folder = join(releasesDir, sha256);
  await rm(folder, { recursive: true, force: true });
  const { manifest } = await unpackBundle(bundle, folder, { sha256, durable });
  return { sha256, folder, manifest };
}

/** Makes a release the one that a restart goes on with, and removes all but it and the one before. */
export async function keepRelease(releasesDir: string, release: Release): Promise<void> {
  const before = await currentName(releasesDir);
  const temporary = join(releasesDir, `.${currentFile}.${process.pid}.tmp`);
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(`${release.sha256}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, join(releasesDir, currentFile));
  const now = new Date();
  await utimes(release.folder, now, now);
  await pruneReleases(releasesDir, [release.sha256, ...(before === null ? [] : [before])]);
}

/** The release kept last; null when there is none, or it is damaged. */
export async function currentRelease(releasesDir: string): Promise<Release | null> {
  const name = await currentName(releasesDir);
  return name === null ? null : openRelease(releasesDir, name);
}

async function currentName(releasesDir: string): Promise<string | null> {
  const text = await readFile(join(releasesDir, currentFile), 'utf8').catch(() => '');
  const name = text.trim();
  return releasePattern.test(name) ? name : null;
}

/** A release on disk; null when it is missing or a file has not the size it should have. */
async function openRelease(releasesDir: string, sha256: string): Promise<Release | null> {
  const folder = join(releasesDir, sha256);
  try {
    const manifest = parseManifest(await readFile(join(folder, manifestPath), 'utf8'));
    for (const file of manifest.files) {
      if ((await stat(join(folder, file.path))).size !== file.size) return null;
    }
    return { sha256, folder, manifest };
  } catch {
    return null;
  }
}

async function pruneReleases(releasesDir: string, keep: readonly string[]): Promise<void> {
  const names = (await readdir(releasesDir)).filter(
    (name) => releasePattern.test(name) && !keep.includes(name),
  );
  const aged = await Promise.all(
    names.map(async (name) => ({ name, time: (await stat(join(releasesDir, name))).mtimeMs })),
  );
  aged.sort((a, b) => b.time - a.time);
  const room = keptReleases - new Set(keep).size;
  for (const { name } of aged.slice(Math.max(0, room))) {
    await rm(join(releasesDir, name), { recursive: true, force: true });
  }
}

async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of createReadStream(file)) digest.update(piece as Buffer);
  return digest.digest('hex');
}
