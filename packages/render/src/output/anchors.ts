import type { RenderedPage } from '../mdx/page.ts';
import type { Warn } from '../warning.ts';

type Links = RenderedPage['links'];

/** Checks the fragments of all links once every page is known. */
export interface AnchorCheck {
  add(path: string, rendered: Pick<RenderedPage, 'ids' | 'links'>): void;
  report(warn: Warn): void;
}

/** Ids that the chrome of every page defines. */
const CHROME = new Set([
  'content',
  'content-area',
  'page-title',
  'header',
  'navbar',
  'sidebar',
  'top',
  'footer',
]);

export function createAnchorCheck(): AnchorCheck {
  const ids = new Map<string, ReadonlySet<string>>();
  const links: Links = [];
  return {
    add(path, rendered) {
      ids.set(path, rendered.ids);
      links.push(...rendered.links);
    },
    report(warn) {
      for (const { target, hash, file, line } of links) {
        const known = ids.get(target);
        if (known === undefined || known.has(hash) || CHROME.has(hash)) continue;
        warn({
          file,
          line,
          code: 'anchor-not-found',
          message: `No heading or element with the id ${JSON.stringify(hash.slice(0, 200))} is on the page /${target}; correct the link or give the heading that {#id}.`,
        });
      }
    },
  };
}
