/** Limits for reading an archive. All sizes in bytes. */
export interface ArchiveLimits {
  /** Number of files in the archive. */
  maxFiles: number;
  /** Content of one file. */
  maxFileBytes: number;
  /** Everything unpacked, headers included. */
  maxBytes: number;
  /** Unpacked bytes per packed byte, checked once 16 MB are unpacked. Deflate itself ends at about 1030. */
  maxRatio: number;
}

/** Limits for reading a bundle. */
export interface BundleLimits extends ArchiveLimits {
  /**
   * Text of the manifest, which is held in memory and needs up to twenty times its size while it is
   * validated.
   */
  maxManifestBytes: number;
}

const MB = 1024 * 1024;

/**
 * For bundles: a large site with videos. Their sizes are known from the manifest before a file is written, so
 * the ratio may be what deflate can reach: a site of blank files is unusual but valid.
 */
export const bundleLimits: BundleLimits = {
  maxFiles: 500_000,
  maxFileBytes: 1024 * MB,
  maxBytes: 16 * 1024 * MB,
  maxRatio: 1100,
  maxManifestBytes: 256 * MB,
};

/** For uploaded docs sources. */
export const sourceLimits: ArchiveLimits = {
  maxFiles: 100_000,
  maxFileBytes: 200 * MB,
  maxBytes: 2 * 1024 * MB,
  maxRatio: 250,
};

/**
 * Redirects and features of a manifest: each costs the server memory, and a small bundle can contain
 * millions.
 */
export const maxRedirects = 100_000;
export const maxFeatures = 1_000;
/** Segments of all redirect patterns: a path of a few bytes per segment becomes a list of objects. */
export const maxRedirectSegments = 100_000;

/**
 * The ratio is checked from this number of unpacked bytes on: a small archive of blank files is not a bomb.
 */
export const ratioFrom = 16 * MB;

/**
 * Limits of the text of a manifest for a given number of files: a list of that size needs no more bytes,
 * values, folders and depth, and more would only harm the parser.
 */
export function manifestLimits({
  maxFiles,
  maxManifestBytes,
}: Pick<BundleLimits, 'maxFiles' | 'maxManifestBytes'>): {
  bytes: number;
  values: number;
  depth: number;
  textUnits: number;
  folders: number;
} {
  return {
    bytes: Math.min(maxManifestBytes, maxFiles * 2048 + MB),
    values: maxFiles * 8 + 100_000,
    depth: 8,
    // a path of 1,024 bytes, each of them escaped
    textUnits: 8 * 1024,
    folders: maxFiles,
  };
}
