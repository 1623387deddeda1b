import { parseDate } from '../dates.ts';
import { endpointOf, firstPage, type Page } from '../site.ts';
import { absoluteUrl, canonicalUrl } from './addresses.ts';
import { pageAbout } from './head-tags.ts';
import { inlineText } from './inline.ts';
import type { Place } from './place.ts';
import { languageTag } from './strings.ts';
import type { Theme } from './theme.ts';

type Thing = Record<string, unknown>;

/**
 * The page as JSON-LD (schema.org): organization, site, page, breadcrumbs, and the article or API reference. Empty
 * for pages that search engines shall leave alone, and where the URL of the site is not known. It is data and no script, so the policy of scripts lets it be.
 */
export function structuredData(
  theme: Theme,
  page: Page,
  place: Place,
  firstParagraph: string | null,
): string {
  const { config } = theme.siteMap;
  const base = config.seo.canonical ?? theme.siteUrl;
  const url = canonicalUrl(theme, page);
  if (page.noindex || base === null || url === null) return '';
  const organization = organizationOf(theme, base);
  const publisher = organization === null ? undefined : { '@id': organization['@id'] };
  const language = languageTag(place.language?.label ?? 'en');
  const about = pageAbout(theme, page, firstParagraph) ?? undefined;
  const crumbs = breadcrumbs(theme, page, url);
  const graph: Thing[] = [
    ...(organization === null ? [] : [organization]),
    {
      '@type': 'WebSite',
      '@id': `${base}/#website`,
      url: `${base}/`,
      name: config.name,
      description: config.description ?? undefined,
      publisher,
    },
    {
      '@type': 'WebPage',
      '@id': url,
      url,
      name: inlineText(page.title),
      description: about,
      inLanguage: language,
      isPartOf: { '@id': `${base}/#website` },
      dateModified: page.modified ?? undefined,
      breadcrumb: crumbs === null ? undefined : { '@id': crumbs['@id'] },
    },
    ...(crumbs === null ? [] : [crumbs]),
    {
      '@type': endpointOf(page) === null ? 'TechArticle' : 'APIReference',
      '@id': `${url}#article`,
      headline: inlineText(page.title).slice(0, 110),
      description: about,
      inLanguage: language,
      mainEntityOfPage: { '@id': url },
      datePublished: parseDate(page.frontMatter.createdDate) ?? undefined,
      dateModified: page.modified ?? undefined,
      author: authors(page.frontMatter.authors ?? page.frontMatter.author) ?? publisher,
      publisher,
    },
  ];
  // `<` would end the element early, whatever text brings it in.
  const json = JSON.stringify({ '@context': 'https://schema.org', '@graph': graph }).replaceAll(
    '<',
    '\\u003c',
  );
  return `<script type="application/ld+json">${json}</script>`;
}

function organizationOf(theme: Theme, base: string): Thing | null {
  const { organization } = theme.siteMap.config.seo;
  if (organization === null) return null;
  const { id, name, legalName, url, logo, sameAs } = organization;
  const image = logo === null || /^https?:/i.test(logo) ? logo : assetUrl(theme, logo);
  return {
    '@type': 'Organization',
    '@id': id ?? `${base}/#organization`,
    name: name ?? theme.siteMap.config.name,
    legalName: legalName ?? undefined,
    url: url ?? `${base}/`,
    logo: image === null ? undefined : { '@type': 'ImageObject', url: image },
    sameAs: sameAs.length === 0 ? undefined : sameAs,
  };
}

function assetUrl(theme: Theme, path: string): string | null {
  const file = path.replace(/^(?:\.?\/)+/, '');
  return theme.hasAsset(file) ? absoluteUrl(theme, file) : null;
}

/** The groups that contain a page, with their first pages, and the page itself. */
function breadcrumbs(theme: Theme, page: Page, url: string): Thing | null {
  const groups = page.trail.filter(
    (node) =>
      (node.kind === 'group' || node.kind === 'tab') && node.label.trim() !== '' && node.page !== page,
  );
  if (groups.length === 0 || page === theme.siteMap.home) return null;
  const items = groups.map((node) => {
    const target = firstPage(node);
    return {
      name: inlineText(node.label),
      item: target === null ? undefined : (canonicalUrl(theme, target) ?? undefined),
    };
  });
  items.push({ name: inlineText(page.title), item: url });
  return {
    '@type': 'BreadcrumbList',
    '@id': `${url}#breadcrumb`,
    itemListElement: items.map(({ name, item }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item,
    })),
  };
}

/** Names of people, as `authors` of the front matter lists them: text, or objects with a name. */
function authors(written: unknown): Thing[] | undefined {
  const list = Array.isArray(written) ? written : [written];
  const found = list.flatMap((entry): Thing[] => {
    const name = typeof entry === 'object' && entry !== null ? (entry as { name?: unknown }).name : entry;
    return typeof name === 'string' && name.trim() !== ''
      ? [{ '@type': 'Person', name: name.trim().slice(0, 200) }]
      : [];
  });
  return found.length === 0 ? undefined : found.slice(0, 20);
}
