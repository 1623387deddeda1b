import { mdxToMdast } from 'satteri';

const reference = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,31}));/gi;
const named = new Map<string, string>();

/** Text in which character references (`&amp;`, `&#x27;`) are the characters that they stand for. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(reference, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return characterOf(name, whole);
    return fromCode(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
  });
}

/** Codes that are not characters of a page become the replacement character, as in HTML. */
function fromCode(code: number): string {
  const isControl = (code < 32 && code !== 9 && code !== 10 && code !== 13) || (code >= 127 && code < 160);
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && !isControl;
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}

/** The parser of Markdown has the table of names. */
function characterOf(name: string, whole: string): string {
  const known = named.get(name);
  if (known !== undefined) return known;
  const root = mdxToMdast(whole);
  const [block] = 'children' in root ? root.children : [];
  const [text] = block?.type === 'paragraph' ? block.children : [];
  const value = text?.type === 'text' ? text.value : whole;
  if (value !== whole) named.set(name, value);
  return value;
}
