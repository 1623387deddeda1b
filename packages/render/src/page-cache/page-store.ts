import { hash, randomUUID } from 'node:crypto';
import type { RenderedPage } from '../mdx/page.ts';
import type { OpenSite, SiteOptions } from '../open-site.ts';
import type { Emitter } from '../output/emitter.ts';
import { anchorFacts } from '../output/link-facts.ts';
import type { LlmsPart } from '../output/llms.ts';
import type { PageAsset } from '../page-asset.ts';
import { type KeptIndex, type PageId, type SectionTexts, textsPath } from '../search/index-set.ts';
import type { Page } from '../site.ts';
import type { AddedFile, PiecedFile, StoredFile } from '../stored-file.ts';
import type { Warn } from '../warning.ts';
import { createDescribedPages } from './described.ts';
import { type CachedRender, findKnown, type KnownPage, keepPage } from './known-page.ts';
import { joinKnownLlms } from './llms-parts.ts';
import { createLookedUp } from './looked-up.ts';
import type { OpenCache } from './open-cache.ts';
import { createAssets } from './page-assets.ts';
import type { PageCache } from './page-cache.ts';
import { entryKey, type PageDetails, readGroups, writeGroups } from './page-groups.ts';
import { createPageKeys } from './page-keys.ts';
import { numberPages } from './page-numbers.ts';
import { findParts, NO_CORRECTIONS } from './page-parts.ts';
import type { PageRecord } from './page-record.ts';
import { createSchemas } from './schema-pages.ts';
import { StaleRenderError } from './stale-render.ts';
import { emptyState, ownValue, type State } from './state.ts';
import { recordStep, repeatStep, type Step } from './steps.ts';
import type { Watch } from './watch.ts';

/** What was made of a page that was rendered. */
export interface NewPage {
  content: RenderedPage;
  sections: SectionTexts | null;
  /** Without corrections of its links. */
  document: string;
  /** What is known of the file of its twin; null if it was not written. */
  twin: AddedFile | null;
}

/** What a render finds of the one before it, and keeps for the next one. */
export interface PageStore {
  /** Number of pages that were rendered. */
  rendered(): number;
  idOf(page: Page): PageId;
  /** Whether a page is likely the same as before. */
  isKnown(page: Page): boolean;
  /** The next page, if it is the same as before; null if it has to be rendered. */
  find(page: Page): KnownPage | null;
  /** Keeps the next page, which was rendered; null for one that is not in the output. */
  add(page: Page, made: NewPage | null): void;
  /** Takes what is known of the written file of a page, with the corrections of its links. */
  written(page: Page, file: AddedFile | null, corrections: string): void;
  /** Where the search index of a language, null on a site without languages, is kept; `emit` emits a known file again. */
  keptIndex(language: string | null, emit: (path: string, content: StoredFile) => void): KeptIndex;
  /** Joins the parts of llms-full.txt with those of the earlier one; null if all are new. */
  joinLlms(parts: readonly LlmsPart[]): PiecedFile | null;
  /** Copies a medium, or emits the copy that the earlier render has made. */
  copy(path: string, emitter: Emitter, make: () => string | Uint8Array): Promise<void>;
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
  const render = openRender(site, open, options, warn);
  const { watch, numbers, keys, earlierFile, groups, schemas, described, next } = render;
  const { earlier } = keys;
  const isWritten: boolean[] = [];
  let rendered = 0;
  let isRepeatable = true;
  return {
    rendered: () => rendered,
    idOf: (page) => ({ key: keys.ofPage(numbers.of(page)), number: numbers.of(page) }),
    isKnown: (page) => keys.isSame(numbers.of(page)),
    find(page) {
      const found = findKnown(render, numbers.of(page), page);
      if (found === null) keys.renew(numbers.of(page));
      return found;
    },
    add(page, made) {
      const number = numbers.of(page);
      if (made !== null) rendered++;
      addRendered(render, number, page, made);
      isRepeatable &&= keys.includes(number, watch.readFor(page));
    },
    written(page, file, corrections) {
      const number = numbers.of(page);
      isWritten[number] = file !== null;
      if (corrections !== NO_CORRECTIONS) next.corrections[number] = corrections;
    },
    keptIndex: (language, emit) => keptIndex(render, open.cache, language, emit),
    joinLlms(parts) {
      const { llms = [] } = earlier?.state ?? {};
      const { sizes, file } = joinKnownLlms(parts, llms, numbers.of, earlierFile('llms-full.txt'));
      next.llms = sizes;
      return file;
    },
    copy: (path, emitter, make) => copyMedium(render, path, emitter, make),
    makeAsset: render.assets.make,
    earlier: earlierFile,
    endPages() {
      schemas.end();
      const isStale =
        described.isJoined(watch.descriptionLinks) || described.isTooLarge(watch.descriptionLinks);
      if (earlier !== null && isStale) throw new StaleRenderError();
    },
    async repeat(step, emitter) {
      const key = hash('sha256', `${keys.ofRender[step.needs]}\n${step.key}`);
      const record = earlier?.state.steps[step.name];
      const isRepeated = repeatStep(record, key, earlierFile, keys.digestOf, emitter, warn);
      const made = isRepeated ? record : await recordStep({ ...step, key }, emitter, watch, keys.digestOf);
      if (made !== undefined && made !== null) next.steps[step.name] = made;
    },
    end() {
      const names = groups.end();
      const pointers = schemas.pointers();
      if (pointers === null || !isRepeatable || described.isTooLarge(watch.descriptionLinks)) return null;
      const count = numbers.first + schemas.all.length;
      const pages = Array.from({ length: count }, (_, at) => (isWritten[at] ? (next.pages[at] ?? '') : ''));
      return JSON.stringify({
        ...next,
        ...lookedUp(render),
        described: described.end(watch.descriptionLinks, keys.contentDigest),
        groups: names,
        schemas: schemas.all,
        pointers,
        pages,
      });
    },
  };
}

