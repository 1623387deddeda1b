import { hash } from 'node:crypto';
import type { RenderedPage } from '../mdx/page.ts';
import { fieldsOutput } from '../nav/schema-page.ts';
import type { OpenSite, SiteOptions } from '../open-site.ts';
import type { Emitter } from '../output/emitter.ts';
import { type AnchorFact, anchorFacts } from '../output/link-facts.ts';
import type { LlmsPart } from '../output/llms.ts';
import type { KnownDocument } from '../output/pending-pages.ts';
import type { PageAsset } from '../page-asset.ts';
import { type KnownSections, textsPath } from '../search/index-set.ts';
import type { Page } from '../site.ts';
import type { AddedFile, PiecedFile, StoredFile } from '../stored-file.ts';
import { markdownOutput } from '../theme/addresses.ts';
import type { KnownWarning, Warn } from '../warning.ts';
import { joinKnownLlms } from './llms-parts.ts';
import type { OpenCache } from './open-cache.ts';
import { type PageDetails, readGroups, writeGroups } from './page-groups.ts';
import { createPageKeys } from './page-keys.ts';
import { numberPages } from './page-numbers.ts';
import { documentAround, findParts, NO_CORRECTIONS, type PageParts } from './page-parts.ts';
import type { AssetRecord, Kept, PageRecord } from './page-record.ts';
import { createSchemas } from './schema-pages.ts';
import { StaleRenderError } from './stale-render.ts';
import { emptyState, type Fitting, type State } from './state.ts';
import { recordStep, repeatStep, type Step } from './steps.ts';
import type { Watch } from './watch.ts';

/** What a page that is not rendered again adds to the output. */
export interface KnownPage
  extends Pick<RenderedPage, 'links' | 'ids' | 'aliases' | 'assets' | 'feed' | 'description'> {
  anchors: readonly AnchorFact[];
  document: KnownDocument;
  twin: StoredFile;
  /** The script with the fields of a page of a schema; null for other pages. */
  fields: StoredFile | null;
  /** Origins of its playground; null without one. */
  connect: readonly string[] | null;
  /** null if readers cannot find it. */
  sections: KnownSections | null;
}

type KnownContent = Omit<KnownPage, 'document' | 'twin' | 'fields'>;

