import { z } from 'zod';

/** Groups of readers that a request may name, and characters of each. */
const MAX_GROUPS = 100;
const MAX_LABEL = 200;

const label = (description: string) => z.string().min(1).max(MAX_LABEL).optional().describe(description);

const groups = z
  .array(z.string().min(1).max(MAX_LABEL))
  .max(MAX_GROUPS)
  .optional()
  .describe(
    'Groups of the reader for whom the request is made. On a restricted site, the response contains what such a reader can read. Missing or empty on a restricted site: public pages only. Public sites ignore it.',
  );

/** Body of `POST /discovery/v1/search/{domain}`. */
export const searchSiteBody = z
  .strictObject({
    query: z.string().trim().min(1).max(2_000).describe('Words or a question.'),
    pageSize: z.int().min(1).max(50).default(10).describe('Maximum number of pages in the response.'),
    scoreThreshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Lowest score of a page. The best page has the score 1, the others a share of its points.'),
    filter: z
      .strictObject({
        version: label('Label of a version. Pages that are in all versions are found too.'),
        language: label('Language of docs.json, such as `en`. Default: the default language of the site.'),
        tag: label('Name of a tab or group that contains the page, such as a tag of an API description.'),
        groups,
      })
      .optional(),
  })
  .meta({ id: 'SearchRequest', examples: [{ query: 'rotate a key', pageSize: 5 }] });
export type SearchSiteBody = z.input<typeof searchSiteBody>;

const nullableLabel = (description: string) => z.string().nullable().describe(description);

/** A page that a search has found. */
export const searchResult = z
  .object({
    content: z.string().describe('Text of the section that fits best.'),
    path: z.string().describe('Path of the page without extension: `guides/start`.'),
    metadata: z.object({
      title: z.string(),
      heading: z.string().describe('Heading of the section; empty for the start of the page.'),
      anchor: z.string().describe('Anchor of the section; empty for the start of the page.'),
      url: z
        .string()
        .describe('Path of the section on the site, with its anchor: `/docs/guides/start#keys`.'),
      breadcrumbs: z.array(z.string()).describe('Groups of the navigation above the page.'),
      method: z.string().describe('HTTP method of an operation; empty for other pages.'),
      score: z.number().min(0).max(1),
      language: nullableLabel('Null on a site without languages.'),
      version: nullableLabel('Null for a page that is in all versions.'),
      product: nullableLabel('Null for a page that is in all products.'),
      tab: nullableLabel('Null for a page that is in no tab.'),
    }),
  })
  .describe('A page that was found.');
export type SearchResult = z.output<typeof searchResult>;

export const searchResults = z
  .array(searchResult)
  .describe('Pages, the best first.')
  .meta({
    id: 'SearchResults',
    examples: [
      [
        {
          content: 'Create the new key first, then revoke the old one.',
          path: 'guides/keys',
          metadata: {
            title: 'Keys',
            heading: 'Rotate a key',
            anchor: 'rotate-a-key',
            url: '/docs/guides/keys#rotate-a-key',
            breadcrumbs: ['Guides'],
            method: '',
            score: 1,
            language: null,
            version: null,
            product: null,
            tab: null,
          },
        },
      ],
    ],
  });

/** Body of `POST /discovery/v1/page/{domain}`. */
export const sitePageBody = z
  .strictObject({
    path: z.string().min(1).max(4_096).describe('Path of a page as the search returns it, or its URL.'),
    groups,
  })
  .meta({ id: 'SitePageRequest', examples: [{ path: 'guides/start' }] });
export type SitePageBody = z.input<typeof sitePageBody>;

export const sitePage = z
  .object({
    path: z.string().describe('Path of the page without extension.'),
    content: z.string().describe('The page as Markdown.'),
  })
  .meta({ id: 'SitePage', examples: [{ path: 'guides/start', content: '# Start\n\nInstall it.\n' }] });
export type SitePage = z.output<typeof sitePage>;

/** Query of `GET /discovery/v1/records/{domain}`. */
export const siteRecordsQuery = z.strictObject({
  groups: z
    .string()
    .max(MAX_GROUPS * MAX_LABEL)
    .optional()
    .describe('Groups of a reader, with commas between them, as in the search.'),
});
export type SiteRecordsQuery = z.input<typeof siteRecordsQuery>;
