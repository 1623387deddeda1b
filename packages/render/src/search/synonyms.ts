import { eachToken } from '@offprint/search/tokens';

/** Words of a text that are not in it: those that mean the same as words that are. */
export type Synonyms = (text: string) => string[];

/** Groups of words and words of a group. */
const MAX_GROUPS = 1_000;
const MAX_MEMBERS = 20;

interface Phrase {
  words: readonly string[];
  others: readonly string[];
}

/** Reads the groups of docs.json, such as `SSO, single sign-on`. Null without any. */
export function readSynonyms(groups: readonly string[]): Synonyms | null {
  /** By the first word. */
  const phrases = new Map<string, Phrase[]>();
  for (const group of groups.slice(0, MAX_GROUPS)) {
    const members = group.split(',', MAX_MEMBERS).filter((member) => wordsOf(member).length > 0);
    for (const member of members) {
      const words = wordsOf(member);
      const others = members.filter((other) => other !== member);
      const [first = ''] = words;
      if (others.length > 0) phrases.set(first, [...(phrases.get(first) ?? []), { words, others }]);
    }
  }
  if (phrases.size === 0) return null;
  return (text) => {
    const words = wordsOf(text);
    const found = new Set<string>();
    for (const [at, word] of words.entries()) {
      for (const phrase of phrases.get(word) ?? []) {
        if (phrase.words.every((each, index) => words[at + index] === each))
          for (const other of phrase.others) found.add(other);
      }
    }
    return [...found];
  };
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachToken(text, (start, end, word) => words.push(word ?? text.slice(start, end).toLowerCase()));
  return words;
}
