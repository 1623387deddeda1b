import { readFileSync } from 'node:fs';
import { assetPath } from '../../assets.ts';
import type { Strings } from '../strings.ts';
import { en } from './en.ts';

export { en };

/** Languages of the interface besides English, each a file of words beside this one. */
export const LANGUAGES = [
  ...['ar', 'ca', 'cs', 'da', 'de', 'es', 'fi', 'fr', 'he', 'hi', 'hu', 'id', 'it', 'ja', 'ko', 'lv'],
  ...['nl', 'no', 'pl', 'pt', 'ro', 'ru', 'sv', 'tr', 'uk', 'uz', 'vi', 'zh', 'zh-hant'],
] as const;

/** Other tags of these languages. */
const ALIASES: Readonly<Record<string, string>> = {
  cn: 'zh',
  iw: 'he',
  jp: 'ja',
  nb: 'no',
  nn: 'no',
  'zh-hk': 'zh-hant',
  'zh-mo': 'zh-hant',
  'zh-tw': 'zh-hant',
};

const tables = new Map<string, Strings>();

/** The words for a BCP-47 tag: of that tag, else of its primary language, else English. One object a language. */
export function stringsFor(tag: string): Strings {
  const language = languageOf(tag.toLowerCase());
  if (language === null) return en;
  let words = tables.get(language);
  if (words === undefined) {
    const file = assetPath(`packages/render/src/theme/words/${language}.json`);
    words = { ...en, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Strings>) };
    tables.set(language, words);
  }
  return words;
}

/** The longest start of a tag that has a table: `zh-hant` of `zh-hant-hk`, `pt` of `pt-br`. */
function languageOf(tag: string): (typeof LANGUAGES)[number] | null {
  const parts = tag.split('-');
  for (let length = Math.min(parts.length, 2); length > 0; length--) {
    const start = parts.slice(0, length).join('-');
    const name = Object.hasOwn(ALIASES, start) ? ALIASES[start] : start;
    const found = LANGUAGES.find((language) => language === name);
    if (found !== undefined) return found;
  }
  return null;
}
