import type { ServedSite } from '../deployments/service.ts';
import type { Asker } from './asker.ts';

/** What the assistant knows: the pages of one served release that one reader can read. */
export interface SiteKnowledge {
  /** Sections that fit a query, best first. */
  search(query: string, limit: number): Promise<FoundSection[]>;
  /** Markdown copy of a page by its path, such as `guides/start`; null if the reader cannot read such a page. */
  read(path: string): Promise<string | null>;
  /** Whether a path of the release, with its anchor if it has one, leads to something that the reader can read. */
  resolves(url: string): Promise<boolean>;
}

export interface FoundSection {
  /** Of the page, without slash at the start and without extension: `guides/start`. */
  path: string;
  title: string;
  /** Null: the start of the page. */
  anchor: string | null;
  /** Heading and text of the section. */
  text: string;
}

/** Opens the release that a reader of a host gets. */
export type OpenKnowledge = (
  site: ServedSite,
  reader: Pick<Asker, 'groups' | 'bundle'>,
) => Promise<SiteKnowledge>;