/** What was made of a page that was rendered. */
export interface NewPage {
  content: RenderedPage;
  sections: KnownSections | null;
  /** Without corrections of its links. */
  document: string;
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
  /** A file of the render before. */
  earlier(path: string): StoredFile | null;
  /** Called after the last page. Throws a StaleRenderError if other pages of schemas were made than before. */
  endPages(): void;
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
  open: OpenCache,
  options: SiteOptions & { encoder: string | null },
  warn: Warn,
): PageStore {
  const { watch, cache } = open;
  const numbers = numberPages(site.siteMap);
  const numberOf = numbers.of;
  const keys = createPageKeys(site, numbers, open, options);
  const { earlier } = keys;
  const earlierFile = (path: string): StoredFile | null =>
    earlier === null ? null : (cache.earlier?.file(path) ?? null);
  const known = readGroups(cache, earlier?.state.groups ?? []);
  const groups = writeGroups(cache, earlier?.state.groups ?? []);
  const next = emptyState(keys.ofRender, open.heads.all);
  const isWritten: boolean[] = [];
  const assets = createAssets(watch, earlier?.state ?? null, next, earlierFile, warn);
  let rendered = 0;
  let isRepeatable = true;
  const schemas = createSchemas(site, numbers, earlier?.state ?? null);

  /** Keeps of a page that is in the output what is not in its group. */
  const keep = (number: number, page: Page, record: PageRecord, parts: PageParts): void => {
    const file = page.source ?? page.path;
    const isForeign = (warning: KnownWarning): boolean => warning.file !== file;
    const shellWarnings = watch.warningsOf(page, 'shell');
    next.pages[number] = record.key;
    next.parts[number] = parts;
    const imports = keys.importsOf(number);
    if (imports.length > 0) next.imports[number] = imports;
    // a page of a schema reports the same whatever changes, as long as its text is kept
    const isOfSite = number < numbers.first;
    if (isOfSite && record.warnings.some(isForeign)) next.foreign.body.push(number);
    if (isOfSite && shellWarnings.some(isForeign)) next.foreign.shell.push(number);
    if (shellWarnings.length > 0) next.shellWarnings[number] = shellWarnings;
    if (site.previews.isOf(page)) next.previews.push(number);
  };
  /** The document of a page whose body is known. */
  const documentOf = (
    number: number,
    page: Page,
    content: KnownContent,
    { state, documents }: Fitting,
  ): { document: KnownDocument; parts: PageParts } => {
    const file = earlierFile(page.output);
    const parts = state.parts[number];
    if (file === null || parts === undefined) throw new StaleRenderError();
    if (!documents) return documentAround(site, page, file, parts, { ...content, ...known.details(number) });
    watch.repeat(page, 'shell', state.shellWarnings[number] ?? [], warn);
    if (keys.hadPreview(number)) site.previews.of(page);
    return { document: { file, corrections: state.corrections[number] ?? NO_CORRECTIONS }, parts };
  };
  const findKnown = (number: number, page: Page): KnownPage | null => {
    if (earlier === null || !keys.isSame(number)) return null;
    // its document does not contain the body as it was rendered
    if (!earlier.documents && earlier.state.corrections[number] !== undefined) return null;
    const kept = known.page(number);
    const twin = earlierFile(markdownOutput(page));
    const fields = number < numbers.first ? null : earlierFile(fieldsOutput(page));
    const isWhole = twin !== null && (number < numbers.first || fields !== null);
    if (kept?.record.key !== keys.ofPage(number) || !isWhole) throw new StaleRenderError();
    const { record } = kept;
    if (!site.budget.repeat(page, record.use)) return null;
    watch.repeat(page, 'body', record.warnings, warn);
    const readDetails = () => known.details(number);
    const content = contentOf(kept, () => readDetails().texts, assets.restore);
    const { document, parts } = documentOf(number, page, content, earlier);
    schemas.repeat(number, page);
    groups.add({ kept, isNew: false, readDetails });
    keep(number, page, record, parts);
    return { ...content, document, twin, fields };
  };

  return {
    rendered: () => rendered,
    keyOf: (page) => keys.ofPage(numberOf(page)),
    isKnown: (page) => keys.isSame(numberOf(page)),
    find(page) {
      const found = findKnown(numberOf(page), page);
      if (found === null) keys.renew(numberOf(page));
      return found;
    },
    add(page, made) {
      const number = numberOf(page);
      schemas.note(number);
      const record = made === null ? null : recordOf(page, keys.ofPage(number), made, site, watch);
      if (made !== null) rendered++;
      if (record !== null && made !== null)
        keep(number, page, record, findParts(made.document, made.content));
      isRepeatable &&= keys.includes(number, watch.readFor(page));
      const { readWords = () => new Uint8Array(), readEntries = () => [] } = made?.sections ?? {};
      const { toc = [], side = null } = made?.content ?? {};
      const sideKind = side?.kind ?? null;
      // holds no more of a page than this until its group is written
      const readDetails = (): PageDetails => ({ texts: readEntries(), toc, sideKind });
      groups.add({ kept: record === null ? null : { record, readWords }, isNew: true, readDetails });
    },
    written(page, file, corrections) {
      const number = numberOf(page);
      isWritten[number] = file !== null;
      if (corrections !== NO_CORRECTIONS) next.corrections[number] = corrections;
    },
    findChunk: (chunk) => chunkOf(chunk, earlier?.state ?? null, earlierFile),
    keepChunk(chunk, digest) {
      next.chunks[chunk] = digest;
    },
    joinLlms(parts) {
      const { llms = [] } = earlier?.state ?? {};
      const { sizes, file } = joinKnownLlms(parts, llms, numberOf, earlierFile('llms-full.txt'));
      next.llms = sizes;
      return file;
    },
    makeAsset: assets.make,
    earlier: earlierFile,
    endPages: schemas.end,
    async repeat(step, emitter) {
      const key = hash('sha256', `${keys.ofRender[step.needs]}\n${step.key}`);
      const record = earlier?.state.steps[step.name];
      const isRepeated = repeatStep(record, key, earlierFile, emitter, warn);
      const made = isRepeated ? record : await recordStep({ ...step, key }, emitter, watch, keys.pageFiles);
      if (made !== undefined && made !== null) next.steps[step.name] = made;
    },
    end() {
      next.groups = groups.end();
      const pointers = schemas.pointers();
      if (pointers === null || !isRepeatable) return null;
      Object.assign(next, { schemas: schemas.all, pointers });
      const count = numbers.first + schemas.all.length;
      next.pages = Array.from({ length: count }, (_, at) => (isWritten[at] ? (next.pages[at] ?? '') : ''));
      return JSON.stringify(next);
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

const ownValue = <T>(values: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

/** What a page adds to files of the whole site, from its record. */
function contentOf(
  { record, readWords }: NonNullable<Kept>,
  readEntries: () => readonly string[],
  restore: (asset: AssetRecord) => PageAsset,
): KnownContent {
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
    warnings: watch.warningsOf(page, 'body'),
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
