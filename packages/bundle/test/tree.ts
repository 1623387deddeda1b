import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Everything below a folder, one line each: path, kind, rights, inode, names, size, time of change and content. `except`
 * is a folder whose own line and content are left out.
 */
export function snapshot(root: string, except?: string): string[] {
  const lines: string[] = [];
  const visit = (path: string, shown: string): void => {
    if (path === except) return;
    const found = lstatSync(path);
    const content = found.isSymbolicLink()
      ? readlinkSync(path)
      : found.isFile()
        ? readFileSync(path, 'utf8')
        : '';
    lines.push([shown, found.mode, found.ino, found.nlink, found.size, found.mtimeMs, content].join(' '));
    if (found.isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name), `${shown}/${name}`);
    }
  };
  visit(root, '.');
  return lines;
}

/** Fills a folder with what a hostile bundle may want to reach, around an empty folder `work`, which is returned. */
export function makeSurroundings(root: string): string {
  const work = join(root, 'work');
  mkdirSync(work);
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'secret'), 'untouched');
  writeFileSync(join(root, 'etc', 'passwd'), 'untouched');
  writeFileSync(join(root, 'index.html'), 'untouched');
  linkSync(join(root, 'secret'), join(root, 'twin'));
  symlinkSync('secret', join(root, 'link'));
  return work;
}
