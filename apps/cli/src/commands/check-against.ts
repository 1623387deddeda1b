import { createHash } from 'node:crypto';
import {
  anchorsOfHtml,
  BundleError,
  type BundleSink,
  basePathOf,
  type LinkPage,
  type Manifest,
  parseLinkFacts,
  readBundle,
} from '@offprint/bundle';
import {
  createPageSearch,
  isReservedId,
  renderSite,
  type SourceTree,
  searchDirectories,
} from '@offprint/render';
import {
  makeReport,
  type QueryResults,
  type ReportContent,
  type ReportSide,
} from '@offprint/server/change-report';
import { CliError } from '../errors.ts';

/** Bytes of a page whose anchors are read. */
const MAX_PAGE = 32 * 1024 * 1024;

interface Side extends ReportSide {
  /** Files of the search, by path. */
  search: ReadonlyMap<string, string>;
}

/** Files that the search reads. */
const isSearch = (path: string): boolean => /^_offprint\/search(?:\/|\.)/.test(path);

/** What changes for readers from a bundle to what the docs would export now. Throws the CliError for a bad bundle. */
export async function reportAgainst(
  file: string,
  source: SourceTree,
  onPage: (file: string | null) => void,
): Promise<ReportContent> {
  const { side: before, manifest } = await readSide(file);
  const after = await renderSide(source, manifest, onPage);
  const queries = after.site.facts.queries.map(({ query }) => query);
  return makeReport(before, after, null, {
    before: await search(before, queries),
    after: await search(after, queries),
  });
}

async function readSide(file: string): Promise<{ side: Side; manifest: Manifest }> {
  const pages = new Map<string, LinkPage>();
  const searchFiles = new Map<string, string>();
  const sink: BundleSink = {
    manifest: async () => {},
    async file({ path, size }, content) {
      const page = /^(?!_offprint\/|404\.html$)(.+)\.html$/s.exec(path)?.[1];
      const isRead = isSearch(path) || (page !== undefined && size <= MAX_PAGE);
      const pieces: Buffer[] = [];
      for await (const piece of content) if (isRead) pieces.push(piece);
      const text = Buffer.concat(pieces).toString();
      if (isSearch(path)) searchFiles.set(path, text);
      if (page === undefined) return;
      const anchors = anchorsOfHtml(text, isReservedId).map((id): [string, null] => [id, null]);
      pages.set(page, { file: null, anchors: new Map(anchors) });
    },
  };
  try {
    const { manifest } = await readBundle(file, sink);
    const facts = { pages, redirects: new Map(), queries: [], levels: new Map() };
    const basePath = basePathOf(manifest.site.url);
    const site = { basePath, manifest, facts, hasAnchors: true };
    return { side: { files: manifest.files, site, search: searchFiles }, manifest };
  } catch (error) {
    if (error instanceof BundleError) throw new CliError(2, `${file}: ${error.message}`, { cause: error });
    if (error instanceof Error && 'code' in error)
      throw new CliError(2, `The bundle ${file} cannot be read (${String(error.code)}).`, { cause: error });
    throw error;
  }
}

/** As an export would render them for the site of the bundle. */
async function renderSide(
  source: SourceTree,
  { site: { url } }: Manifest,
  onPage: (file: string | null) => void,
): Promise<Side> {
  const files: { path: string; sha256: string }[] = [];
  const searchFiles = new Map<string, string>();
  const result = await renderSite({
    source,
    siteUrl: url === '' ? null : url,
    includeUnlisted: true,
    onPage,
    emit(path, content) {
      files.push({ path, sha256: createHash('sha256').update(content).digest('hex') });
      if (isSearch(path)) searchFiles.set(path, Buffer.from(content).toString());
      return undefined;
    },
  });
  const manifest = { files, redirects: result.redirects };
  const facts = await parseLinkFacts(result.links);
  return {
    files,
    site: { basePath: basePathOf(url), manifest, facts, hasAnchors: true },
    search: searchFiles,
  };
}

async function search({ search: files }: Side, queries: readonly string[]): Promise<QueryResults> {
  if (queries.length === 0) return [];
  const found = createPageSearch(async (path) => files.get(path) ?? null, searchDirectories(files.keys()));
  const results: string[][] = [];
  for (const query of queries) results.push(await found.find(query));
  return results;
}
