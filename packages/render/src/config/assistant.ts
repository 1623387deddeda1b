import { FEATURE_EXCLUDED } from '../excluded.ts';
import { memberName, type Section, warnAt } from './section.ts';

/**
 * Hosts of the assistants, not of their vendors, so that a link of the site to one of them is
 * recognized.
 */
const HOSTS =
  /(?:^|\.)(?:chatgpt\.com|chat\.openai\.com|claude\.ai|perplexity\.ai|grok\.com|grok\.x\.ai|aistudio\.google\.com|gemini\.google\.com|devin\.ai|copilot\.microsoft\.com)\.?$/;

/** What is relative to a page depends on the scheme of the page: `https:a.example` is a path on a page of https. */
const PAGES = ['https://site.invalid/', 'http://site.invalid/'];

/** URLs in a text with links; the longest match. */
const ADDRESS = /(?:https?:|[\\/]{2})[^\s()<>[\]"'`|*]*/gi;

/** Words of a search field that invite to ask an assistant, in the languages that exported sites speak. */
const WORDS =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:ai|ki|ia|ии|ask|chat(?:bot|gpt)?|gpt|copilot|claude|assist[ae]nte?s?|fragen?|preg[uú]nt\w*|pergunt\w*|demand\w*|спрос\p{Script=Cyrillic}*)(?![\p{Script=Latin}\p{Script=Cyrillic}])|人工智能|人工智慧|助手|提问|提問|询问|詢問|質問|アシスタント|질문|어시스턴트/iu;

/** Whether browsers find an assistant at a URL, however it is spelled. */
export function isAssistantLink(href: string): boolean {
  return PAGES.some((page) => HOSTS.test(URL.parse(href, page)?.hostname ?? ''));
}

/** Whether a link of the configuration leads to an assistant and the export excludes assistants; warns at the member. */
export function isExcludedLink(section: Section, key: string, href: string): boolean {
  return isAssistantLink(href) && excludes(section, key, 'opens an assistant and was removed.');
}

/** The same of a text with links. */
export function isExcludedText(section: Section, key: string, content: string): boolean {
  const found = (content.match(ADDRESS) ?? []).some((one) => isAssistantLink(one.replace(/\p{P}+$/u, '')));
  return found && excludes(section, key, 'opens an assistant and was removed.');
}

/** The same of a text that may invite readers to ask an assistant. */
export function isExcludedPrompt(section: Section, key: string, prompt: string): boolean {
  const what = 'invites readers to ask an assistant and was removed; the default text is used.';
  return WORDS.test(prompt) && excludes(section, key, what);
}

function excludes(section: Section, key: string, what: string): boolean {
  const reason = section.excluded?.assistant;
  if (reason === undefined) return false;
  warnAt(section, key, FEATURE_EXCLUDED, `"${memberName(section, key)}" ${what} ${reason}`);
  return true;
}
