import { counted } from '@offprint/contract/counted';
import { z } from 'zod';
import { ConfigFault } from '../edit/config-tree.ts';
import { type MovePlan, planMove } from '../edit/move.ts';
import { isPage } from '../edit/page-lookup.ts';
import { MAX_CHANGED_FILES } from '../policy/limits.ts';
import { answerOf } from './output.ts';
import { contentFault, readTarget, writeTarget } from './target.ts';
import { defineTool, refuse, type ToolContext } from './tool.ts';

export const moveFile = defineTool({
  name: 'move_file',
  description:
    'Moves or renames a text file. Corrects the links of all pages to it, its own relative links, its entries in docs.json, and adds a redirect from the old URL of a page. Use it instead of writing a new file and deleting the old one.',
  parameters: z.object({
    from: z.string(),
    to: z.string(),
    update_links: z.boolean().default(true).describe('Correct links and navigation entries'),
    add_redirect: z.boolean().default(true).describe('Keep the old URL of a page'),
  }),
  async run({ from, to, update_links: updateLinks, add_redirect: addRedirect }, context) {
    const paths = movePaths(from, to, context);
    if ('fault' in paths) return refuse(paths.fault);
    const { workspace, memory } = context;
    let plan: MovePlan;
    try {
      const mayWrite = (path: string): boolean => writeTarget(path, context).fault === undefined;
      plan = planMove(workspace, { ...paths, updateLinks, addRedirect, mayWrite });
    } catch (error) {
      if (error instanceof ConfigFault) return refuse(`${error.message} Nothing was moved.`);
      throw error;
    }
    const fault = await planFault(plan, context);
    if (fault !== null) return refuse(fault);
    workspace.remove(paths.from);
    for (const [path, text] of plan.texts) workspace.write(path, text);
    const movedTo = (path: string): string => (path === paths.from ? paths.to : path);
    memory.readPaths = memory.readPaths.map(movedTo);
    if (memory.readParts !== undefined)
      memory.readParts = memory.readParts.map(([path, line]) => [movedTo(path), line]);
    return { text: answerOf(planText(plan, paths), 'See them with show_changes.') };
  },
});

function movePaths(
  givenFrom: string,
  givenTo: string,
  context: ToolContext,
): { from: string; to: string } | { fault: string } {
  const source = readTarget(givenFrom, context);
  if (source.path === undefined || source.text === undefined) return { fault: source.fault ?? '' };
  const from = writeTarget(source.path, context);
  if (from.path === undefined) return { fault: from.fault };
  const to = writeTarget(givenTo, context);
  if (to.path === undefined) return { fault: to.fault };
  if (from.path === to.path) return { fault: '"from" and "to" are the same path.' };
  if (context.workspace.has(to.path)) return { fault: `${to.path} already exists. Nothing was moved.` };
  if (/^(?:docs|mint)\.json$/.test(from.path)) return { fault: `${from.path} cannot be moved.` };
  if (isPage(from.path) !== isPage(to.path))
    return { fault: `${from.path} cannot become ${to.path}: a page ends in .mdx or .md. Nothing was moved.` };
  return { from: from.path, to: to.path };
}

/** Why the plan cannot be done as a whole; a move is never done by half. */
async function planFault({ texts }: MovePlan, context: ToolContext): Promise<string | null> {
  const overlay = context.workspace.overlay();
  const changed = new Set([...overlay.keys(), ...texts.keys()]).size + 1;
  if (changed > MAX_CHANGED_FILES)
    return `The move would change ${texts.size + 1} files, and the limit of a job is ${MAX_CHANGED_FILES}. Move with update_links=false, which keeps the old URL through a redirect.`;
  for (const [path, text] of texts) {
    const fault = await contentFault(path, text, context);
    if (fault !== null) return `${fault} Nothing was moved.`;
  }
  return null;
}

function planText({ counts, notes }: MovePlan, { from, to }: { from: string; to: string }): string[] {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [
    `Moved ${from} to ${to}.`,
    ...notes,
    total === 0
      ? 'No links had to change.'
      : `Corrected ${counted(total, 'link')}, including navigation entries and redirects:`,
    ...[...counts].map(([path, count]) => `${path}: ${count}`),
  ];
}
