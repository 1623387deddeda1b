import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolderSync } from '@offprint/bundle/make-folder';
import { type Command, InvalidArgumentError } from 'commander';
import { ownCommand } from '../config.ts';
import { CliError } from '../errors.ts';
import { printable, shellWord } from '../printable.ts';
import { hasConfiguration } from './docs-folder.ts';

const MAX_NAME = 100;
/** What an empty repository contains. */
const ALLOWED = /^\.|^(?:readme|license)(?:\.\w+)?$/i;
/** Errors of a path in which nothing can be created; the other ones, such as a full disk, have a text of their own. */
const NO_PLACE: ReadonlySet<string> = new Set([
  'ENOENT',
  'EEXIST',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EINVAL',
]);

export function addNewCommand(program: Command): void {
  program
    .command('new')
    .description('create a docs folder with a small site to begin with')
    .argument('[dir]', 'new or empty folder', '.')
    .option('--name <name>', 'name of the site (default: from the name of the folder)', parseName)
    .addHelpText('after', '\nExamples:\n  $ offprint new docs\n  $ offprint new docs --name "Acme"')
    .action(create);
}

function parseName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME)
    throw new InvalidArgumentError(`Use 1 to ${MAX_NAME} characters.`);
  return name;
}

async function create(dir: string, options: { name?: string }): Promise<void> {
  requireEmpty(dir);
  const { starterFiles } = await import('@offprint/server/starter');
  const files = starterFiles({ name: options.name ?? nameOf(dir) });
  writeAll(dir, files);
  const lines = Object.keys(files).map((path) => `  ${path}`);
  process.stderr.write(
    `Created ${lines.length} files in ${printable(dir)}:\n${lines.join('\n')}\n\nSee the site, and change it:\n  ${ownCommand(dir === '.' ? 'dev' : `dev ${shellWord(dir)}`)}\n`,
  );
}

/** Throws a CliError 2 for a folder with files of others. */
function requireEmpty(dir: string): void {
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new CliError(2, `Not a folder: ${dir}. Name a new folder.`);
  if (hasConfiguration(dir))
    throw new CliError(2, `${dir} already contains a site. Run: ${ownCommand(`dev ${shellWord(dir)}`)}`);
  const other = readdirSync(dir).find((name) => !ALLOWED.test(name));
  if (other !== undefined)
    throw new CliError(
      2,
      `The folder ${dir} is not empty: it contains ${printable(other)}. Name a new folder: ${ownCommand('new docs')}`,
    );
}

/** `my-docs` becomes `My Docs`. */
function nameOf(dir: string): string {
  const words = basename(resolve(dir))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word[0]?.toUpperCase() + word.slice(1));
  return words.join(' ').slice(0, MAX_NAME).toWellFormed() || 'Docs';
}

/** Writes all files or none. */
function writeAll(dir: string, files: Readonly<Record<string, Uint8Array>>): void {
  const made: string[] = [];
  try {
    for (const [path, content] of Object.entries(files)) {
      const target = join(dir, path);
      made.push(...makeFolderSync(dirname(target)));
      // Never through a link, and never over a file that has appeared since.
      writeFileSync(target, content, { flag: 'wx' });
      made.push(target);
    }
  } catch (error) {
    for (const path of made.reverse()) rmSync(path, { recursive: true, force: true });
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!NO_PLACE.has(code)) throw error;
    throw new CliError(1, `Cannot create files in ${dir} (${code}). Name another folder.`);
  }
}
