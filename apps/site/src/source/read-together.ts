import { readFileSync, realpathSync, statSync } from 'node:fs';

const mostTries = 20;

/**
 * Texts of files as they stood at one moment: Kubernetes replaces the files of a Secret all at once, by a symbolic link,
 * and may do so between two readings. Throws the error of the file system.
 */
export function readTogether(
  files: readonly string[],
  read: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): string[] {
  for (let tries = 1; ; tries++) {
    try {
      const before = files.map(stamp);
      const texts = files.map((file) => read(file).trim());
      if (files.every((file, index) => stamp(file) === before[index])) return texts;
      if (tries === mostTries) throw new Error(`${files.join(', ')} change while they are read`);
    } catch (error) {
      // the folder that a symbolic link led to is removed once it leads to another
      if (tries === mostTries) throw error;
    }
  }
}

/** Another text when a file is another one, or changed. */
function stamp(file: string): string {
  const path = realpathSync(file);
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return `${path} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
