import { substituteVariables } from '../config/variables.ts';
import { findInDescription } from './description.ts';
import { type BrowserCode, browserCode, type Report } from './found.ts';
import { checkTexts, findInPage, readMarkup } from './page.ts';
import { findInSvg } from './svg.ts';

export { descriptionFault } from './description.ts';
export type { BrowserCode, Known } from './found.ts';

/** Code of a text of docs.json that pages show as Markdown. */
export function findCodeInMarkup(text: string): BrowserCode[] {
  return collect((report) => checkTexts(plainLines(text), 1, report, readMarkup));
}

/**
 * Code of one docs file that reaches the browsers of readers: found in its syntax tree, and by the names that a browser
 * sees. Text, code blocks, tables, links and plain values are none. `variables` are those of docs.json. Never throws;
 * what cannot be read is reported.
 */
export function findBrowserCode(
  path: string,
  text: string,
  variables: Readonly<Record<string, string>> = {},
): BrowserCode[] {
  const plain = plainLines(text);
  return collect((report) => {
    if (/\.mdx?$/i.test(path)) findInPage(substituteVariables(plain, variables), report);
    else if (/\.svg$/i.test(path)) findInSvg(plain, report);
    else if (/\.(?:json|ya?ml)$/i.test(path)) findInDescription(plain, path, report);
    else if (/\.css$/i.test(path))
      report({ line: 1, what: 'a style sheet that every page may load', code: plain });
    else if (!/\.(?:txt|csv)$/i.test(path))
      report({ line: 1, what: 'a program that may run in browsers', code: plain });
  });
}

function collect(find: (report: Report) => void): BrowserCode[] {
  const found: BrowserCode[] = [];
  try {
    find((sample) => found.push(browserCode(sample)));
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 100) : 'unknown error';
    found.push(browserCode({ line: 1, what: `a part that was not read (${reason})`, code: reason }));
  }
  const seen = new Set<string>();
  return found
    .filter(({ line, what }) => {
      const place = `${line}\0${what}`;
      return !seen.has(place) && seen.add(place);
    })
    .sort((a, b) => a.line - b.line);
}

/** Line ends of any system are those of the parsers. */
const plainLines = (text: string): string => text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
