/** Words of the site that a mistyped one may mean. */

/** Files of other first letters that are read if no word with the first two letters is close. */
const MAX_FILES = 12;
const MAX_GUESSES = 6;

/**
 * Words that are one slip away, two for long words that the site does not have, the closest first.
 * @param {string} term
 * @param {boolean} isStart what was typed may be the beginning of a word
 * @param {number} most slips
 * @param {readonly string[]} letters first letters of the words of each file
 * @param {(file: number) => Promise<string[]>} load
 * @returns {Promise<{ word: string, distance: number }[]>}
 */
export async function guessWords(term, isStart, most, letters, load) {
  const likely = new Set(
    [term[0], term[1]].map((letter) => letters.findIndex((group) => group.includes(letter))),
  );
  likely.delete(-1);
  const found = await guessIn([...likely], term, isStart, most, load);
  if (found.length > 0) return found;
  // The first letter is wrong or missing.
  const others = letters.map((_, file) => file).filter((file) => !likely.has(file));
  return guessIn(others.slice(0, MAX_FILES), term, isStart, most, load);
}

async function guessIn(files, term, isStart, most, load) {
  const lists = await Promise.all(files.map(load));
  const mask = lettersOf(term);
  const near = [];
  for (const word of lists.flat()) {
    if (word === term || word.length < term.length - most) continue;
    if (!isStart && (word.length > term.length + most || bits(mask ^ lettersOf(word)) > 2 * most)) continue;
    const distance = editDistance(term, word, most, isStart);
    if (distance <= most) near.push({ word, distance, length: Math.abs(word.length - term.length) });
  }
  near.sort((a, b) => a.distance - b.distance || a.length - b.length || (a.word < b.word ? -1 : 1));
  return near.filter(({ distance }) => distance === near[0].distance).slice(0, MAX_GUESSES);
}

/** One bit for each letter, which a slip changes in at most two places. */
function lettersOf(word) {
  let mask = 0;
  for (let at = 0; at < word.length; at++) mask |= 1 << (word.charCodeAt(at) & 31);
  return mask;
}

function bits(mask) {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/**
 * Insertions, deletions, replacements and swaps of adjacent characters between two words; above `most` any larger number.
 * With `isStart` the first may be the beginning of the second.
 * @param {string} asked
 * @param {string} word
 * @param {number} most
 * @param {boolean} isStart
 * @returns {number}
 */
export function editDistance(asked, word, most, isStart) {
  const width = isStart ? Math.min(word.length, asked.length + most) : word.length;
  if (Math.abs(width - asked.length) > most) return most + 1;
  let before = null;
  let row = Array.from({ length: width + 1 }, (_, at) => at);
  for (let i = 1; i <= asked.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= width; j++) {
      const same = asked[i - 1] === word[j - 1];
      let cost = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1));
      if (before !== null && j > 1 && asked[i - 1] === word[j - 2] && asked[i - 2] === word[j - 1])
        cost = Math.min(cost, before[j - 2] + 1);
      next.push(cost);
      if (cost < least) least = cost;
    }
    if (least > most) return most + 1;
    before = row;
    row = next;
  }
  return isStart ? Math.min(...row.slice(Math.max(0, asked.length - most))) : row[width];
}
