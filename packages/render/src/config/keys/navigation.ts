import { icon } from '../icon.ts';
import { defineKey, ignoredKey, type JsonSchema, type Key, type Type } from '../key.ts';
import { warnAt } from '../section.ts';
import { any, color, flag, number, oneOf, text, themed } from '../types.ts';
import { asyncDescriptionSchema, descriptionSchema } from './api.ts';
import { chromeKeys } from './chrome.ts';

/** Lists of a navigation, with the kind of their entries and the key that names one. */
export const nodeLists = {
  languages: { kind: 'language', label: 'language' },
  versions: { kind: 'version', label: 'version' },
  products: { kind: 'product', label: 'product' },
  tabs: { kind: 'tab', label: 'tab' },
  menu: { kind: 'item', label: 'item' },
  dropdowns: { kind: 'dropdown', label: 'dropdown' },
  anchors: { kind: 'anchor', label: 'anchor' },
  groups: { kind: 'group', label: 'group' },
} as const;

const REFERENCE = { $ref: '#/definitions/reference' };

/** A list of entries, which the navigation reads itself. */
const listOf = (list: keyof typeof nodeLists, about: string, on?: readonly string[]): Key<unknown> => {
  const entry: JsonSchema = { $ref: `#/definitions/${list}` };
  const texts = list === 'groups' ? [{ type: 'string' }] : [];
  const schema = { type: 'array', items: { anyOf: [entry, ...texts, REFERENCE] } };
  return defineKey(about, any('list', schema), { ...(on === undefined ? {} : { on }) });
};

const label = (about: string, on: keyof typeof nodeLists, example: string): Key<string | null> =>
  defineKey(about, text, { on: [on], example });

/** A source of reference pages that an export does not read, with a warning that gives their absence a reason. */
const unread = (about: string, on?: readonly string[]): Key<null> =>
  defineKey(about, any('path or object'), {
    ...(on === undefined ? {} : { on }),
    partial: 'no pages are generated from it; a warning reports it',
    finish(written, section, key) {
      const message = `"${key}" creates no pages in an export. Write the pages and list them under "pages".`;
      if (written !== undefined && written !== false) warnAt(section, key, 'unsupported-source', message);
      return null;
    },
  });

/** Largest factor of a rank. */
const MAX_BOOST = 100;
const factor = number(0, Infinity, 'number, 0 or greater', 'config-type');

/** Factor of a rank in the search of the site, from 0 to 100. */
export const boost: Type<number | null> = {
  ...factor,
  read(section, key) {
    const value = factor.read(section, key);
    return value === null ? null : Math.min(value, MAX_BOOST);
  },
};

const LISTED = 'Shown in the menu';

/** A key of the site that a language may have too. */
const replaced = <T>(key: Key<T>, name: string): Key<T> => ({
  ...key,
  about: `Replaces the ${name} of the site`,
  type: any('as for the site', { $ref: `#/properties/${name}` }),
  on: ['languages'],
});

