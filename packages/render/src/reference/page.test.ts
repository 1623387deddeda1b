import { expect, test } from 'vitest';
import { type ReferenceSample, shownSamples } from './page.ts';
import { sampleLanguages } from './samples/index.ts';

const made = sampleLanguages.map(
  ({ key, label, lang }): ReferenceSample => ({ key, label, lang, code: 'made' }),
);
const given = (lang: string) => [{ lang, label: null, source: 'x' }];
const madeLabels = (lang: string) =>
  shownSamples({ samples: given(lang) }, made)
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
    const [first] = shownSamples({ samples: given(lang) }, made);
    expect(first).toEqual({ key: null, label: lang.toLowerCase(), lang: highlighted, code: 'x' });
    const all = made.map(({ label }) => label);
    expect(madeLabels(lang)).toEqual(all.filter((label) => !replaced.includes(label)));
  },
);

test('a sample in an unknown language replaces none', () => {
  expect(madeLabels('Terraform')).toHaveLength(made.length);
});
