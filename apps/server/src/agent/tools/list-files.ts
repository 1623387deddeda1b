import { counted } from '@offprint/contract/counted';
import { z } from 'zod';
import type { WorkspaceFile } from '../workspace/workspace.ts';
import { globFilter } from './glob.ts';
import { answerOf } from './output.ts';
import { plainPath } from './target.ts';
import { defineTool, refuse } from './tool.ts';

/** Most folders that are counted when not every file is shown. */
const MAX_FOLDERS = 40;

/** `list_files`: paths and sizes below a folder. */
export const listFiles = defineTool({
  name: 'list_files',
  description: 'List files below a folder of the docs, with sizes in bytes. Paths start at the docs root.',
  parameters: z.object({
    path: z.string().default('.').describe('Folder'),
    glob: z.string().optional().describe('Such as *.mdx or api/**/*.{md,mdx}'),
    limit: z.int().min(1).max(2000).default(200),
  }),
  run({ path, glob, limit }, { workspace, policy }) {
    const atRoot = /^[./]*$/.test(path) && !path.includes('..');
    const folder = atRoot ? { path: '' } : plainPath(path, { workspace, policy });
    if (folder.path === undefined) return refuse(folder.fault);
    const prefix = folder.path === '' ? '' : `${folder.path}/`;
    const below = workspace
      .list()
      .filter((file) => file.path.startsWith(prefix) || file.path === folder.path);
    if (below.length === 0 && prefix !== '')
      return refuse(`Folder ${folder.path} not found. Use list_files.`);
    let meant = below;
    if (glob !== undefined && glob !== '') {
      let means: (path: string) => boolean;
      try {
        means = globFilter(glob);
      } catch (error) {
        return refuse((error as Error).message);
      }
      meant = below.filter((file) => means(file.path) || means(file.path.slice(prefix.length)));
    }
    const where = prefix === '' ? 'the docs root' : folder.path;
    const which = glob === undefined || glob === '' ? '' : ` that match ${glob}`;
    const shown = meant.slice(0, limit);
    const lines = [`${counted(meant.length, 'file')} below ${where}${which}`, ...shown.map(lineOf)];
    if (meant.length > shown.length) {
      lines.push(`[${meant.length - shown.length} more. Pass a folder, a glob or a larger limit:]`);
      lines.push(...folderCounts(meant, prefix));
    }
    return { text: answerOf(lines, 'Pass a folder or a glob.') };
  },
});

function lineOf({ path, kind, bytes }: WorkspaceFile): string {
  return kind === 'file' ? `${path} ${bytes}` : `${path} (${kind}, not followed)`;
}

function folderCounts(files: readonly WorkspaceFile[], prefix: string): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const rest = path.slice(prefix.length);
    const slash = rest.indexOf('/');
    if (slash > 0) {
      const folder = `${prefix}${rest.slice(0, slash)}/`;
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts].slice(0, MAX_FOLDERS).map(([folder, count]) => `${folder} ${counted(count, 'file')}`);
}
