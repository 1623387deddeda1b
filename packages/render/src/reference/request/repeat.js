/** Characters of a list that repeats an item: lists in lists would otherwise grow with the power of their depth. */
const MAX_REPEATED = 400;

/**
 * A list that contains an item as often as it needs to, or once if that is too long.
 *
 * @param {unknown} item a value of JSON
 * @param {number} count
 * @returns {unknown[]}
 */
export function repeat(item, count) {
  const isShort = count <= 1 || (JSON.stringify(item) ?? '').length * count <= MAX_REPEATED;
  return Array.from({ length: isShort ? count : 1 }, () => item);
}
