import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  type AddedFile,
  artifactIndexFile,
  BundleError,
  bundleFile,
  type ChunkTable,
  createPacker,
  directoryChunks,
  type EarlierBundle,
  type FileContent,
  linkFactsFile,
  type PackerOptions,
} from '@offprint/bundle';
import {
  directorySource,
  type Excluded,
  type FetchRemote,
  type OpenEncoder,
  type PageCache,
  type RenderResult,
  renderSite,
  type SourceTree,
  type WantedServices,
  type Warning,
} from '@offprint/render';
import { VERSION } from '../version.ts';
import type { ExportSummary, RenderProgress } from './summary.ts';

export type { ExportSummary, RenderProgress } from './summary.ts';

export interface ArtifactRequest extends ExportRequest {
  /** Takes the chunks of the bundle, `artifact.json` and the places of links, nothing else. Made when it is not there. */
  artifactDir: string;
  /** Where pages and chunks are kept from one export to the next; default none are. */
  cache?: BundleCache;
}

export interface BundleRequest extends ExportRequest {
  /** The bundle to write. Neither it nor a file of that name with `.chunks` behind may be there. */
  file: string;
  /** Where pages and chunks are kept from one export to the next; default none are. */
  cache?: BundleCache;
}

/** What an export finds of the one before it. */
export interface BundleCache extends Omit<PageCache, 'earlier'> {
  /** Its bundle, open until this export is done, and what it returned as `kept`; null without one. */
  earlier: { bundle: EarlierBundle; state: string } | null;
}

/** What the next export needs besides the bundle. */
export interface KeptExport {
  chunks: ChunkTable;
  /** null if it can use nothing but chunks. */
  state: string | null;
  /** As `RenderResult.isFinal`. */
  isFinal: boolean;
}

export interface ExportRequest {
  /** The docs, or the folder that holds them. */
  source: SourceTree | string;
  /** Host name that the site is published on; empty if it is not known. */
  domain: string;
  /** Origin (and base path) of canonical URLs, without a slash at the end; null if it is not known. */
  siteUrl: string | null;
  /** Label; default: see ExportSummary. */
  version?: string;
  /** Full object name; null for a source without Git. */
  commit: string | null;
  /** RFC 3339; null without a commit. */
  committedAt: string | null;
  /** Pages to render; default every one. */
  paths?: readonly string[];
  /** Default true. */
  includeUnlisted?: boolean;
  /** Default none. */
  groups?: readonly string[];
  /** Only pages that need no sign-in; default false. */
  publicOnly?: boolean;
  /** Dates (RFC 3339) of the last change of files, by path from the docs folder; see gitFileDates. */
  modified?: Readonly<Record<string, string>>;
  /** Features to leave out, each with its reason; default none. */
  excluded?: Excluded;
  /** Services of the platform that serves the site; an export for download has none. */
  services?: WantedServices;
  /** Gets files of other hosts that the site names; default none is fetched. */
  fetchRemote?: FetchRemote;
  /** Opens what encodes variants of images, for sites that ask for them; default: pages show the originals. */
  openEncoder?: OpenEncoder;
  onProgress?(progress: RenderProgress): void;
  /** Called at the start of each page, and with null after the last one. */
  onPage?(file: string | null): void;
}

/**
 * Features of an exported site by the names of the contract. What needs a server is only in the bundle of a deployment; a
 * bundle may lead to assistants of other hosts.
 */
const featuresOf = (
  excluded: Excluded,
  { playground, services }: Pick<RenderResult, 'playground' | 'services'>,
): Record<string, boolean> => ({
  search: excluded.search === undefined,
  assistant: services.assistant,
  'assistant-links': excluded.assistant === undefined,
  analytics: services.analytics,
  playground: playground.isIncluded,
  'static-export': true,
});

const RENDERER = { name: 'offprint', version: VERSION };

/**
 * Renders a docs folder into an artifact: the chunks of its bundle and their index. The same source and request
 * give the same bytes, wherever and whenever it runs.
 *
 * Throws SourceError when the source cannot be exported at all; every lesser defect is a warning.
 */
export async function exportSite(
  request: ArtifactRequest,
): Promise<ExportSummary & Pick<PackedExport, 'renderedPages' | 'kept'>> {
  const { artifactDir, cache } = request;
  const earlier = cache?.earlier?.bundle ?? null;
  const { summary, links, renderedPages, kept } = await renderAndPack(
    request,
    { store: directoryChunks(artifactDir), earlier },
    cache,
  );
  writeFileSync(join(artifactDir, linkFactsFile), gzipSync(links));
  writeFileSync(join(artifactDir, artifactIndexFile), JSON.stringify(summary.index));
  return { ...summary, renderedPages, kept };
}

