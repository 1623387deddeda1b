import { expect, test } from 'vitest';
import { type ReferenceSample, shownSamples } from './page.ts';
import { sampleLanguages } from './samples/index.ts';

const made = sampleLanguages.map(
  ({ key, label, lang }): ReferenceSample => ({ key, label, lang, code: 'made' }),
);
const madeLabels = (written: readonly object[]) =>
  shownSamples({ written: { 'x-codeSamples': written } }, made)
    .filter(({ key }) => key !== null)
    .map(({ label }) => label);

test.each([
  ['curl', 'bash', ['cURL']],
  ['Shell', 'bash', ['cURL']],
  ['py', 'python', ['Python']],
  ['C#', 'csharp', ['C#', '.NET']],
  ['js', 'javascript', ['JavaScript', 'Node.js']],
])(
  'a sample of a description in %s is highlighted as %s and replaces those made for it',
  (lang, highlighted, replaced) => {
    const [first] = shownSamples({ written: { 'x-codeSamples': [{ lang, source: 'x' }] } }, made);
    expect(first).toEqual({ key: null, label: lang.toLowerCase(), lang: highlighted, code: 'x' });
    const all = made.map(({ label }) => label);
    expect(madeLabels([{ lang, source: 'x' }])).toEqual(all.filter((label) => !replaced.includes(label)));
  },
);

test('a sample in an unknown language replaces none', () => {
  expect(madeLabels([{ lang: 'Terraform', source: 'x' }])).toHaveLength(made.length);
});
