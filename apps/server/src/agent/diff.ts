import type { AgentJobDiff } from '@offprint/contract';
import { formatPatch, type StructuredPatch, structuredPatch } from 'diff';

/** A file that a job has changed, path below the docs folder. */
export interface ChangedFile {
  path: string;
  /** Text now; null: deleted. */
  content: Buffer | null;
  /** Text at the base; null: there was none. */
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
    const kind = content === null ? 'deleted' : before === null ? 'added' : 'modified';
    const patch = compare(before ?? '', content ?? '', end);
    const lines = patch.hunks.flatMap((hunk) => hunk.lines);
    return {
      path,
      kind: kind as AgentJobDiff['files'][number]['kind'],
      additions: lines.filter((line) => line.startsWith('+')).length,
      deletions: lines.filter((line) => line.startsWith('-')).length,
      diff: formatPatch({
        ...patch,
        isGit: true,
        oldFileName: kind === 'added' ? '/dev/null' : `a/${path}`,
        newFileName: kind === 'deleted' ? '/dev/null' : `b/${path}`,
        ...(kind === 'added' ? { isCreate: true, newMode: '100644' } : {}),
        ...(kind === 'deleted' ? { isDelete: true, oldMode: '100644' } : {}),
      }),
    };
  });
  return { files: shown, diff: shown.map(({ diff }) => diff).join('') };
}

/** The least difference; where that takes too long, the whole text for the other. */
function compare(before: string, after: string, end: number): StructuredPatch {
  const timeout = Math.max(1, end - performance.now());
  const patch = structuredPatch('a', 'b', before, after, undefined, undefined, { context: 3, timeout });
  if (patch !== undefined) return patch;
  const removed = structuredPatch('a', 'b', before, '', undefined, undefined, { context: 0 });
  const added = structuredPatch('a', 'b', '', after, undefined, undefined, { context: 0 });
  const lines = [...(removed.hunks[0]?.lines ?? []), ...(added.hunks[0]?.lines ?? [])];
  const oldLines = removed.hunks[0]?.oldLines ?? 0;
  const newLines = added.hunks[0]?.newLines ?? 0;
  return {
    ...removed,
    hunks: [
      { oldStart: oldLines === 0 ? 0 : 1, oldLines, newStart: newLines === 0 ? 0 : 1, newLines, lines },
    ],
  };
}
