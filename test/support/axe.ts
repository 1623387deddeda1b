/** Accessibility findings of an open page, by axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules whose outcome depends on colors; the others find the same in both themes. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Colors in a transition between themes are not the ones that a reader sees. */
const SETTLE = `for (const animation of document.getAnimations()) {
  try { animation.finish(); } catch { /* it has no end */ }
}`;

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Serious and critical findings, each with its rule first; `colors` limits the check to the color rules. */
export async function seriousFindings(
  page: Page,
  { colors = false, within }: { colors?: boolean; within?: string } = {},
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  await page.evaluate(SETTLE);
  const only = colors ? { runOnly: { type: 'rule', values: COLOR_RULES } } : {};
  const root = within === undefined ? 'document' : JSON.stringify(within);
  const options = JSON.stringify({ resultTypes: ['violations'], ...only });
  const { violations } = (await page.evaluate(`axe.run(${root}, ${options})`)) as { violations: Finding[] };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
    );
}
