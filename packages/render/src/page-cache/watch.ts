import type { Lookups } from '../mdx/lookups.ts';
import { MEDIA } from '../media.ts';
import type { OpenSite } from '../open-site.ts';
import type { Page } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { KnownWarning, Warn } from '../warning.ts';
import { createFileLinks, type FileLinks, filesLinked } from './described.ts';
import { createNoted, type Noted } from './names.ts';

/** Sees what the rendering of a page reads and reports. */
export interface Watch {
  source: SourceTree;
  /** Takes each warning. */
  warn: Warn;
  /** The site whose pages are seen when they are rendered. */
  over(site: OpenSite): OpenSite;
  /** Warnings about a page so far, of its body or of the rest of its document. */
  warningsOf(page: Page, part: PagePart): readonly KnownWarning[];
  /** Reports again what an earlier render has reported of a page. */
  repeat(page: Page, part: PagePart, warnings: readonly KnownWarning[], warn: Warn): void;
  /** Runs a step, and returns its warnings and the files that it has read. */
  collect<T>(step: () => Promise<T>): Promise<Collected<T>>;
  /** What pages look up. */
  lookups: Lookups;
  /** Names that were looked up, but not for the body of a page; and files that modules, which pages share, look for. */
  noted: Noted;
  /** Which files of API descriptions refer to each other. */
  descriptionLinks: FileLinks;
  /** Files of API descriptions that were used for a page; others can belong to these. */
  descriptionsFor(page: Page): ReadonlySet<string>;
  /** Names that the body of a page has looked up. */
  namesFor(page: Page): ReadonlySet<string>;
  /** Media that were read, and files on whose text something depends, but not for the body of a page or for a step. */
  shared(): ReadonlySet<string>;
  /** Files that were read, but not by a step. */
  read(): ReadonlySet<string>;
  /** Files other than its own that were read for a page. */
  readFor(page: Page): ReadonlySet<string>;
  /** Media that the body of a page shows, and the files on whose text it depends. */
  shownBy(page: Page): string[];
  /** Whether redirects decide where links of a page lead. */
  isRedirected(page: Page): boolean;
}

type PagePart = 'body' | 'shell';

interface Collected<T> {
  result: T;
  warnings: readonly KnownWarning[];
  /** With the files of the API descriptions that it has used. */
  read: ReadonlySet<string>;
}

/** What is seen of a page. */
interface Seen {
  warnings: Readonly<Record<PagePart, KnownWarning[]>>;
  read: Set<string>;
  texts: Set<string>;
  names: Set<string>;
  descriptions: Set<string>;
  isRedirected: boolean;
}

export function createWatch(source: SourceTree): Watch {
  let page: Page | null = null;
  let part: PagePart | null = null;
  let taken: KnownWarning[] | null = null;
  let readByStep: Set<string> | null = null;
  let usedByStep: Set<string> | null = null;
  let isDescription = false;
  const byPage = new WeakMap<Page, Seen>();
  const seenOf = (one: Page): Seen => {
    const seen = byPage.get(one) ?? {
      warnings: { body: [], shell: [] },
      read: new Set(),
      texts: new Set(),
      names: new Set(),
      descriptions: new Set(),
      isRedirected: false,
    };
    byPage.set(one, seen);
    return seen;
  };
  const noted = createNoted();
  const shared = new Set<string>();
  const readOutsideSteps = new Set<string>();
  const descriptionLinks = createFileLinks();
  const reading = <T>(step: () => T): T => {
    isDescription = true;
    try {
      return step();
    } finally {
      isDescription = false;
    }
  };
  const lookups: Lookups = {
    note(name) {
      if (part === 'body' && page !== null) seenOf(page).names.add(name);
      else noted.add(name);
    },
    noteRedirects() {
      if (page !== null) seenOf(page).isRedirected = true;
    },
    noteText(file) {
      readByStep?.add(file);
      if (part !== 'body') shared.add(file);
      else if (page !== null && page.source !== file) seenOf(page).texts.add(file);
    },
    descriptions: {
      of: (from) => ({
        ...from,
        has: (path) => reading(() => from.has(path)),
        read: (path) => reading(() => from.read(path)),
        readText: (path) => reading(() => from.readText(path)),
      }),
      used(file) {
        usedByStep?.add(file);
        if (page !== null) seenOf(page).descriptions.add(file);
      },
      linked: descriptionLinks.link,
    },
  };
  const note = (path: string): string => {
    if (isDescription) return path;
    const isShared = part !== 'body' && readByStep === null && (MEDIA.test(path) || shared.has(path));
    if (isShared) shared.add(path);
    else if (page !== null && page.source !== path) seenOf(page).read.add(path);
    (readByStep ?? readOutsideSteps).add(path);
    return path;
  };
  const { readStart } = source;
  const within = <T>(current: Page, currentPart: PagePart, step: () => T): T => {
    const before = { page, part, taken };
    page = current;
    part = currentPart;
    taken = seenOf(current).warnings[part];
    try {
      return step();
    } finally {
      page = before.page;
      part = before.part;
      taken = before.taken;
    }
  };
  return {
    source: {
      ...source,
      has(path) {
        const isThere = source.has(path);
        if (isThere && MEDIA.test(path)) note(path);
        else if (!isDescription) noted.add(path);
        return isThere;
      },
      read: (path) => source.read(note(path)),
      readText: (path) => source.readText(note(path)),
      ...(readStart === undefined ? {} : { readStart: (path, bytes) => readStart(note(path), bytes) }),
    },
    warn: (warning) => void taken?.push(warning),
    over: (site) => ({
      ...site,
      content: (one) =>
        within(one, 'body', () => {
          const content = site.content(one);
          return { ...content, sections: () => within(one, 'body', content.sections) };
        }),
      document: (one, content) => within(one, 'shell', () => site.document(one, content)),
    }),
    warningsOf: (one, part) => [...(byPage.get(one)?.warnings[part] ?? [])],
    repeat: (one, part, warnings, warn) =>
      within(one, part, () => {
        for (const warning of warnings) warn(warning);
      }),
    lookups,
    noted,
    shared: () => shared,
    read: () => readOutsideSteps,
    shownBy(one) {
      const { read = [], texts = [] } = byPage.get(one) ?? {};
      return [...[...read].filter((file) => MEDIA.test(file)), ...texts];
    },
    descriptionLinks,
    descriptionsFor: (one) => byPage.get(one)?.descriptions ?? new Set(),
    namesFor: (one) => byPage.get(one)?.names ?? new Set(),
    isRedirected: (one) => byPage.get(one)?.isRedirected ?? false,
    readFor: (one) => byPage.get(one)?.read ?? new Set(),
    async collect(step) {
      const warnings: KnownWarning[] = [];
      const read = new Set<string>();
      taken = warnings;
      const used = new Set<string>();
      readByStep = read;
      usedByStep = used;
      try {
        const result = await step();
        return { result, warnings, read: new Set([...read, ...filesLinked(used, descriptionLinks)]) };
      } finally {
        taken = null;
        readByStep = null;
        usedByStep = null;
      }
    },
  };
}
