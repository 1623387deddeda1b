import { expect, test } from 'vitest';
import { newPreviewLabel } from './preview-host.ts';

test.each([
  ['feature/New Quickstart', /^feature-new-quickstart-[a-z2-9]{12}$/],
  ['añadir-página', /^an-adir-pa-gina-[a-z2-9]{12}$/],
  ['xn--docs', /^xn-docs-[a-z2-9]{12}$/],
  ['日本語', /^preview-[a-z2-9]{12}$/],
  ['---', /^preview-[a-z2-9]{12}$/],
  [`${'a'.repeat(49)}/b`, /^a{49}-[a-z2-9]{12}$/],
])('the label of the branch %s is valid in DNS', (branch, expected) => {
  expect(newPreviewLabel(branch)).toMatch(expected);
});

test('a label has at most 63 characters, and no two are the same', () => {
  const labels = Array.from({ length: 200 }, () => newPreviewLabel('b'.repeat(255)));
  expect(new Set(labels).size).toBe(200);
  for (const label of labels) {
    expect(label.length).toBe(63);
    expect(label).toMatch(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])$/);
  }
});
