import { Buffer } from 'node:buffer';
import { readableBytes } from './contents.ts';
import type { BaseEntry, BaseTree, Change, Overlay, Workspace, WorkspaceFile } from './workspace.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Text of bytes with its byte order mark; null if they are not UTF-8, or contain NUL, which text does not.
 */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Text of a base file that the tools of a model read; null if it is none, or too large. */
export function readText(entry: BaseEntry): string | null {
  if (entry.kind !== 'file' || entry.isText === false || entry.bytes > readableBytes(entry.path)) return null;
  const { content } = entry;
  return content === null ? null : decodeText(content);
}

/** Characters of decoded texts that a workspace keeps: tools read the same few files again and again. */
const MAX_DECODED = 16 * 1024 ** 2;

/** Keeps the texts that were added last. */
function createTextCache(): {
  get(path: string): string | null | undefined;
  add(path: string, text: string | null): void;
} {
  const texts = new Map<string, string | null>();
  let length = 0;
  return {
    get: (path) => texts.get(path),
    add(path, text) {
      texts.set(path, text);
      length += text?.length ?? 0;
      for (const [oldest, its] of texts) {
        if (length <= MAX_DECODED || oldest === path) break;
        texts.delete(oldest);
        length -= its?.length ?? 0;
      }
    },
  };
}

/** Order of code units, the same on every machine. */
const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;

/**
 * A workspace over a base and what a job has changed so far. Paths are taken as they are: the tools check them.
 * A text that is that of the base again leaves the overlay.
 */
export function createWorkspace(base: BaseTree, overlay: Overlay): Workspace {
  const changed = new Map<string, string | null>();
  const decoded = createTextCache();
  let listed: readonly WorkspaceFile[] | null = null;

  const readBase = (path: string): string | null => {
    const known = decoded.get(path);
    if (known !== undefined) return known;
    const entry = base.entries.get(path);
    if (entry === undefined) return null;
    const text = readText(entry);
    decoded.add(path, text);
    return text;
  };
  const isBaseText = (entry: BaseEntry): boolean =>
    entry.kind === 'file' && (entry.isText ?? readBase(entry.path) !== null);

  const set = (path: string, text: string | null): void => {
    listed = null;
    const entry = base.entries.get(path);
    const same = text === null ? entry === undefined : readBase(path) === text;
    if (same) changed.delete(path);
    else changed.set(path, text);
  };

  const allFiles = (): readonly WorkspaceFile[] => {
    const files: WorkspaceFile[] = [];
    for (const entry of base.entries.values()) {
      const { path, kind, bytes } = entry;
      if (!changed.has(path)) files.push({ path, kind, bytes, isText: isBaseText(entry) });
    }
    for (const [path, text] of changed) {
      if (text === null) continue;
      files.push({ path, kind: 'file', bytes: Buffer.byteLength(text), isText: !text.includes('\0') });
    }
    return files.sort(byPath);
  };

  for (const [path, text] of overlay) set(path, text === null ? null : text.toWellFormed());

  return {
    base,
    list() {
      listed ??= allFiles();
      return listed.map((file) => ({ ...file }));
    },
    filePaths() {
      const files = [...base.entries.values()].filter(
        ({ path, kind }) => kind === 'file' && !changed.has(path),
      );
      const written = [...changed].flatMap(([path, text]) => (text === null ? [] : [path]));
      return [...files.map(({ path }) => path), ...written].sort();
    },
    has: (path) => (changed.has(path) ? changed.get(path) !== null : base.entries.has(path)),
    read(path) {
      const text = changed.get(path);
      if (text === undefined) return readBase(path);
      return text?.includes('\0') ? null : text;
    },
    readBytes(path) {
      const text = changed.get(path);
      if (text === undefined) return base.entries.get(path)?.content ?? null;
      return text === null ? null : Buffer.from(text);
    },
    readBase,
    write: (path, text) => set(path, text.toWellFormed()),
    remove: (path) => set(path, null),
    changes() {
      const changes: Change[] = [];
      for (const [path, after] of changed) {
        const kind = after === null ? 'deleted' : base.entries.has(path) ? 'modified' : 'added';
        changes.push({ path, kind, before: readBase(path), after });
      }
      return changes.sort(byPath);
    },
    overlay: () => new Map(changed),
  };
}
