import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What the programs of the copy read. */
const COPIED = ['packages', 'apps/server/src', 'scripts'];

/** A copy of the packages, the server and the scripts, whose files a test changes. */
export interface ProjectCopy {
  folder: string;
  /** Replaces a text of a file, which must contain it. */
  edit(path: string, from: string, to: string): void;
  write(path: string, text: string): void;
  /** Files that differ from the project, by path. */
  changed(): string[];
  /** Runs a module of the copy with Node, and parses what it prints as JSON. */
  run(program: string): Promise<unknown>;
}

/** Copies the project. Its packages of npm are shared; those of the workspaces are the copies. */
export function copyProject(): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'offprint-copy-'));
  for (const path of COPIED) {
    cpSync(join(ROOT, path), join(folder, path), {
      recursive: true,
      filter: (file) => !/\/(?:node_modules|fixtures)$/.test(file),
    });
  }
  linkPackages(folder);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  return {
    folder,
    write,
    edit(path, from, to) {
      const text = readFileSync(join(folder, path), 'utf8');
      if (!text.includes(from)) throw new Error(`${path} does not contain ${JSON.stringify(from)}`);
      write(path, text.replace(from, to));
    },
    changed: () =>
      filesOf(folder)
        .filter((path) => isChanged(folder, path))
        .sort(),
    async run(program) {
      const path = join(folder, 'packages/render/probe.ts');
      writeFileSync(path, program);
      const { stdout } = await promisify(execFile)(process.execPath, [path], {
        cwd: folder,
        maxBuffer: 2 ** 26,
      });
      return JSON.parse(stdout);
    },
  };
}

function linkPackages(folder: string): void {
  const from = join(ROOT, 'node_modules');
  const to = join(folder, 'node_modules');
  mkdirSync(join(to, '@offprint'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@offprint' && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  }
  for (const name of readdirSync(join(from, '@offprint'))) {
    const copy = join(folder, 'packages', name);
    symlinkSync(existsSync(copy) ? copy : join(from, '@offprint', name), join(to, '@offprint', name));
  }
}

function filesOf(folder: string): string[] {
  return COPIED.flatMap((path) =>
    readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
  ).filter((path) => path !== 'packages/render/probe.ts');
}

function isChanged(folder: string, path: string): boolean {
  const original = join(ROOT, path);
  return !existsSync(original) || !readFileSync(original).equals(readFileSync(join(folder, path)));
}
