import { formatPatch, type StructuredPatch, structuredPatch } from 'diff';

export interface TextDiff {
  kind: 'added' | 'modified' | 'deleted';
  /** Numbers of lines. */
  additions: number;
  deletions: number;
  /** Unified, as `git apply` takes it. */
  diff: string;
}

/**
 * The difference between two texts of a file; null: the file is not there. `end` is the time (of `performance.now`)
 * until which the least difference is looked for.
 */
export function textDiff(path: string, before: string | null, after: string | null, end: number): TextDiff {
  const kind = after === null ? 'deleted' : before === null ? 'added' : 'modified';
  const patch = compare(before ?? '', after ?? '', end);
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    kind,
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
