/** Opens pages and writes down everything a reader must never meet. */
import type { Browser } from 'playwright-core';

export interface PageFault {
  page: string;
  kind: 'console' | 'exception' | 'outside' | 'failed';
  detail: string;
}

/**
 * Visits URLs in a fresh context. `inside` selects the requests that belong to the site; any other gets an empty response
 * and is reported.
 */
export async function watchPages(
  browser: Browser,
  addresses: readonly string[],
  inside: (url: string) => boolean,
): Promise<PageFault[]> {
  const faults: PageFault[] = [];
  const context = await browser.newContext({ serviceWorkers: 'block' });
  try {
    for (const address of addresses) {
      const page = await context.newPage();
      const add = (kind: PageFault['kind'], detail: string) => faults.push({ page: address, kind, detail });
      page.on('console', (message) => {
        if (message.type() === 'error') add('console', message.text());
      });
      page.on('pageerror', (error) => add('exception', error.message));
      await page.route('**/*', (route) => {
        const url = route.request().url();
        if (inside(url) || url.startsWith('data:') || url.startsWith('blob:')) return route.continue();
        add('outside', url);
        return route.abort();
      });
      // A page that redirects is on its way to the next one when it is closed.
      let closing = false;
      page.on('requestfailed', (request) => {
        if (!closing && inside(request.url())) add('failed', request.url());
      });
      await page.goto(address, { waitUntil: 'load' });
      closing = true;
      await page.close();
    }
  } finally {
    await context.close();
  }
  return faults;
}
