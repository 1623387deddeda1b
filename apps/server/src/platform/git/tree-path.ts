import { GitError, redact } from './error.ts';

/** Code points that file systems ignore when they compare names (HFS+), and other invisible ones. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Why a path of a tree may not become a file here; null when it may. Rules: design of git's own path checks. */
export function pathFault(path: string): string | null {
  if (path.length === 0 || path.startsWith('/')) return 'an absolute or empty path';
  if (Buffer.byteLength(path) > 3072) return 'a path over 3,072 bytes';
  if (path.includes('\ufffd')) return 'a name that is not UTF-8';
  if (/[\0-\x1f\x7f\\]/.test(path)) return 'a name with a control character or a backslash';
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'a path that leaves the folder';
    if (Buffer.byteLength(part) > 255) return 'a name over 255 bytes';
    // What `.git` may look like once a file system has dropped blanks, dots, streams and invisible characters.
    const plain = part.replace(IGNORABLE, '').normalize('NFKC').toLowerCase().split(':')[0] ?? '';
    const bare = plain.replace(/[. ]+$/, '');
    if (bare === '.git' || /^git~\d+$/.test(bare)) return 'a name that is reserved by Git';
  }
  return null;
}

/**
 * Normal form of a folder inside a repository: no slashes at the ends, '' for the root.
 * Throws GitError `invalid`.
 */
export function checkFolder(folder: string): string {
  const plain = folder.replace(/^(?:\.?\/)+|\/+$/g, '').replace(/^\.$/, '');
  if (plain === '') return '';
  const fault = pathFault(plain);
  if (fault === null) return plain;
  throw new GitError('invalid', `The folder "${redact(folder.slice(0, 200))}" cannot be used: ${fault}.`);
}
