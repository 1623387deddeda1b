/** Places of the words of a query in a text. */
import { eachToken } from './search-tokens.js';

/**
 * Pieces of a text, those that are hits marked. Without `size` the whole text, else the stretch of about that length
 * with the most different hits.
 * @param {string} text
 * @param {ReadonlySet<string>} terms
 * @param {number} [size]
 * @returns {{ text: string, isHit: boolean }[]}
 */
export function markHits(text, terms, size) {
  const ranges = findHits(text, terms);
  const [from, to] = size === undefined ? [0, text.length] : stretch(text, ranges, size);
  const pieces = [];
  let done = from;
  const add = (end, isHit) => {
    const piece = text.slice(done, end).replace(/\s+/g, ' ');
    if (piece !== '') pieces.push({ text: piece, isHit });
    done = end;
  };
  for (const { start, end } of ranges) {
    if (start < done || end > to) continue;
    add(start, false);
    add(end, true);
  }
  add(to, false);
  if (pieces.length > 0) {
    if (from > 0) pieces[0].text = `…${pieces[0].text.trimStart()}`;
    const last = pieces[pieces.length - 1];
    if (to < text.length) last.text = `${last.text.trimEnd()}…`;
  }
  return pieces;
}

/**
 * Positions of the words in a text, in order and without overlap.
 * @param {string} text
 * @param {ReadonlySet<string>} terms
 * @returns {{ start: number, end: number, term: string }[]}
 */
export function findHits(text, terms) {
  const ranges = [];
  eachToken(text, (start, end, word) => {
    const term = word ?? text.slice(start, end).toLowerCase();
    if (!terms.has(term)) return;
    const last = ranges[ranges.length - 1];
    // Parts of a name and pairs of characters overlap.
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else ranges.push({ start, end, term });
  });
  return ranges;
}

function stretch(text, ranges, size) {
  let best = 0;
  let from = 0;
  for (const [at, { start }] of ranges.entries()) {
    const seen = new Set();
    for (let next = at; next < ranges.length && ranges[next].end <= start + size * 0.8; next++)
      seen.add(ranges[next].term);
    if (seen.size <= best) continue;
    best = seen.size;
    from = start;
  }
  if (from < size * 0.5) from = 0;
  else from = wordStart(text, from - Math.round(size * 0.25));
  let to = Math.min(text.length, from + size);
  if (to < text.length) {
    const gap = text.slice(from, to).search(/\s\S*$/);
    if (gap > size * 0.7) to = from + gap;
  }
  return [from, to];
}

/** The next beginning of a word, so that no excerpt starts within one. */
function wordStart(text, from) {
  const gap = text.slice(from, from + 30).search(/\s/);
  return gap < 0 ? from : from + gap + 1;
}
