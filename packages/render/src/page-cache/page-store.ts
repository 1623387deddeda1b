import { hash } from 'node:crypto';
import type { RenderedPage } from '../mdx/page.ts';
import type { PageHeads } from '../nav/page-files.ts';
import type { OpenSite, SiteOptions } from '../open-site.ts';
import type { Emitter } from '../output/emitter.ts';
import { type AnchorFact, anchorFacts } from '../output/link-facts.ts';
import { KNOWN_PART, LLMS_BETWEEN, LLMS_END, type LlmsPart, partSize } from '../output/llms.ts';
import type { KnownDocument } from '../output/pending-pages.ts';
import type { PageAsset } from '../page-asset.ts';
import { type KnownSections, textsPath } from '../search/index-set.ts';
import type { Page, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { AddedFile, PiecedFile, StoredFile } from '../stored-file.ts';
import { markdownOutput } from '../theme/addresses.ts';
import type { Warn } from '../warning.ts';
import { createHeads, type KnownHeads } from './heads.ts';
import type { PageCache } from './page-cache.ts';
import { readGroups, writeGroups } from './page-groups.ts';
import type { AssetRecord, Kept, PageRecord } from './page-record.ts';
import { ownFiles, pageKeys, siteKey } from './site-key.ts';
import { StaleRenderError } from './stale-render.ts';
import { emptyState, fittingState, readState, type State } from './state.ts';
import { recordStep, repeatStep, type Step } from './steps.ts';
import { createWatch, type Watch } from './watch.ts';

/** A cache that is used for a render. */
export interface OpenCache {
  cache: PageCache;
  watch: Watch;
  state: State | null;
  heads: PageHeads & { all: KnownHeads };
}

export function openCache(cache: PageCache, source: SourceTree): OpenCache {
  const watch = createWatch(source);
  const state = readState(cache);
  return { cache, watch, state, heads: createHeads(state, source, cache) };
}

/** What a page that is not rendered again adds to the output. */
export interface KnownPage
  extends Pick<RenderedPage, 'links' | 'ids' | 'aliases' | 'assets' | 'feed' | 'description'> {
  anchors: readonly AnchorFact[];
  document: KnownDocument;
  twin: StoredFile;
  /** Origins of its playground; null without one. */
  connect: readonly string[] | null;
  /** null if readers cannot find it. */
  sections: KnownSections | null;
}

/** What was made of a page that was rendered. */
export interface NewPage {
  content: RenderedPage;
  sections: KnownSections | null;
  /** What is known of the file of its twin; null if it was not written. */
  twin: AddedFile | null;
}

/** What a render finds of the one before it, and keeps for the next one. */
export interface PageStore {
  /** Number of pages that were rendered. */
  rendered(): number;
  keyOf(page: Page): string;
  /** Whether a page is likely the same as before. */
  isKnown(page: Page): boolean;
  /** The next page, if it is the same as before; null if it has to be rendered. */
  find(page: Page): KnownPage | null;
  /** Keeps the next page, which was rendered; null for one that is not in the output. */
  add(page: Page, made: NewPage | null): void;
  /** Takes what is known of the written file of a page, with the corrections of its links. */
  written(page: Page, file: AddedFile | null, corrections: string): void;
  /** A file of texts of the search with its digest; null if it has to be made. */
  findChunk(key: string): { digest: string; path: string; content: StoredFile } | null;
  keepChunk(key: string, digest: string): void;
  /** Joins the parts of llms-full.txt with those of the earlier one; null if all are new. */
  joinLlms(parts: readonly LlmsPart[]): PiecedFile | null;
  /** Makes a file that only some pages load. */
  makeAsset(asset: Pick<PageAsset, 'path' | 'content'>): Promise<string | Uint8Array>;
  /** A preview image of the render before. */
  preview(path: string): StoredFile | null;
  /** Runs a step, or emits what it has emitted in the earlier render. */
  repeat(step: Step, emitter: Emitter): Promise<void>;
  /** What the next render needs; null if it can use nothing. */
  end(): string | null;
}

/**
 * All that the earlier render left was checked when it was read. Where parts of it do not fit together, members throw a
 * StaleRenderError.
 */
export function createPageStore(
  site: OpenSite,
  { watch, cache, state, heads }: OpenCache,
  options: SiteOptions & { encoder: string | null },
  warn: Warn,
): PageStore {
  const { siteMap } = site;
  const { pages } = siteMap;
  const numbers = new Map(pages.map((page, number) => [page, number]));
  const numberOf = (page: Page): number => numbers.get(page) ?? -1;
  const own = ownFiles(siteMap);
  const keys = pageKeys(siteMap, watch.source, cache);
  const keyOf = (page: Page): string => keys.get(page) ?? '';
  const key = siteKey(siteMap, own, watch.source, cache, options);
  const earlier = fittingState(state, key, pages.map(keyOf));
  const earlierFile = (path: string): StoredFile | null =>
    earlier === null ? null : (cache.earlier?.file(path) ?? null);
  const known = readGroups(cache, earlier?.groups ?? []);
  const groups = writeGroups(cache, earlier?.groups ?? []);
  const next = emptyState(key, pages.length, heads.all);
  const isWritten = pages.map(() => false);
  const assets = createAssets(watch, earlier, next, earlierFile, warn);
  let rendered = 0;

  return {
    rendered: () => rendered,
    keyOf,
    isKnown: (page) => earlier?.pages[numberOf(page)] === keyOf(page),
    find(page) {
      const number = numberOf(page);
      if (earlier === null || earlier.pages[number] !== keyOf(page)) return null;
      const kept = known.page(number);
      const document = earlierFile(page.output);
      const twin = earlierFile(markdownOutput(page));
      if (kept?.record.key !== keyOf(page) || document === null || twin === null)
        throw new StaleRenderError();
      const { record } = kept;
      if (!site.budget.repeat(page, record.use)) return null;
      for (const warning of record.warnings) warn(warning);
      if (record.hasPreview) site.previews.of(page);
      const readTexts = () => known.texts(number);
      groups.add({ kept, isNew: false, readTexts });
      keep(next, number, page, record);
      return {
        ...contentOf(kept, readTexts, assets.restore),
        document: { file: document, corrections: earlier.corrections[number] ?? NONE },
        twin,
      };
    },
    add(page, made) {
      const record = made === null ? null : recordOf(page, keyOf(page), made, site, watch);
      if (made !== null) rendered++;
      if (record !== null) keep(next, numberOf(page), page, record);
      const { readWords = () => new Uint8Array(), readEntries: readTexts = () => [] } = made?.sections ?? {};
      groups.add({ kept: record === null ? null : { record, readWords }, isNew: true, readTexts });
    },
    written(page, file, corrections) {
      const number = numberOf(page);
      isWritten[number] = file !== null;
      if (corrections !== NONE) next.corrections[number] = corrections;
    },
    findChunk: (chunk) => chunkOf(chunk, earlier, earlierFile),
    keepChunk(chunk, digest) {
      next.chunks[chunk] = digest;
    },
    joinLlms: (parts) => joinParts(parts, earlier, next, numberOf, earlierFile),
    makeAsset: assets.make,
    preview: earlierFile,
    async repeat(step, emitter) {
      const key = hash('sha256', step.key);
      const record = earlier?.steps[step.name];
      const isRepeated = repeatStep(record, key, earlierFile, emitter, warn);
      const made = isRepeated ? record : await recordStep({ ...step, key }, emitter, watch);
      if (made !== undefined && made !== null) next.steps[step.name] = made;
    },
    end() {
      next.groups = groups.end();
      next.pages = next.pages.map((one, number) => (isWritten[number] ? one : ''));
      return isRepeatable(siteMap, watch, own) ? JSON.stringify(next) : null;
    },
  };
}

/** A file of texts that the earlier render has written from the same sections. */
function chunkOf(chunk: string, earlier: State | null, earlierFile: EarlierFile) {
  const digest = earlier === null ? undefined : ownValue(earlier.chunks, chunk);
  if (digest === undefined) return null;
  const path = textsPath(digest);
  const content = earlierFile(path);
  return content === null ? null : { digest, path, content };
}

/** Pages of schemas exist once a page refers to them. A text that other pages show is not in the key of the site. */
function isRepeatable({ schemaPages }: SiteMap, watch: Watch, own: ReadonlySet<string>): boolean {
  return schemaPages.size === 0 && ![...watch.read].some((file) => own.has(file));
}

const ownValue = <T>(values: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

/** What a page adds to files of the whole site, from its record. */
function contentOf(
  { record, readWords }: NonNullable<Kept>,
  readEntries: () => readonly string[],
  restore: (asset: AssetRecord) => PageAsset,
): Omit<KnownPage, 'document' | 'twin'> {
  const { key, search } = record;
  return {
    ...record,
    ids: new Set(record.anchors.map(([id]) => id)),
    aliases: new Set(record.aliases),
    links: [...record.links],
    assets: record.assets.map(restore),
    sections: search === null ? null : { key, sizes: search.sizes, readWords, readEntries },
  };
}

/** The corrections of a page that needs none. */
const NONE = '[]';

function keep(next: State, number: number, page: Page, { key, warnings }: PageRecord): void {
  next.pages[number] = key;
  const file = page.source ?? page.path;
  if (warnings.some((warning) => warning.file !== file)) next.foreign.push(number);
}

/** What is kept of a page; null if a later render could not repeat it. */
function recordOf(
  page: Page,
  key: string,
  { content, sections, twin }: NewPage,
  site: OpenSite,
  watch: Watch,
): PageRecord | null {
  const use = site.budget.usedBy(page);
  if (use === null || twin === null) return null;
  const { links, aliases, description, assets, playground, feed } = content;
  return {
    key,
    links,
    anchors: anchorFacts(page, content),
    aliases: [...aliases],
    description,
    assets: assets.map(({ kind, path, files = [] }) => ({
      kind,
      path,
      files: files.map((file) => file.path),
    })),
    connect: playground?.connect ?? null,
    feed,
    hasPreview: site.previews.isOf(page),
    warnings: watch.warningsOf(page),
    use,
    search: sections === null ? null : { sizes: sections.sizes },
  };
}

type EarlierFile = (path: string) => StoredFile | null;

/** Files that only some pages load: their names contain a digest of what they are made from. */
function createAssets(
  watch: Watch,
  earlier: State | null,
  next: State,
  earlierFile: EarlierFile,
  warn: Warn,
) {
  const restoreFile = (path: string): Pick<PageAsset, 'path' | 'content'> => ({
    path,
    content() {
      const file = earlierFile(path);
      if (file === null) throw new StaleRenderError();
      const warnings = earlier === null ? undefined : ownValue(earlier.assets, path);
      for (const warning of warnings ?? []) warn(warning);
      return file.read();
    },
  });
  return {
    restore: ({ kind, path, files }: AssetRecord): PageAsset => ({
      ...restoreFile(path),
      kind,
      files: files.map(restoreFile),
    }),
    async make({ path, content }: Pick<PageAsset, 'path' | 'content'>): Promise<string | Uint8Array> {
      const { result, warnings } = await watch.collect(async () => content());
      if (warnings.length > 0) next.assets[path] = warnings;
      return result;
    },
  };
}

/** Parts of llms-full.txt, which the earlier one contains one after the other and in the same order. */
function joinParts(
  parts: readonly LlmsPart[],
  earlier: State | null,
  next: State,
  numberOf: (page: Page) => number,
  earlierFile: EarlierFile,
): PiecedFile | null {
  const known = earlier?.llms ?? [];
  next.llms = parts.map((part, at) => [
    part.page === null ? -1 : numberOf(part.page),
    part.text === KNOWN_PART ? (known[at]?.[1] ?? 0) : partSize(part),
  ]);
  if (!parts.some(({ text }) => text === KNOWN_PART)) return null;
  const file = earlierFile('llms-full.txt');
  const isSameOrder =
    known.length === parts.length && known.every(([number], at) => number === next.llms[at]?.[0]);
  if (file === null || !isSameOrder || sizeOf(known) !== file.size) throw new StaleRenderError();
  return { size: sizeOf(next.llms), pieces: () => mergeParts(parts, known, file) };
}

const sizeOf = (parts: State['llms']): number =>
  parts.reduce((sum, [, size]) => sum + size + LLMS_BETWEEN.length, 0) -
  LLMS_BETWEEN.length +
  LLMS_END.length;

function* mergeParts(
  parts: readonly LlmsPart[],
  known: State['llms'],
  file: StoredFile,
): Generator<Uint8Array> {
  const reader = readerOf(file.pieces());
  for (const [at, { text }] of parts.entries()) {
    const size = known[at]?.[1] ?? 0;
    const between = at < parts.length - 1 ? LLMS_BETWEEN : LLMS_END;
    if (text === KNOWN_PART) yield* reader.take(size + between.length);
    else {
      for (const _ of reader.take(size + between.length));
      yield Buffer.from(text.join('') + between);
    }
  }
}

/** Takes bytes from pieces, in order. */
function readerOf(pieces: Iterable<Uint8Array>) {
  const source = pieces[Symbol.iterator]();
  let piece: Uint8Array = new Uint8Array();
  return {
    *take(size: number): Generator<Uint8Array> {
      for (let left = size; left > 0; ) {
        if (piece.length === 0) {
          const next = source.next();
          if (next.done === true) throw new StaleRenderError();
          piece = next.value;
        }
        const part = piece.subarray(0, left);
        piece = piece.subarray(part.length);
        left -= part.length;
        yield part;
      }
    },
  };
}
