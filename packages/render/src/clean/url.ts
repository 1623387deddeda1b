/** Two sites that do not exist: a URL is local if it stays on whichever site it is resolved against. */
const SITES = [new URL('https://a.invalid/x/y'), new URL('http://b.invalid/x/y')];
/** The form of nearly all local URLs, which saves parsing them. */
const PLAIN = /^(?!\/\/)[\w./#-][\w./#?=&%~+-]*$/;

/** Whether a URL leads to the site that contains it, read as browsers read it: backslashes, tabs and line breaks count. */
export function isLocalUrl(url: string): boolean {
  return PLAIN.test(url) || SITES.every((site) => URL.parse(url, site)?.host === site.host);
}

/** Whether a URL holds an image or a font itself. Other types of data could be documents or style sheets. */
export function isDataFile(url: string): boolean {
  return /^data:(?:image\/[\w.+-]+|font\/[\w.+-]+|application\/(?:(?:x-)?font[\w.+-]*|vnd\.ms-fontobject|octet-stream))[;,]/i.test(
    url,
  );
}
