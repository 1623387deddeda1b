/**
 * The same text with characters of its own. A part of a text refers to the whole text and keeps it in memory; what is
 * kept of each page must not.
 */
export function copyText(text: string): string {
  return ` ${text}`.slice(1);
}
