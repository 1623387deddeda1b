import { substituteVariables } from '../config/variables.ts';
import { escapeAttribute, escapeText } from '../escape.ts';
import type { Banner, LinkItem, Page } from '../site.ts';
import { parseHex, textOn } from './color.ts';
import { hashOf } from './hash.ts';
import { brandIcon, chromeIcon, partIcon } from './icon.ts';
import { inlineHtml } from './inline.ts';
import { resolveLink } from './links.ts';
import { encodePath, externalUrl, relativeLink } from './paths.ts';
import type { Place } from './place.ts';
import { selector, tabList } from './selectors.ts';
import type { Strings } from './strings.ts';
import type { Theme } from './theme.ts';

/** Banner of the site or of the language; empty without one. */
export function banner(theme: Theme, page: Page, place: Place, strings: Strings): string {
  const shown = bannerOf(theme, place);
  if (shown === null) return '';
  const content = inlineHtml(shown.content, (href) => resolveLink(theme, page.output, href));
  const button = shown.dismissible
    ? `<button type="button" class="op-icon-button" data-op-dismiss aria-label="${escapeAttribute(strings.dismiss)}">${partIcon('x', 16)}</button>`
    : '';
  return `<aside id="banner" data-type="${shown.type}"${bannerColor(shown)} aria-label="${escapeAttribute(strings.banner)}"><p>${content}</p>${button}</aside>`;
}

/** The color of a banner, with black or white on it, whichever reads better. */
function bannerColor({ color }: Banner): string {
  if (color === null) return '';
  const on = (hex: string): string => textOn(parseHex(hex) ?? [0, 0, 0]);
  const { light, dark } = color;
  return ` style="background:light-dark(${light},${dark});color:light-dark(${on(light)},${on(dark)})"`;
}

/** The banner that a page shows: its language's before the site's. */
function bannerOf(theme: Theme, place: Place): Banner | null {
  const { banner, variables } = theme.siteMap.config;
  const shown = place.language?.banner ?? banner;
  if (shown === null || shown.content.trim() === '') return null;
  return { ...shown, content: substituteVariables(shown.content, variables) };
}

/** Key under which a reader's dismissal is remembered; null where the banner stays. */
export function bannerKey(theme: Theme, place: Place): string | null {
  const shown = bannerOf(theme, place);
  return shown?.dismissible === true ? hashOf(shown.content) : null;
}

/** The bar at the top: logo, selectors, links, switch between light and dark, and the row of tabs. */
export function navbar(theme: Theme, page: Page, place: Place, strings: Strings, search: string): string {
  const { config } = theme.siteMap;
  const bar = place.language?.navbar ?? config.navbar;
  const selectors = place.levels
    .filter((level) => level.kind === 'product' || level.kind === 'version')
    .map((level) => selector(theme, page, level, strings, 'op-navbar-selector'))
    .join('');
  const languages = place.levels
    .filter((level) => level.kind === 'language')
    .map((level) => selector(theme, page, level, strings, 'op-language-selector'))
    .join('');
  const links = bar.links.map((item) => `<li>${linkItem(theme, page, item)}</li>`).join('');
  const primary =
    bar.primary === null ? '' : `<li id="topbar-cta-button">${linkItem(theme, page, bar.primary, true)}</li>`;
  const toggle = config.appearance.strict
    ? ''
    : `<button type="button" id="theme-toggle" class="op-icon-button" data-component-name="theme-toggle" aria-label="${escapeAttribute(strings.theme)}">${partIcon('sun', 18, 'op-sun')}${partIcon('moon', 18, 'op-moon')}</button>`;
  const tabs = tabList(theme, page, place);
  const row = `<nav class="op-nav-tabs-row" aria-label="${escapeAttribute(strings.section)}">${tabs}</nav>`;
  const inBar = tabs !== '' && theme.layout.tabs === 'bar' ? row : '';
  const below = tabs !== '' && theme.layout.tabs === 'row' ? row : '';
  return `<header id="navbar"><div class="op-navbar-bar"><button type="button" id="menu-button" class="op-icon-button" aria-controls="sidebar" aria-expanded="false" aria-label="${escapeAttribute(strings.menu)}" data-close="${escapeAttribute(strings.close)}">${partIcon('menu', 20)}</button>${logo(theme, page, place)}${selectors}${inBar}${search}<div class="topbar-right-container op-navbar-end"><nav aria-label="${escapeAttribute(config.name)}"><ul class="op-navbar-links">${links}${primary}</ul></nav>${languages}${toggle}</div></div>${below}</header>`;
}

