import type { SourceTree } from '../source.ts';

/** Where a description says what is reported. */
export interface Lines {
  /** Line of the first use of a reference; null if it is written in another form. */
  ofReference(file: string, reference: string): number | null;
  /** Line where a security requirement first names a scheme. */
  ofRequirement(file: string, name: string): number | null;
  /** Line of the first key with a name. */
  ofKey(file: string, name: string): number | null;
  /** Line of the first use of a URL, or of one that starts with it. */
  ofUrl(file: string, url: string, isWhole: boolean): number | null;
  /** Line of the first link to an id. */
  ofAnchor(file: string, id: string): number | null;
}

/** Characters that are searched for all lines; hostile descriptions have a hundred thousand references without a target. */
const MAX_SEARCHED = 1_000_000_000;
/** Places of one name that are read: a name of one letter is everywhere. */
const MAX_PLACES = 10_000;

export function openLines(source: Pick<SourceTree, 'has' | 'readText'>): Lines {
  let left = MAX_SEARCHED;
  const lineOf = (
    file: string,
    name: string,
    isHere: (text: string, at: number) => boolean,
  ): number | null => {
    if (left < 0 || name === '' || !source.has(file)) return null;
    const text = source.readText(file);
    let at = text.indexOf(name);
    for (let places = 0; at >= 0 && !isHere(text, at); places++)
      at = places === MAX_PLACES ? -1 : text.indexOf(name, at + 1);
    left -= at < 0 ? text.length : at * 2;
    return at < 0 ? null : countLines(text, at);
  };
  return {
    // Another reference may start with the same characters.
    ofReference: (file, reference) =>
      lineOf(file, reference, (text, at) => /^(?:["'\s,}\]]|$)/.test(text.charAt(at + reference.length))),
    // Its value is a list.
    ofRequirement: (file, name) => lineOf(file, name, isKey(name, /^["']?\s{0,20}:\s{0,200}(?:\[|-\s)/)),
    ofKey: (file, name) => lineOf(file, name, isKey(name, /^["']?\s{0,20}:/)),
    ofUrl: (file, url, isWhole) =>
      lineOf(
        file,
        url,
        (text, at) =>
          /^[\s("'<=:]$/.test(text.charAt(at - 1)) &&
          (!isWhole || /^[\s)"'>\\]$/.test(text.charAt(at + url.length))),
      ),
    ofAnchor: (file, id) =>
      lineOf(file, `#${id}`, (text, at) => /^[\s)"'>\\]$/.test(text.charAt(at + id.length + 1))),
  };
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

const isKey =
  (name: string, value: RegExp) =>
  (text: string, at: number): boolean => {
    const end = at + name.length;
    return /^(?:[\s"'{,-]|$)/.test(text.charAt(at - 1)) && value.test(text.slice(end, end + 230));
  };
