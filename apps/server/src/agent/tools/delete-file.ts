import { counted } from '@offprint/contract/counted';
import { z } from 'zod';
import { ConfigFault, configFile, lineAt } from '../edit/config-tree.ts';
import { configEntries, inboundLinks, placeOf } from '../edit/links.ts';
import { isPage, pageLookup } from '../edit/page-lookup.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { answerOf } from './output.ts';
import { filePath, writeTarget } from './target.ts';
import { defineTool, refuse } from './tool.ts';

export const deleteFile = defineTool({
  name: 'delete_file',
  description:
    'Deletes a file and lists what still refers to it: links in pages, and entries in docs.json. Correct those with edit_file and update_navigation. To rename a file, use move_file.',
  parameters: z.object({ path: z.string() }),
  run({ path: given }, context) {
    const { workspace, memory } = context;
    const target = filePath(given, context);
    if (target.path === undefined) return refuse(target.fault);
    const { path } = target;
    const file = workspace.list().find((one) => one.path === path);
    if (file === undefined) return refuse(`File ${path} not found. Use list_files.`);
    const allowed = writeTarget(path, context);
    if (allowed.path === undefined) return refuse(allowed.fault);
    if (path === configFile(workspace)) return refuse(`${path} cannot be deleted: the site needs it.`);
    const left = whatIsLeft(workspace, path);
    workspace.remove(path);
    memory.readPaths = memory.readPaths.filter((one) => one !== path);
    if (memory.readParts !== undefined) memory.readParts = memory.readParts.filter(([one]) => one !== path);
    return { text: answerOf([`Deleted ${path}.`, ...left], 'Search for the rest.') };
  },
});

/** Lines on references to a file; read before it is deleted, since links are recognized by their target. */
function whatIsLeft(workspace: Workspace, path: string): string[] {
  const lookup = pageLookup(workspace);
  const links = inboundLinks(workspace, path, lookup);
  const lines: string[] = [];
  if (links.length > 0) {
    lines.push(`${counted(links.length, 'link')} to it:`);
    for (const link of links) lines.push(`${placeOf(link, workspace)} ${link.href}`);
  }
  try {
    if (configFile(workspace) === null) return lines;
    const { navigation, entries } = configEntries(workspace, path, lookup);
    for (const { place, start, part, href } of entries) {
      const line = lineAt(navigation.config.texts.get(place.file) ?? '', start);
      const ids = [...navigation.byId.values()]
        .filter((node) => node.labelPlace?.node === place.node)
        .map(({ id }) => ` [${id}]`);
      lines.push(`${place.file}:${line} ${part}${ids.join('')}: ${href}`);
    }
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    lines.push(`Could not check whether the configuration refers to it: ${error.message}`);
  }
  if (lines.length === 0) return ['Nothing else refers to it.'];
  if (isPage(path)) lines.push('If readers know the page, add a redirect to docs.json.');
  return lines;
}
