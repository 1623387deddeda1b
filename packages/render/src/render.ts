import type { SourceTree } from './source.ts';
import type { Warning } from './warning.ts';
import type { Redirect } from './site.ts';

export interface RenderOptions {
  source: SourceTree;
  /** Origin (and base path) of canonical and sitemap URLs, without a slash at the end: `https://docs.example.com`. */
  siteUrl: string;
  /** Page paths to render (leading slash and extension tolerated); undefined = every published page. */
  paths?: readonly string[];
  /** Pages that no navigation lists; default true. */
  includeUnlisted?: boolean;
  /** Groups whose restricted pages are included; default none. */
  groups?: readonly string[];
  /** Date of the commit (RFC 3339) for sitemap entries; undefined = no lastmod. */
  lastModified?: string;
  /** Takes each output file once, in an order that depends on the source only. */
  emit(path: string, content: string | Uint8Array): void;
  /** Called at least once a page and once with the total before the first page. */
  onProgress?(progress: { rendered: number; total: number }): void;
}

export interface RenderResult {
  pageCount: number;
  warnings: Warning[];
  site: { name: string; description: string | null; languages: string[]; versions: string[] };
  /** Redirects after expansion over the known pages, sources and destinations as site-absolute paths or URLs. */
  redirects: Redirect[];
}

/** Renders a site. Throws SourceError when the source cannot be exported at all; a bad page is a warning. */
export async function renderSite(_options: RenderOptions): Promise<RenderResult> {
  throw new Error('unreachable until theme/ and output/ are in');
}
