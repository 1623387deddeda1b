import type { TocEntry } from '../components/component.ts';
import { escapeAttribute, escapeText } from '../escape.ts';
import { channelOf, operationOf } from '../nav/page-operation.ts';
import { endpointOf, type Page, type SiteMap } from '../site.ts';
import { contextList, contextMenu } from './contextual.ts';
import { partIcon } from './icon.ts';
import { inlineHtml } from './inline.ts';
import { descriptionPlace, nodeLink, resolveLink } from './links.ts';
import { pageMeta } from './meta.ts';
import { relativeLink } from './paths.ts';
import { methodPill } from './sidebar.ts';
import type { Strings } from './strings.ts';
import { tagPill } from './tag-pill.ts';
import type { Theme } from './theme.ts';

/**
 * Eyebrow or breadcrumbs, title, description, operation and page actions. `playground` is its HTML: its button is beside
 * the method and path.
 */
export function pageHeader(
  theme: Theme,
  page: Page,
  language: string,
  strings: Strings,
  playground = '',
): string {
  const description =
    page.description === null || page.lead !== null
      ? ''
      : `<p class="op-page-description">${inlineHtml(page.description, (href) => resolveLink(theme, page.output, href, descriptionPlace(page)))}</p>`;
  const deprecated = page.deprecated ? tagPill(strings.deprecated, 'deprecated') : '';
  return `<header id="header">${eyebrow(theme, page, strings)}<h1 id="page-title">${inlineHtml(page.title)}${deprecated}</h1>${description}${contextMenu(theme, page, strings)}${pageMeta(theme, page, language, strings)}${operation(theme, page, strings, playground)}</header>`;
}

function eyebrow(theme: Theme, page: Page, strings: Strings): string {
  const groups = page.trail.filter(
    (node) => node.kind === 'group' && node.label.trim() !== '' && node.page !== page,
  );
  const nearest = groups.at(-1);
  if (nearest === undefined) return '';
  if (theme.layout.eyebrows === 'section') {
    return `<div class="eyebrow op-eyebrow">${escapeText(nearest.label)}</div>`;
  }
  const items = groups
    .map((node) => {
      const link = nodeLink(theme, page.output, node);
      const label = escapeText(node.label);
      return `<li class="breadcrumb-item">${link === null ? label : `<a href="${escapeAttribute(link.href)}">${label}</a>`}${partIcon('chevron-right', 14, 'op-chevron')}</li>`;
    })
    .join('');
  return `<nav class="eyebrow op-eyebrow" aria-label="${escapeAttribute(strings.breadcrumbs)}"><ol class="breadcrumb-list op-breadcrumb-list">${items}<li class="breadcrumb-item" aria-current="page">${inlineHtml(page.sidebarTitle)}</li></ol></nav>`;
}

function operation({ siteMap }: Theme, page: Page, strings: Strings, playground: string): string {
  const endpoint = endpointOf(page);
  if (endpoint === null) return playground;
  const server = siteMap.config.api.url === 'full' ? serverOf(page, siteMap) : '';
  const slash = server === '' || endpoint.path.startsWith('/') ? '' : '/';
  const path = escapeText(server.replace(/\/+$/, '') + slash + endpoint.path).replace(
    /\{[^}]*\}/g,
    '<span class="op-path-parameter">$&</span>',
  );
  const copy = `<button type="button" class="op-icon-button" data-op-copy-text="${escapeAttribute(endpoint.path)}" aria-label="${escapeAttribute(strings.copyPath)}" hidden>${partIcon('copy', 14)}</button>`;
  return `<div class="api-section op-api-endpoint">${methodPill(endpoint.method)}<code dir="ltr">${path}</code>${copy}${playground}</div>`;
}

/** URL of the first server; empty where an address is not part of a URL. */
function serverOf(page: Page, siteMap: SiteMap): string {
  const [server] = channelOf(page, siteMap)?.servers ?? operationOf(page, siteMap)?.servers ?? [];
  return server === undefined || /^(?!https?:|wss?:)[a-z][a-z0-9+.-]*:/i.test(server.url) ? '' : server.url;
}

/** Contents of the page: a column on wide screens, a disclosure on others. Fewer than two entries are none. */
export function tableOfContents(
  theme: Theme,
  page: Page,
  toc: readonly TocEntry[],
  strings: Strings,
): string {
  const actions = contextList(theme, page, strings);
  if (toc.length < 2)
    return actions === '' ? '' : `<div id="table-of-contents" class="toc-bare">${actions}</div>`;
  const least = Math.min(...toc.map((entry) => entry.depth));
  const items = toc
    .map(
      (entry) =>
        `<li class="toc-item op-toc-item" data-depth="${entry.depth - least}"><a href="#${escapeAttribute(encodeURIComponent(entry.id.toWellFormed()))}">${entry.html}</a></li>`,
    )
    .join('');
  return `<nav id="table-of-contents" aria-labelledby="toc-title"><button type="button" id="toc-title" class="op-toc-title" aria-expanded="false" aria-controls="toc-list">${partIcon('text-align-start', 16)}<span>${escapeText(strings.onThisPage)}</span>${partIcon('chevron-right', 14, 'op-chevron')}</button><div id="toc-list"><ul id="table-of-contents-content" class="toc op-toc">${items}</ul>${actions}</div></nav>`;
}

/** Two plain cards that link to the previous and the next page. */
export function pagination(page: Page, strings: Strings): string {
  if (page.front.hideFooterPagination === true || (page.previous === null && page.next === null)) return '';
  const card = (target: Page | null, rel: 'prev' | 'next', label: string): string =>
    target === null
      ? ''
      : `<a class="pagination-${rel} op-pagination-link" rel="${rel}" href="${escapeAttribute(relativeLink(page.output, target.output))}">${rel === 'prev' ? partIcon('arrow-left', 16) : ''}<span class="op-pagination-text"><span class="op-pagination-label">${escapeText(label)}</span><span class="pagination-title op-pagination-title">${inlineHtml(target.sidebarTitle)}</span></span>${rel === 'next' ? partIcon('arrow-right', 16) : ''}</a>`;
  return `<nav id="pagination" aria-label="${escapeAttribute(strings.pagination)}">${card(page.previous, 'prev', strings.previous)}${card(page.next, 'next', strings.next)}</nav>`;
}
