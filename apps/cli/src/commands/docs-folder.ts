import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ownCommand } from '../config.ts';
import { CliError } from '../errors.ts';
import { shellWord } from '../printable.ts';

const CONFIGURATIONS = ['docs.json', 'mint.json'];
/** Maximum number of subfolders to check for a suggestion; a home folder may contain many more. */
const MAX_TRIED = 500;

/** Throws a CliError 2 for anything but a folder. */
export function requireFolder(dir: string): void {
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found === undefined)
    throw new CliError(2, `Folder not found: ${dir}. Name the folder that contains docs.json.`);
  if (!found.isDirectory())
    throw new CliError(2, `Not a folder: ${dir}. Name the folder that contains docs.json.`);
}

/**
 * Throws a CliError for a folder without docs.json, before anything in it is read, and suggests the command
 * with the subfolder that has one. `commandFor` gets a folder quoted for a shell.
 */
export function requireDocs(dir: string, commandFor: (folder: string) => string, exitCode: 1 | 2 = 1): void {
  requireFolder(dir);
  if (hasConfiguration(dir)) return;
  const below = findBelow(dir);
  const hint =
    below === undefined
      ? `Name the folder that contains it, ${commandFor('<dir>')}, or create a site: ${ownCommand('new docs')}`
      : `Found one in ${below}. Run: ${commandFor(shellWord(below))}`;
  const place = dir === '.' ? 'the current folder' : dir;
  throw new CliError(exitCode, `docs.json not found in ${place}. ${hint}`);
}

/** Whether a folder contains a site. */
export const hasConfiguration = (dir: string): boolean =>
  CONFIGURATIONS.some((name) => existsSync(join(dir, name)));

/** Searches at most two levels: docs/ or packages/docs/. */
function findBelow(dir: string): string | undefined {
  const tried: string[] = [];
  for (const parent of [dir, ...subfolders(dir)]) {
    tried.push(...subfolders(parent));
    if (tried.length > MAX_TRIED) break;
  }
  return tried.slice(0, MAX_TRIED).find(hasConfiguration);
}

function subfolders(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
      .map((entry) => join(dir, entry.name))
      .sort();
  } catch {
    return [];
  }
}
