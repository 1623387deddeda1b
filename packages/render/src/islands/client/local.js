import { rebaseCss } from './css.js';

/* URLs in what components make. Paths of the docs are relative to the page in an export. */

/** Relative URL of the root of the site from this page: `../../`. */
const base = document.documentElement.dataset.base ?? '';

const isPath = (url) => /^\s*\/(?![/\\])/.test(url);

/** A path of the docs (`/guides/start`) as it is in an export; everything else unchanged. */
function localHref(href) {
  if (!isPath(href)) return /^javascript:/i.test(href.replace(/[\0-\x20]/g, '')) ? undefined : href;
  const [, path = '', rest = ''] = /^\s*\/([^?#]*)(.*)$/s.exec(href) ?? [];
  const name = path.replace(/\/+$/, '') || 'index';
  return `${base}${/\.[a-z0-9]{1,8}$/i.test(name) ? name : `${name}.html`}${rest}`;
}

/** Whether a page from a file would load it from another host. */
function isRemote(url) {
  if (location.protocol !== 'file:' || !URL.canParse(url, document.baseURI)) return false;
  const { protocol, host } = new URL(url, document.baseURI);
  return /^https?:/.test(protocol) || (protocol === 'file:' && host !== '');
}

/**
 * A file of the docs (`/images/a.png`). From files nothing of another host is loaded, as the policy of the pages says
 * where a server sends it.
 */
function localFile(url) {
  if (isRemote(url)) return undefined;
  return isPath(url) ? base + url.trim().slice(1) : url;
}

export const localCss = (css) => rebaseCss(css, (url) => localFile(url) ?? 'about:invalid');

/** Candidates of a `srcset`; a URL of data may have commas. */
const localSet = (set) =>
  set.replace(/([\s,]*)(\S*[^\s,])([^,]*)/g, (_, space, url, size) => {
    const local = localFile(url);
    return local === undefined ? '' : space + local + size;
  });

const localStyle = (style) =>
  typeof style === 'string'
    ? localCss(style)
    : Object.fromEntries(
        Object.entries(style).map(([key, value]) => [
          key,
          typeof value === 'string' ? localCss(value) : value,
        ]),
      );

/** HTML that a component sets as it is. */
function localHtml(html) {
  const holder = document.createElement('template');
  holder.innerHTML = html;
  let isChanged = false;
  for (const element of holder.content.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      const local = localAttribute(element.localName, name, value);
      if (local === value) continue;
      isChanged = true;
      if (local === undefined) element.removeAttribute(name);
      else element.setAttribute(name, local);
    }
    if (element.localName === 'style') {
      const css = localCss(element.textContent);
      isChanged ||= css !== element.textContent;
      element.textContent = css;
    }
  }
  return isChanged ? holder.innerHTML : html;
}

const link = /^(?:href|action|formaction)$/;
const file = /^(?:src|poster|background|href|xlink:?href)$/;
const paint = /^(?:fill|stroke|filter|mask|cursor|clip-?path|marker-?(?:start|mid|end))$/;

/** The value of an attribute or prop of an HTML or SVG element, its URLs as they are in an export. */
export function localAttribute(tag, name, value) {
  const key = name.toLowerCase();
  if (key === 'style' && value) return localStyle(value);
  if (key === 'dangerouslysetinnerhtml' && value) return { __html: localHtml(String(value.__html ?? '')) };
  if (typeof value !== 'string') return value;
  if (key === 'srcset' || key === 'imagesrcset') return localSet(value);
  if (link.test(key) && /^(?:a|area|form|button|input)$/.test(tag)) return localHref(value);
  if (file.test(key) || (key === 'data' && tag === 'object')) return localFile(value);
  return paint.test(key) ? localCss(value) : value;
}
