import { counted } from '@offprint/contract/counted';
import { z } from 'zod';
import type { Change } from '../workspace/workspace.ts';
import { answerOf, diffLines, lineCount } from './output.ts';
import { filePath } from './target.ts';
import { defineTool, refuse } from './tool.ts';

/** `show_changes`: what the job has changed so far, against its base. */
export const showChanges = defineTool({
  name: 'show_changes',
  description: 'Show everything changed so far as a unified diff, or only one file or folder.',
  parameters: z.object({ path: z.string().optional() }),
  run({ path }, { workspace, policy }) {
    let changes = workspace.changes();
    if (path !== undefined && !/^[./]*$/.test(path)) {
      const target = filePath(path, { workspace, policy });
      if (target.path === undefined) return refuse(target.fault);
      changes = changes.filter((one) => one.path === target.path || one.path.startsWith(`${target.path}/`));
      if (changes.length === 0) return { text: `No changes at ${target.path}.` };
    }
    if (changes.length === 0) return { text: 'No changes.' };
    const lines = [
      `${counted(changes.length, 'file')} changed`,
      ...changes.map(({ path: one, kind }) => `${kind} ${one}`),
      ...changes.flatMap(diffOf),
    ];
    const how = changes.length > 1 ? 'Pass a path to see its diff.' : 'See the rest with read_file.';
    return { text: answerOf(lines, how) };
  },
});

function diffOf({ path, kind, before, after }: Change): string[] {
  const header = [
    kind === 'added' ? '--- /dev/null' : `--- ${path}`,
    after === null ? '+++ /dev/null' : `+++ ${path}`,
  ];
  if (after === null)
    return [
      ...header,
      before === null ? '(was not a text file)' : `(${counted(lineCount(before), 'line')} removed)`,
    ];
  if (before === null && kind !== 'added') return [...header, '(was not a text file)'];
  return [...header, ...diffLines(before ?? '', after, 3)];
}