/** Every key of a node of the navigation. All of them are accepted on each kind of node. */
export const nodeKeys = {
  language: label('Language tag', 'languages', 'en'),
  version: label('Name of the version', 'versions', 'v2'),
  product: label('Name of the product', 'products', 'Cloud'),
  tab: label('Text of the tab', 'tabs', 'Guides'),
  item: label('Text of the entry', 'menu', 'Overview'),
  dropdown: label('Text of the entry', 'dropdowns', 'Developers'),
  anchor: label('Text of the entry', 'anchors', 'Blog'),
  group: label('Title of the group', 'groups', 'Get started'),
  icon: defineKey('Icon of the entry', icon),
  iconType: defineKey('Style of a Font Awesome icon, such as `regular` or `brands`', text),
  href: defineKey('Target of the entry', any('path or URL', { type: ['string', 'number'] })),
  hidden: defineKey('Not shown; its pages are exported, but not indexed by search engines', flag, {
    default: false,
  }),
  searchable: defineKey(
    '`true` includes the pages of a hidden entry in search and sitemap, `false` excludes pages from the search',
    flag,
  ),
  boost: defineKey('Rank of its pages in the search', boost, { otherwise: '`1`' }),
  directory: defineKey(
    'How root pages list the pages of their group; applies to all nodes below',
    oneOf('none', 'accordion', 'card'),
    { otherwise: '`none`' },
  ),
  openapi: defineKey(
    'API descriptions; one page per operation, unless `pages` lists pages of operations. The `description` of an operation is rendered as Markdown with simple HTML; braces and components in it are text',
    any('path, `{source, directory}`, or a list of them', descriptionSchema),
    { example: 'openapi.json' },
  ),
  asyncapi: defineKey(
    'AsyncAPI 3 descriptions; one page per channel, unless `pages` lists pages of channels',
    any('path, `{source, directory}`, or a list of them', asyncDescriptionSchema),
    { example: 'asyncapi.yaml' },
  ),
  default: defineKey('Marks the default', flag, {
    otherwise: 'the first entry',
    on: ['languages', 'versions', 'products'],
  }),
  tag: defineKey('A badge', text, { on: ['versions', 'groups'], example: 'New' }),
  name: defineKey('Another name of the entry', text, { on: ['products'] }),
  description: defineKey(LISTED, text, { on: ['products', 'dropdowns', 'menu'] }),
  color: defineKey('Color of the icon in the menu', themed(color, 'Color'), {
    on: ['products', 'dropdowns', 'anchors'],
  }),
  align: defineKey('`end` moves the tab to the other side', oneOf('start', 'end'), {
    default: 'start',
    on: ['tabs'],
  }),
  root: defineKey('Page of the group title', any('page', { type: 'string' }), { on: ['groups'] }),
  expanded: defineKey('A nested group is open initially', flag, { default: false, on: ['groups'] }),
  public: defineKey('Readers of its pages need no sign-in on a served site that is not public', flag, {
    noEffect: 'an export has no sign-in; served sites that are not public follow it',
    on: ['groups'],
  }),
  banner: replaced(chromeKeys.banner, 'banner'),
  footer: replaced(chromeKeys.footer, 'footer'),
  navbar: replaced(chromeKeys.navbar, 'navbar'),
  graphql: unread('GraphQL schema', ['tabs']),
  sdk: unread('Description of an SDK', ['tabs']),
  global: defineKey(
    'Links for every page of the site, or of the language, version, product or tab that has it',
    any('object', { $ref: '#/definitions/navigation' }),
  ),
  languages: listOf('languages', 'Languages'),
  versions: listOf('versions', 'Versions'),
  products: listOf('products', 'Products'),
  tabs: listOf('tabs', 'Tabs'),
  menu: listOf('menu', 'Entries of the menu of a tab or product', ['tabs', 'products']),
  dropdowns: listOf('dropdowns', 'Entries of a menu above the sidebar'),
  anchors: listOf('anchors', 'Entries above the groups of the sidebar'),
  groups: listOf('groups', 'Groups of pages'),
  pages: defineKey(
    'Pages: a path, a group, `METHOD /path`, `file METHOD /path` or `file webhook name`',
    any('list', {
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { $ref: '#/definitions/groups' }, REFERENCE] },
    }),
  ),
  page: defineKey('Path of a page', any('page', { type: 'string' }), { isOlder: true }),
  url: defineKey('Another name of `href`', any('URL', { type: 'string' }), { isOlder: true }),
  title: defineKey('Another name of the entry', text, { isOlder: true }),
  label: defineKey('Another name of the entry', text, { isOlder: true }),
  collapsed: ignoredKey('nested groups are collapsed unless "expanded" is true'),
  expandable: ignoredKey('nested groups are collapsed unless "expanded" is true'),
  includeTags: ignoredKey(
    'a group contains every operation of its API description; to select some, list them in "pages"',
  ),
};
