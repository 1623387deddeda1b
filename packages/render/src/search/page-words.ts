/** Adds the words of pages to the postings. */
import { StaleRenderError } from '../page-cache/stale-render.ts';
import { endpointOf } from '../site.ts';
import { addEarlierPage, type EarlierWords, endEarlier } from './kept-words.ts';
import { addName, addText, FIELD, type Postings, startSection } from './postings.ts';
import type { SearchPage } from './search-page.ts';
import type { Section } from './sections.ts';
import type { Synonyms } from './synonyms.ts';

export interface PageWords {
  add(about: SearchPage, sections: readonly Section[]): void;
  /** Adds the words of the page that had this number in the earlier render. */
  addKnown(number: number): void;
  /** To call before the postings are used. */
  end(): void;
}

interface WaitingPage {
  about: SearchPage;
  sections: readonly Section[];
}

/** Pages that wait for others, and characters of their texts. */
const MAX_PAGES = 16;
const MAX_TEXT = 1_000_000;

/**
 * Words of several pages are added together. Rendering a page evicts code and tables of the words from the caches of the
 * processor, so that page by page the same takes nearly twice as long.
 */
export function createPageWords(
  postings: Postings,
  synonyms: Synonyms | null,
  earlier: EarlierWords | null,
): PageWords {
  let waiting: WaitingPage[] = [];
  let size = 0;
  const addAll = (): void => {
    for (const page of waiting) addSections(postings, page, synonyms);
    waiting = [];
    size = 0;
  };
  return {
    add(about, sections) {
      waiting.push({ about, sections });
      for (const { text } of sections) size += text.length;
      if (waiting.length === MAX_PAGES || size > MAX_TEXT) addAll();
    },
    addKnown(number) {
      addAll();
      if (earlier === null) throw new StaleRenderError();
      addEarlierPage(postings, earlier, number);
    },
    end() {
      addAll();
      if (earlier !== null) endEarlier(postings, earlier);
    },
  };
}

function addSections(postings: Postings, { about, sections }: WaitingPage, synonyms: Synonyms | null): void {
  for (const [index, section] of sections.entries()) {
    if (index === 0) {
      addStart(postings, about, section);
      addParameters(postings, sections);
    } else {
      startSection(postings);
      addName(postings, section.title, section.isHeading ? FIELD.heading : FIELD.keyword);
      addText(postings, section.text, FIELD.text);
    }
    if (synonyms === null) continue;
    const text =
      index === 0 ? `${about.title}\n${startText(about, section.text)}` : `${section.title}\n${section.text}`;
    for (const other of synonyms(text)) addText(postings, other, FIELD.text);
  }
}

/** Text of the start of a page, with its description once: pages of endpoints begin with theirs. */
export function startText({ description }: SearchPage, text: string): string {
  const isFirstSentence = /[.!?]$/.test(description) && text.trimStart().startsWith(description);
  return description === '' || isFirstSentence ? text : `${description}\n${text}`;
}

function addStart(postings: Postings, about: SearchPage, section: Section): void {
  const { page } = about;
  startSection(postings, true);
  addName(postings, about.title, FIELD.title);
  if (page.sidebarTitle !== page.title) addText(postings, page.sidebarTitle, FIELD.keyword);
  for (const keyword of about.keywords) addText(postings, keyword, FIELD.keyword);
  const endpoint = endpointOf(page);
  if (endpoint !== null) {
    addText(postings, endpoint.method, FIELD.keyword);
    addText(postings, endpoint.path, FIELD.keyword);
    if (about.operationId !== null) addText(postings, about.operationId, FIELD.keyword);
  }
  addText(postings, about.description, FIELD.context);
  addText(postings, page.path, FIELD.context);
  for (const crumb of about.crumbs) addText(postings, crumb, FIELD.context);
  addText(postings, section.text, FIELD.text);
}

/** Start of the ids of the parameters of an operation. */
const PARAMETER = 'parameter-';
const MAX_PARAMETERS = 50;

/** Of pages with a field of a name, those of operations with such a parameter are meant, not responses that contain it. */
function addParameters(postings: Postings, sections: readonly Section[]): void {
  const parameters = sections.filter(({ id, isHeading }) => !isHeading && id.startsWith(PARAMETER));
  const field = FIELD.keyword | FIELD.context;
  for (const { title } of parameters.slice(0, MAX_PARAMETERS)) addText(postings, title, field);
}
