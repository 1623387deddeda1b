import { foldPath } from '../nav/path.ts';
import type { Warn } from '../warning.ts';

/** Hands each output path over once: what comes first stays. */
export interface Emitter {
  /** A file of the site; a second one of the same name is a warning. */
  emit(path: string, content: string | Uint8Array): void;
  /** A file made by us that one of the source with the same name replaces, without a word. */
  derive(path: string, content: string | Uint8Array): void;
  has(path: string): boolean;
}

/** Paths are compared without regard to case and Unicode composition: some file systems know no difference. */
export function createEmitter(
  send: (path: string, content: string | Uint8Array) => void,
  warn: Warn,
): Emitter {
  const taken = new Set<string>();
  const take = (path: string): boolean => {
    const key = foldPath(path);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  return {
    emit(path, content) {
      if (take(path)) send(path, content);
      else {
        warn({
          file: path,
          line: null,
          code: 'file-collision',
          message: `The export already has a file ${path}; this one was left out. Rename the page or file.`,
        });
      }
    },
    derive(path, content) {
      if (take(path)) send(path, content);
    },
    has: (path) => taken.has(foldPath(path)),
  };
}
