import type { Page, SchemaPage, SiteMap } from '../site.ts';

/** Numbers of pages in the order in which they are written: those of the site map, then those of schemas. */
export interface PageNumbers {
  of(page: Page): number;
  at(number: number): Page | undefined;
  /** The pages of schemas so far, the first of which has the number `first`. */
  schemas(): readonly SchemaPage[];
  first: number;
}

export function numberPages({ pages, schemaPages }: SiteMap): PageNumbers {
  const numbers = new Map(pages.map((page, number) => [page, number]));
  const schemas: SchemaPage[] = [];
  const update = (): void => {
    if (schemas.length === schemaPages.size) return;
    for (const schema of [...schemaPages.values()].slice(schemas.length)) {
      numbers.set(schema.page, pages.length + schemas.length);
      schemas.push(schema);
    }
  };
  return {
    first: pages.length,
    of(page) {
      if (!numbers.has(page)) update();
      return numbers.get(page) ?? -1;
    },
    at(number) {
      if (number >= pages.length) update();
      return pages[number] ?? schemas[number - pages.length]?.page;
    },
    schemas() {
      update();
      return schemas;
    },
  };
}
