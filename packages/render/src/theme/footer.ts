import { escapeAttribute, escapeText } from '../escape.ts';
import type { Page } from '../site.ts';
import { brandIcon } from './icon.ts';
import { inlineHtml } from './inline.ts';
import { resolveLink } from './links.ts';
import type { Place } from './place.ts';
import type { Strings } from './strings.ts';
import type { Theme } from './theme.ts';

/** Socials and columns of links; empty when the site has neither. */
export function footer(theme: Theme, page: Page, place: Place, strings: Strings): string {
  const shown = place.language?.footer ?? theme.siteMap.config.footer;
  if (shown.socials.length === 0 && shown.columns.length === 0) return '';
  const anchor = (href: string, inner: string, label: string | null): string => {
    const link = resolveLink(theme, page.output, href);
    if (link === null) return '';
    return `<a href="${escapeAttribute(link.href)}"${link.external ? ' target="_blank" rel="noopener"' : ''}${label === null ? '' : ` aria-label="${escapeAttribute(label)}"`}>${inner}</a>`;
  };
  const columns = shown.columns
    .map((column) => {
      const items = column.items
        .map((item) => `<li>${anchor(item.href, inlineHtml(item.label), null)}</li>`)
        .join('');
      const title =
        column.header === null ? '' : `<p class="op-footer-title">${escapeText(column.header)}</p>`;
      return `<div class="op-footer-column">${title}<ul>${items}</ul></div>`;
    })
    .join('');
  const socials = shown.socials
    .map((social) => `<li>${anchor(social.href, brandIcon(social.platform), social.platform)}</li>`)
    .join('');
  return `<footer id="footer"${columns === '' ? '' : ' class="advanced-footer"'} aria-label="${escapeAttribute(strings.footer)}"><div class="op-footer-inner">${columns === '' ? '' : `<div class="op-footer-columns">${columns}</div>`}<div class="op-footer-base"><span class="footer-name">${escapeText(theme.siteMap.config.name)}</span>${socials === '' ? '' : `<ul class="op-footer-socials">${socials}</ul>`}</div></div></footer>`;
}
