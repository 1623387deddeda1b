import type { ReviewFiles } from '../check/review-files.ts';
import { placeOf } from '../config/place.ts';
import type { RenderedPage } from '../mdx/page.ts';
import type { Page, Redirect, SiteMap } from '../site.ts';

/** An id and its line; with the file if that is not the one of the page. */
export type AnchorFact = readonly [id: string, line: number | null, file?: string];

/**
 * Where the source says what a site promises to links: pages, anchors and redirects. One JSON array on each line, as
 * `parseLinkFacts` of the bundle package reads them: `["page", path, file, anchors]`,
 * `["redirect", source, file, line]`, `["query", query, expected page]`, `["level", check, level]`.
 */
export interface LinkFacts {
  page(page: Page, anchors: readonly AnchorFact[]): void;
  redirects(redirects: readonly Redirect[]): void;
  review(files: ReviewFiles): void;
  text(): string;
}

export function collectLinkFacts(siteMap: SiteMap): LinkFacts {
  const lines: string[] = [];
  return {
    page(page, anchors) {
      lines.push(JSON.stringify(['page', page.path, fileOf(page, siteMap), anchors]));
    },
    redirects(redirects) {
      for (const redirect of redirects) {
        const place = placeOf(redirect, 'source');
        const { file = siteMap.config.file, line = null } = place ?? {};
        lines.push(JSON.stringify(['redirect', redirect.source, file, line]));
      }
    },
    review({ queries, levels }) {
      for (const { query, expect } of queries) lines.push(JSON.stringify(['query', query, expect]));
      for (const [check, level] of Object.entries(levels))
        lines.push(JSON.stringify(['level', check, level]));
    },
    text: () => lines.map((line) => `${line}\n`).join(''),
  };
}

/** The anchors of a page in the order of the page. */
export function anchorFacts(page: Page, { ids, places }: Pick<RenderedPage, 'ids' | 'places'>): AnchorFact[] {
  return [...ids].map((id) => {
    const place = places.get(id);
    // Content that is generated has no line, and no file but the one of its description.
    if (place === undefined || place.file === page.path) return [id, null];
    return place.file === page.source ? [id, place.line] : [id, place.line, place.file];
  });
}

/** The file that makes a page: its own, the description of its API, or the configuration. */
function fileOf({ path, source, operation, channel }: Page, siteMap: SiteMap): string {
  const described = operation?.spec ?? channel?.spec ?? siteMap.schemaPages.get(path)?.file;
  return source ?? described ?? siteMap.config.file;
}
