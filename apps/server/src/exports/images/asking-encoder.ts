import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EncodedImages, OpenEncoder } from '@offprint/render';
import type { ChildTalk } from '../../platform/sandbox/protocol.ts';
import { encoderName, NOT_INSTALLED } from './encoder-name.ts';
import { type KeptImages, type KeptImagesQuestion, openKeptImages } from './kept-images.ts';
import type { ImageAnswer, ImageQuestion } from './source-images.ts';

/** The encoder of a render in the sandbox: its parent has images encoded in another process. */
export function askingEncoder(
  ask: ChildTalk<never>['ask'],
  canKeep: boolean,
): { open: OpenEncoder; keep(folder: string): void } {
  let kept: KeptImages | null = null;
  return {
    async open(format) {
      const name = encoderName(format);
      if (name === null) return { missing: NOT_INSTALLED };
      if (kept === null) {
        const { answer, folder } = canKeep
          ? await ask({ keptImages: true } satisfies KeptImagesQuestion)
          : { answer: false, folder: '' };
        kept = openKeptImages(answer === true ? folder : null);
      }
      const { get, put } = kept;
      return {
        name,
        get,
        put,
        async encode(images): Promise<EncodedImages> {
          const question = {
            images: images.map(({ path, format, widths }) => ({ path, format, widths: [...widths] })),
          };
          const { answer, folder } = await ask(question satisfies ImageQuestion);
          const { faults, fault } = answer as ImageAnswer;
          return readRecords(images, folder, new Map(faults), fault);
        },
      };
    },
    keep: (folder) => kept?.keep(folder),
  };
}

/** What is in the folder of a reply, by path. */
export function readRecords(
  images: readonly { path: string }[],
  folder: string,
  faults: ReadonlyMap<number, string>,
  fault: string | null,
): EncodedImages {
  const found = new Map<string, { record: Uint8Array } | { fault: string }>();
  for (const [number, { path }] of images.entries()) {
    const known = faults.get(number);
    const record = known === undefined ? readRecord(join(folder, String(number))) : null;
    if (known !== undefined) found.set(path, { fault: known });
    else if (record !== null) found.set(path, { record });
  }
  return { images: found, fault };
}

/** null for an image that was not encoded. */
function readRecord(file: string): Uint8Array | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}
