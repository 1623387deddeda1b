import type { Page } from '../site.ts';

/** What the body of a page may read of other pages. */
export interface LinkedPage extends Pick<Page, 'path' | 'output' | 'source' | 'operation' | 'channel'> {
  front: Pick<Page['front'], 'rss'>;
  frontMatter: { openapi?: unknown };
}
