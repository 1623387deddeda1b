/** One entry of the commit that a job works on. Paths are relative to the docs root, with slashes. */
export interface BaseEntry {
  path: string;
  kind: 'file' | 'symlink' | 'submodule';
  /** Whether the mode says executable. */
  executable: boolean;
  bytes: number;
  /** Content of a file as it is in Git; null when `contentRule` leaves it out, or no file. May be read from a disk. */
  readonly content: Uint8Array | null;
  /** Whether the content is text for the tools of a model, where that is known; default: read from the content. */
  readonly isText?: boolean;
}

/** The docs root at the base commit. Nothing in it changes while a job works. */
export interface BaseTree {
  entries: ReadonlyMap<string, BaseEntry>;
}

/** Text of a changed file, or null: deleted. */
export type Overlay = ReadonlyMap<string, string | null>;

/** One path in which the workspace differs from its base. */
export interface Change {
  path: string;
  kind: 'added' | 'modified' | 'deleted';
  /** Text at the base; null if the file did not exist or is not UTF-8 text. */
  before: string | null;
  /** Text now; null when deleted. */
  after: string | null;
}

export interface WorkspaceFile {
  path: string;
  kind: 'file' | 'symlink' | 'submodule';
  bytes: number;
  /** Whether the content is UTF-8 text that can be read here. */
  isText: boolean;
}

/**
 * A base tree with an overlay of texts on it: what the tools of a job read and change. Pure memory, no folder, so
 * there is no link to follow and nothing of the repository to run.
 */
export interface Workspace {
  /** What the job started from. */
  readonly base: BaseTree;
  /** Every path there is now, sorted by code units. */
  list(): WorkspaceFile[];
  /** Paths of the regular files, sorted by code units. Unlike `list`, reads no content. */
  filePaths(): string[];
  has(path: string): boolean;
  /**
   * Exact text of a file, byte order mark included; null if the file does not exist, is not text, or is larger than
   * `readableBytes`.
   */
  read(path: string): string | null;
  /** Bytes of a file, text or not, also of one that is too large for `read`. */
  readBytes(path: string): Uint8Array | null;
  /** Text of a file at the base. */
  readBase(path: string): string | null;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Sorted by path; a path whose text is that of the base again is none. */
  changes(): Change[];
  /** What must be stored to make this workspace again on the same base. */
  overlay(): Overlay;
}
