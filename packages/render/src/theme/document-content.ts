import type { RenderedPage } from '../mdx/page.ts';
import type { Playground } from '../reference/playground/embed.ts';

/** What the document of a page shows of its body. */
export interface DocumentContent
  extends Pick<RenderedPage, 'html' | 'toc' | 'side' | 'assets' | 'feed' | 'description'> {
  playground: Pick<Playground, 'html' | 'connect'> | null;
}
