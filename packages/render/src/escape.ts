const TEXT = /[&<>]/g;
const ATTRIBUTE = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it must stand between tags. */
export function escapeText(text: string): string {
  return text.replace(TEXT, (character) => ENTITIES[character]!);
}

/** Text as it must stand inside a double-quoted attribute. */
export function escapeAttribute(text: string): string {
  return text.replace(ATTRIBUTE, (character) => ENTITIES[character]!);
}
