import type { BundleLimits } from './limits.ts';

/** Why a bundle, an archive or a path was refused. Stable. */
export type BundleErrorCode =
  /** The path breaks a rule of `path.ts`. */
  | 'path_unsafe'
  /** Two paths are one on a file system without case or normalisation, or one is the folder of the other. */
  | 'path_collision'
  /** No gzip, or a damaged one (checksum, length, deflate data). */
  | 'gzip_invalid'
  /** No tar, or a damaged one (header, checksum, padding). */
  | 'tar_invalid'
  /** The data end too early. */
  | 'truncated'
  /** Bytes stand after the end. */
  | 'trailing_data'
  /** A link, a device or another kind of entry that is neither file nor folder. */
  | 'entry_kind'
  /** An entry that is not the one the manifest lists at this place. */
  | 'entry_unexpected'
  /** The content is not the one whose digest is known. */
  | 'digest_mismatch'
  /** `offprint.json` is missing, not first, or not valid. */
  | 'manifest_invalid'
  /** More files, bytes or compression than the limits allow. */
  | 'too_large'
  /** The disk has no room for what the manifest lists. */
  | 'no_space'
  /** The target is there already; nothing is overwritten. */
  | 'target_exists';

/** A limit of what a manifest may be, which who reads it sets. */
export type ManifestLimit = Extract<keyof BundleLimits, 'maxFiles' | 'maxManifestBytes'>;

/** A bundle, an archive or a path was refused. The message is a sentence for people and names `path`. */
export class BundleError extends Error {
  override name = 'BundleError';
  readonly code: BundleErrorCode;
  /** Path inside the archive that the fault is about; null where it is about the whole. */
  readonly path: string | null;
  /** The limit of who reads the manifest that it passes; null where it passes one of the format, or none. */
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

/** Characters of a name that a message shows: it goes to logs and terminals, and a name can be of any length. */
const shownLength = 300;

/** A name from a stranger as a message shows it: in quotes, on one line, nothing that a terminal obeys. */
export function quote(name: string): string {
  const shown = name.length > shownLength ? `${name.slice(0, shownLength)}…` : name;
  return JSON.stringify(shown).replace(
    /[\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
