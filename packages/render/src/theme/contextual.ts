import { escapeAttribute, escapeText } from '../escape.ts';
import { type Contextual, type ContextualOption, endpointOf, type Page } from '../site.ts';
import { canonicalUrl, markdownOutput } from './addresses.ts';
import { brandIcon, chromeIcon, partIcon } from './icon.ts';
import { resolveLink } from './links.ts';
import { isMcpAction, mcpEntry, mcpUrl } from './mcp-entries.ts';
import type { MenuEntry } from './menu-entry.ts';
import { encodePath, externalUrl, relativeLink } from './paths.ts';
import type { Strings } from './strings.ts';
import type { Theme } from './theme.ts';

/** What a page offers where docs.json says nothing. */
const DEFAULT: Contextual = {
  options: [
    { kind: 'action', name: 'copy' },
    { kind: 'action', name: 'view' },
  ],
  display: 'header',
};

/** Assistants that take a question in their URL. */
const ASSISTANTS: Readonly<Record<string, { name: string; icon: string; address: string }>> = {
  chatgpt: { name: 'ChatGPT', icon: 'openai', address: 'https://chatgpt.com/?hints=search&q=' },
  claude: { name: 'Claude', icon: 'claude', address: 'https://claude.ai/new?q=' },
  perplexity: {
    name: 'Perplexity',
    icon: 'perplexity',
    address: 'https://www.perplexity.ai/search?q=',
  },
  grok: { name: 'Grok', icon: 'grok', address: 'https://grok.com/?q=' },
  aistudio: {
    name: 'Google AI Studio',
    icon: 'google',
    address: 'https://aistudio.google.com/prompts/new_chat?prompt=',
  },
  devin: { name: 'Devin', icon: 'devin', address: 'https://app.devin.ai/?prompt=' },
};

/** The menu of a page: its own, else that of the site. */
export function menuOf(theme: Theme, page: Page): Contextual {
  return page.contextual ?? theme.siteMap.config.contextual ?? DEFAULT;
}

/** A button for the first option and a menu of all; empty without options or where the contents show them. */
export function contextMenu(theme: Theme, page: Page, strings: Strings): string {
  const menu = menuOf(theme, page);
  if (menu.display === 'toc' && page.mode !== 'wide' && page.mode !== 'center') return '';
  const entries = entriesOf(theme, page, menu, strings);
  const [first] = entries;
  if (first === undefined) return '';
  const text = `<span>${escapeText(first.title)}</span>`;
  const main = control(first, 'op-page-action" id="page-context-menu-button', first.icon, text);
  if (entries.length === 1) return `<div id="page-context-menu" class="op-page-actions">${main}</div>`;
  const items = entries
    .map((entry) => {
      const text = `<span class="op-page-menu-text"><span>${escapeText(entry.title)}</span><span class="op-page-menu-about">${escapeText(entry.about)}</span></span>`;
      return control(entry, 'op-page-menu-item" role="menuitem" tabindex="-1', entry.icon, text);
    })
    .join('');
  return `<div id="page-context-menu" class="op-page-actions">${main}<button type="button" id="page-menu-button" class="op-page-action" aria-haspopup="menu" aria-expanded="false" aria-controls="page-menu" aria-label="${escapeAttribute(strings.moreActions)}">${partIcon('chevron-down', 14)}</button><div id="page-menu" role="menu" aria-labelledby="page-menu-button">${items}</div></div>`;
}

/** The same options as a list below the contents, where the site wants them there. */
export function contextList(theme: Theme, page: Page, strings: Strings): string {
  const menu = menuOf(theme, page);
  if (menu.display !== 'toc') return '';
  // Texts are copied from the head of a page only.
  const entries = entriesOf(theme, page, menu, strings).filter(
    ({ action }) => !('attribute' in action) || action.text === undefined,
  );
  if (entries.length === 0) return '';
  const items = entries.map(
    (entry) =>
      `<li>${control(entry, 'op-toc-action', entry.icon, `<span>${escapeText(entry.title)}</span>`)}</li>`,
  );
  return `<ul class="op-toc-actions">${items.join('')}</ul>`;
}

function control(entry: MenuEntry, className: string, icon: string, inner: string): string {
  if ('attribute' in entry.action)
    return `<button type="button" class="${className}" ${entry.action.attribute}${entry.action.text === undefined ? '' : `="${escapeAttribute(entry.action.text)}" hidden`}>${icon}${inner}</button>`;
  const { href, external, download } = entry.action;
  return `<a class="${className}" href="${escapeAttribute(href)}"${external ? ' target="_blank" rel="noopener"' : ''}${download ? ' download' : ''}>${icon}${inner}</a>`;
}

