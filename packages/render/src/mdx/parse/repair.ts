import { protectHeadingId } from './heading-id.ts';
import { moveClosingTag, moveOpeningTag } from './misplaced-tags.ts';
import { count, findNear, offsetOf, quote, type Repaired, repaired, splice, tagEnd } from './repaired.ts';
import { FENCE, joinTagEnds } from './tag-ends.ts';

const voidElements = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'param',
  'source',
  'track',
  'wbr',
]);
const htmlElements = new Set(
  (
    'a abbr article aside audio b blockquote body button caption center cite code dd del details div dl dt em fieldset figcaption ' +
    'figure font footer form h1 h2 h3 h4 h5 h6 head header html i iframe ins kbd label legend li main mark nav ol optgroup option ' +
    'p picture pre q s samp script section select small span strike strong style sub summary sup svg table tbody td textarea tfoot ' +
    'th thead time tr u ul var video'
  ).split(' '),
);

/** What a repair leaves in place of a `<` that a backslash does not escape. No text that is parsed contains it. */
export const INERT_TAG = '\0';

/** Rewrites what our parser does not read, but other tools do. Lines keep their numbers, and fences are left alone. */
export function repairCommon(text: string): string {
  return joinTagEnds(repairMarks(text));
}

/**
 * Rewrites what is invalid in MDX but common: ids of headings (`## Title {#id}`) become comments, HTML comments become
 * blanks.
 */
function repairMarks(text: string): string {
  if (!text.includes('{#') && !text.includes('<!--')) return text;
  const lines = text.split('\n');
  let fence: string | null = null;
  let inComment = false;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (!inComment) {
      const marker = FENCE.exec(line)?.[1];
      if (fence !== null) {
        if (marker?.startsWith(fence) && line.trim().endsWith(marker)) fence = null;
        continue;
      }
      if (marker !== undefined) {
        fence = marker;
        continue;
      }
    }
    const blanked: { line: string; inComment: boolean } =
      inComment || line.includes('<!--') ? blankComments(line, inComment) : { line, inComment };
    inComment = blanked.inComment;
    lines[index] = protectHeadingId(blanked.line, lines[index + 1] ?? '');
  }
  // A comment that never ends is text, not the rest of the page.
  return inComment ? text : lines.join('\n');
}

/** Comments inside inline code are code. */
function blankComments(line: string, startsInside: boolean): { line: string; inComment: boolean } {
  let result = '';
  let inside = startsInside;
  let at = 0;
  let ticks = 0;
  let counted = 0;
  while (at < line.length) {
    if (inside) {
      const end = line.indexOf('-->', at);
      if (end === -1) return { line: result, inComment: true };
      inside = false;
      at = end + 3;
      continue;
    }
    const start = line.indexOf('<!--', at);
    if (start === -1) return { line: result + line.slice(at), inComment: false };
    for (; counted < start; counted++) if (line[counted] === '`') ticks++;
    const isCode = ticks % 2 === 1;
    result += line.slice(at, isCode ? start + 4 : start);
    inside = !isCode;
    at = start + 4;
  }
  return { line: result, inComment: inside };
}

/** Removes the error that the parser reports at an offset from the text; null when that is not possible. */
export function repairAt(text: string, offset: number, message: string): Repaired | null {
  if (message.startsWith('Unexpected end of file in expression')) return escapeBrace(text, offset);
  if (message.startsWith('Could not parse expression')) return repairExpression(text, offset);
  if (message.startsWith('Unexpected closing tag')) return repairClosingTag(text, offset, message);
  if (message.startsWith('Expected a closing tag')) return repairUnclosed(text, offset, message);
  if (message.startsWith('Expected the closing tag'))
    return moveClosingTag(text, offset, message) ?? repairTag(text, offset);
  return repairTag(text, offset);
}

function escapeBrace(text: string, offset: number): Repaired | null {
  const brace = unescaped(text, findNear(text, offset, '{'));
  if (brace === -1) return null;
  return repaired(
    splice(text, brace, brace + 1, '\\{'),
    text,
    brace,
    'invalid-expression',
    'The brace `{` is never closed and is shown as text; write `\\{` for the character.',
  );
}

/** The brace that opens the expression around an offset, by counting braces backwards. */
function openingBrace(text: string, offset: number): number {
  let depth = 0;
  const stop = Math.max(0, offset - 20_000);
  for (let at = Math.min(offset, text.length - 1); at >= stop; at--) {
    const code = text.charCodeAt(at);
    if (code === 125 && at < offset - 1) depth++;
    else if (code === 123 && (depth === 0 || --depth < 0)) return at;
  }
  return findNear(text, offset, '{');
}

/** The brace, or if it is escaped already and that did not help, the closest one before it that is not escaped. */
function unescaped(text: string, brace: number): number {
  let at = brace;
  while (at > 0 && text[at - 1] === '\\') at = text.lastIndexOf('{', at - 1);
  return at;
}

