/** The project, the site server and the chart accept the same base paths, so that a value of one is valid for the others. */
import { expect, test } from 'vitest';
import { cleanBasePath } from '../../apps/site/src/base-path.ts';
import { normalizeBasePath } from '../../packages/contract/src/base-path.ts';
import { schemaFaults } from './helm-values.ts';

const taken = ['', '/docs', '/a/b.c/~d_e-f', '/.well-known', '/.a/..b/c..', `/${'a'.repeat(199)}`];
const refused = ['/.', '/..', '/a/../b', '/...', '/a b', '/ü', '/a%2f', '/a?b', `/${'a'.repeat(200)}`];

function bySite(text: string): string | null {
  try {
    return cleanBasePath(text);
  } catch {
    return null;
  }
}

test.each([...taken, ...refused])('%j is a base path of all or of none', (path) => {
  const wanted = taken.includes(path) ? path : null;
  expect(normalizeBasePath(path)).toBe(wanted);
  expect(bySite(path)).toBe(wanted);
  expect(schemaFaults(JSON.stringify({ site: { basePath: path } })).length === 0).toBe(wanted !== null);
});
