import { escapeAttribute } from '../escape.ts';
import type { RenderedPage } from '../mdx/page.ts';
import { foldPath } from '../nav/path.ts';
import type { OpenSite } from '../open-site.ts';
import type { Page } from '../site.ts';
import type { AddedFile, FileContent } from '../stored-file.ts';
import { markdownOutput } from '../theme/addresses.ts';
import type { Warn } from '../warning.ts';
import { createAnchorCheck } from './anchors.ts';
import type { Emitter } from './emitter.ts';
import { llmsPages, markdownTwin, type PageText } from './llms.ts';
import { createPendingPages, type KnownDocument, type PendingPage } from './pending-pages.ts';
import { indexablePages } from './sitemap.ts';

interface PageWriterOptions {
  maxKept?: number | undefined;
  /** Takes what is known of the file of a page, with the corrections of its links. */
  onWritten?: ((page: Page, file: AddedFile | null, corrections: string) => void) | undefined;
}

/** Writes pages as soon as it is known which ids their links mean: those of a later page when that is rendered. */
export function createPageWriter(
  site: Pick<OpenSite, 'content' | 'document' | 'siteMap'>,
  emitter: Pick<Emitter, 'emit'>,
  { maxKept, onWritten }: PageWriterOptions = {},
) {
  const anchors = createAnchorCheck();
  const pending = createPendingPages(maxKept);
  const emit = ({ page, links, html, known }: PendingPage): void => {
    const corrections = anchors.settle(links);
    const written = JSON.stringify([...corrections]);
    const isKnown = known?.corrections === written;
    const content = isKnown
      ? known.file
      : correctLinks(html ?? site.document(page, site.content(page)), corrections);
    const file = emitter.emit(page.output, content);
    onWritten?.(page, file, written);
  };
  const add = (one: PendingPage): void => {
    const { page, links } = one;
    const open = new Set(links.flatMap(({ target }) => (anchors.has(target) ? [] : [target])));
    if (open.size === 0) emit(one);
    else pending.add(one, open);
    for (const ready of pending.settle(page.path)) emit(ready);
  };
  return {
    /** Returns the document, without corrections of its links. */
    page(page: Page, content: RenderedPage): string {
      anchors.add(page, content);
      const html = site.document(page, content);
      add({ page, links: content.links, html, known: null });
      return html;
    },
    /** A page whose body an earlier render has made. */
    known(page: Page, content: Pick<RenderedPage, 'links' | 'ids' | 'aliases'>, known: KnownDocument): void {
      anchors.add(page, content);
      const written = 'html' in known ? { ...known, known: null } : { html: null, known };
      add({ page, links: content.links, ...written });
    },
    /** Writes the other pages and reports dead links, once all pages were taken. */
    async rest(warn: Warn, turn: () => Promise<void>): Promise<void> {
      for (const one of pending.rest()) {
        emit(one);
        await turn();
      }
      anchors.report(warn, site.siteMap);
    },
  };
}

/**
 * Writes the Markdown twin of each page with it, unless a file of the source may have its path. Only the texts of pages
 * of llms-full.txt are needed later.
 */
export function createTwinWriter({ siteMap, theme }: OpenSite, emitter: Emitter) {
  const inLlms = new Set(llmsPages(theme, indexablePages(theme)));
  const files = new Set(siteMap.assets.map(foldPath));
  const isFree = (path: string): boolean =>
    path !== 'skill.md' && !path.startsWith('.well-known/') && !files.has(foldPath(path));
  return {
    needsText: (page: Page): boolean => inLlms.has(page) || !isFree(markdownOutput(page)),
    /** Returns what is known of the file; null if it is not written with the page. */
    write(text: PageText): AddedFile | null {
      const path = markdownOutput(text.page);
      return isFree(path) ? emitter.derive(path, markdownTwin(theme, text)) : null;
    },
    /** Writes what an earlier render wrote with the page. */
    writeKnown(page: Page, file: FileContent): void {
      emitter.derive(markdownOutput(page), file);
    },
  };
}

/**
 * A script that hands over the fields of a schema page to another page. A script loads from `file://`, too, and under any
 * policy that lets those of the site run.
 */
export function fieldsScript({ html }: RenderedPage): string {
  return `offprintFields(${JSON.stringify(html)});\n`;
}

function correctLinks(html: string, corrections: ReadonlyMap<string, string>): string {
  let corrected = html;
  for (const [written, href] of corrections)
    corrected = corrected.replaceAll(`href="${escapeAttribute(written)}"`, `href="${escapeAttribute(href)}"`);
  return corrected;
}
