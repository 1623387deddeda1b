/**
 * Segment of a URL for a tag or summary. The rule of generated API pages, in this order: spaces and `{...}` as
 * hyphens, hyphens at the ends cut, punctuation out, pairs of hyphens as one, lower case. Characters that have
 * a meaning in URLs or file names go with the punctuation. Authors link to these URLs: of three hyphens two stay.
 */
export function slugify(text: string): string {
  const hyphens = text
    .slice(0, 200)
    .replace(/\s+/g, '-')
    .replace(/\{[^{}]*\}/g, '-');
  return trimHyphens(hyphens)
    .replace(/[{}(),.'"`\\/\0-\x1f\x7f#?%:*<>|]/g, '')
    .replaceAll('--', '-')
    .toLowerCase();
}

/** Segment of a URL for an operation: its summary, else `method-path`. */
export function operationSlug(method: string, path: string, summary: string | null): string {
  const slug = summary === null ? '' : slugify(summary);
  if (slug !== '') return slug;
  return [method.toLowerCase(), slugify(path)].filter((word) => word !== '').join('-');
}

function trimHyphens(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === '-') from++;
  while (to > from && text[to - 1] === '-') to--;
  return text.slice(from, to);
}
