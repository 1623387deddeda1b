import { setImmediate as turn } from 'node:timers/promises';
import { BundleError, type ManifestLimit } from './error.ts';
import { JsonError, type PiecedJson, parseInPieces } from './json-pieces.ts';
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
  /** What has encoded images, with its versions: another one writes other bytes. Only if images were encoded. */
  encoder?: string | undefined;
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
    ...(head.encoder === undefined ? {} : { encoder: head.encoder }),
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
export function parseManifest(text: string, limits: ManifestLimits = bundleLimits): Manifest {
  const steps = manifestSteps(text, limits);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** The same, with turns of the event loop in between: a large manifest takes a second. */
export async function parseManifestInTurns(
  text: string,
  limits: ManifestLimits = bundleLimits,
): Promise<Manifest> {
  const steps = manifestSteps(text, limits);
  let step = steps.next();
  while (step.done !== true) {
    await turn();
    step = steps.next();
  }
  return step.value;
}

type ManifestLimits = Pick<BundleLimits, 'maxFiles' | 'maxManifestBytes'>;

function* manifestSteps(text: string, limits: ManifestLimits): Generator<undefined, Manifest> {
  try {
    return yield* readManifest(text, limits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new BundleError(error.fault.code, `The manifest ${error.fault.what}.`, manifestPath);
  }
}

function* readManifest(text: string, limits: ManifestLimits): Generator<undefined, Manifest> {
  const most = manifestLimits(limits);
  const json = yield* parseInPieces(text, most);
  const root = record(json.root, 'the manifest');
  if (root.formatVersion !== 1) {
    const { formatVersion } = root;
    // Only a number is shown: any other value can have any size and depth.
    const found = typeof formatVersion === 'number' ? formatVersion : 'no number';
    throw fault('formatVersion', `is ${found}; this version of Offprint reads 1. Update Offprint`);
  }
  const site = record(root.site, 'site');
  const renderer = record(root.renderer, 'renderer');
  const files = yield* readFiles(parts(json, root.files, 'files'), most.folders);
  const features = Object.entries(record(root.features, 'features'));
  if (features.length > maxFeatures) throw tooMany('features', `has more than ${maxFeatures} entries`);
  const redirects = yield* readRedirects(parts(json, root.redirects, 'redirects'));
  const connect =
    root.connect === undefined ? undefined : origins([...parts(json, root.connect, 'connect')].flat());
  for (const _ of json.others()) yield;
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
    redirects,
    ...(root.encoder === undefined ? {} : { encoder: label(root.encoder, 'encoder') }),
    features: Object.fromEntries(features.map(([name, on]) => [name, boolean(on, `features.${name}`)])),
    ...(connect === undefined ? {} : { connect }),
    files,
  };
}

function* readFiles(
  parts: Iterable<readonly unknown[]>,
  maxFolders: number,
): Generator<undefined, ManifestFile[]> {
  const files: ManifestFile[] = [];
  const guard = createPathGuard();
  guard(manifestPath);
  for (const part of parts) {
    for (const value of part) {
      const file = parseFile(value, files.length);
      if (guard(file.path) > maxFolders)
        throw tooMany('files', `has files in more than ${maxFolders} folders`, 'maxFiles');
      files.push(file);
    }
    yield;
  }
  return files;
}

function* readRedirects(parts: Iterable<readonly unknown[]>): Generator<undefined, ManifestRedirect[]> {
  const redirects: ManifestRedirect[] = [];
  let segments = 0;
  for (const part of parts) {
    if (redirects.length + part.length > maxRedirects)
      throw tooMany('redirects', `has more than ${maxRedirects} entries`);
    for (const value of part) {
      const redirect = parseRedirect(value, redirects.length);
      segments += segmentsOf(redirect);
      redirects.push(redirect);
    }
    if (segments > maxRedirectSegments)
      throw tooMany('redirects', `has redirect patterns with more than ${maxRedirectSegments} segments`);
    yield;
  }
  return redirects;
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

/** Segments of a source that may be a pattern, which `createRedirects` parses. */
function segmentsOf({ source }: ManifestRedirect): number {
  return /[*:%]/.test(source) ? (source.match(/\/|%2f/gi)?.length ?? 0) : 0;
}

function record(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault(at, 'is not an object');
  return value as Record<string, unknown>;
}

/** The items of a list, in parts if it is long. */
function parts(json: PiecedJson, value: unknown, at: string): Iterable<readonly unknown[]> {
  const items = json.itemsOf(value);
  if (items === null) throw fault(at, 'is not a list');
  return items;
}

function string(value: unknown, at: string): string {
  if (typeof value !== 'string') throw fault(at, 'is not a string');
  return value;
}

/** Origins become part of a header. */
function origins(items: readonly unknown[]): string[] {
  const written = items.map((item, index) => string(item, `connect[${index}]`));
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
