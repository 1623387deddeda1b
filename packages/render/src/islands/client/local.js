/** Relative URL of the root of the site from this page: `../../`. */
const base = document.documentElement.dataset.base ?? '';

/** A path of the docs (`/guides/start`) as it is in an export; everything else unchanged. */
export function localHref(href) {
  if (typeof href !== 'string' || !/^\/(?!\/)/.test(href)) return href;
  const [, path = '', rest = ''] = /^\/([^?#]*)(.*)$/s.exec(href) ?? [];
  const name = path.replace(/\/+$/, '') || 'index';
  return `${base}${/\.[a-z0-9]{1,8}$/i.test(name) ? name : `${name}.html`}${rest}`;
}

/**
 * A file of the docs (`/images/a.png`). From files nothing of another host is loaded, as the policy of the pages says
 * where a server sends it.
 */
export function localFile(src) {
  if (location.protocol === 'file:' && /^\s*(?:https?:)?\/\//i.test(String(src))) return undefined;
  return typeof src === 'string' && /^\/(?!\/)/.test(src) ? base + src.slice(1) : src;
}
