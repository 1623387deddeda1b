import type { SourceTree } from '../source.ts';
import type { Warning } from '../warning.ts';
import { openLines } from './lines.ts';

/** What the message of a warning about a link names: its URL between backticks, which may be cut, or an id. */
const URLS: Readonly<Record<string, RegExp>> = {
  'broken-link': /`([^`]+?)(…?)`/,
  'unsafe-link': /`([^`]+?)(…?)`/,
  'missing-asset': /`([^`]+?)(…?)`/,
  'remote-file': /`([^`]+?)(…?)`/,
  'link-not-found': /The link "([^"\\]+?)(…?)"/,
  'anchor-not-found': /with the id "([^"\\]+)"/,
};

/** Adds the line to warnings about links of API descriptions, of which the pages know the texts without their places. */
export function openLinkPlaces(
  source: Pick<SourceTree, 'has' | 'readText'>,
): <T extends Warning>(warning: T) => T {
  let last = { file: '', text: '' };
  const readText = (file: string): string => {
    if (last.file !== file) last = { file, text: source.readText(file) };
    return last.text;
  };
  const lines = openLines({ has: (file) => source.has(file), readText });
  const known = new Map<string, number | null>();
  return (warning) => {
    const { file, line, code, message } = warning;
    const pattern = Object.hasOwn(URLS, code) ? URLS[code] : undefined;
    if (line !== null || pattern === undefined || !/\.(?:json|ya?ml)$/.test(file)) return warning;
    const [, name, rest] = pattern.exec(message) ?? [];
    if (name === undefined) return warning;
    const isAnchor = code === 'anchor-not-found';
    const key = `${file}\n${isAnchor}\n${name}${rest}`;
    let found = known.get(key);
    if (found === undefined) {
      found = isAnchor ? lines.ofAnchor(file, name) : lines.ofUrl(file, name, rest === '');
      known.set(key, found);
    }
    return found === null ? warning : { ...warning, line: found };
  };
}
