import type { OpenSite } from '../open-site.ts';
import type { Page } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { KnownWarning, Warn } from '../warning.ts';

/** Sees what the rendering of a page reads and reports. */
export interface Watch {
  source: SourceTree;
  /** Takes each warning. */
  warn: Warn;
  /** The site whose pages are seen when they are rendered. */
  over(site: OpenSite): OpenSite;
  /** Warnings of a page so far. */
  warningsOf(page: Page): readonly KnownWarning[];
  /** Runs a step, and returns its warnings. */
  collect<T>(step: () => Promise<T>): Promise<{ result: T; warnings: readonly KnownWarning[] }>;
  /** Files that were read for a page whose own file is another one. */
  read: ReadonlySet<string>;
}

export function createWatch(source: SourceTree): Watch {
  let page: Page | null = null;
  let taken: KnownWarning[] | null = null;
  const byPage = new WeakMap<Page, KnownWarning[]>();
  const read = new Set<string>();
  const note = (path: string): string => {
    if (page !== null && page.source !== path) read.add(path);
    return path;
  };
  const { readStart } = source;
  const within = <T>(current: Page, step: () => T): T => {
    const before = { page, taken };
    page = current;
    taken = byPage.get(current) ?? [];
    byPage.set(current, taken);
    try {
      return step();
    } finally {
      page = before.page;
      taken = before.taken;
    }
  };
  return {
    source: {
      ...source,
      read: (path) => source.read(note(path)),
      readText: (path) => source.readText(note(path)),
      ...(readStart === undefined ? {} : { readStart: (path, bytes) => readStart(note(path), bytes) }),
    },
    warn: (warning) => void taken?.push(warning),
    over: (site) => ({
      ...site,
      content: (one) =>
        within(one, () => {
          const content = site.content(one);
          return { ...content, sections: () => within(one, content.sections) };
        }),
      document: (one, content) => within(one, () => site.document(one, content)),
    }),
    warningsOf: (one) => byPage.get(one) ?? [],
    async collect(step) {
      const warnings: KnownWarning[] = [];
      taken = warnings;
      try {
        return { result: await step(), warnings };
      } finally {
        taken = null;
      }
    },
    read,
  };
}