function openRender(
  site: OpenSite,
  open: OpenCache,
  options: SiteOptions & { encoder: string | null },
  warn: Warn,
): CachedRender {
  const { watch, cache } = open;
  const numbers = numberPages(site.siteMap);
  const keys = createPageKeys(site, numbers, open, options);
  const state = keys.earlier?.state ?? null;
  const earlierFile = (path: string): StoredFile | null =>
    state === null ? null : (cache.earlier?.file(path) ?? null);
  const next = emptyState(keys.ofRender, keys.names, open.heads.all);
  return {
    ...{ site, watch, warn, numbers, keys, earlierFile, next },
    known: readGroups(cache, state?.groups ?? []),
    // groups with other numbers contain other pages
    groups: writeGroups(cache, keys.earlier?.isSame === true ? keys.earlier.state.groups : []),
    assets: createAssets(watch, state, next, earlierFile, warn),
    schemas: createSchemas(site, numbers, state, keys.isChangedDescription),
    described: createDescribedPages(keys.described, keys.changedGroups, watch.source),
    lookedUp: createLookedUp(),
  };
}

/** What the render has looked up, with what earlier ones have looked up for pages that are known. */
function lookedUp({
  watch,
  keys,
  lookedUp: ofPages,
}: CachedRender): Pick<State, 'noted' | 'looked' | 'shared' | 'read'> {
  const { earlier } = keys;
  const known = earlier === null ? [] : earlier.state.noted;
  for (const name of known ?? []) watch.noted.add(name);
  const shared = new Set([...watch.shared(), ...(earlier?.state.shared ?? []).map(([file]) => file)]);
  const others = new Set(keys.names.others);
  const read = [...watch.read(), ...(earlier?.state.read ?? []).map(([file]) => file)];
  return {
    noted: known === null ? null : watch.noted.all(),
    looked: earlier?.state.looked === null ? null : ofPages.all(),
    read: [...new Set(read)].flatMap((file) => (others.has(file) ? [[file, keys.digestOf(file) ?? '']] : [])),
    shared: [...shared].map((file) => [file, keys.digestOf(file) ?? ''] as const),
  };
}

/** Copies a medium, unless the earlier render has copied it with the same content. */
async function copyMedium(
  { watch, warn, keys, next, earlierFile }: CachedRender,
  path: string,
  emitter: Emitter,
  make: () => string | Uint8Array,
): Promise<void> {
  const digest = keys.digestOf(path) ?? '';
  const copied = keys.earlier === null ? undefined : ownValue(keys.earlier.state.copies, path);
  const file = copied?.digest === digest && !emitter.has(path) ? earlierFile(path) : null;
  if (copied !== undefined && file !== null) {
    emitter.derive(path, file);
    for (const warning of copied.warnings) warn(warning);
    next.copies[path] = copied;
    return;
  }
  const isNew = !emitter.has(path);
  const { result, warnings } = await watch.collect(async () => emitter.emitLarge(path, make()));
  if (isNew && result !== null) next.copies[path] = { digest, warnings };
}

/** Keeps a page that was rendered; `made` is null for one that is not in the output. */
function addRendered(render: CachedRender, number: number, page: Page, made: NewPage | null): void {
  const { site, watch, numbers, keys, schemas, groups } = render;
  schemas.note(number);
  render.lookedUp.add(number, watch.namesFor(page));
  const ownFile = number < numbers.first ? [] : [numbers.schemas()[number - numbers.first]?.file ?? ''];
  render.described.add(number, [...watch.descriptionsFor(page), ...ownFile]);
  const record = made === null ? null : recordOf(page, keys.ofPage(number), made, site, watch);
  if (record !== null && made !== null)
    keepPage(render, number, page, record, findParts(made.document, made.content));
  const { readEntries = () => [] } = made?.sections ?? {};
  const { toc = [], side = null } = made?.content ?? {};
  const sideKind = side?.kind ?? null;
  // holds no more of a page than this until its group is written
  const readDetails = (): PageDetails => ({ texts: readEntries(), toc, sideKind });
  groups.add({ record, isNew: true, readDetails });
}

function keptIndex(
  { keys, earlierFile, next }: CachedRender,
  cache: PageCache,
  language: string | null,
  emit: (path: string, content: StoredFile) => void,
): KeptIndex {
  const state = keys.earlier?.state ?? null;
  const [, name = null] = state?.words.find(([label]) => label === language) ?? [];
  return {
    words: name === null ? null : cache.get(entryKey(name, 'words')),
    keepWords(words) {
      const written = randomUUID();
      cache.put(entryKey(written, 'words'), words);
      next.words.push([language, written]);
    },
    reuseChunk(chunk) {
      const digest = state === null ? undefined : ownValue(state.chunks, chunk);
      if (digest === undefined) return null;
      const path = textsPath(digest);
      const content = earlierFile(path);
      if (content === null) return null;
      emit(path, content);
      return digest;
    },
    keepChunk(chunk, digest) {
      next.chunks[chunk] = digest;
    },
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
