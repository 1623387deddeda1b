import type { PageLink } from '../mdx/write/links.ts';
import type { Page } from '../site.ts';
import type { FileContent } from '../stored-file.ts';

/** Characters of documents that are kept in memory; others are rendered a second time. */
const MAX_KEPT = 64_000_000;

/** A page whose links lead to pages that are not rendered yet. */
export interface PendingPage {
  page: Page;
  links: readonly PageLink[];
  /** The document; null if it has to be rendered again. */
  html: string | null;
  /** What an earlier render wrote; null if there is nothing. */
  known: StoredDocument | null;
}

/** The document that an earlier render wrote. */
export interface StoredDocument {
  /** It, with the corrections of its links that were known then. */
  file: FileContent;
  corrections: string;
}

/** The document of a page whose body an earlier render has made; `html` is it without corrections. */
export type KnownDocument = StoredDocument | { html: string };

/** Pages that wait for the ids of other pages. What it keeps in memory has a limit, whatever the size of the site. */
export interface PendingPages {
  /** Keeps a page until all pages of `targets` are settled. */
  add(page: PendingPage, targets: ReadonlySet<string>): void;
  /** The pages that waited for this path only, in the order in which they were added. */
  settle(path: string): PendingPage[];
  /** The pages whose targets were never settled, in the order in which they were added. */
  rest(): PendingPage[];
}

export function createPendingPages(maxKept = MAX_KEPT): PendingPages {
  const waiting = new Map<PendingPage, Set<string>>();
  const byTarget = new Map<string, PendingPage[]>();
  let kept = 0;
  const release = (one: PendingPage): PendingPage => {
    waiting.delete(one);
    kept -= one.html?.length ?? 0;
    return one;
  };
  return {
    add({ html, ...page }, targets) {
      const length = html?.length ?? 0;
      const isKept = kept + length <= maxKept;
      const pending = { ...page, html: isKept ? html : null };
      if (isKept) kept += length;
      waiting.set(pending, new Set(targets));
      for (const target of targets) {
        const others = byTarget.get(target);
        if (others === undefined) byTarget.set(target, [pending]);
        else others.push(pending);
      }
    },
    settle(path) {
      const ready: PendingPage[] = [];
      for (const one of byTarget.get(path) ?? []) {
        const targets = waiting.get(one);
        targets?.delete(path);
        if (targets?.size === 0) ready.push(release(one));
      }
      byTarget.delete(path);
      return ready;
    },
    rest: () => [...waiting.keys()].map(release),
  };
}
