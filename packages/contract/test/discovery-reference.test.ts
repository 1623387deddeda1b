/** Searches and pages of sites, as the document of the reference product describes them. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { routes, searchResults, searchSiteBody, sitePage, sitePageBody } from '../src/index.ts';

const corpora =
  process.env.OFFPRINT_CORPORA ?? fileURLToPath(new URL('../../../../shared/corpora', import.meta.url));
const file = `${corpora}/mintlify__docs/discovery-openapi.json`;
const isThere = existsSync(file);

interface Operation {
  requestBody: { content: { 'application/json': { schema: object } } };
  responses: Record<string, { content: { 'application/json': { schema: object } } }>;
}

const result = {
  content: 'Create the new key first.',
  path: 'guides/keys',
  metadata: {
    title: 'Keys',
    heading: '',
    anchor: '',
    url: '/guides/keys',
    breadcrumbs: [],
    method: '',
    score: 1,
    language: null,
    version: null,
    product: null,
    tab: null,
  },
};

describe.skipIf(!isThere)(
  `discovery of the reference product (${isThere ? file.split('/').at(-1) : 'missing'})`,
  () => {
    const { paths }: { paths: Record<string, { post: Operation }> } = isThere
      ? JSON.parse(readFileSync(file, 'utf8'))
      : { paths: {} };
    const post = (path: string): Operation => {
      const found = paths[path]?.post;
      if (found === undefined) throw new Error(`the document has no ${path}`);
      return found;
    };
    const isValid = (schema: object, value: unknown): boolean =>
      new Ajv({ strict: false, validateFormats: false }).validate(schema, value);
    const requestOf = (path: string) => post(path).requestBody.content['application/json'].schema;
    const responseOf = (path: string) =>
      post(path).responses['200']?.content['application/json'].schema ?? {};

    it('has the same paths below the base URL', () => {
      const base = '/discovery';
      expect(routes.searchSite.path).toBe(`${base}/v1/search/{domain}`);
      expect(routes.getSitePage.path).toBe(`${base}/v1/page/{domain}`);
      expect(Object.keys(paths)).toEqual(
        expect.arrayContaining(['/v1/search/{domain}', '/v1/page/{domain}']),
      );
    });

    it('accepts every request that is valid there, and rejects those that are not', () => {
      const searches = [
        { query: 'a' },
        { query: 'a', pageSize: 50, scoreThreshold: 0.5 },
        { query: 'a', filter: { version: 'v1', language: 'en', tag: 'Guides', groups: ['staff'] } },
        { query: 'a', filter: {} },
      ];
      for (const body of searches) {
        expect(isValid(requestOf('/v1/search/{domain}'), body)).toBe(true);
        expect(searchSiteBody.safeParse(body).success, JSON.stringify(body)).toBe(true);
      }
      for (const body of [{}, { query: 'a', pageSize: 51 }, { query: 'a', scoreThreshold: 2 }]) {
        expect(isValid(requestOf('/v1/search/{domain}'), body)).toBe(false);
        expect(searchSiteBody.safeParse(body).success).toBe(false);
      }
      for (const body of [{ path: 'guides/keys' }, { path: 'guides/keys', groups: ['staff'] }]) {
        expect(isValid(requestOf('/v1/page/{domain}'), body)).toBe(true);
        expect(sitePageBody.safeParse(body).success).toBe(true);
      }
      expect(searchSiteBody.parse({ query: 'a' }).pageSize).toBe(10);
    });

    it('returns what clients of it expect', () => {
      expect(isValid(responseOf('/v1/search/{domain}'), searchResults.parse([result]))).toBe(true);
      expect(isValid(responseOf('/v1/search/{domain}'), searchResults.parse([]))).toBe(true);
      const page = sitePage.parse({ path: 'guides/keys', content: '# Keys\n' });
      expect(isValid(responseOf('/v1/page/{domain}'), page)).toBe(true);
    });
  },
);
