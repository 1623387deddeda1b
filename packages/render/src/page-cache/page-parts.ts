/** The parts of a document that come from the body of its page, so that it can be written again around them. */
import type { RenderedPage } from '../mdx/page.ts';
import type { OpenSite } from '../open-site.ts';
import type { KnownDocument } from '../output/pending-pages.ts';
import type { Page } from '../site.ts';
import type { StoredFile } from '../stored-file.ts';
import type { DocumentContent } from '../theme/index.ts';

/** Start and end of the HTML of the body, of its side column and of its playground; -1 for what it does not have. */
export type PageParts = readonly number[];

type Parts = Pick<DocumentContent, 'html' | 'side' | 'playground'>;

/** Finds the parts in a document: the first text that is equal to a part is as good as the part itself. */
export function findParts(document: string, { html, side, playground }: Parts): PageParts {
  return [html, side?.html, playground?.html].flatMap((part) => {
    const start = part === undefined ? -1 : document.indexOf(part);
    return [start, part === undefined ? -1 : start + part.length];
  });
}

/** The document of a page whose body is as in the earlier render; `file` is what that has written, without corrections. */
export function documentAround(
  site: Pick<OpenSite, 'document'>,
  page: Page,
  file: StoredFile,
  parts: PageParts,
  known: Pick<RenderedPage, 'toc' | 'assets' | 'feed' | 'description'> & {
    sideKind: NonNullable<RenderedPage['side']>['kind'] | null;
    connect: readonly string[] | null;
  },
): { document: KnownDocument; html: string; parts: PageParts } {
  const text = new TextDecoder().decode(file.read());
  const part = (number: number): string => text.slice(parts[2 * number], parts[2 * number + 1]);
  const { sideKind, connect } = known;
  const content = {
    ...known,
    html: part(0),
    side: sideKind === null ? null : { kind: sideKind, html: part(1) },
    playground: connect === null ? null : { connect, html: part(2) },
  };
  const html = site.document(page, content);
  const document = html === text ? { file, corrections: NO_CORRECTIONS } : { html };
  return { document, html, parts: findParts(html, content) };
}

/** The corrections of a page that needs none. */
export const NO_CORRECTIONS = '[]';
