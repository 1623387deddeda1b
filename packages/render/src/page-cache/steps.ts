import type { Emitter } from '../output/emitter.ts';
import type { AddedFile, StoredFile } from '../stored-file.ts';
import type { KnownWarning, Warn } from '../warning.ts';
import type { Watch } from './watch.ts';

/** What a step of a render has emitted and reported. */
export interface StepRecord {
  /** Digest of what it was made from. */
  key: string;
  /** Output paths. */
  files: readonly string[];
  warnings: readonly KnownWarning[];
  /** Files that it has read and that no key of a step includes, with their digests. */
  read: readonly (readonly [string, string])[];
}

/** Digest of a file; null for one that the key of the site includes. */
type DigestOf = (file: string) => string | null;

/** A step whose files and warnings follow from its own key and from that of the site or of bodies. */
export interface Step {
  name: string;
  needs: 'site' | 'bodies';
  key: string;
  run(emitter: Emitter): void | Promise<void>;
}

/** Emits what a step has emitted in the earlier render; false if it has to run. */
export function repeatStep(
  record: StepRecord | undefined,
  key: string,
  earlierFile: (path: string) => StoredFile | null,
  digestOf: DigestOf,
  emitter: Emitter,
  warn: Warn,
): boolean {
  if (record?.key !== key) return false;
  if (!record.read.every(([file, digest]) => digestOf(file) === digest)) return false;
  const files = record.files.map((path) => ({ path, file: earlierFile(path) }));
  if (files.some(({ file }) => file === null)) return false;
  for (const { path, file } of files) if (file !== null) emitter.derive(path, file);
  for (const warning of record.warnings) warn(warning);
  return true;
}

/** Runs a step; null if a later render cannot repeat it, since a file of it is not in the output. */
export async function recordStep(
  step: Step,
  emitter: Emitter,
  watch: Watch,
  digestOf: DigestOf,
): Promise<StepRecord | null> {
  const files: string[] = [];
  let isWhole = true;
  const note = (path: string, isNew: boolean, isAdded: boolean): void => {
    if (isNew && isAdded) files.push(path);
    else if (isNew) isWhole = false;
  };
  const noteLarge = async (path: string, act: () => Promise<AddedFile | null>): Promise<AddedFile | null> => {
    const isNew = !emitter.has(path);
    const added = await act();
    note(path, isNew, added !== null);
    return added;
  };
  const recording: Emitter = {
    emit(path, content) {
      const isNew = !emitter.has(path);
      const added = emitter.emit(path, content);
      note(path, isNew, added !== null);
      return added;
    },
    derive(path, content) {
      const isNew = !emitter.has(path);
      const added = emitter.derive(path, content);
      note(path, isNew, added !== null);
      return added;
    },
    emitLarge: (path, content) => noteLarge(path, () => emitter.emitLarge(path, content)),
    deriveLarge: (path, content) => noteLarge(path, () => emitter.deriveLarge(path, content)),
    has: emitter.has,
  };
  const { warnings, read } = await watch.collect(async () => step.run(recording));
  if (!isWhole) return null;
  const digests = [...read].flatMap((file) => {
    const digest = digestOf(file);
    return digest === null ? [] : [[file, digest] as const];
  });
  return { key: step.key, files, warnings, read: digests };
}
