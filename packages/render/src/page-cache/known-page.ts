/** Pages of the earlier render that are the same now. */
import type { RenderedPage } from '../mdx/page.ts';
import { fieldsOutput } from '../nav/schema-page.ts';
import type { OpenSite } from '../open-site.ts';
import type { AnchorFact } from '../output/link-facts.ts';
import type { KnownDocument } from '../output/pending-pages.ts';
import type { PageAsset } from '../page-asset.ts';
import type { KnownSections } from '../search/index-set.ts';
import type { Page } from '../site.ts';
import type { StoredFile } from '../stored-file.ts';
import { markdownOutput } from '../theme/addresses.ts';
import type { KnownWarning, Warn } from '../warning.ts';
import type { DescribedPages } from './described.ts';
import type { Fitting } from './fitting.ts';
import { type LookedUpList, namesOfPage } from './looked-up.ts';
import type { createAssets, EarlierFile } from './page-assets.ts';
import type { PageDetails, readGroups, writeGroups } from './page-groups.ts';
import type { PageKeys } from './page-keys.ts';
import type { PageNumbers } from './page-numbers.ts';
import { documentAround, NO_CORRECTIONS, type PageParts } from './page-parts.ts';
import type { AssetRecord, PageRecord } from './page-record.ts';
import type { createSchemas } from './schema-pages.ts';
import { StaleRenderError } from './stale-render.ts';
import type { State } from './state.ts';
import type { Watch } from './watch.ts';

/** A render with what it takes of the earlier one, and what it keeps for the next one. */
export interface CachedRender {
  site: OpenSite;
  watch: Watch;
  warn: Warn;
  numbers: PageNumbers;
  keys: PageKeys;
  earlierFile: EarlierFile;
  known: ReturnType<typeof readGroups>;
  groups: ReturnType<typeof writeGroups>;
  assets: ReturnType<typeof createAssets>;
  schemas: ReturnType<typeof createSchemas>;
  lookedUp: LookedUpList;
  described: DescribedPages;
  next: State;
}

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

/** The next page, if it is the same as before; null if it has to be rendered. */
export function findKnown(render: CachedRender, number: number, page: Page): KnownPage | null {
  const { site, watch, warn, keys, known } = render;
  const { earlier } = keys;
  if (earlier === null || !keys.isSame(number)) return null;
  // its document does not contain the body as it was rendered
  if (!earlier.documents && earlier.state.corrections[number] !== undefined) return null;
  const before = earlier.before(number);
  const record = known.page(before);
  const files = filesOf(render, number, page);
  if (record?.key !== keys.ofPage(number)) throw new StaleRenderError();
  if (!site.budget.repeat(page, record.use)) return null;
  watch.repeat(page, 'body', record.warnings, warn);
  const readDetails = () => known.details(before);
  const readEntries = () => readDetails().texts;
  const content = contentOf(record, { number, before, readEntries }, render.assets.restore);
  const { document, parts } = documentOf(render, number, page, content, earlier, readDetails);
  render.schemas.repeat(number, page);
  if (earlier.state.looked !== null) render.lookedUp.add(number, namesOfPage(earlier.state.looked, number));
  render.described.addKnown(number);
  render.groups.add({ record, isNew: false, readDetails });
  keepPage(render, number, page, record, parts);
  return { ...content, document, ...files };
}

/** Its files besides the document. */
function filesOf(
  { numbers, earlierFile }: CachedRender,
  number: number,
  page: Page,
): Pick<KnownPage, 'twin' | 'fields'> {
  const twin = earlierFile(markdownOutput(page));
  if (twin === null) throw new StaleRenderError();
  if (number < numbers.first) return { twin, fields: null };
  const fields = earlierFile(fieldsOutput(page));
  if (fields === null) throw new StaleRenderError();
  return { twin, fields };
}

/** The document of a page whose body is known. */
function documentOf(
  { site, watch, warn, keys, earlierFile }: CachedRender,
  number: number,
  page: Page,
  content: KnownContent,
  { state, documents }: Fitting,
  readDetails: () => PageDetails,
): { document: KnownDocument; parts: PageParts } {
  const file = earlierFile(page.output);
  const parts = state.parts[number];
  if (file === null || parts === undefined) throw new StaleRenderError();
  if (!documents) return documentAround(site, page, file, parts, { ...content, ...readDetails() });
  watch.repeat(page, 'shell', state.shellWarnings[number] ?? [], warn);
  if (keys.hadPreview(number)) site.previews.of(page);
  return { document: { file, corrections: state.corrections[number] ?? NO_CORRECTIONS }, parts };
}

/** What a page adds to files of the whole site, from its record. */
function contentOf(
  record: PageRecord,
  sections: Pick<KnownSections, 'number' | 'before' | 'readEntries'>,
  restore: (asset: AssetRecord) => PageAsset,
): KnownContent {
  const { key, search } = record;
  return {
    ...record,
    ids: new Set(record.anchors.map(([id]) => id)),
    aliases: new Set(record.aliases),
    links: [...record.links],
    assets: record.assets.map(restore),
    sections: search === null ? null : { ...sections, key, sizes: search.sizes },
  };
}

/** Keeps of a page that is in the output what is not in its group. */
export function keepPage(
  { site, watch, numbers, keys, next }: CachedRender,
  number: number,
  page: Page,
  record: PageRecord,
  parts: PageParts,
): void {
  const file = page.source ?? page.path;
  const isForeign = (warning: KnownWarning): boolean => warning.file !== file;
  const shellWarnings = watch.warningsOf(page, 'shell');
  next.pages[number] = record.key;
  next.parts[number] = parts;
  const imports = keys.importsOf(number);
  if (imports.length > 0) next.imports[number] = imports;
  const renewals = keys.renewalsOf(number);
  if (renewals > 0) next.renewals[number] = renewals;
  if (keys.isRedirected(number)) next.redirected.push(number);
  // a page of a schema reports the same whatever changes, as long as its text is kept
  const isOfSite = number < numbers.first;
  const reported = isOfSite ? record.warnings.filter(isForeign) : [];
  if (reported.length > 0) next.reporting[number] = [...new Set(reported.map((warning) => warning.file))];
  if (isOfSite && shellWarnings.some(isForeign)) next.foreignShells.push(number);
  if (shellWarnings.length > 0) next.shellWarnings[number] = shellWarnings;
  if (site.previews.isOf(page)) next.previews.push(number);
}
