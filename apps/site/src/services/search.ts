import {
  DamagedIndexError,
  type Gate,
  MAX_QUERY,
  type SearchCache,
  type SearchHit,
  urlOf,
} from '@offprint/search';
import type { Log } from '../log.ts';
import { type Service, type ServiceCall, sendAnswer } from './service.ts';

/** Pages in a response. */
const RESULTS = { default: 10, max: 50 };
const MAX_LABEL = 200;
const EXCERPT = 300;

export const busyAnswer = {
  status: 503,
  headers: { 'Retry-After': '1' },
  body: { error: 'Too many searches are running. Retry in a second.', code: 'busy' },
};

export const damagedAnswer = {
  status: 500,
  body: { error: 'The search index of this site is damaged.', code: 'search_unavailable' },
};

/** `GET /_offprint/search`: the search of readers, as the dialog of the site does it. */
export function createSearchService({
  cache,
  gate,
  log,
}: {
  cache: SearchCache;
  gate: Gate;
  log: Log | undefined;
}): Service {
  return {
    matches: (path) => path === '/_offprint/search',
    async respond(call) {
      const { method } = call.exchange.request;
      if (method !== 'GET' && method !== 'HEAD')
        return sendAnswer(call, {
          status: 405,
          headers: { Allow: 'GET, HEAD' },
          body: { error: 'Search with GET.', code: 'method_not_allowed' },
        });
      const asked = readQuery(call.query);
      if ('error' in asked) return sendAnswer(call, { status: 400, body: asked });
      try {
        const found = await gate.run(() => search(cache, call, asked));
        sendAnswer(call, found ?? busyAnswer);
      } catch (error) {
        if (!(error instanceof DamagedIndexError)) throw error;
        log?.error('cannot search a release', { release: call.release.sha256, reason: error.message });
        sendAnswer(call, damagedAnswer);
      }
    },
  };
}

async function search(cache: SearchCache, { site, release }: ServiceCall, asked: Asked) {
  const { query, ...request } = asked;
  const answer = await cache.search(release.sha256, release.read, { query, ...request, excerpt: EXCERPT });
  if (answer === null)
    return { status: 404, body: { error: 'This site has no search.', code: 'search_disabled' } };
  const results = answer.hits.map((hit) => present(hit, site.basePath));
  return { status: 200, body: { query, total: answer.total, results, corrections: answer.corrections } };
}

function present({ path, sections, crumbs, isComplete: hasAllWords, ...hit }: SearchHit, basePath: string) {
  return {
    path,
    url: urlOf(path, basePath),
    breadcrumbs: crumbs,
    hasAllWords,
    ...hit,
    sections: sections.map((section) => ({ ...section, url: urlOf(path, basePath, section.anchor) })),
  };
}

interface Asked {
  query: string;
  limit: number;
  version?: string;
  language?: string;
  product?: string;
  tab?: string;
  tag?: string;
}

const invalid = (param: string, error: string) => ({ error, code: 'invalid_request', param });

function readQuery(params: URLSearchParams): Asked | { error: string; code: string; param: string } {
  const query = params.get('q') ?? '';
  if (query.trim() === '' || query.length > MAX_QUERY)
    return invalid('q', `q must be a text of 1 to ${MAX_QUERY} characters.`);
  const limit = Number(params.get('limit') ?? RESULTS.default);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > RESULTS.max)
    return invalid('limit', `limit must be an integer from 1 to ${RESULTS.max}.`);
  const asked: Asked = { query, limit };
  for (const name of ['version', 'language', 'product', 'tab', 'tag'] as const) {
    const value = params.get(name);
    if (value !== null && value.length > MAX_LABEL)
      return invalid(name, `${name} can have ${MAX_LABEL} characters.`);
    if (value !== null && value !== '') asked[name] = value;
  }
  return asked;
}
