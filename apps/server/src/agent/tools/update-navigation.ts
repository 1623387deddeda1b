import { z } from 'zod';
import type { CheckResult } from '../check/docs-check.ts';
import { ConfigFault, withTexts } from '../edit/config-tree.ts';
import { readNavigation } from '../edit/nav.ts';
import { editNavigation, type NavEdit, NavFault, type NavRequest } from '../edit/nav-edit.ts';
import { navigationText } from '../edit/nav-text.ts';
import { contentFault, writeTarget } from './target.ts';
import { defineTool, refuse, type ToolContext } from './tool.ts';

/** Characters of the part of the navigation that is shown after an edit. */
const MAX_SHOWN = 2000;

const parameters = z.object({
  op: z.enum(['add', 'move', 'rename', 'remove']),
  node: z
    .string()
    .max(500)
    .describe('add: page path, URL or "GET /path". Else: id from get_navigation, or a page path'),
  parent: z
    .string()
    .max(500)
    .describe('add, move: id of the entry that receives it; "" is the root')
    .optional(),
  position: z.int().nonnegative().describe('add, move: position among its siblings; default last').optional(),
  label: z
    .string()
    .max(200)
    .describe('rename: the new label. add: creates a new group with this label that contains "node"')
    .optional(),
});

export const updateNavigation = defineTool({
  name: 'update_navigation',
  description:
    'Changes only the navigation of docs.json: adds an existing page, moves, renames or removes an entry. The label of a page comes from its front matter. To add a tab or a version, edit docs.json.',
  parameters,
  async run(input, context) {
    try {
      const request = readRequest(input);
      const edit = editNavigation(context.workspace, request);
      const texts = new Map([...edit.others, [edit.file, edit.text]]);
      const fault = await checkEdit(edit, texts, context);
      if (fault !== null) return refuse(fault);
      for (const [path, text] of texts) context.workspace.write(path, text);
      return { text: [...edit.told, ...shown(edit, context)].join('\n') };
    } catch (error) {
      if (error instanceof NavFault || error instanceof ConfigFault) return refuse(error.message);
      throw error;
    }
  },
});

function readRequest({ op, node, parent, position, label }: z.output<typeof parameters>): NavRequest {
  const wanted = label === undefined || label.trim() === '' ? null : label;
  if (op === 'remove') return { op, node };
  if (op === 'rename') {
    if (wanted === null) throw new NavFault('"rename" needs "label".');
    return { op, node, label: wanted };
  }
  if (parent === undefined)
    throw new NavFault(`"${op}" needs "parent": an id from get_navigation, or "" for the root.`);
  const place = { parent, position: position ?? null };
  return op === 'add' ? { op, entry: node, label: wanted, ...place } : { op, node, ...place };
}

/** Why the edit is not taken; null when the configuration is as sound as before. */
async function checkEdit(
  { id }: NavEdit,
  texts: ReadonlyMap<string, string>,
  context: ToolContext,
): Promise<string | null> {
  const { workspace, check, signal } = context;
  // A file that could not be checked is not a reason to refuse the edit: its text was generated from its
  // syntax tree.
  const errors = (result: CheckResult): string[] =>
    (result.status === 'checked' ? result.findings : [])
      .filter(({ severity }) => severity === 'error')
      .map(({ code, message }) => `${code}: ${message.replace(/\bline \d+/g, 'line')}`);
  for (const [path, text] of texts) {
    const fault = writeTarget(path, context).fault ?? (await contentFault(path, text, context));
    if (fault !== null) return fault;
    const now = errors(await check.parse(path, text, signal));
    if (now.length === 0) continue;
    const old = await check.parse(path, workspace.read(path) ?? '', signal);
    if (old.status === 'not_checked') continue;
    const before = new Set(errors(old));
    const first = now.find((error) => !before.has(error));
    if (first !== undefined) return `The edit would break ${path} and was not applied: ${first}`;
  }
  const after = readNavigation(withTexts(workspace, texts));
  return id === null || after.byId.has(id)
    ? null
    : 'The edit did not have the intended result and was not applied. Edit docs.json as text.';
}

/** The entries around the one that was changed. */
function shown({ id }: NavEdit, { workspace }: ToolContext): string[] {
  if (id === null) return [];
  const navigation = readNavigation(workspace);
  const parent = navigation.byId.get(id)?.parent;
  if (parent === undefined || parent === null) return [];
  return [parent.id === '' ? '' : navigationText(navigation, parent, MAX_SHOWN)].filter(
    (text) => text !== '',
  );
}
