import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { BundleError, quote } from './error.ts';
import { gunzip } from './gunzip.ts';
import { type BundleLimits, bundleLimits, manifestLimits } from './limits.ts';
import { type Manifest, type ManifestFile, manifestPath, parseManifestInTurns } from './manifest.ts';
import { readTar, type TarEntry } from './tar-read.ts';

/** A bundle: path of a file, or its bytes as a stream. */
export type BundleSource = string | AsyncIterable<Uint8Array>;

/** Contents of a valid bundle. */
export interface VerifiedBundle {
  manifest: Manifest;
  /** SHA-256 and size of the bundle itself. */
  sha256: string;
  bytes: number;
}

export interface ReadOptions {
  /** Expected digest of the bundle. */
  sha256?: string;
  limits?: Partial<BundleLimits>;
  /** Receives the manifest before any file; if it throws, the bundle is refused. */
  accept?: (manifest: Manifest) => void;
}

/** Receives the content of the bundle while it is read; the reader verifies the digests. */
export interface BundleSink {
  manifest(manifest: Manifest, text: Buffer): Promise<void>;
  /** Must read the content to its end. The digest is verified when the content has ended. */
  file(file: ManifestFile, content: AsyncIterable<Buffer>): Promise<void>;
}

/**
 * Reads a bundle strictly: one gzip member, the manifest first, then exactly the files of the manifest in its
 * order with its sizes and digests, then the end. Throws a BundleError at the first difference.
 */
export async function readBundle(
  source: BundleSource,
  sink: BundleSink,
  options: ReadOptions = {},
): Promise<VerifiedBundle> {
  const limits = { ...bundleLimits, ...options.limits };
  const digest = createHash('sha256');
  let bytes = 0;
  const input = typeof source === 'string' ? createReadStream(source) : source;
  const hashed = async function* () {
    for await (const piece of input) {
      digest.update(piece);
      bytes += piece.length;
      // Deflate data can be arbitrarily long without content.
      if (bytes > limits.maxBytes) {
        throw new BundleError('too_large', `The bundle has more than ${limits.maxBytes} bytes.`);
      }
      yield piece;
    }
  };
  let manifest: Manifest | null = null;
  let place = 0;
  for await (const entry of readTar(gunzip(hashed(), limits))) {
    if (manifest === null) {
      const text = await readManifest(entry, limits);
      manifest = await parseManifestInTurns(text.toString(), limits);
      checkLimits(manifest, limits);
      options.accept?.(manifest);
      await sink.manifest(manifest, text);
      continue;
    }
    const file = manifest.files[place++];
    if (file === undefined) {
      throw new BundleError('entry_unexpected', 'The manifest does not list this entry.', entry.path);
    }
    checkEntry(entry, file);
    await sink.file(file, checked(entry.content, file));
  }
  if (manifest === null) throw noManifest();
  const missing = manifest.files[place];
  if (missing !== undefined) {
    throw new BundleError(
      'truncated',
      'The manifest lists this file, but the bundle does not contain it.',
      missing.path,
    );
  }
  const sha256 = digest.digest('hex');
  if (options.sha256 !== undefined && options.sha256 !== sha256) {
    throw new BundleError(
      'digest_mismatch',
      `The bundle has the SHA-256 ${sha256}, not the expected ${options.sha256}. Download it again.`,
    );
  }
  return { manifest, sha256, bytes };
}

/** Reads a whole bundle and verifies everything in it without writing. Throws a BundleError. */
export function verifyBundle(source: BundleSource, options: ReadOptions = {}): Promise<VerifiedBundle> {
  const sink: BundleSink = {
    manifest: async () => {},
    file: async (_file, content) => {
      for await (const _ of content);
    },
  };
  return readBundle(source, sink, options);
}

function noManifest(): BundleError {
  return new BundleError(
    'manifest_invalid',
    `The first entry is not ${manifestPath}, so the file is not a bundle.`,
  );
}

async function readManifest(entry: TarEntry, limits: BundleLimits): Promise<Buffer> {
  if (entry.kind !== 'file' || entry.path !== manifestPath) throw noManifest();
  const { bytes } = manifestLimits(limits);
  if (entry.size > bytes) {
    throw new BundleError(
      'too_large',
      `The manifest is larger than ${bytes} bytes.`,
      manifestPath,
      'maxManifestBytes',
    );
  }
  // one copy: the pieces of a large one would need the same memory again
  const text = Buffer.allocUnsafeSlow(entry.size);
  let filled = 0;
  for await (const piece of entry.content) filled += piece.copy(text, filled);
  return text;
}

function checkLimits({ files }: Manifest, limits: BundleLimits): void {
  if (files.length > limits.maxFiles) {
    throw new BundleError(
      'too_large',
      `The bundle contains ${files.length} files; the limit is ${limits.maxFiles}.`,
      manifestPath,
      'maxFiles',
    );
  }
  let total = 0;
  for (const { path, size } of files) {
    total += size;
    if (size > limits.maxFileBytes) {
      throw new BundleError('too_large', `The file is larger than ${limits.maxFileBytes} bytes.`, path);
    }
  }
  if (total > limits.maxBytes) {
    throw new BundleError('too_large', `The bundle unpacks to more than ${limits.maxBytes} bytes.`);
  }
}

function checkEntry(entry: TarEntry, file: ManifestFile): void {
  if (entry.kind === 'link' || entry.kind === 'other') {
    throw new BundleError(
      'entry_kind',
      'The entry is a link or a device; a bundle contains files only.',
      entry.path,
    );
  }
  if (entry.kind !== 'file' || entry.path !== file.path) {
    throw new BundleError(
      'entry_unexpected',
      `The manifest lists ${quote(file.path)} at this position.`,
      entry.path,
    );
  }
  if (entry.size !== file.size) {
    throw new BundleError(
      'entry_unexpected',
      `The entry has ${entry.size} bytes, not ${file.size}.`,
      file.path,
    );
  }
}

async function* checked(content: AsyncIterable<Buffer>, file: ManifestFile): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  for await (const piece of content) {
    digest.update(piece);
    yield piece;
  }
  if (digest.digest('hex') !== file.sha256) {
    throw new BundleError(
      'digest_mismatch',
      'The content does not match the digest in the manifest.',
      file.path,
    );
  }
}