function closingBrace(text: string, brace: number): number {
  let depth = 0;
  const stop = Math.min(text.length, brace + 20_000);
  for (let at = brace; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (code === 123) depth++;
    else if (code === 125 && --depth === 0) return at;
  }
  return -1;
}

function repairExpression(text: string, offset: number): Repaired | null {
  const brace = unescaped(text, openingBrace(text, offset));
  if (brace === -1) return null;
  const close = closingBrace(text, brace);
  const source = close === -1 ? '' : text.slice(brace, close + 1);
  if (text[brace - 1] === '=' && close !== -1) {
    const lines = '\n'.repeat(source.split('\n').length - 1);
    return repaired(
      splice(text, brace, close + 1, `""${lines}`),
      text,
      brace,
      'invalid-expression',
      `The attribute value ${quote(source)} is not a valid expression and is ignored.`,
    );
  }
  if (/^\{(?!\.\.\.)[:.#][^{}\n]*\}$/.test(source)) {
    return repaired(
      splice(text, brace, close + 1, ''),
      text,
      brace,
      'invalid-expression',
      attributeListMessage(source),
    );
  }
  return repaired(
    splice(text, brace, brace + 1, '\\{'),
    text,
    brace,
    'invalid-expression',
    `${quote(source === '' ? '{' : source)} is not a valid expression and is shown as text; write \`\\{\` for the character, or use inline code.`,
  );
}

function attributeListMessage(source: string): string {
  const id = /^\{#\s*([^{}]+?)\s*\}$/.exec(source)?.[1];
  return id === undefined || !/\s/.test(id)
    ? `The attribute list ${quote(source)} is not valid MDX and is ignored.`
    : `${quote(source)} is not an id and is ignored. Write it without spaces: ${quote(`{#${id.replace(/\s+/g, '-')}}`)}.`;
}

/** Whether a tag name means markup rather than a placeholder such as `<your-key>`. */
function isMarkup(name: string): boolean {
  return htmlElements.has(name) || /^[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9.]*$/.test(name);
}

function repairClosingTag(text: string, offset: number, message: string): Repaired | null {
  const at = findNear(text, offset, '<');
  if (at === -1) return null;
  const name = /^<\/\s*([\w.$:-]*)/.exec(text.slice(at, at + 200))?.[1] ?? '';
  const end = text.indexOf('>', at);
  if (end === -1 || end - at > 300) return escapeTag(text, at);
  const expected = /for `<([^`>]*)>` \((\d+):(\d+)\)/.exec(message);
  if (expected !== null) {
    const inner = expected[1] ?? '';
    const open = offsetOf(text, Number(expected[2]), Number(expected[3]));
    if (voidElements.has(inner)) return selfClose(text, open, inner);
    if (isOpenBefore(text, open, name)) {
      return repaired(
        splice(text, at, at, `</${inner}>`),
        text,
        open,
        'unclosed-tag',
        `\`<${inner}>\` is never closed; it is closed before \`</${name}>\`.`,
      );
    }
  }
  if (voidElements.has(name) || isMarkup(name) || name === '') {
    return repaired(
      splice(text, at, end + 1, ''),
      text,
      at,
      'unexpected-tag',
      `\`</${name}>\` has no opening tag and is ignored.`,
    );
  }
  return escapeTag(text, at);
}

/** Whether more tags of the name open than close before an offset. */
function isOpenBefore(text: string, offset: number, name: string): boolean {
  if (name === '') return false;
  const from = Math.max(0, offset - 50_000);
  const before = text.slice(from, offset);
  return count(before, `<${name}`) > count(before, `</${name}`);
}

function selfClose(text: string, open: number, name: string): Repaired | null {
  const end = tagEnd(text, open);
  if (end === -1) return escapeTag(text, open);
  return repaired(
    splice(text, end, end, ' /'),
    text,
    open,
    'unclosed-tag',
    `\`<${name}>\` must end in \`/>\` in MDX; it is closed here.`,
  );
}

function repairUnclosed(text: string, offset: number, message: string): Repaired | null {
  const match = /for `<([^`>]*)>` \((\d+):(\d+)\)/.exec(message);
  const name = match?.[1] ?? '';
  const open =
    match === null ? findNear(text, offset, '<') : offsetOf(text, Number(match[2]), Number(match[3]));
  if (text[open] !== '<') return null;
  if (voidElements.has(name)) return selfClose(text, open, name);
  const end = tagEnd(text, open);
  if (end === -1 || !isMarkup(name)) return escapeTag(text, open);
  const moved = moveOpeningTag(text, { name, open, end });
  if (moved !== null) return moved;
  const lines = '\n'.repeat(text.slice(open, end).split('\n').length - 1);
  const reason =
    count(text.slice(end), `</${name}`) === 0
      ? `is never closed: add \`</${name}>\``
      : 'is not closed where it was opened (same list item, quote or paragraph)';
  return repaired(
    splice(text, open, end + 1, lines),
    text,
    open,
    'unclosed-tag',
    `\`<${name}>\` ${reason}; the tag is ignored, its content kept.`,
  );
}

