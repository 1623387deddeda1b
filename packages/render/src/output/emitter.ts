import { foldPath } from '../nav/path.ts';
import type { AddedFile, FileContent, PiecedFile, StoredFile } from '../stored-file.ts';
import type { Warn } from '../warning.ts';

/** Characters or bytes from which on a file is handed over as a large one. */
const LARGE = 4_000_000;

type Added = AddedFile | null;

type LargeContent = string | Uint8Array | PiecedFile;

/** Hands each output path over once: what comes first stays. */
export interface Emitter {
  /**
   * A file of the site; a second one of the same name is a warning. Returns what the receiver knows of it, null if it is
   * not in the output or nothing is known.
   */
  emit(path: string, content: FileContent): Added;
  /** As `emit`, for files of any size. */
  emitLarge(path: string, content: LargeContent): Promise<Added>;
  /** A generated file that a source file with the same name replaces silently. */
  derive(path: string, content: FileContent): Added;
  /** As `derive`, for files of any size. */
  deriveLarge(path: string, content: LargeContent): Promise<Added>;
  has(path: string): boolean;
}

interface Target {
  emit(path: string, content: string | Uint8Array): AddedFile | undefined;
  emitLarge?(path: string, content: LargeContent): Promise<AddedFile | undefined>;
  emitStored?(path: string, content: StoredFile): AddedFile | undefined;
}

/** Paths are compared without regard to case and Unicode composition: some file systems know no difference. */
export function createEmitter(target: Target, warn: Warn): Emitter {
  const taken = new Set<string>();
  const take = (path: string): boolean => {
    const key = foldPath(path);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  const takeOrWarn = (path: string): boolean => {
    if (take(path)) return true;
    const message = `The export already contains a file ${path}; this one was excluded. Rename the page or file.`;
    warn({ file: path, line: null, code: 'file-collision', message });
    return false;
  };
  const emit = (path: string, content: FileContent): Added => {
    if (typeof content === 'string' || content instanceof Uint8Array)
      return target.emit(path, content) ?? null;
    return (target.emitStored ?? emitRead)(path, content) ?? null;
  };
  const emitRead = (path: string, content: StoredFile) => target.emit(path, content.read());
  const send = async (path: string, content: LargeContent): Promise<Added> => {
    if (typeof content !== 'string' && !(content instanceof Uint8Array)) {
      if (target.emitLarge !== undefined) return (await target.emitLarge(path, content)) ?? null;
      return target.emit(path, Buffer.concat([...content.pieces()])) ?? null;
    }
    const isLarge = content.length > LARGE && target.emitLarge !== undefined;
    return (isLarge ? await target.emitLarge?.(path, content) : target.emit(path, content)) ?? null;
  };
  return {
    emit: (path, content) => (takeOrWarn(path) ? emit(path, content) : null),
    emitLarge: async (path, content) => (takeOrWarn(path) ? send(path, content) : null),
    derive: (path, content) => (take(path) ? emit(path, content) : null),
    deriveLarge: async (path, content) => (take(path) ? send(path, content) : null),
    has: (path) => taken.has(foldPath(path)),
  };
}
