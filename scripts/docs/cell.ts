/** Pipes would end a cell, also in code; braces and `<` outside of code would be MDX. */
export function cell(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[{}<]/g, (char) => `\\${char}`)))
    .join('')
    .replaceAll('|', '\\|');
}
