import { Readable } from 'node:stream';
import { BundleError } from '@offprint/bundle';
import type { SearchResult, SearchSiteBody, SitePage, SitePageBody } from '@offprint/contract';
import {
  createGate,
  createSearchCache,
  DamagedIndexError,
  type Gate,
  pagePathOf,
  readPage,
  readRecords,
  type SearchAnswer,
  type SearchHit,
  type SearchRequest,
  urlOf,
} from '@offprint/search';
import type { DeploymentService, ServedSite } from '../deployments/service.ts';
import type { StoredArtifact } from '../exports/service.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { Reach } from '../platform/http/route.ts';
import type { Logger } from '../platform/log.ts';
import { readExclusion } from '../projects/service.ts';
import type { CompareSections } from '../vectors/service.ts';
import {
  deploymentFor,
  type FindSiteAdapters,
  type FoundSite,
  findSite,
  type ReaderVariant,
} from './find-site.ts';
import { createSiteSource, type SiteSource } from './site-source.ts';

export { readFileOf, type SiteSource } from './site-source.ts';

/** Searches and pages of sites, for programs of their organization. */
export interface DiscoveryService {
  search(reach: Reach, domain: string, body: SearchSiteBody): Promise<SearchResult[]>;
  page(reach: Reach, domain: string, body: SitePageBody): Promise<SitePage>;
  /** Lines of JSON. */
  records(reach: Reach, domain: string, groups: readonly string[]): Promise<Readable>;
  /** The files that readers in these groups get from a host; null: nothing. */
  openServed(site: ServedSite, groups: readonly string[]): Promise<SiteSource | null>;
  /** The files of a release of a site, by the digest of its bundle. */
  openRelease(site: Pick<ServedSite, 'organizationId' | 'projectId'>, sha256: string): Promise<SiteSource>;
  /** Searches files that were opened; null if they have no search. */
  searchIn(source: SiteSource, request: SearchRequest): Promise<SearchAnswer | null>;
}

export interface DiscoveryAdapters extends FindSiteAdapters {
  log: Logger;
  findServed: DeploymentService['findServed'];
  /** The artifact of an export. Throws the 410 for a lost one. */
  openArtifact(organizationId: string, exportId: string): Promise<StoredArtifact>;
  /** The artifact of a bundle. Throws the 410 if files of it are missing, also when they are read. */
  openBundle(organizationId: string, sha256: string): Promise<StoredArtifact>;
  /** Releases of a site for some of its readers. */
  variantsOf(siteId: string): Promise<readonly ReaderVariant[]>;
  /** Compares sections with a query by vectors, where the project has an endpoint for them. */
  compareSections: CompareSections;
}

/** Memory of the search indexes of all sites in an API process. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** Searches at the same time, and those that wait: the rest of the API shares the process. */
const SEARCHES = { running: 4, waiting: 100 };
const DEFAULT_RESULTS = 10;
/** Characters of the text of a result. */
const EXCERPT = 2_000;

export function createDiscoveryService(adapters: DiscoveryAdapters): DiscoveryService {
  const cache = createSearchCache(CACHE_BYTES);
  const gate = createGate(SEARCHES.running, SEARCHES.waiting);

  const openSite = async (
    site: Pick<FoundSite, 'access' | 'deploymentId' | 'siteId' | 'projectId'>,
    groups: readonly string[],
  ): Promise<SiteSource | null> => {
    const variants = site.access === 'public' ? [] : await adapters.variantsOf(site.siteId);
    const deploymentId = deploymentFor(site, variants, groups);
    if (deploymentId === null) return null;
    const { organizationId, exportId, sha256 } = await adapters.findServed(deploymentId);
    return createSiteSource(sha256, site.projectId, await adapters.openArtifact(organizationId, exportId));
  };
  /** The site of a request and its files. */
  const open = async (reach: Reach, domain: string, groups: readonly string[]) => {
    const site = await findSite(adapters, reach, domain);
    const reason = await readExclusion(adapters.db, reach.organizationId, site.projectId, 'search');
    if (reason !== null) throw new AppError('search_unavailable', reason);
    return { site, source: await openSite(site, groups) };
  };
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = await run(gate, work).catch((error: unknown) => {
      if (!(error instanceof DamagedIndexError) && !(error instanceof BundleError)) throw error;
      adapters.log.error({ err: error }, 'cannot read the files of a site');
      throw new AppError('search_unavailable', 'The stored files of the site are damaged. Deploy it again.', {
        cause: error,
      });
    });
    if (done === null)
      throw new AppError('unavailable', 'Too many searches are running. Retry in a second.', {
        headers: { 'Retry-After': '1' },
      });
    return done.result;
  };
  const searchIn: DiscoveryService['searchIn'] = async ({ key, projectId, read }, request) => {
    // not in turn: an endpoint that is slow must not keep other sites from being searched
    const similarities = (await adapters.compareSections(projectId, key, request.query)) ?? undefined;
    return inTurn(() => cache.search(key, read, { ...request, similarities }));
  };

  return {
    async openServed(site, groups) {
      const [access] = await adapters.accessOf([site]);
      if (access === undefined) throw notFound('site');
      return openSite({ ...site, access: access.kind }, groups);
    },
    openRelease: async ({ organizationId, projectId }, sha256) =>
      createSiteSource(sha256, projectId, await adapters.openBundle(organizationId, sha256)),
    searchIn,
    async search(reach, domain, body) {
      const { version, language, tag, groups = [] } = body.filter ?? {};
      const { site, source } = await inTurn(() => open(reach, domain, groups));
      if (source === null) return [];
      const answer = await searchIn(source, {
        query: body.query,
        limit: body.pageSize ?? DEFAULT_RESULTS,
        minScore: body.scoreThreshold,
        version,
        language,
        tag,
        excerpt: EXCERPT,
      });
      if (answer === null) throw withoutSearch();
      return answer.hits.map((hit) => present(hit, site.basePath));
    },
    page: (reach, domain, { path: named, groups = [] }) =>
      inTurn(async () => {
        const { site, source } = await open(reach, domain, groups);
        const path = pagePathOf(named, site.basePath);
        const page = source === null || path === null ? null : await readPage(source.read, path);
        if (page === null) throw notFound('page');
        return page;
      }),
    async records(reach, domain, groups) {
      const { source } = await open(reach, domain, groups);
      return Readable.from(source === null ? [] : linesOf(source));
    },
  };
}

async function run<Result>(gate: Gate, work: () => Promise<Result>): Promise<{ result: Result } | null> {
  return gate.run(async () => ({ result: await work() }));
}

async function* linesOf({ read }: SiteSource): AsyncGenerator<string> {
  for await (const records of readRecords(read))
    yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function present(hit: SearchHit, basePath: string): SearchResult {
  const { path, title, crumbs, method, score, language, version, product, tab } = hit;
  const [best] = hit.sections;
  const { anchor = '', heading = '', text = '' } = best ?? {};
  return {
    content: text,
    path,
    metadata: {
      title,
      heading,
      anchor,
      url: urlOf(path, basePath, anchor),
      breadcrumbs: [...crumbs],
      method,
      score,
      language,
      version,
      product,
      tab,
    },
  };
}

const withoutSearch = (): AppError =>
  new AppError(
    'search_unavailable',
    'The site has no search index. Enable the search of the project, and deploy the site again.',
  );
