import type { Page } from '../site.ts';

/** What the index knows of a page beside its text. */
export interface SearchPage {
  page: Page;
  title: string;
  description: string;
  keywords: readonly string[];
  operationId: string | null;
  /** Factor of its rank. */
  boost: number;
  crumbs: readonly string[];
  /** Labels by `FACETS` of the index; null where the page is in none. */
  facets: readonly (string | null)[];
}
