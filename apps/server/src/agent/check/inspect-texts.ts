import { descriptionFault, findBrowserCode, findCodeInMarkup } from '@offprint/render/browser-code';
import type { InspectQuestion } from './docs-check.ts';
import { type Inspected, packCode } from './request.ts';

/** Finds the code in texts. The parser is native code and the texts are hostile: for a sandbox child. */
export function inspectTexts({ files, markup, descriptions }: InspectQuestion): Inspected {
  return {
    files: files.map(({ path, text, variables }) => packCode(findBrowserCode(path, text, variables))),
    markup: markup.map((text) => packCode(findCodeInMarkup(text))),
    descriptions: descriptions.map(({ path, text }) => descriptionFault(text, path)?.slice(0, 500) ?? null),
  };
}
