/** Schemes whose URLs run code of their own in the page that follows them. */
const SCRIPT = /^(?:javascript|vbscript|livescript|mocha):/;
/** Documents in a URL; an image only shows them. */
const DOCUMENT =
  /^data:(?:text\/(?:html|xml|javascript|ecmascript)|application\/(?:[a-z.+-]*(?:xml|javascript|ecmascript)))/;
const PICTURE = /^data:image\/svg/;
const LOCAL_DOCUMENT = /^(?:blob|filesystem):/;

/** What a browser reads: it ignores controls and blanks before a URL, tabs and line ends in it. */
function normalize(url: string): string {
  return url
    .replace(/^[\0- \u00a0\ufeff]+/, '')
    .replace(/[\t\n\r\0\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .toLowerCase();
}

/** Whether following or loading the URL runs code. `isImage`: it is the source of an image, which runs none. */
export function isCodeUrl(url: string, isImage = false): boolean {
  const plain = normalize(url);
  if (SCRIPT.test(plain) || LOCAL_DOCUMENT.test(plain)) return true;
  return !isImage && (DOCUMENT.test(plain) || PICTURE.test(plain));
}

/** A text of code or of any attribute that is such a URL: prose continues with a blank ("JavaScript: the good parts"). */
export function looksLikeCodeUrl(text: string): boolean {
  const runs = isCodeUrl(text, true) || DOCUMENT.test(normalize(text));
  return runs && !/^[^:]*:\s/.test(text.trimStart());
}

/** Host of a URL that leads to another one; null for a path. Backslashes are slashes, as in browsers. */
export function hostOf(url: string): string | null {
  const plain = normalize(url).replaceAll('\\', '/');
  const authority = /^(?:(?:https?|wss?|ftp|mqtts?|amqps?|kafka):)?\/\/+([^/?#]*)/.exec(plain)?.[1];
  if (authority === undefined) return null;
  const host = (authority.split('@').at(-1) ?? '').replace(/:\d*$/, '').replace(/\.$/, '');
  return host === '' ? null : host;
}