/**
 * Renders a docs folder into a bundle: the one that joining its artifact gives. On disk when it resolves; when it
 * rejects, the files named in the request are the caller's to remove.
 */
export async function exportBundle(
  request: BundleRequest,
): Promise<ExportSummary & Omit<PackedExport, 'summary'>> {
  const { cache } = request;
  const sink = bundleFile(request.file, cache?.earlier?.bundle ?? null);
  try {
    const { summary, ...more } = await renderAndPack(request, { sink }, cache);
    return { ...summary, ...more };
  } finally {
    await sink.close();
  }
}

interface PackedExport {
  summary: ExportSummary;
  renderedPages: number;
  /** As `RenderResult.links`. */
  links: string;
  kept: KeptExport;
}

function pageCacheOf({ earlier, ...cache }: BundleCache): PageCache {
  if (earlier === null) return { ...cache, earlier };
  return { ...cache, earlier: { state: earlier.state, file: earlier.bundle.file } };
}

async function renderAndPack(
  request: ExportRequest,
  options: PackerOptions,
  cache?: BundleCache,
): Promise<PackedExport> {
  const { commit, committedAt, modified } = request;
  const source = typeof request.source === 'string' ? directorySource(request.source) : request.source;
  const warnings: Warning[] = [...(sourceWarnings(source) ?? [])];
  const packer = createPacker(options);
  const leaveOut = (path: string, error: unknown): undefined => {
    if (!(error instanceof BundleError)) throw error;
    const message = `Excluded from the export. ${error.message}`;
    warnings.push({ file: path, line: null, code: 'output-left-out', message });
  };
  const add = (path: string, body: FileContent): AddedFile | undefined => {
    try {
      return packer.add(path, body);
    } catch (error) {
      return leaveOut(path, error);
    }
  };
  const rendered = await renderSite({
    source,
    siteUrl: request.siteUrl,
    includeUnlisted: request.includeUnlisted ?? true,
    groups: request.groups ?? [],
    publicOnly: request.publicOnly ?? false,
    ...(request.paths === undefined ? {} : { paths: request.paths }),
    ...(committedAt === null ? {} : { lastModified: committedAt }),
    ...(modified === undefined
      ? {}
      : { modifiedAt: (file) => (Object.hasOwn(modified, file) ? (modified[file] ?? null) : null) }),
    ...(request.excluded === undefined ? {} : { excluded: request.excluded }),
    ...(request.services === undefined ? {} : { services: request.services }),
    ...(request.fetchRemote === undefined ? {} : { fetchRemote: request.fetchRemote }),
    ...(request.openEncoder === undefined ? {} : { openEncoder: request.openEncoder }),
    ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
    ...(request.onPage === undefined ? {} : { onPage: request.onPage }),
    ...(cache === undefined ? {} : { cache: pageCacheOf(cache) }),
    emit: add,
    emitStored: add,
    emitLarge: (path, body) => packer.addLarge(path, body).catch((error: unknown) => leaveOut(path, error)),
  });
  const sorted = sortWarnings([...warnings, ...rendered.warnings]);
  const version = request.version ?? (commit ?? packer.contentDigest()).slice(0, 12);
  const index = await packer.finish({
    site: { domain: request.domain, name: rendered.site.name, url: request.siteUrl ?? '' },
    version,
    commit,
    renderer: RENDERER,
    ...(rendered.encoder === null ? {} : { encoder: rendered.encoder }),
    redirects: rendered.redirects,
    features: featuresOf(request.excluded ?? {}, rendered),
    connect: rendered.playground.connect,
  });
  const summary = {
    pageCount: rendered.pageCount,
    warnings: sorted,
    warningCount: sorted.length,
    version,
    commit,
    site: rendered.site,
    access: rendered.access,
    index,
  };
  const { isFinal, state } = rendered;
  const kept = { chunks: { index, keys: packer.chunkKeys() }, state, isFinal };
  return { summary, renderedPages: rendered.renderedPages, links: rendered.links, kept };
}

function sourceWarnings(source: SourceTree): readonly Warning[] | undefined {
  return (source as { warnings?: readonly Warning[] }).warnings;
}

/** By file, line and code, in code units; one of each. */
export function sortWarnings(warnings: readonly Warning[]): Warning[] {
  const keyed = warnings.map((warning) => ({
    warning,
    key: `${warning.file}\0${String(warning.line ?? 0).padStart(10, '0')}\0${warning.code}\0${warning.message}`,
  }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.filter(({ key }, index) => key !== keyed[index - 1]?.key).map(({ warning }) => warning);
}
