import { makeFolder } from '@offprint/bundle/make-folder';
import type { GitRemote, TreeEntry } from '../../platform/git/remote.ts';
import { ContentStore, storedEntry } from './content-store.ts';
import { contentRule } from './contents.ts';
import type { BaseEntry, BaseTree } from './workspace.ts';

/** The docs at a commit, read from Git in two steps. */
export interface GitBase extends BaseTree {
  /** Reads every other content; before, only those of configurations and API descriptions can be read. */
  load(): Promise<void>;
  close(): void;
}

/** What is read first: what the prompt describes of the docs, before the model asks for any page. */
const IS_READ_FIRST = /\.(?:json|ya?ml)$/i;

/**
 * Opens the docs of a fetched commit. Contents are in a file in `scratch`: all of them in memory would be as much as
 * the docs have, for every job of a server.
 */
export async function openGitBase(
  remote: GitRemote,
  { commit, folder, scratch }: { commit: string; folder: string; scratch: string },
  signal: AbortSignal,
): Promise<GitBase> {
  const takes = contentRule();
  const listed = await remote.listTree(commit, folder, signal);
  await makeFolder(scratch, 0o700);
  const store = new ContentStore(scratch);
  /** What was read, by path; null: files whose content is left out, links and submodules. */
  const stored = new Map<string, BaseEntry | null>();
  const wanted: TreeEntry[] = [];
  for (const entry of listed) {
    if (entry.kind === 'file' && takes(entry)) wanted.push(entry);
    else stored.set(entry.path, null);
  }
  const read = (files: readonly TreeEntry[]): Promise<void> =>
    remote.readContents(
      files,
      (file, content) => stored.set(file.path, storedEntry(store, file, content)),
      signal,
    );
  const storedAt = (path: string): BaseEntry | null => {
    const entry = stored.get(path);
    if (entry === undefined) throw new Error(`${path} is read before the base is loaded`);
    return entry;
  };
  const entryOf = ({ path, kind, executable, bytes }: TreeEntry): BaseEntry => ({
    path,
    kind,
    executable,
    bytes,
    get content() {
      return storedAt(path)?.content ?? null;
    },
    get isText() {
      return storedAt(path)?.isText ?? false;
    },
  });
  try {
    await read(wanted.filter(({ path }) => IS_READ_FIRST.test(path)));
  } catch (error) {
    store.close();
    throw error;
  }
  let loading: Promise<void> | undefined;
  return {
    entries: new Map(listed.map((entry) => [entry.path, entryOf(entry)])),
    load: () => (loading ??= read(wanted.filter(({ path }) => !stored.has(path)))),
    close: () => store.close(),
  };
}
