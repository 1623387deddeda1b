import { readFrontMatter } from '../config/front-matter.ts';
import type { SourceTree } from '../source.ts';

/** Keys of the front matter that name an API description before an operation, a channel or a schema. */
const KEYS = ['openapi', 'asyncapi', 'openapi-schema'] as const;
/** Bytes of a page that is read for them. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A page that names an API description of another host. */
export interface NamingPage {
  readonly file: string;
  readonly key: (typeof KEYS)[number];
  /** As written. */
  readonly url: string;
}

/** Pages with `openapi: https://host/api.json GET /path` and the like in their front matter. */
export function findNamingPages(source: SourceTree): NamingPage[] {
  return source.paths.flatMap((file) => {
    if (!/\.mdx?$/i.test(file) || source.size(file) > MAX_BYTES) return [];
    const text = source.readText(file);
    if (!/^\s*["']?(?:openapi|asyncapi)[^\n]*https?:/im.test(text)) return [];
    const { frontMatter } = readFrontMatter(text);
    return KEYS.flatMap((key) => {
      const written = frontMatter[key];
      const [url = '', ...rest] = typeof written === 'string' ? written.trim().split(/\s+/) : [];
      return rest.length > 0 && /^https?:\/\//i.test(url) ? [{ file, key, url }] : [];
    });
  });
}

/** The bytes of the page with a path of the docs folder instead of the URL; null if it is written in another form. */
export function withPath(bytes: Uint8Array, { key, url }: NamingPage, path: string): Uint8Array | null {
  // One character for each byte, so that bytes that are not UTF-8 stay as they are and are reported.
  const text = Buffer.from(bytes).toString('latin1');
  const line = new RegExp(`^[ \\t]*["']?${key}["']?[ \\t]*[:=][ \\t]*["']?`, 'm').exec(text);
  const start = line === null ? -1 : line.index + line[0].length;
  if (start < 0 || !text.startsWith(`${url} `, start)) return null;
  return Buffer.from(`${text.slice(0, start)}/${path}${text.slice(start + url.length)}`, 'latin1');
}
