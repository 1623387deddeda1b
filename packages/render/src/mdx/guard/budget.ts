import type { Page } from '../../site.ts';
import { maxSteps } from './work.ts';

/** What one page may take: steps of its expressions, and characters of its HTML and of its Markdown. */
export interface Budget {
  readonly steps: number;
  readonly characters: number;
  /** Which of them are all that the other pages have left of what the site may take. */
  readonly ofSite: { readonly steps: boolean; readonly characters: boolean };
}

/** Characters of one page. A page that is long in the source may have more. */
const pageCharacters = { min: 5_000_000, perCharacter: 20, max: 50_000_000 };

/** Of all pages together; several times what a site of such pages takes. */
const siteSteps = { min: 20_000_000, perPage: 50_000 };
const siteCharacters = { min: 100_000_000, perPage: 500_000 };

/** What a page has used of the budget of the site. */
export interface PageUse {
  sourceLength: number;
  steps: number;
  characters: number;
}

export interface SiteBudget {
  /** The budget of a page, the same each time it is rendered. */
  open(page: Page, sourceLength: number): Budget;
  /** Takes what a page has used. */
  close(page: Page, used: { steps: number; characters: number }): void;
  /** What a page has used, if the limits of the site did not apply to it; null if they did. */
  usedBy(page: Page): PageUse | null;
  /** Takes the same as in an earlier render; false if the limits of the site apply to the page now. */
  repeat(page: Page, use: PageUse): boolean;
  /** The limit of a kind for the site, to report once that it is reached; null after that. */
  takeReport(kind: 'steps' | 'characters'): number | null;
}

/** Shares what all pages of a site may take between them, in the order in which they are rendered. */
export function openSiteBudget(pages: number): SiteBudget {
  const limits = {
    steps: siteSteps.min + siteSteps.perPage * pages,
    characters: siteCharacters.min + siteCharacters.perPage * pages,
  };
  const left = { ...limits };
  const opened = new WeakMap<Page, Budget>();
  const lengths = new WeakMap<Page, number>();
  const uses = new WeakMap<Page, PageUse>();
  const reported = new Set<string>();
  const charactersOf = (sourceLength: number): number => {
    const { min, perCharacter, max } = pageCharacters;
    return Math.min(max, min + perCharacter * sourceLength);
  };
  const take = (page: Page, use: PageUse): void => {
    uses.set(page, use);
    left.steps -= use.steps;
    left.characters -= use.characters;
  };
  return {
    open(page, sourceLength) {
      const known = opened.get(page);
      if (known !== undefined) return known;
      lengths.set(page, sourceLength);
      const characters = charactersOf(sourceLength);
      const budget = {
        steps: Math.max(0, Math.min(maxSteps, left.steps)),
        characters: Math.max(0, Math.min(characters, left.characters)),
        ofSite: { steps: left.steps < maxSteps, characters: left.characters < characters },
      };
      opened.set(page, budget);
      return budget;
    },
    close(page, used) {
      if (!uses.has(page)) take(page, { sourceLength: lengths.get(page) ?? 0, ...used });
    },
    usedBy(page) {
      const { ofSite } = opened.get(page) ?? {};
      return ofSite === undefined || ofSite.steps || ofSite.characters ? null : (uses.get(page) ?? null);
    },
    repeat(page, use) {
      if (left.steps < maxSteps || left.characters < charactersOf(use.sourceLength)) return false;
      take(page, use);
      return true;
    },
    takeReport(kind) {
      if (reported.has(kind)) return null;
      reported.add(kind);
      return limits[kind];
    },
  };
}
