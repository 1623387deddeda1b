import { icon } from '../icon.ts';
import { isObject } from '../json.ts';
import { defineKey, type Key, type Type, type ValuesOf } from '../key.ts';
import { type Section, warnAt, warnMember } from '../section.ts';
import { any, flag, oneOf, text, webUrl } from '../types.ts';
import { boost } from './navigation.ts';

const API = 'the page shows title, method and path, description and its own text';

/** A source of reference pages that an export does not render. */
const unsupported = <T>(about: string, what: string, type: Type<T>): Key<T> =>
  defineKey(about, type, {
    partial: 'a page with its title, description and own text; a warning reports it',
    finish(value, section, key) {
      const message = `"${key}": ${what} are not rendered in an export; the page shows its title, description and its own content.`;
      if (value !== null && value !== undefined) warnAt(section, key, 'unsupported-source', message);
      return value;
    },
  });

/** Any value that passes the check; `expected` completes "must be". */
const checked = (about: string, values: string, expected: string, isAccepted: (value: unknown) => boolean) =>
  defineKey(about, any(values), {
    finish: (value: unknown, section: Section, key: string) =>
      value === undefined || isAccepted(value) ? value : warnMember(section, key, expected),
  });

const head = (about: string, example: string): Key<unknown> => defineKey(about, any('text'), { example });

/** Every key of the front matter of a page. A page may have others, which have no effect. */
export const pageKeys = {
  title: defineKey('Title of the page', text, { otherwise: 'the first heading, otherwise the file name' }),
  sidebarTitle: defineKey('Title in the sidebar', text, { otherwise: 'the title' }),
  description: defineKey('Text below the title, and description for search engines', text),
  icon: defineKey('Icon in the sidebar', icon),
  iconType: defineKey('Style of a Font Awesome icon, such as `regular` or `brands`', text),
  tag: defineKey('Badge in the sidebar', text),
  mode: defineKey(
    'Layout: `wide` without contents, `center` without sidebar, `custom` and `frame` for a layout of the page',
    oneOf('default', 'wide', 'custom', 'frame', 'center', 'assistant'),
    { default: 'default' },
  ),
  hidden: defineKey('Not in navigation, search and sitemap', flag, { default: false }),
  noindex: defineKey('In the navigation, but not in search and sitemap', flag, { default: false }),
  searchable: defineKey('`false` excludes the page from the search of the site', flag),
  boost: defineKey('Rank in the search, from 0 to 100', boost, { otherwise: '`1`' }),
  robots: defineKey('Meta tag of the same name', text, { example: 'noindex, nofollow' }),
  keywords: defineKey('More words for the search', any('list of texts')),
  url: defineKey('Target of the navigation entry; the path of the page redirects to it', text),
  groups: defineKey(
    'Only readers in one of these groups get the page, on served sites; an export excludes it unless it includes one of them',
    any('list of names'),
    { note: 'left out, unless the export names one of the groups' },
  ),
  public: defineKey('Readers need no sign-in on a served site that is not public', flag, {
    noEffect: 'an export has no sign-in; served sites that are not public follow it',
  }),
  openapi: defineKey('`[file] METHOD /path` of the operation that the page describes', text),
  'openapi-schema': defineKey('`[file] Name` of a data model that the page shows', text),
  asyncapi: defineKey('`[file] channel` of an AsyncAPI description that the page describes', text),
  graphql: unsupported('Part of a GraphQL schema', 'GraphQL schemas', any('object')),
  api: defineKey('`METHOD /path` or `METHOD URL` of an operation without a description', text),
  authMethod: defineKey('Authentication of the operation', oneOf('bearer', 'basic', 'key', 'none')),
  auth: defineKey('Authentication of the operation', any('text'), { unused: API }),
  contentType: defineKey('Content type of the request', text),
  playground: defineKey('Form to send requests', oneOf('interactive', 'simple', 'none', 'auth')),
  hideApiMarker: defineKey('No method in the sidebar', flag),
  version: defineKey('Version of the API', text, { unused: API }),
  deprecated: defineKey('Label of a deprecated operation', any('`true`, or text')),
  timestamp: defineKey('The page shows the date of the last change', flag, {
    otherwise: '`metadata.timestamp` of docs.json',
  }),
  lastUpdatedDate: defineKey('Date of the last change, below the title and in structured data', any('date'), {
    example: '2026-08-14',
  }),
  createdDate: defineKey('Date of publication in structured data', any('date')),
  authors: defineKey('Authors, below the title and in structured data', any('text, or a list')),
  rss: defineKey('`true` shows a link to the feed of the page', flag, { default: false }),
  related: checked(
    'Pages that are linked at the end: paths, URLs or `{title: link}`',
    '`false`, or a list',
    'false or a list of pages',
    (value) => value === false || Array.isArray(value),
  ),
  contextual: checked(
    'Menu of this page, as in docs.json; `options: []` removes it',
    'object',
    'an object with "options"',
    isObject,
  ),
  hideFooterPagination: defineKey('Removes the links to the previous and next page', flag, {
    default: false,
  }),
  canonical: defineKey('URL of the page for search engines', webUrl),
  viewport: head('Meta tag of the same name', 'width=1200'),
};

/** The values of front matter, by key. */
export type PageValues = ValuesOf<typeof pageKeys>;
