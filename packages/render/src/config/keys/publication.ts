import { defineKey, type Type, type ValueOf } from '../key.ts';
import { copyPlace } from '../place.ts';
import { memberName, type Section, subsection, warnAt } from '../section.ts';
import { file, flag, link, list, object, oneOf, record, text, texts } from '../types.ts';

/** Tags of one page, and folders with tags of their own. */
const MAX_TAGS = 200;
const MAX_FOLDERS = 1000;

const invalidRedirect = (section: Section, key: string | undefined, what: string): null => {
  warnAt(section, key, 'redirect-invalid', `"${section.name}"${what}; it was ignored.`);
  return null;
};

/** Sources with a leading slash and without one at the end, each once (the first counts), without `#` and `?`. */
const redirects = list(
  {
    source: defineKey('Path of a URL; `:name`, `:name*`, `*` and `prefix-*` match a part of it', text, {
      example: '/old/:slug*',
    }),
    destination: defineKey('Where it leads: a path, which may use the matched parts, or a URL', link, {
      example: '/new/:slug*',
    }),
    permanent: defineKey('Browsers remember the redirect', flag, { default: true }),
  },
  ({ source, destination, permanent }, section) => {
    if (source === null || destination === null)
      return invalidRedirect(section, undefined, ' needs "source" and "destination"');
    if (/[#?\\\0-\x1f]/.test(source) || /^[a-z][a-z0-9+.-]*:\/\//i.test(source))
      return invalidRedirect(section, 'source', ': the source must be a path without a host, "#" or "?"');
    const path = `/${source
      .split('/')
      .filter((segment) => segment !== '')
      .join('/')}`;
    return copyPlace(section.value, { source: path, destination, permanent });
  },
  {
    unique: {
      by: ({ source }) => source,
      warn({ source }, section) {
        const message = `${memberName(section, 'source')}: ${JSON.stringify(source)} is redirected twice; the first entry is used.`;
        warnAt(section, 'source', 'redirect-duplicate', message);
      },
    },
  },
);

/** The content of a meta tag; true and false are texts here. */
const content: Type<string | null> = {
  ...text,
  schema: () => ({ type: ['string', 'number', 'boolean'] }),
  read(section, key) {
    const written = section.value[key];
    return typeof written === 'boolean' ? String(written) : text.read(section, key);
  },
};
const metatags = record(content, {
  max: MAX_TAGS,
  names: ['canonical', 'robots', 'og:image', 'twitter:site'],
});

function canonicalOf(written: string | undefined, seo: Section): string | null {
  if (written === undefined) return null;
  if (/^https?:\/\/[^\s/?#][^\s?#]*$/i.test(written)) return written.replace(/\/{1,100}$/, '');
  const message = '"seo.metatags.canonical" must be an http or https URL; it was ignored.';
  warnAt(subsection(seo, 'metatags'), 'canonical', 'config-value', message);
  return null;
}

/** `/guides`, `guides/` and `/guides/*` are the folder `guides`. */
const folderOf = (path: string): string =>
  path
    .split('/')
    .filter((segment) => segment !== '' && !/^\*+$/.test(segment))
    .join('/');

const organizationKeys = {
  id: defineKey('URL that identifies the organization', text),
  name: defineKey('Name', text, { otherwise: 'the name of the site' }),
  legalName: defineKey('Registered name', text),
  url: defineKey('Website', link),
  logo: defineKey('Logo', file),
  sameAs: defineKey('URLs of profiles', texts),
};

const seo = object(
  {
    indexing: defineKey(
      'Pages for search engines: those of the navigation, or hidden and unlisted ones too',
      oneOf('navigable', 'all'),
      { default: 'navigable' },
    ),
    metatags: defineKey(
      'Tags of every page. `canonical` is the base URL of the site, `robots: noindex` excludes it from search engines',
      metatags,
    ),
    paths: defineKey(
      'Tags of the pages below a folder; the longest path has precedence',
      list(
        {
          path: defineKey('Path of the folder', text, { example: '/guides' }),
          metatags: defineKey('Tags of its pages', metatags),
        },
        ({ path, metatags: tags }, section) => {
          delete tags.canonical;
          if (path !== null) return { path: folderOf(path), metatags: tags };
          warnAt(section, undefined, 'config-value', `"${section.name}" needs "path"; it was ignored.`);
          return null;
        },
        { max: MAX_FOLDERS },
      ),
    ),
    organization: defineKey(
      'Organization in structured data',
      object(organizationKeys, (values, section) => {
        if (Object.keys(section.value).length === 0) return null;
        return { ...values, sameAs: values.sameAs.filter((url) => /^https?:\/\//i.test(url)) };
      }),
    ),
    trailingSlash: defineKey('Canonical URLs end with a slash', flag, { default: false }),
  },
  ({ paths, ...values }, section) => ({
    ...values,
    canonical: canonicalOf(values.metatags.canonical, section),
    /** Shorter paths first, so that the longest wins where they are laid over each other. */
    paths: paths.sort((a, b) => a.path.length - b.path.length),
  }),
);

/** Keys for URLs, search engines and agents. */
export const publicationKeys = {
  redirects: defineKey(
    'Redirects of old URLs. Files for hosts: [Hosting](/publish/hosting#files-for-hosts)',
    redirects,
  ),
  seo: defineKey('Search engines: [SEO](/write/seo)', seo),
  markdown: defineKey(
    'Markdown of pages, for agents',
    object({
      schema: defineKey('Markdown of API pages contains the description of their operation', flag, {
        default: true,
      }),
      instructions: defineKey('Lines for agents in the Markdown of pages and in `llms.txt`', texts),
    }),
  ),
};

export type Redirect = ValueOf<typeof publicationKeys.redirects>[number];
