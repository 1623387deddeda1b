import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolderSync } from '@offprint/bundle/make-folder';
import type { OpenEncoder, SourceTree } from '@offprint/render';
import { readRecords } from './asking-encoder.ts';
import { encoderName, NOT_INSTALLED } from './encoder-name.ts';

/** Where records are kept between exports. */
export interface RecordCache {
  get(key: string): Uint8Array | null;
  put(key: string, content: readonly Uint8Array[]): void;
}

/** What decides the bytes of encoded images on this machine, for keys of what was exported. */
export const encoderNames = (): (string | null)[] => [encoderName('webp'), encoderName('avif')];

/**
 * The encoder of an export in this process. Images are encoded in sandboxed processes, as on the platform; `work` takes
 * their files and is the caller's to remove.
 */
export function localEncoder({
  source,
  work,
  cache,
}: {
  source: Pick<SourceTree, 'read'>;
  work: string;
  cache: RecordCache | null;
}): OpenEncoder {
  return async (format) => {
    const name = encoderName(format);
    if (name === null) return { missing: NOT_INSTALLED };
    return {
      name,
      get: (key) => cache?.get(key) ?? null,
      put: (key, record) => cache?.put(key, [record]),
      async encode(images) {
        const [{ CHILD_PROGRAMS }, { createSandbox }, { encodeImages, IMAGE_LIMITS }] = await Promise.all([
          import('../../child-programs.ts'),
          import('../../platform/sandbox/sandbox.ts'),
          import('./encode-images.ts'),
        ]);
        const silent = { info: () => undefined, warn: () => undefined };
        const sandbox = createSandbox({
          programs: CHILD_PROGRAMS,
          folder: join(work, 'sandbox'),
          log: silent,
        });
        const into = join(work, 'records');
        makeFolderSync(into, 0o700);
        try {
          const { faults, fault } = await encodeImages({
            sandbox,
            limits: IMAGE_LIMITS,
            images: images.map(({ path, sha256, format, widths }) => {
              // Files may change while they are rendered.
              const isSame = hash('sha256', source.read(path)) === sha256;
              const place = (file: string) => writeFile(file, source.read(path));
              return { format, widths, place: isSame ? place : null };
            }),
            into,
            work: join(work, 'run'),
            signal: new AbortController().signal,
          });
          return readRecords(images, into, faults, fault);
        } finally {
          await sandbox.close();
        }
      },
    };
  };
}