/** Behind a URL in text, a backslash belongs to the URL: there the tag is taken out of force in another way. */
function escapeTag(text: string, at: number): Repaired {
  const source = /^<[^\n]{0,60}?(?:>|(?=\n)|$)/.exec(text.slice(at, at + 64))?.[0] ?? '<';
  const isEscaped = text[at - 1] === '\\' && text[at - 2] !== '\\';
  return repaired(
    isEscaped ? splice(text, at - 1, at + 1, INERT_TAG) : splice(text, at, at + 1, '\\<'),
    text,
    at,
    'invalid-tag',
    `${quote(source)} is not a valid tag and is shown as text; write \`\\<\` for the character, or use inline code.`,
  );
}

/** A `<` that starts neither a tag nor a comment: an autolink, an unquoted attribute, or plain text. */
function repairTag(text: string, offset: number): Repaired | null {
  const at = findNear(text, offset, '<');
  if (at === -1) return null;
  const rest = text.slice(at, at + 2100);
  if (rest.startsWith('<!--')) return blankComment(text, at);
  const link = /^<((?:https?:\/\/|mailto:)[^\s<>]{1,2000}|[\w.+-]{1,64}@[\w.-]{1,200})>/.exec(rest)?.[1];
  if (link !== undefined) {
    const url = link.includes(':') ? link : `mailto:${link}`;
    const label = link.replace(/[[\]\\*_`{}]/g, '\\$&');
    return repaired(
      splice(text, at, at + link.length + 2, `[${label}](${url.replace(/[()\\{}]/g, encodeURIComponent)})`),
      text,
      at,
      'autolink',
      `\`<${link}>\` is not valid in MDX; write \`[text](${link})\`.`,
    );
  }
  const style = /^<[A-Za-z][\w.]*[^<>{}]*=\{\s*[\w'"-]+\s*:[^{}<>]*\}\}/.exec(rest)?.[0];
  if (style !== undefined) {
    const brace = style.indexOf('={') + 1;
    return repaired(
      splice(text, at + brace, at + brace, '{'),
      text,
      at,
      'invalid-attribute',
      `An object in an attribute needs two braces on both sides: \`{{ … }}\`.`,
    );
  }
  const quoted = quoteAttributes(rest);
  if (quoted !== null) {
    return repaired(
      splice(text, at, at + quoted.length, quoted.text),
      text,
      at,
      'invalid-attribute',
      `Attribute values of \`${rest.slice(0, 40).split('\n')[0]}\` must be quoted.`,
    );
  }
  return closeTag(text, at) ?? escapeTag(text, at);
}

/** Ends a tag without `>` at the end of its line; null where it may be text or may continue in the next line. */
function closeTag(text: string, at: number): Repaired | null {
  const start = text.lastIndexOf('\n', at) + 1;
  const rest = text.slice(at, at + 2100);
  const tag =
    /^<([A-Za-z][\w.]*)([^\S\n]+[\w:-]+(?:=(?:"[^"\n]*"|'[^'\n]*'|\{[^{}\n]*\}))?)*(?=[^\S\n]*\n(?!\s*(?:[a-z@:][\w:-]*(?:\s*(?:=|\/?>)|\s+[a-z@:][\w:-]*\s*=)|\{|\/?>)))/.exec(
      rest,
    );
  if (tag === null || !isMarkup(tag[1] ?? '') || text.slice(start, at).trim() !== '') return null;
  // `<b` at the start of a line may be a comparison.
  if (htmlElements.has(tag[1] ?? '') && !tag[0].includes('=')) return null;
  const end = at + tag[0].length;
  const message = `${quote(tag[0])} has no \`>\`; the tag ends at the end of its line.`;
  return repaired(splice(text, end, end, '>'), text, at, 'invalid-tag', message);
}

function blankComment(text: string, at: number): Repaired {
  const end = text.indexOf('-->', at);
  if (end === -1) return escapeTag(text, at);
  const lines = '\n'.repeat(text.slice(at, end).split('\n').length - 1);
  return repaired(
    splice(text, at, end + 3, lines),
    text,
    at,
    'html-comment',
    'HTML comments are not valid in MDX; write `{/* … */}`.',
  );
}

/** Quotes bare attribute values and drops comments in a tag; null when the tag is broken in another way. */
function quoteAttributes(rest: string): { text: string; length: number } | null {
  const tag =
    /^<[A-Za-z][\w.:-]*(?:\s+[\w:.@-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|\{[^{}<>]*\}|[^\s"'<>{}=`]+))?|\s*\/\*[^*]*\*\/|\s*\{\/\*[^*]*\*\/\})*\s*\/?>/.exec(
      rest,
    )?.[0];
  if (tag === undefined) return null;
  const fixed = tag
    .replace(/\s*\{\/\*[^*]*\*\/\}|\s*\/\*[^*]*\*\//g, '')
    .replace(/(\s[\w:.-]+\s*=\s*)([^\s"'<>{}=`]+)(?=[\s>]|\/>)/g, '$1"$2"')
    .replace(/\s@[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?/g, '');
  return fixed === tag ? null : { text: fixed, length: tag.length };
}
