import { BundleError, type ManifestLimit } from './error.ts';
import { jsonFault } from './json-fault.ts';
import {
  type BundleLimits,
  bundleLimits,
  manifestLimits,
  maxFeatures,
  maxRedirectSegments,
  maxRedirects,
} from './limits.ts';
import { createPathGuard, hidden } from './path.ts';
import { fittingOrigins, isConnectOrigin } from './site/policy.ts';

/** Name of the manifest: the first entry of every bundle. */
export const manifestPath = 'offprint.json';

/** One file of the site. */
export interface ManifestFile {
  path: string;
  /** SHA-256 of the content, hexadecimal. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** Value of `Content-Type`. */
  contentType: string;
}

/**
 * `source` and `destination` are site-absolute paths; a destination can also be a URL. Segments `:name`,
 * `:name*`,
 * `*` and `part-*` of a source are wildcards, which the destination repeats. Files take precedence over such
 * patterns.
 */
export interface ManifestRedirect {
  source: string;
  destination: string;
  /** True: 308; false: 307. */
  permanent: boolean;
}

/** What the creator of a bundle knows beside its files. */
export interface ManifestHead {
  /** `domain` and `url` are empty if the URL of the site was not known at the export. */
  site: { domain: string; name: string; url: string };
  /** Version label of the export. */
  version: string;
  /** Commit exported; null for sources without Git. */
  commit: string | null;
  renderer: { name: string; version: string };
  redirects: readonly ManifestRedirect[];
  /** Features of the site by name: whether each is in this bundle. */
  features: Readonly<Record<string, boolean>>;
  /** Origins of APIs to which pages send requests (`https://api.example.com`); default none. */
  connect?: readonly string[] | undefined;
}

/**
 * `offprint.json`. It contains everything that decides the bytes of a bundle, so that its digest identifies
 * the artifact.
 */
export interface Manifest extends ManifestHead {
  formatVersion: 1;
  /** In the order of the archive. */
  files: readonly ManifestFile[];
}

/** The text of a manifest. The same manifest always gives the same text. */
export function formatManifest(head: ManifestHead, files: readonly ManifestFile[]): string {
  const manifest: Manifest = {
    formatVersion: 1,
    site: { domain: head.site.domain, name: head.site.name, url: head.site.url },
    version: head.version,
    commit: head.commit,
    renderer: { name: head.renderer.name, version: head.renderer.version },
    features: Object.fromEntries(Object.entries(head.features).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(head.connect === undefined || head.connect.length === 0 ? {} : { connect: head.connect }),
    redirects: head.redirects.map(({ source, destination, permanent }) => ({
      source,
      destination,
      permanent,
    })),
    files: files.map(({ path, sha256, size, contentType }) => ({ path, sha256, size, contentType })),
  };
  return `${JSON.stringify(manifest)}\n`;
}

/**
 * Validates the text of a manifest: format, path rules, and the limits for its number of files. Throws a
 * BundleError that names the field.
 */
export function parseManifest(
  text: string,
  limits: Pick<BundleLimits, 'maxFiles' | 'maxManifestBytes'> = bundleLimits,
): Manifest {
  const most = manifestLimits(limits);
  const harm = jsonFault(text, most);
  if (harm !== null) throw new BundleError(harm.code, `The manifest ${harm.what}.`, manifestPath);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BundleError('manifest_invalid', 'The manifest is not JSON.', manifestPath);
  }
  const root = record(value, 'the manifest');
  if (root.formatVersion !== 1) {
    const { formatVersion } = root;
    // Only a number is shown: any other value can have any size and depth.
    const found = typeof formatVersion === 'number' ? formatVersion : 'no number';
    throw fault('formatVersion', `is ${found}; this version of Offprint reads 1. Update Offprint`);
  }
  const site = record(root.site, 'site');
  const renderer = record(root.renderer, 'renderer');
  const files = list(root.files, 'files').map(parseFile);
  const redirects = list(root.redirects, 'redirects');
  if (redirects.length > maxRedirects) throw tooMany('redirects', `has more than ${maxRedirects} entries`);
  const features = Object.entries(record(root.features, 'features'));
  if (features.length > maxFeatures) throw tooMany('features', `has more than ${maxFeatures} entries`);
  const guard = createPathGuard();
  guard(manifestPath);
  for (const file of files) {
    if (guard(file.path) > most.folders)
      throw tooMany('files', `has files in more than ${most.folders} folders`, 'maxFiles');
  }
  const moves = redirects.map(parseRedirect);
  if (segmentsOf(moves) > maxRedirectSegments)
    throw tooMany('redirects', `has redirect patterns with more than ${maxRedirectSegments} segments`);
  return {
    formatVersion: 1,
    site: {
      domain: label(site.domain, 'site.domain'),
      name: string(site.name, 'site.name'),
      url: string(site.url, 'site.url'),
    },
    version: label(root.version, 'version'),
    commit: root.commit === null ? null : label(root.commit, 'commit'),
    renderer: {
      name: label(renderer.name, 'renderer.name'),
      version: label(renderer.version, 'renderer.version'),
    },
    redirects: moves,
    features: Object.fromEntries(features.map(([name, on]) => [name, boolean(on, `features.${name}`)])),
    ...(root.connect === undefined ? {} : { connect: origins(root.connect) }),
    files,
  };
}

