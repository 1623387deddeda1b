/** Main module of the sandbox child that encodes images: it has no other files, and what takes it over finds nothing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packImage } from '@offprint/render/images';
import { serveOnce } from '../../platform/sandbox/protocol.ts';
import { encodeImage, type ImageWork, loadSharp } from './encode-image.ts';

export interface ImageInput {
  /** Each has its file in the source folder, by its name. */
  images: readonly (ImageWork & { name: string })[];
}

/** The output folder has a record for each image, by its name. */
export type ImageResult = { cpuMs: number } | { missing: string };

// Native modules cannot be loaded once the child has its input.
const sharp = await loadSharp();

serveOnce<ImageInput, never, ImageResult>(async ({ images }, { folders, begin }) => {
  if ('missing' in sharp) return sharp;
  for (const { name, ...work } of images) {
    begin(name);
    const image = await encodeImage(sharp.sharp, readFileSync(join(folders.source, name)), work);
    writeFileSync(join(folders.output, name), packImage(image));
  }
  begin(null);
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000 };
});
