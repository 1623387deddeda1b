import { z } from 'zod';
import { searchResults, searchSiteBody, sitePage, sitePageBody, siteRecordsQuery } from './discovery.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors } from './route.ts';

const tag = 'Discovery';
const params = z.strictObject({
  domain: idParam('Domain of the site, as readers use it, or a domain of its project.'),
});

export const discoveryRoutes = {
  searchSite: defineRoute({
    operationId: 'searchSite',
    method: 'POST',
    path: '/discovery/v1/search/{domain}',
    tag,
    summary: 'Search a site',
    description:
      'Searches the deployment that the site serves, with the ranking of the search on the site. The request and the response have the form of the reference product.',
    scope: 'discovery:read',
    role: 'viewer',
    limitedKeys: 'filtered',
    params,
    body: searchSiteBody,
    responses: {
      200: { description: 'What was found; empty if nothing was.', schema: searchResults },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found', 'search_unavailable', 'artifact_lost'),
    },
  }),
  getSitePage: defineRoute({
    operationId: 'getSitePage',
    method: 'POST',
    path: '/discovery/v1/page/{domain}',
    tag,
    summary: 'Get a page of a site',
    description: 'Returns a page of the deployment that the site serves, as Markdown.',
    scope: 'discovery:read',
    role: 'viewer',
    limitedKeys: 'filtered',
    params,
    body: sitePageBody,
    responses: {
      200: { description: 'The page.', schema: sitePage },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found', 'search_unavailable', 'artifact_lost'),
    },
  }),
  listSiteRecords: defineRoute({
    operationId: 'listSiteRecords',
    method: 'GET',
    path: '/discovery/v1/records/{domain}',
    tag,
    summary: 'Get the search records of a site',
    description:
      'Every section of the site as a line of JSON, for another search engine: id, path, anchor, title, heading, breadcrumbs, method, language, version, product, tab and content.',
    scope: 'discovery:read',
    role: 'viewer',
    limitedKeys: 'filtered',
    params,
    query: siteRecordsQuery,
    responses: {
      200: { description: 'JSON Lines.', contentType: 'application/x-ndjson' },
      ...errorResponses(...keyErrors, 'not_found', 'search_unavailable', 'artifact_lost'),
    },
  }),
};
