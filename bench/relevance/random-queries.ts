import type { SearchRecord } from '@offprint/search';
import { createRandom, type Random } from './random.ts';

/** What readers may type on a site, from its own words: whole, cut off, with slips, in questions, and nonsense. */
export function randomQueries(records: readonly SearchRecord[], count: number, seed: string): string[] {
  const random = createRandom(seed);
  const word = (): string => {
    const { title, heading, content } = random.pick(records);
    const words = (random.pick([title, heading, content]) || title).split(/\s+/).filter((one) => one !== '');
    return words.length === 0 ? 'docs' : random.pick(words).slice(0, 60);
  };
  const forms: readonly (() => string)[] = [
    word,
    () => `${word()} ${word()}`,
    () => `${word()} ${word()} ${word()} ${word()}`,
    () => word().slice(0, 1 + random.below(5)),
    () => slip(word(), random),
    () => `${word()} ${slip(word(), random)}`,
    () => `how do I ${word()} the ${word()}?`,
    () => random.pick(records).title,
    () => `${word()} `,
    () =>
      String.fromCodePoint(...Array.from({ length: 1 + random.below(6) }, () => 33 + random.below(9_000))),
  ];
  return Array.from({ length: count }, () => random.pick(forms)());
}

/** A word with a letter missing, doubled, or exchanged with the next one. */
function slip(text: string, random: Random): string {
  const at = random.below(Math.max(1, text.length - 1));
  const [before, one, two, after] = [
    text.slice(0, at),
    text[at] ?? '',
    text[at + 1] ?? '',
    text.slice(at + 2),
  ];
  return random.pick([before + two + after, before + one + one + two + after, before + two + one + after]);
}
