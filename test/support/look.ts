/** A page of the dashboard in each size and theme. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { seriousFindings } from './axe.ts';

const SCREENSHOTS = process.env.OFFPRINT_SCREENSHOTS;
const NARROW = 390;

/**
 * Checks that the page has no serious findings and fits, wide and narrow, light and dark. Leaves it wide and light.
 * Takes pictures if OFFPRINT_SCREENSHOTS names a folder for them.
 */
export async function look(
  page: Page,
  name: string,
  { wide = 1440, fullPage = true }: { wide?: number; fullPage?: boolean } = {},
): Promise<void> {
  const findings: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [wide, NARROW]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (excess > 0) findings.push(`${width} px: ${excess} px too wide`);
      findings.push(...(await seriousFindings(page, { colors: width === NARROW })));
      if (SCREENSHOTS === undefined) continue;
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage });
    }
  }
  await page.setViewportSize({ width: wide, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  expect(findings, name).toEqual([]);
}
