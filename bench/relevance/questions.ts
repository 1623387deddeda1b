/** Questions as people type them, made of a title, a heading or the first sentence of a page. */
import type { Random } from './random.ts';

interface Asking {
  /** Questions for the name of a thing. */
  about: readonly string[];
  /** Questions for something to do. */
  doing: readonly string[];
  /** What a text starts with that names something to do. */
  isDoing: RegExp;
  /** What follows it in a sentence is something to do. */
  howTo?: RegExp;
}

const VERBS =
  'access|activate|add|allow|analyze|apply|archive|attach|authenticate|authorize|automate|avoid|block|build|call|cancel|capture|change|check|choose|clean|clear|clone|collect|combine|compare|compose|configure|connect|control|convert|copy|create|customize|debug|define|delete|deploy|design|detect|disable|discover|display|download|edit|embed|enable|encrypt|evaluate|execute|expose|export|extend|extract|fetch|filter|find|fix|format|generate|get|group|handle|hide|host|identify|implement|import|improve|index|ingest|initialize|insert|inspect|install|instrument|integrate|invite|join|launch|limit|link|list|load|log|make|manage|map|measure|merge|migrate|modify|monitor|mount|move|navigate|open|optimize|organize|override|pass|pause|perform|persist|preview|process|protect|provide|publish|push|query|read|receive|record|redirect|reduce|refresh|register|remove|rename|render|replace|request|reset|resolve|restore|restrict|retrieve|retry|return|revoke|rotate|run|save|scale|schedule|scrape|search|secure|select|send|serve|set|set up|share|show|sign|simplify|specify|start|stop|store|stream|structure|submit|switch|sync|tag|target|test|trace|track|train|transfer|transform|translate|trigger|troubleshoot|tune|understand|update|upgrade|upload|use|validate|verify|view|visualize|wait|watch|wrap|write';

const ASKING: Readonly<Record<string, Asking>> = {
  en: {
    about: [
      'what is {}',
      'how do I use {}',
      'where can I find {}',
      'how does {} work',
      'can you explain {}',
      'I have a problem with {}',
      'help me understand {}',
      'is there documentation on {}',
    ],
    doing: [
      'how do I {}',
      'how to {}',
      'how can I {}',
      'where can I {}',
      'is it possible to {}',
      'what is the best way to {}',
      'I want to {}',
      'steps to {}',
    ],
    isDoing: new RegExp(`^(?:${VERBS})\\s`, 'i'),
    howTo: /\b(?:how|learn) to (.+)/i,
  },
  es: {
    about: ['qué es {}', 'cómo funciona {}', 'dónde encuentro {}', 'para qué sirve {}'],
    doing: ['cómo puedo {}', 'cómo {}'],
    isDoing: /^\p{L}+[aei]r(?:l[aoe]s?)?\s/iu,
    howTo: /\bcómo (\p{L}+[aei]r\s.+)/iu,
  },
  fr: {
    about: ['qu’est-ce que {}', 'comment fonctionne {}', 'où puis-je trouver {}'],
    doing: ['comment {}', 'comment puis-je {}'],
    isDoing: /^\p{L}+(?:er|ir|re)\s/iu,
    howTo: /\bcomment (\p{L}+(?:er|ir|re)\s.+)/iu,
  },
  pt: {
    about: ['o que é {}', 'como funciona {}', 'onde encontro {}'],
    doing: ['como posso {}', 'como {}'],
    isDoing: /^\p{L}+[aei]r\s/iu,
    howTo: /\bcomo (\p{L}+[aei]r\s.+)/iu,
  },
  de: {
    about: ['was ist {}', 'wie funktioniert {}', 'wo finde ich {}'],
    doing: ['wie kann ich {}', 'wie {}'],
    isDoing: /\s\p{Ll}+en$/u,
  },
  ru: {
    about: ['что такое {}', 'как работает {}', 'где найти {}'],
    doing: ['как {}', 'как я могу {}'],
    isDoing: /^\p{L}+ть(?:ся)?\s/iu,
  },
  ar: { about: ['ما هو {}', 'كيف يعمل {}', 'أين أجد {}'], doing: [], isDoing: /^(?!)/ },
  zh: { about: ['什么是{}', '如何使用{}', '在哪里可以找到{}', '{}怎么用'], doing: [], isDoing: /^(?!)/ },
  ja: {
    about: ['{}とは何ですか', '{}の使い方', '{}はどこにありますか', '{}について教えて'],
    doing: [],
    isDoing: /^(?!)/,
  },
  ko: { about: ['{} 사용 방법', '{}란 무엇인가요', '{}은 어디에 있나요'], doing: [], isDoing: /^(?!)/ },
};

/** Words of a question at most; nobody types a whole sentence of a description. */
const MAX_WORDS = 9;

/** Whether questions are made for a language, by its code. */
export const asksIn = (language: string): boolean => Object.hasOwn(ASKING, language);

/** A question about a title or heading; null if it is a question already or too long. */
export function askAbout(name: string, language: string, random: Random): string | null {
  const asking = ASKING[language];
  const text = plain(name);
  if (asking === undefined || text === '' || isLong(text)) return null;
  if (/[?？]$/.test(name.trim())) return text;
  return asking.isDoing.test(text) && asking.doing.length > 0
    ? fillIn(random.pick(asking.doing), text)
    : fillIn(random.pick(asking.about), text);
}

/** A question from a sentence that says what the reader can do; null for any other sentence. */
export function askFrom(sentence: string, language: string, random: Random): string | null {
  const asking = ASKING[language];
  if (asking === undefined || asking.doing.length === 0) return null;
  const text = plain(sentence);
  const task = asking.isDoing.test(text) ? text : asking.howTo?.exec(text)?.[1];
  if (task === undefined) return null;
  const words = task
    .split(/[,;:]| - | — /)[0]!
    .trim()
    .split(/\s+/);
  if (words.length < 3) return null;
  return fillIn(random.pick(asking.doing), words.slice(0, MAX_WORDS).join(' '));
}

const fillIn = (pattern: string, text: string): string => pattern.replace('{}', () => text);

const isLong = (text: string): boolean => text.split(' ').length > MAX_WORDS || text.length > 80;

/** As typed: without case, marks at the end, and with "my" for "your". */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[.!?。！？\s]+$/u, '')
    .trim()
    .toLowerCase()
    .replace(/\byour\b/g, 'my');