function entriesOf(theme: Theme, page: Page, menu: Contextual, strings: Strings): MenuEntry[] {
  return menu.options.flatMap((option) =>
    option.kind === 'link'
      ? (linkEntry(theme, page, option) ?? [])
      : (actionEntry(theme, page, option.name, strings) ?? []),
  );
}

function actionEntry(theme: Theme, page: Page, name: string, strings: Strings): MenuEntry | null {
  if (name === 'copy') {
    const { copyPage: title, copyPageAbout: about } = strings;
    return { icon: partIcon('copy', 16), title, about, action: { attribute: 'data-op-copy-page' } };
  }
  if (name === 'view') {
    const href = relativeLink(page.output, markdownOutput(page));
    const { viewMarkdown: title, viewMarkdownAbout: about } = strings;
    return { icon: brandIcon('markdown', 16), title, about, action: plain(href) };
  }
  if (name === 'download-pdf') {
    const { downloadPdf: title, downloadPdfAbout: about } = strings;
    return { icon: partIcon('printer', 16), title, about, action: { attribute: 'data-op-print' } };
  }
  if (name === 'assistant' && theme.services.assistant) {
    const { assistantAsk: title, assistantAbout: about } = strings;
    return { icon: partIcon('sparkles', 16), title, about, action: { attribute: 'data-op-assistant' } };
  }
  if (name === 'download-spec') return specEntry(theme, page, strings);
  if (isMcpAction(name)) return mcpEntry(theme, name, strings);
  const assistant = Object.hasOwn(ASSISTANTS, name) ? ASSISTANTS[name] : undefined;
  if (assistant === undefined) return null;
  const url = canonicalUrl(theme, page);
  if (url === null) return null;
  const question = strings.askPrompt.replace('{url}', url);
  return {
    icon: brandIcon(assistant.icon, 16, 'sparkles'),
    title: strings.openIn.replace('{name}', assistant.name),
    about: strings.openInAbout,
    action: { href: assistant.address + encodeURIComponent(question), external: true, download: false },
  };
}

/** The API description of the page of an operation or channel, where it is a file of the site. */
function specEntry(theme: Theme, page: Page, strings: Strings): MenuEntry | null {
  const endpoint = endpointOf(page);
  if (endpoint === null) return null;
  const written = endpoint.spec ?? theme.siteMap.config.api.openapi[0] ?? '';
  const file = written.replace(/^\.?\/+/, '');
  if (!theme.hasAsset(file)) return null;
  const { downloadSpec: title, downloadSpecAbout: about } = strings;
  const href = relativeLink(page.output, file);
  return { icon: partIcon('download', 16), title, about, action: { ...plain(href), download: true } };
}

function linkEntry(
  theme: Theme,
  page: Page,
  option: Extract<ContextualOption, { kind: 'link' }>,
): MenuEntry | null {
  const written = [option.href, ...option.query.map(({ value }) => value)].join(' ');
  const server = mcpUrl(theme);
  // There is no such server to name.
  if (written.includes('$mcp') && server === null) return null;
  const path = page.path === 'index' ? '/' : `/${encodePath(page.path)}`;
  const url = canonicalUrl(theme, page);
  if (url === null && written.includes('$page')) return null;
  const fill = (text: string, encode: (value: string) => string): string =>
    text
      .replaceAll('$mcp', () => encode(server ?? ''))
      .replaceAll('$page', () => encode(url ?? ''))
      .replaceAll('$path', () => encode(path));
  const base = fill(option.href, option.href.includes('?') ? encodeURIComponent : (value) => value);
  const query = option.query
    .map(
      ({ key, value }) =>
        `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(fill(value, (text) => text).toWellFormed())}`,
    )
    .join('&');
  const address = query === '' ? base : `${base}${base.includes('?') ? '&' : '?'}${query}`;
  const external = externalUrl(address);
  const link =
    external === null ? resolveLink(theme, page.output, address) : { href: external, external: true };
  if (link === null) return null;
  return {
    icon: chromeIcon(theme, page.output, option.icon, 16) || partIcon('link', 16),
    title: option.title,
    about: option.description ?? '',
    action: { ...link, download: false },
  };
}

function plain(href: string): { href: string; external: boolean; download: boolean } {
  return { href, external: false, download: false };
}
