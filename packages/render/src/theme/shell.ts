import { escapeAttribute, escapeText } from '../escape.ts';
import { feedbackForm } from '../services/feedback-form.ts';
import type { Page, PageMode } from '../site.ts';
import { pageHeader, pagination, tableOfContents } from './article.ts';
import { directoryListing } from './directory.ts';
import type { DocumentContent } from './document-content.ts';
import { footer } from './footer.ts';
import { head } from './head.ts';
import { banner, bannerKey, navbar } from './header.ts';
import { layoutHooks } from './layouts.ts';
import { relatedTopics } from './meta.ts';
import { baseOf, encodePath } from './paths.ts';
import type { Place } from './place.ts';
import { searchEntries } from './search.ts';
import { anchorList, selector, tabList } from './selectors.ts';
import { inlineSidebar } from './sidebar.ts';
import { directionOf, languageTag, type Strings } from './strings.ts';
import type { Theme } from './theme.ts';
import { stringsFor } from './words/index.ts';

/** Parts that each page mode shows. */
interface Parts {
  sidebar: boolean;
  title: boolean;
  toc: boolean;
  pagination: boolean;
  footer: boolean;
}

const PARTS: Readonly<Record<PageMode, Parts>> = {
  default: { sidebar: true, title: true, toc: true, pagination: true, footer: true },
  wide: { sidebar: true, title: true, toc: false, pagination: true, footer: true },
  custom: { sidebar: false, title: false, toc: false, pagination: false, footer: false },
  frame: { sidebar: true, title: false, toc: false, pagination: false, footer: false },
  center: { sidebar: false, title: true, toc: false, pagination: true, footer: true },
  assistant: { sidebar: true, title: true, toc: true, pagination: true, footer: true },
};

/** The whole HTML document of a page. */
export function pageDocument(theme: Theme, page: Page, content: DocumentContent): string {
  const { config } = theme.siteMap;
  const place = theme.placeOf(page);
  const language = languageTag(place.language?.label ?? 'en');
  const strings = stringsFor(language);
  const parts = PARTS[page.mode];
  const appearance = config.appearance.default;
  const fixed = appearance === 'system' ? '' : ` class="${appearance}"`;
  const strict = config.appearance.strict ? ' data-appearance-strict' : '';
  const urlPath = page.path === 'index' ? '/' : `/${page.path}`;
  const toc = parts.toc ? sideColumn(theme, page, content, strings) : '';
  const search = searchEntries(theme, page, place, strings);
  const inSide = theme.layout.search === 'side' && parts.sidebar;
  const playground = content.playground?.html ?? '';
  const key = bannerKey(theme, place);
  const dismissed = key === null ? '' : ` data-op-banner="${key}"`;
  // The font of code is fetched at once where there is any.
  const code = theme.layout.face === 'mono' || content.html.includes('<code') ? ' data-code' : '';
  const whole = theme.sidebarScripts.get(place.sidebar);
  const sidebarScript = whole === undefined ? '' : ` data-sidebar="${whole}"`;
  const mode = page.mode === 'assistant' ? 'default' : page.mode;
  const layout = `${parts.sidebar ? ' op-has-sidebar' : ''}${toc === '' ? '' : ' op-has-toc'}${content.side?.kind === 'panel' ? ' op-has-panel' : ''}`;
  return `<!doctype html>
<html lang="${escapeAttribute(language)}" dir="${directionOf(language)}"${fixed} data-appearance="${appearance}"${strict}${dismissed} data-theme="${config.theme}" data-layout="${layoutHooks(theme.layout)}" data-page-mode="${mode}" data-current-path="${escapeAttribute(urlPath)}" data-base="${baseOf(page.output)}"${sidebarScript}${code} data-page="${escapeAttribute(encodePath(page.output))}">
<head>${head(theme, page, place, content)}</head>
<body>
<a class="op-skip-link" href="#content-area">${escapeText(strings.skip)}</a>
${banner(theme, page, place, strings)}${navbar(theme, page, place, strings, inSide ? search.button : search.box + search.button)}
<div id="body-content" class="op-layout${layout}">
${sidebar(theme, page, place, strings, parts.sidebar, inSide ? search.box : '')}<div id="content-container">
${toc}<main id="content-area" tabindex="-1">
${parts.title ? pageHeader(theme, page, language, strings, playground) : playground}
<div id="content" class="mdx-content prose" data-page-title="${escapeAttribute(page.title)}" data-page-href="${escapeAttribute(urlPath)}"${clientWords(strings)}>
${content.html}${directoryListing(theme, page)}
</div>
${parts.pagination && theme.services.analytics ? feedbackForm(strings) : ''}${parts.pagination ? relatedTopics(theme, page, strings) + pagination(page, strings) : ''}
</main>
</div>
</div>
${parts.footer ? footer(theme, page, place, strings) : ''}
</body>
</html>
`;
}

/**
 * The column beside the text: contents of the page, what components put there, or both. Site CSS expects it next to
 * `#content-area`, not inside it.
 */
function sideColumn(theme: Theme, page: Page, { side, toc }: DocumentContent, strings: Strings): string {
  const contents = tableOfContents(theme, page, side?.kind === 'panel' ? [] : toc, strings);
  if (side === null && contents === '') return '';
  const layout = contents === '' ? '' : `<div id="table-of-contents-layout">${contents}</div>`;
  return `<div id="content-side-layout">${side?.html ?? ''}${layout}</div>\n`;
}

/** What the script writes, for pages in other languages than its own. */
function clientWords(strings: Strings): string {
  if (strings === stringsFor('en')) return '';
  const { copied, copyFailed, showAllLines, showFewerLines, language, enlargeImage, close } = strings;
  const words = { copied, copyFailed, showAllLines, showFewerLines, language, enlargeImage, close };
  return ` data-words="${escapeAttribute(JSON.stringify(words))}"`;
}

/** The sidebar; on pages without one it is the sheet of small screens only. */
function sidebar(
  theme: Theme,
  page: Page,
  place: Place,
  strings: Strings,
  shown: boolean,
  search: string,
): string {
  const selectors = place.levels
    .filter((level) => level.kind === 'dropdown')
    .map((level) => selector(theme, page, level, strings, 'op-sidebar-selector'))
    .join('');
  const tabs = theme.layout.tabs === 'side' ? tabList(theme, page, place) : '';
  const switches =
    tabs === ''
      ? ''
      : `<nav class="op-side-tabs" aria-label="${escapeAttribute(strings.section)}">${tabs}</nav>`;
  const anchors = anchorList(theme, page, place);
  const foot = theme.layout.anchors === 'foot' && anchors !== '';
  // Outside the part that scrolls, so that it is visible wherever the list is.
  const head = search === '' ? '' : `<div class="op-sidebar-head">${search}</div>`;
  return `<aside id="sidebar"${shown ? '' : ' data-sheet-only'}>${head}<div id="sidebar-content">${selectors}${switches}${foot ? '' : anchors}<nav id="navigation-items" aria-label="${escapeAttribute(strings.navigation)}">${inlineSidebar(theme, page, place)}</nav></div>${foot ? `<div class="op-sidebar-foot">${anchors}</div>` : ''}</aside>
`;
}
