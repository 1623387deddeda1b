/** `--apply file`: writes the bundle to a values file of a deployment. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, missingFolderText } from '../errors.ts';
import {
  type Applied,
  ApplyError,
  isInPlace,
  refuseUnfit,
  SAMPLE,
  type Target,
  type ValuesRules,
  valuesOf,
  type WantedBundle,
} from './target.ts';
import { readValues, ValuesError, type ValuesFile, writeValues } from './values.ts';

/** Keeps the comments, order, layout and mode of the file. Creates a missing file. */
export function fileTarget(path: string, rules: ValuesRules): Target {
  return {
    async check() {
      try {
        const { file, folder } = await locate(path);
        const values = parse(path, await textOf(file), rules);
        refuseUnfit(values.staticExport, (at) => `${path}:${values.lineOf(at)}`);
        write(path, values, SAMPLE, rules);
        await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
          throw new Error(
            `Cannot write to ${folder} (${error.code}). The values file is replaced by a new file in that folder`,
          );
        });
      } catch (error) {
        const message = (error as Error).message;
        throw new CliError(2, `${message}\n  Nothing was exported`);
      }
    },
    async apply(bundle): Promise<Applied[]> {
      try {
        return [{ place: path, changed: await applyTo(path, bundle, rules) }];
      } catch (error) {
        throw new ApplyError((error as Error).message);
      }
    },
  };
}

async function applyTo(path: string, bundle: WantedBundle, rules: ValuesRules): Promise<boolean> {
  const { file } = await locate(path);
  const before = await textOf(file);
  const values = parse(path, before, rules);
  if (isInPlace(bundle, values.staticExport, rules)) return false;
  await replace(file, write(path, values, bundle, rules));
  return true;
}

function parse(path: string, text: string | null, { below }: ValuesRules): ValuesFile {
  return atLine(path, () => readValues(text ?? '', path.endsWith('.json') ? 'json' : 'yaml', below));
}

function write(path: string, values: ValuesFile, bundle: WantedBundle, rules: ValuesRules): string {
  return atLine(path, () => writeValues(values, valuesOf(bundle, values.staticExport, rules)));
}

function atLine<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ValuesError)) throw error;
    throw new Error(`${path}:${error.line}: ${error.message}`);
  }
}

/** Follows a symbolic link, so that its target changes and not the link. */
async function locate(path: string): Promise<{ file: string; folder: string }> {
  const file = await realpath(path).catch(() => resolve(path));
  const folder = dirname(file);
  if (!(await stat(folder).catch(() => null))?.isDirectory()) throw new Error(missingFolderText(folder));
  return { file, folder };
}

/** Null if the file does not exist. */
async function textOf(file: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'EISDIR') throw new Error(`${file} is a folder. Name the values file in it`);
    if (error instanceof TypeError) throw new Error(`${file} is not UTF-8 text`);
    throw error;
  }
}

/** Replaces the file atomically. Only the owner can read a new file, because it contains a link. */
async function replace(file: string, text: string): Promise<void> {
  const old = await stat(file).catch(() => null);
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      if (old !== null) {
        await handle.chown(old.uid, old.gid).catch(() => {});
        await handle.chmod(old.mode & 0o7777);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
