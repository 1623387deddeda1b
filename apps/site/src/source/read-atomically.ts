import { readFileSync, realpathSync, statSync } from 'node:fs';

const maxAttempts = 20;

/**
 * Texts of files at one moment: Kubernetes replaces the files of a Secret all at once, through a symbolic
 * link, and may do so between two reads. Throws file system errors.
 */
export function readAtomically(
  files: readonly string[],
  read: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): string[] {
  for (let tries = 1; ; tries++) {
    try {
      const before = files.map(stamp);
      const texts = files.map((file) => read(file).trim());
      if (files.every((file, index) => stamp(file) === before[index])) return texts;
      if (tries === maxAttempts) throw new Error(`${files.join(', ')} kept changing while being read`);
    } catch (error) {
      // the target folder of a symbolic link is removed once the link points elsewhere
      if (tries === maxAttempts) throw error;
    }
  }
}

/** Differs if a file was replaced or changed. */
function stamp(file: string): string {
  const path = realpathSync(file);
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return `${path} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
