/** Pages that tests use one after the other: to start one costs more than to open a document in it. */
import type { Page } from 'playwright-core';

export interface PagePool {
  /** A page that nobody else uses, without anything that an earlier document stored. It may show that document. */
  take(): Promise<Page>;
  /** Makes a page free for the next. A page that is not returned, because a test failed, stays as it is. */
  giveBack(page: Page): Promise<void>;
}

/** A pool without pages; `create` makes one, in a context of its own, when none is free. */
export function createPagePool(create: () => Promise<Page>): PagePool {
  const free: Page[] = [];
  return {
    take: async () => free.pop() ?? create(),
    async giveBack(page) {
      // A pointer stays where it was, and would hover over a part of the next document.
      await page.mouse.move(0, 0);
      await page.evaluate('localStorage.clear(); sessionStorage.clear()');
      free.push(page);
    },
  };
}
