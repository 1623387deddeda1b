import type { PageLink, RenderedPage } from '../mdx/page.ts';
import { SHELL_IDS } from '../theme/shell-ids.ts';
import type { Warn } from '../warning.ts';

type Ids = Pick<RenderedPage, 'ids' | 'aliases'>;

/** Fragments of all links against the ids of all pages. Authors write them by the rules of many other tools. */
export interface AnchorCheck {
  add(path: string, rendered: Ids & Pick<RenderedPage, 'links'>): void;
  /** Whether all links are known to lead to an id; pages that are added later may settle the others. */
  isSettled(links: readonly PageLink[]): boolean;
  /** Links to write in place of others, by `href`, once all pages are added: those whose heading has another id. */
  corrections(links: readonly PageLink[]): Map<string, string>;
  /** Warns of each link that leads to no heading, once all pages are added. */
  report(warn: Warn): void;
}

export function createAnchorCheck(): AnchorCheck {
  const pages = new Map<string, Ids>();
  const folded = new Map<string, ReadonlyMap<string, string | null>>();
  const unsettled: PageLink[] = [];

  /** The id that a link means; the fragment itself where the page is not part of the export, null without one. */
  const idOf = ({ target, hash }: PageLink): string | null => {
    const page = pages.get(target);
    if (page === undefined) return hash;
    if (SHELL_IDS.has(hash)) return page.ids.has(`${hash}-2`) ? `${hash}-2` : hash;
    if (page.ids.has(hash)) return hash;
    let byFold = folded.get(target);
    if (byFold === undefined) {
      byFold = foldIds(page);
      folded.set(target, byFold);
    }
    return byFold.get(fold(hash)) ?? null;
  };

  const isSettled = ({ target, hash }: PageLink): boolean =>
    !SHELL_IDS.has(hash) && pages.get(target)?.ids.has(hash) === true;

  return {
    add(path, { ids, aliases, links }) {
      pages.set(path, { ids, aliases });
      for (const link of links) if (!isSettled(link)) unsettled.push(link);
    },
    isSettled: (links) => links.every(isSettled),
    corrections(links) {
      const found = new Map<string, string>();
      for (const link of links) {
        const id = idOf(link);
        if (id === null || id === link.hash) continue;
        found.set(link.href, link.href.slice(0, link.href.indexOf('#') + 1) + encodeURIComponent(id));
      }
      return found;
    },
    report(warn) {
      for (const link of unsettled) {
        if (idOf(link) !== null) continue;
        const { target, hash, file, line } = link;
        warn({
          file,
          line,
          code: 'anchor-not-found',
          message: `The page /${target} has no heading or element with the id ${JSON.stringify(hash.slice(0, 200))}. Correct the link or add {#id} to the heading.`,
        });
      }
    },
  };
}

/** Letters and digits in lower case: what the rules of all tools keep of a heading. */
function fold(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join('');
}

/** Ids by their letters and digits; null where several headings share them. */
function foldIds({ ids, aliases }: Ids): Map<string, string | null> {
  const byFold = new Map<string, string | null>();
  for (const id of ids) {
    const key = fold(id);
    if (key === '' || (aliases.has(id) && byFold.has(key))) continue;
    byFold.set(key, byFold.has(key) ? null : id);
  }
  return byFold;
}
