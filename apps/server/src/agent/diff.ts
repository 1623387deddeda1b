import type { AgentJobDiff } from '@offprint/contract';
import { textDiff } from '../platform/text-diff.ts';

/** A file that a job has changed, path below the docs folder. */
export interface ChangedFile {
  path: string;
  /** Text now; null: deleted. */
  content: Buffer | null;
  /** Text at the base; null if the file did not exist. */
  before: Buffer | null;
}

/** Milliseconds that finding the least difference may take, for all files together. */
const PATIENCE_MS = 300;

/** The changes as unified diffs that `git apply` takes; files whose text is as before are left out. */
export function diffOf(files: readonly ChangedFile[]): Omit<AgentJobDiff, 'isKept'> {
  const end = performance.now() + PATIENCE_MS;
  const shown = files.flatMap((file) => {
    const { path } = file;
    const before = file.before?.toString('utf8') ?? null;
    const content = file.content?.toString('utf8') ?? null;
    if (before === content && before !== null) return [];
    return { path, ...textDiff(path, before, content, end) };
  });
  return { files: shown, diff: shown.map(({ diff }) => diff).join('') };
}
