/**
 * Generated style sheets and values, of which none may name a file of another site after it was cleaned. The parser that
 * looks for one is not the parser of the product. 50,000 in the usual run, 1,000,000 with OFFPRINT_TEST=full
 * (OFFPRINT_TEST_SEED: where to begin).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFull } from '../../../test/support/size.ts';
import { cleanCss, cleanValue } from '../src/clean/css.ts';
import { defectsOf, hostileCss } from './css-samples.ts';

const RUNS = isFull ? 1_000_000 : 50_000;
const { OFFPRINT_TEST_SEED: seed } = process.env;

test(`${RUNS} style texts load nothing from another site`, { timeout: 3_600_000 }, () => {
  const counts = { hostile: 0, values: 0 };
  fc.assert(
    fc.property(hostileCss, (css) => {
      if (defectsOf(css).some((defect) => defect.includes('evil'))) counts.hostile++;
      const cleaned = cleanCss(css, { resolve: ({ url }) => url });
      if (defectsOf(cleaned).length > 0) throw new Error(`${JSON.stringify(cleaned)}: ${defectsOf(cleaned)}`);
      const again = cleanCss(cleaned, { resolve: ({ url }) => url });
      if (again !== cleaned) throw new Error(`${JSON.stringify(cleaned)} becomes ${JSON.stringify(again)}`);
      const minified = cleanCss(css, { resolve: ({ url }) => url, isMinified: true });
      if (defectsOf(minified).length > 0)
        throw new Error(`${JSON.stringify(minified)}: ${defectsOf(minified)}`);
      const value = cleanValue(css, (url) => url);
      if (value === null) return;
      counts.values++;
      if (defectsOf(value).length > 0) throw new Error(`${JSON.stringify(value)}: ${defectsOf(value)}`);
    }),
    { numRuns: RUNS, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  );
  expect(counts.hostile).toBeGreaterThan(RUNS * 0.25);
  expect(counts.values).toBeGreaterThan(RUNS * 0.01);
});