function parseFile(value: unknown, index: number): ManifestFile {
  const at = `files[${index}]`;
  const file = record(value, at);
  const sha256 = string(file.sha256, `${at}.sha256`);
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw fault(`${at}.sha256`, 'is not a SHA-256 in hexadecimal');
  const size = file.size;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw fault(`${at}.size`, 'is not a number of bytes');
  }
  const contentType = string(file.contentType, `${at}.contentType`);
  if (!/^[\x20-\x7e]{1,200}$/.test(contentType)) throw fault(`${at}.contentType`, 'is not a content type');
  return { path: string(file.path, `${at}.path`), sha256, size, contentType };
}

function parseRedirect(value: unknown, index: number): ManifestRedirect {
  const at = `redirects[${index}]`;
  const redirect = record(value, at);
  return {
    source: string(redirect.source, `${at}.source`),
    destination: string(redirect.destination, `${at}.destination`),
    permanent: boolean(redirect.permanent, `${at}.permanent`),
  };
}

/** Segments of the sources that may be patterns, which `createRedirects` parses. */
function segmentsOf(redirects: readonly ManifestRedirect[]): number {
  const patterns = redirects.filter(({ source }) => /[*:%]/.test(source));
  return patterns.reduce((sum, { source }) => sum + (source.match(/\/|%2f/gi)?.length ?? 0), 0);
}

function record(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault(at, 'is not an object');
  return value as Record<string, unknown>;
}

function list(value: unknown, at: string): unknown[] {
  if (!Array.isArray(value)) throw fault(at, 'is not a list');
  return value;
}

function string(value: unknown, at: string): string {
  if (typeof value !== 'string') throw fault(at, 'is not a string');
  return value;
}

/** Origins become part of a header. */
function origins(value: unknown): string[] {
  const written = list(value, 'connect').map((item, index) => string(item, `connect[${index}]`));
  const wrong = written.findIndex((origin) => !isConnectOrigin(origin));
  if (wrong >= 0) throw fault(`connect[${wrong}]`, 'is not an origin');
  if (fittingOrigins(written).length < written.length) throw fault('connect', 'is too long for a header');
  return written;
}

/** A text that is shown to people, in logs and in commands: one short line. */
function label(value: unknown, at: string): string {
  const text = string(value, at);
  if (text.length > 253 || hidden.test(text))
    throw fault(at, 'is longer than 253 characters, or has more than one line');
  return text;
}

function boolean(value: unknown, at: string): boolean {
  if (typeof value !== 'boolean') throw fault(at, 'is neither true nor false');
  return value;
}

function tooMany(at: string, what: string, limit: ManifestLimit | null = null): BundleError {
  return new BundleError('too_large', `In the manifest, ${at} ${what}.`, manifestPath, limit);
}

function fault(at: string, what: string): BundleError {
  return new BundleError('manifest_invalid', `In the manifest, ${at} ${what}.`, manifestPath);
}
