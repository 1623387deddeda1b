import type { ExportWarning } from '@offprint/contract';

/** The warnings of one file. */
export interface WarnedFile {
  file: string;
  warnings: ExportWarning[];
}

/** The warnings by file, in the order they come in; only those with the code, where one is given. */
export function groupByFile(warnings: readonly ExportWarning[], code: string | null): WarnedFile[] {
  const files = new Map<string, ExportWarning[]>();
  for (const warning of warnings) {
    if (code !== null && warning.code !== code) continue;
    const group = files.get(warning.file);
    if (group === undefined) files.set(warning.file, [warning]);
    else group.push(warning);
  }
  return [...files].map(([file, group]) => ({ file, warnings: group }));
}

/** How many warnings each code has, the most frequent first. */
export function countByCode(warnings: readonly ExportWarning[]): { code: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { code } of warnings) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}
