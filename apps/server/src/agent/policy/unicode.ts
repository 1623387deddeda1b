/** Invisible, or visible only by their effect on their neighbors. Line ends and tabs are none of them. */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/gu;

/** Sequences in which such a character is part of a picture, or of how a script is spelt. */
const SPELLING = new RegExp(
  [
    String.raw`\p{RGI_Emoji}`,
    // Emoji style, or text style, of one sign that has both.
    String.raw`\p{Emoji}[\ufe0e\ufe0f]`,
    // Variants of ideographs.
    String.raw`\p{Script=Han}[\u{E0100}-\u{E01EF}\ufe00-\ufe02]`,
    // Joiners inside words of the scripts that spell with them.
    String.raw`(?<=[${joiningScripts()}]\p{M}*)[\u200c\u200d](?=[${joiningScripts()}\p{M}])`,
    // Mongolian letter variants, and the Khmer and Arabic signs that are written above others.
    String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180f]`,
    String.raw`[\u0600-\u0605\u06dd\u070f\u08e2]`,
    // A byte order mark is one at the start only.
    String.raw`^\ufeff`,
  ].join('|'),
  'gv',
);

function joiningScripts(): string {
  const names =
    'Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Thai Lao';
  return names
    .split(' ')
    .map((name) => `\\p{Script=${name}}`)
    .join('');
}

/** Lines named for one character before "and more". */
const MAX_LINES = 8;

/** Blanks out what is spelling, so that offsets stay. */
function withoutSpelling(text: string): string {
  return text.replace(SPELLING, (match) => 'x'.repeat(match.length));
}

/** Each invisible character of a text with the lines it is on, most frequent first. Emoji and scripts that spell with joiners have none. */
export function findInvisible(text: string): { char: string; lines: number[] }[] {
  if (text.search(INVISIBLE) === -1) return [];
  const found = new Map<string, number[]>();
  withoutSpelling(text)
    .split('\n')
    .forEach((content, index) => {
      for (const [char] of content.matchAll(INVISIBLE)) {
        const lines = found.get(char) ?? [];
        lines.push(index + 1);
        found.set(char, lines);
      }
    });
  return [...found]
    .map(([char, lines]) => ({ char, lines }))
    .sort((a, b) => b.lines.length - a.lines.length || (a.char < b.char ? -1 : 1));
}

/** A character as people and models can read it: `\u{200B}`. */
export function nameOf(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`;
}

/**
 * One line that names the invisible characters of a text, such as `\u{200B} x3 (lines 4, 9)`; null when it has none.
 * The text itself stays as it is, since exact edits need its bytes.
 */
export function describeInvisible(text: string): string | null {
  const found = findInvisible(text);
  if (found.length === 0) return null;
  const shown = found.slice(0, 12).map(({ char, lines }) => {
    const unique = [...new Set(lines)];
    const named = unique.slice(0, MAX_LINES).join(', ');
    const more = unique.length > MAX_LINES ? ', ...' : '';
    return `${nameOf(char)} x${lines.length} (line${unique.length === 1 ? '' : 's'} ${named}${more})`;
  });
  if (found.length > shown.length) shown.push(`and ${found.length - shown.length} other kinds`);
  return shown.join(', ');
}

/** A text without its invisible characters. */
export function stripInvisible(text: string): string {
  if (text.search(INVISIBLE) === -1) return text;
  const kept = withoutSpelling(text);
  let result = '';
  let at = 0;
  for (const match of kept.matchAll(INVISIBLE)) {
    result += text.slice(at, match.index);
    at = match.index + match[0].length;
  }
  return result + text.slice(at);
}
