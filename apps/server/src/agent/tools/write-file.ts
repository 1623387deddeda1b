import { Buffer } from 'node:buffer';
import { counted } from '@offprint/contract/counted';
import { z } from 'zod';
import { lineEnd, withLineEnd } from '../edit/match.ts';
import { lineCount } from './output.ts';
import { parseNotes } from './parse-notes.ts';
import { contentFault, writeTarget } from './target.ts';
import { defineTool, refuse } from './tool.ts';

/** Most bytes of a file that may be overwritten as a whole: a larger one is edited. */
const MAX_OVERWRITE = 60 * 1024;

/** `write_file`: a new file, or a small one as a whole. */
export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Write a whole file. mode=create for a new one; mode=overwrite for one that you have read completely.',
  parameters: z.object({
    path: z.string(),
    content: z.string(),
    mode: z.enum(['create', 'overwrite']),
  }),
  async run({ path: given, content: typed, mode }, context) {
    const { workspace, memory } = context;
    const target = writeTarget(given, context);
    if (target.path === undefined) return refuse(target.fault);
    const { path } = target;
    const there = workspace.has(path);
    if (mode === 'create' && there) {
      return refuse(`${path} already exists. Use edit_file, or read it and use mode=overwrite.`);
    }
    if (mode === 'overwrite') {
      if (!there) return refuse(`File ${path} not found. Use mode=create.`);
      const bytes = workspace.readBytes(path)?.length ?? Number.POSITIVE_INFINITY;
      if (workspace.read(path) === null)
        return refuse(`${path} is not a text file, so it cannot be overwritten.`);
      if (bytes > MAX_OVERWRITE) {
        return refuse(`${path} has ${bytes} bytes, more than ${MAX_OVERWRITE}: change it with edit_file.`);
      }
      if (!memory.readPaths.includes(path)) {
        return refuse(`Read all of ${path} first (read_file, max_lines=2000), so that nothing is lost.`);
      }
    }
    // The model is shown plain line ends, so that those of the file are put back.
    const content = there ? withLineEnd(typed, lineEnd(workspace.read(path) ?? '')) : typed;
    const fault = await contentFault(path, content, context);
    if (fault !== null) return refuse(fault);
    if (there && workspace.read(path) === content) return refuse(`${path} already contains this text.`);
    workspace.write(path, content);
    if (!memory.readPaths.includes(path)) memory.readPaths = [...memory.readPaths, path];
    const done = `${path}: ${there ? 'overwritten' : 'created'}, ${Buffer.byteLength(content)} bytes, ${counted(lineCount(content), 'line')}`;
    return { text: [done, ...(await parseNotes(path, content, context))].join('\n') };
  },
});
