import { fileURLToPath } from 'node:url';
import { checkSite, directorySource } from '@offprint/render';
import { expect, test } from 'vitest';

test('the starter site has no findings', () => {
  const folder = fileURLToPath(new URL('./starter', import.meta.url));
  const { findings, pageCount, name } = checkSite(directorySource(folder));
  expect(findings).toEqual([]);
  expect({ pageCount, name }).toEqual({ pageCount: 6, name: 'Acme Docs' });
});
