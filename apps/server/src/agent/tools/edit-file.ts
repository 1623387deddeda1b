import { counted } from '@offprint/contract/counted';
import { z } from 'zod';
import { type EditResult, editText } from '../edit/match.ts';
import { answerOf, diffLines, listOf, windowOf } from './output.ts';
import { parseNotes } from './parse-notes.ts';
import { contentFault, readTarget, writeTarget } from './target.ts';
import { defineTool, refuse } from './tool.ts';

/** `edit_file`: exact replacement of a text that is there once. */
export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replace old_text with new_text in a file. old_text must occur in the file exactly once: copy it from read_file, with a line or two around it when it is short. Returns the diff and the syntax check.',
  parameters: z.object({
    path: z.string(),
    old_text: z.string(),
    new_text: z.string(),
    replace_all: z.boolean().default(false).describe('Replace every occurrence'),
  }),
  async run({ path: given, old_text: oldText, new_text: newText, replace_all: all }, context) {
    const { workspace } = context;
    const source = readTarget(given, context);
    if (source.path === undefined || source.text === undefined) return refuse(source.fault ?? '');
    const { path, text } = source;
    const target = writeTarget(path, context);
    if (target.fault !== undefined) return refuse(target.fault);
    if (oldText === '') {
      return refuse('old_text is empty. Pass the text to replace; to add text, repeat the adjacent line.');
    }
    if (oldText === newText) return refuse('old_text and new_text are the same: nothing would change.');
    const result = editText(text, oldText, newText, all);
    if (result.kind !== 'done') return refuse(answerOf(missText(path, result), ''));
    if (result.text === text) return refuse(`${path} already contains this text: nothing would change.`);
    const fault = await contentFault(path, result.text, context);
    if (fault !== null) return refuse(fault);
    workspace.write(path, result.text);
    const head = [`${path}: replaced ${counted(result.count, 'occurrence')} (matched: ${result.matched})`];
    if (result.left.length > 0) {
      head.push(`Not changed, because typographic characters or spaces differ: lines ${listOf(result.left)}`);
    }
    const notes = await parseNotes(path, result.text, context);
    const diff = answerOf(diffLines(text, result.text, 2), `See the rest with read_file ${path}.`);
    return { text: [...head, ...notes, diff].join('\n') };
  },
});

function missText(path: string, result: Exclude<EditResult, { kind: 'done' }>): string[] {
  if (result.kind === 'ambiguous') {
    const how = result.matched === 'exact' ? '' : ' apart from typographic characters and spaces';
    return [
      `old_text occurs in ${path} ${result.count} times${how}, at lines ${listOf(result.lines, 20)}. Nothing was changed.`,
      'Add lines before or after it until it is unique, or set replace_all.',
    ];
  }
  const { wanted, closest } = result;
  if (closest.length === 0)
    return [`old_text does not occur in ${path}. Nothing was changed. Read the file and copy the text.`];
  return [
    `old_text does not occur in ${path}. Nothing was changed. This line of old_text was not found:`,
    windowOf(wanted, 0, 300),
    'The closest lines in the file:',
    ...closest.map(({ line, text }) => `${line}: ${windowOf(text, 0, 500)}`),
    'Read that part again and copy the text exactly.',
  ];
}
