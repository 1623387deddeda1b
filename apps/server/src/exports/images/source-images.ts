import { copyFile, link, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { z } from 'zod';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { encodeImages, type ImageLimits } from './encode-images.ts';

/** Question of a render for variants of images of its source. */
export const imageQuestion = z.object({
  images: z
    .array(
      z.object({
        path: z.string().max(4_096),
        format: z.enum(['webp', 'avif']),
        widths: z.array(z.number().int().min(1).max(4_096)).max(8),
      }),
    )
    .max(5_000),
});
export type ImageQuestion = z.output<typeof imageQuestion>;

/** The reply. The record of each image that is not in `faults` is in the file of its number, unless `fault` is set. */
export interface ImageAnswer {
  faults: (readonly [number: number, text: string])[];
  fault: string | null;
}

/** Images of a source, which are kept where a render cannot change them. */
export interface SourceImages {
  /** Replies to an ImageQuestion; `into` takes the files. Throws for any other question. */
  answer(question: unknown, into: string, signal: AbortSignal): Promise<ImageAnswer>;
}

const RASTER = /\.(?:png|jpe?g|webp)$/i;
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const MAX_FILES = 50_000;

/**
 * Gives the images of a source second names below `folder`, since the render gets the source for itself. `folder` must be
 * on the file system of the sandbox.
 */
export async function keepSourceImages(
  root: string,
  { sandbox, limits, folder }: { sandbox: Sandbox; limits: ImageLimits; folder: string },
): Promise<SourceImages> {
  await makeFolder(folder, 0o700);
  const files = new Map<string, string>();
  for (const path of await rastersBelow(root)) {
    const name = join(folder, String(files.size));
    await linkFile(join(root, path), name);
    files.set(path, name);
  }
  let runs = 0;
  return {
    async answer(question, into, signal) {
      const { images } = imageQuestion.parse(question);
      const given = images.map(({ path, format, widths }) => {
        const known = files.get(path);
        return { format, widths, place: known === undefined ? null : (to: string) => linkFile(known, to) };
      });
      const work = join(folder, `run-${++runs}`);
      const { faults, fault } = await encodeImages({ sandbox, limits, images: given, into, work, signal });
      return { faults: [...faults], fault };
    },
  };
}

/** Gives a file a second name, or a copy where the file system has no second names. */
async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}

/** Regular files; links are not followed. */
async function rastersBelow(root: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      else if (entry.isFile() && RASTER.test(entry.name) && found.length < MAX_FILES) found.push(path);
    }
  }
  return found.sort();
}
