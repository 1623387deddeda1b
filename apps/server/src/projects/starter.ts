import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { packArchive } from '@offprint/bundle';
import { assetPath } from '@offprint/render/assets';

const FOLDER = assetPath('apps/server/src/projects/starter');

interface Starter {
  archive: Buffer;
  sha256: string;
}

let made: Starter | undefined;

/** The files of the site that a project may begin with, by path. */
export function starterFiles({ name }: { name?: string } = {}): Record<string, Buffer> {
  const entries = readdirSync(FOLDER, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const byPath = Object.fromEntries(
    files.map((file) => [relative(FOLDER, file).split(sep).join('/'), readFileSync(file)]),
  );
  if (name === undefined) return byPath;
  const configuration = String(byPath['docs.json']);
  const named = configuration.replace(/("name": )"[^"]*"/, (_, key) => key + JSON.stringify(name));
  return { ...byPath, 'docs.json': Buffer.from(named) };
}

/** The same as an archive; packed at the first use, always the same bytes. */
export function starterArchive(): Starter {
  if (made === undefined) {
    const archive = packArchive(starterFiles());
    made = { archive, sha256: createHash('sha256').update(archive).digest('hex') };
  }
  return made;
}
