import type { Strings } from '../strings.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

export { en };

/** By primary subtag; a word that a language lacks is English. */
export const tables: Readonly<Record<string, Strings>> = Object.fromEntries(
  Object.entries({ ar, de, en, es, fr, it, ja, ko, pt, ru, zh }).map(([language, words]) => [
    language,
    { ...en, ...words },
  ]),
);
