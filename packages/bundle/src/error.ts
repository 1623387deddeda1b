import type { BundleLimits } from './limits.ts';

/** Why a bundle, an archive or a path was refused. Stable. */
export type BundleErrorCode =
  /** The path breaks a rule of `path.ts`. */
  | 'path_unsafe'
  /**
   * Two paths are equal on a file system that ignores case or normalization, or one is a folder in the other.
   */
  | 'path_collision'
  /** Not a gzip file, or a damaged one (checksum, length, deflate data). */
  | 'gzip_invalid'
  /** Not a tar file, or a damaged one (header, checksum, padding). */
  | 'tar_invalid'
  /** The data ends too early. */
  | 'truncated'
  /** Extra bytes follow the end. */
  | 'trailing_data'
  /** A link, a device or another kind of entry that is neither file nor folder. */
  | 'entry_kind'
  /** The entry is not the one that the manifest lists at this position. */
  | 'entry_unexpected'
  /** The content does not match its digest. */
  | 'digest_mismatch'
  /** `offprint.json` is missing, not first, or not valid. */
  | 'manifest_invalid'
  /** More files, bytes or compression than the limits allow. */
  | 'too_large'
  /** The disk has too little space for the files in the manifest. */
  | 'no_space'
  /** The target already exists; nothing is overwritten. */
  | 'target_exists';

/** A manifest limit set by the reader of the bundle. */
export type ManifestLimit = Extract<keyof BundleLimits, 'maxFiles' | 'maxManifestBytes'>;

/** A bundle, an archive or a path was refused. The message is a sentence for people and names `path`. */
export class BundleError extends Error {
  override name = 'BundleError';
  readonly code: BundleErrorCode;
  /** Path inside the archive of the failing entry; null if the error is about the whole archive. */
  readonly path: string | null;
  /** The reader's limit that the manifest exceeds; null if it exceeds a limit of the format, or none. */
  readonly limit: ManifestLimit | null;
  constructor(
    code: BundleErrorCode,
    message: string,
    path: string | null = null,
    limit: ManifestLimit | null = null,
  ) {
    super(path === null ? message : `${quote(path)}: ${message}`);
    this.code = code;
    this.path = path;
    this.limit = limit;
  }
}

/**
 * Maximum characters of a name in a message: messages go to logs and terminals, and a name can have any
 * length.
 */
const shownLength = 300;

/** An untrusted name in a message: quoted, on one line, without terminal control sequences. */
export function quote(name: string): string {
  const shown = name.length > shownLength ? `${name.slice(0, shownLength)}…` : name;
  return JSON.stringify(shown).replace(
    /[\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
