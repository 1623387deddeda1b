import { readPages, type SearchRecord } from '../records.ts';
import type { ReadFile } from '../site-files.ts';

/** Characters of the text of a section; what is after them is found by its words. */
const MAX_TEXT = 4_000;

/** The sections of a page, as models read them, in the order of the index. */
export interface PageTexts {
  /** Path of the index that has the page. */
  directory: string;
  texts: string[];
}

/** The texts of the sections of a site, one page at a time, in the order of its vectors. Throws a DamagedIndexError. */
export async function* readSectionTexts(read: ReadFile): AsyncGenerator<PageTexts> {
  for await (const { directory, records } of readPages(read)) yield { directory, texts: records.map(textOf) };
}

/** What a section is about comes first: a section alone often does not say of what it speaks. */
function textOf({ path, title, heading, breadcrumbs, method, content }: SearchRecord): string {
  const names = [...breadcrumbs, `${method} ${title}`.trim(), heading].filter((name) => name !== '');
  return `${names.join(' > ')}\n${content}`.slice(0, MAX_TEXT).toWellFormed().trim() || path;
}
