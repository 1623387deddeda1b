import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EarlierBundle, isDamagedBundle, openEarlierBundle, parseChunkTable } from '@offprint/bundle';
import { directorySource, entriesOf, type SourceTree } from '@offprint/render';
import { exportSources, programFiles } from '@offprint/render/assets';
import { VERSION } from '../version.ts';
import type { BundleCache, KeptExport } from './export-site.ts';

/**
 * What exports of a project leave for the next one, as a child reads and writes it: one file with the table of the chunks,
 * the state of the render and the records of its pages, and beside it the bundle. The parent stores the file as it is.
 */
export const keptFile = 'kept-pages';
/** The question of a render for the pages of the last export. The reply says whether they are in the folder. */
export interface KeptQuestion {
  kept: true;
}

/** Name of the bundle beside it. */
export const keptBundle = 'bundle.tar.gz';
/** A larger file is not kept. */
export const maxKeptBytes = 64 * 1024 * 1024;

/** The first part of the file; the contents of the entries follow. */
interface Head {
  /** Of the program that wrote it. */
  program: string;
  /** As `parseChunkTable` reads it. */
  chunks: string;
  state: string;
  entries: [key: string, bytes: number][];
}

const LENGTH_BYTES = 4;

let knownDigest: string | null = null;

/** The same on every machine with the same program. Reads the program once. */
export function programDigest(): string {
  knownDigest ??= hash(
    'sha256',
    [
      VERSION,
      process.version,
      process.arch,
      ...programFiles(exportSources)
        .sort()
        .map((file) => hash('sha256', readFileSync(file))),
    ].join('\n'),
  );
  return knownDigest;
}

/** The cache of one export. */
export interface KeptPages {
  source: SourceTree;
  cache: BundleCache;
  /** Writes what the next export needs into a folder; nothing if it can use nothing. */
  keep(kept: KeptExport, folder: string): void;
  close(): void;
}

/** Opens what the parent has left in `folder`; null: nothing. What is damaged, or of another program, is not used. */
export function openKeptPages(sourceDir: string, folder: string | null): KeptPages {
  const source = directorySource(sourceDir);
  const program = programDigest();
  const known = folder === null ? null : readKept(folder, program);
  const entries = new Map(known?.entries);
  const digests = source.paths.map((path) => hash('sha256', source.read(path)));
  return {
    source,
    cache: {
      program,
      digests,
      get: (key) => entries.get(key) ?? null,
      put: (key, content) => void entries.set(key, Buffer.concat(content)),
      earlier: known === null ? null : { bundle: known.bundle, state: known.state },
    },
    keep({ chunks, state }, target) {
      if (state === null) return;
      const named = entriesOf(state).flatMap((key): [string, Uint8Array][] => {
        const content = entries.get(key);
        return content === undefined ? [] : [[key, content]];
      });
      const head = Buffer.from(
        JSON.stringify({
          program,
          chunks: JSON.stringify(chunks),
          state,
          entries: named.map(([key, content]) => [key, content.length]),
        } satisfies Head),
      );
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(head.length);
      const all = Buffer.concat([length, head, ...named.map(([, content]) => content)]);
      if (all.length <= maxKeptBytes) writeFileSync(join(target, keptFile), all);
    },
    close: () => known?.bundle.close(),
  };
}

/** Whether an export failed because what is kept is not what it was. */
export const isStale = (error: unknown): boolean =>
  isDamagedBundle(error) || (error instanceof Error && error.name === 'StaleRenderError');

function readKept(
  folder: string,
  program: string,
): { bundle: EarlierBundle; state: string; entries: [string, Uint8Array][] } | null {
  try {
    const all = readFileSync(join(folder, keptFile));
    const end = LENGTH_BYTES + all.readUInt32LE(0);
    const head: Head = JSON.parse(all.toString('utf8', LENGTH_BYTES, end));
    if (head.program !== program) return null;
    let at = end;
    const entries = head.entries.map(([key, bytes]): [string, Uint8Array] => {
      at += bytes;
      return [key, all.subarray(at - bytes, at)];
    });
    if (at !== all.length) return null;
    const bundle = openEarlierBundle(join(folder, keptBundle), parseChunkTable(head.chunks));
    return { bundle, state: head.state, entries };
  } catch {
    return null;
  }
}