function logo(theme: Theme, page: Page, place: Place): string {
  const { config, home, byPath } = theme.siteMap;
  const start = place.language === null ? null : theme.counterpartOf(place.language, null, page);
  const inside = relativeLink(page.output, (start ?? byPath.get('index') ?? home).output);
  const given = config.logo?.href ?? null;
  const href =
    given === null ? inside : (externalUrl(given) ?? resolveLink(theme, page.output, given)?.href ?? inside);
  return `<a class="nav-logo op-nav-logo" href="${escapeAttribute(href)}">${logoImages(theme, page)}</a>`;
}

function logoImages(theme: Theme, page: Page): string {
  const { config } = theme.siteMap;
  const name = `<span class="op-nav-logo-name">${escapeText(config.name)}</span>`;
  if (config.logo === null) return name;
  const source = (path: string): string | null => {
    if (/^data:image\//i.test(path)) return path;
    const file = path.replace(/^\.?\/+/, '');
    return theme.hasAsset(file) ? relativeLink(page.output, file) : null;
  };
  const size = (path: string): string => {
    const found = theme.imageSize(path.replace(/^\.?\/+/, ''));
    return found === null ? '' : ` width="${found.width}" height="${found.height}"`;
  };
  const light = source(config.logo.light);
  const dark = source(config.logo.dark);
  const one = light ?? dark;
  if (one === null) return name;
  const alt = escapeAttribute(config.name);
  if (light === dark || light === null || dark === null)
    return `<img src="${escapeAttribute(one)}" alt="${alt}"${size(light === null ? config.logo.dark : config.logo.light)}>`;
  // The one that is not shown is not fetched.
  return `<img class="op-on-light" loading="lazy" src="${escapeAttribute(light)}" alt="${alt}"${size(config.logo.light)}><img class="op-on-dark" loading="lazy" src="${escapeAttribute(dark)}" alt="${alt}"${size(config.logo.dark)}>`;
}

function linkItem(theme: Theme, page: Page, item: LinkItem, primary = false): string {
  const link = resolveLink(theme, page.output, item.href);
  if (link === null) return '';
  const brand = item.type === 'github' || item.type === 'discord';
  const icon = brand ? brandIcon(item.type) : chromeIcon(theme, page.output, item.icon, 16);
  const label = item.label.trim() || (brand ? brandLabel(item) : '');
  const named = label === '' ? (item.icon?.name ?? hostOf(item.href)) : label;
  const isButton = primary && item.type === 'button';
  const className = isButton ? 'bg-primary-dark op-button-primary' : 'navbar-link op-navbar-link';
  const shown = `${icon}${label === '' ? '' : `<span>${escapeText(label)}</span>`}`;
  // Style sheets of sites color or hide the first element, and expect the label below the second.
  const content = isButton
    ? `<span class="bg-primary-dark op-button-ground"></span><div class="op-button-label">${shown}${partIcon('chevron-right', 14, 'op-button-arrow')}</div>`
    : shown;
  return `<a class="${className}" href="${escapeAttribute(link.href)}"${link.external ? ' target="_blank" rel="noopener"' : ''}${label === '' ? ` aria-label="${escapeAttribute(named)}"` : ''}>${content}</a>`;
}

/** `owner/name` of a repository link. */
function brandLabel(item: LinkItem): string {
  const repository = /github\.com\/([^/?#]+\/[^/?#]+)/.exec(item.href)?.[1];
  return repository ?? (item.type === 'github' ? 'GitHub' : 'Discord');
}

function hostOf(href: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(href)?.[1] ?? encodePath(href);
}
