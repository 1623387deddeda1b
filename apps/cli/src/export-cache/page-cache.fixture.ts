/** Exports of a docs folder with a cache and without, for tests. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenEncoder } from '@offprint/render';
import { directorySource } from '@offprint/render/source-directory';
import { type BundleCache, exportBundle } from '@offprint/server/export-site';
import { encoderNames, localEncoder } from '@offprint/server/local-encoder';
import { type Cache, cacheFolder } from './cache-folder.ts';
import { type MadeExport, type NewExport, obtainExport } from './obtain-export.ts';

export interface Exports {
  /** With what earlier exports left. */
  warm(): Promise<MadeExport>;
  /** Without a cache. */
  cold(): Promise<MadeExport>;
  cache: Cache;
  /** Images that exports have encoded so far. */
  encoded: string[];
  /** Dates of files, as the history of a checkout has them. */
  dates: Record<string, string>;
}

export function exportsOf(docs: string, work: string, siteUrl: string | null): Exports {
  const cache = cacheFolder(join(work, 'cache'));
  const dates: Record<string, string> = {};
  const encoded: string[] = [];
  const counted =
    (open: OpenEncoder): OpenEncoder =>
    async (format) => {
      const encoder = await open(format);
      if ('missing' in encoder) return encoder;
      return {
        ...encoder,
        encode(requests) {
          encoded.push(...requests.map(({ path }) => path));
          return encoder.encode(requests);
        },
      };
    };
  const make = async (
    file: string,
    source: ReturnType<typeof directorySource>,
    bundles?: BundleCache,
  ): Promise<NewExport> => {
    const { kept, renderedPages, pageCount, version, index, warnings } = await exportBundle({
      source,
      file,
      domain: '',
      siteUrl,
      commit: null,
      committedAt: null,
      modified: dates,
      openEncoder: counted(
        localEncoder({ source, work: join(work, 'images'), cache: bundles === undefined ? null : cache }),
      ),
      ...(bundles === undefined ? {} : { cache: bundles }),
    });
    const { sha256, bytes } = index.bundle;
    return {
      outcome: { pageCount, version, sha256, sizeBytes: bytes, siteUrl, warnings },
      renderedPages,
      kept,
    };
  };
  const removing = async <T>(file: string, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } finally {
      for (const written of [file, `${file}.chunks`]) rmSync(written, { force: true });
    }
  };
  return {
    cache,
    encoded,
    dates,
    async warm() {
      const file = join(work, 'warm.tar.gz');
      const encoders = encoderNames();
      return removing(file, () =>
        obtainExport({
          folder: docs,
          file,
          readSource: () => directorySource(docs),
          readDates: async () => ({ ...dates }),
          pageOptions: { siteUrl, encoders },
          bundleOptions: {},
          cache,
          make: (source, _, bundles) => make(file, source, bundles),
        }),
      );
    },
    cold() {
      const file = join(work, 'cold.tar.gz');
      return removing(file, async () => {
        const { outcome, renderedPages } = await make(file, directorySource(docs));
        return { ...outcome, cached: false, renderedPages };
      });
    },
  };
}

/** Replaces a text of a file once. */
export function replaced(file: string, from: string | RegExp, to: string): string {
  const text = readFileSync(file, 'utf8');
  const next = text.replace(from, to);
  if (next === text) throw new Error(`${file} does not contain ${from}`);
  return next;
}
