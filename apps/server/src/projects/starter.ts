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

/** The archive of the site that a project may begin with; packed at the first use, always the same bytes. */
export function starterArchive(): Starter {
  if (made === undefined) {
    const entries = readdirSync(FOLDER, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const archive = packArchive(
      Object.fromEntries(
        files.map((file) => [relative(FOLDER, file).split(sep).join('/'), readFileSync(file)]),
      ),
    );
    made = { archive, sha256: createHash('sha256').update(archive).digest('hex') };
  }
  return made;
}
