/**
 * Makes text of a model safe while it streams: links that the site does not serve become plain text, and images, HTML
 * and URLs of other hosts are removed. The text is hostile: a page that the model has read can have written it.
 *
 * The output is Markdown of which every CommonMark and GFM renderer makes the same links as this file, so a construct is
 * held back until it is complete, and brackets and backticks without a partner are escaped.
 */

export interface LinkRules {
  /** The URL to send for the destination of a link; null: the link is removed and its text stays. */
  resolve(destination: string): Promise<string | null>;
  /** Whether a URL may be in code: readers copy it, so it must be one that the site or the reader has written. */
  isKnownUrl(url: string): boolean;
}

export interface CheckedText {
  /** Takes the next text; returns what can be sent. */
  push(text: string): Promise<string>;
  /** Ends the text; returns the rest of it. */
  end(): Promise<string>;
}

/** Characters after which a construct that is not complete is read as plain text. */
const MAX_LINK = 2_000;
const MAX_URL = 2_000;
const MAX_CODE_SPAN = 500;
const MAX_MARKER = 80;

const FENCE = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]?)*)(?:(`{3,})([^`\n]*)|(~{3,})([^\n]*))$/;
/** What the start of a line can be the beginning of: a fence, or the definition of a reference. */
const MARKER = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)]?|>)[ \t]*)*(?:`{0,80}|~{0,80})$/;
const URL_START = /^(?:(?:https?|ftp|wss?):\/\/|(?:file|data|javascript|vbscript|blob):|www\.)/i;
const URL_STARTS = [
  'https://',
  'http://',
  'ftp://',
  'wss://',
  'ws://',
  'file:',
  'data:',
  'javascript:',
  'vbscript:',
  'blob:',
  'www.',
];
const URL_END = /[\s<>"'`)\]}|\\^]/;
/** URLs in code. `//host` after a bracket is the destination of a link for renderers that do not see the code. */
const CODE_URL = /(?:\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|(?<=\]\()\/\/)[^\s<>"'`\])}|\\^]+/gi;
/** What must not be outside of code. */
const ACTIVE = /\]\(|<[a-z/!?]|:\/\/|www\./i;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

export function createCheckedText(rules: LinkRules): CheckedText {
  return createChecker(rules, true);
}

/** `startsLine`: the text starts a line, so that it can start a block. */
function createChecker(rules: LinkRules, startsLine: boolean): CheckedText {
  let pending = '';
  let isLineStart = startsLine;
  let lastCharacter = startsLine ? '\n' : ' ';
  let fence: { character: string; length: number } | null = null;
  /** The line has code with a bar. In a table, the bar ends this code, and what follows pairs with other backticks. */
  let hasBarInCode = false;

  /** Takes from `pending` what is complete. `isEnd`: nothing follows. */
  const drain = async (isEnd: boolean): Promise<string> => {
    let out = '';
    for (;;) {
      const step: Step | null = fence === null ? await readText(isEnd) : readCode(isEnd);
      if (step === null) return out;
      pending = pending.slice(step.length);
      out += step.text;
      if (step.text !== '') lastCharacter = step.text.at(-1) ?? lastCharacter;
      if (step.text.includes('\n')) hasBarInCode = false;
      isLineStart = step.isLineStart ?? step.text.endsWith('\n');
    }
  };

  /** One step inside a fence: whole lines, or the start of a line that is not the end of the fence. */
  function readCode(isEnd: boolean): Step | null {
    if (pending === '') return null;
    const end = pending.indexOf('\n');
    const line = end === -1 ? pending : pending.slice(0, end);
    const closing = isLineStart ? readFenceEnd(line, end !== -1 || isEnd) : undefined;
    if (closing !== undefined) return closing;
    // A URL is held until its end is known.
    if (end === -1 && !isEnd && line.length < MAX_URL) {
      const complete = line.replace(/\S+$/, '');
      if (complete === '') return null;
      return { length: complete.length, text: checkCode(complete, rules), isLineStart: false };
    }
    const length = end === -1 ? line.length : end + 1;
    return { length, text: checkCode(pending.slice(0, length), rules) };
  }

  /** The end of the fence at the start of a line; null if it may still become one, undefined if the line is code. */
  function readFenceEnd(line: string, isWhole: boolean): Step | null | undefined {
    if (fence === null) return undefined;
    const { character, length } = fence;
    const marks = /^[ \t>]*(`+|~+)[ \t]*$/.exec(line)?.[1] ?? '';
    const closes = marks[0] === character && marks.length >= length;
    if (closes && (isWhole || line.length >= MAX_MARKER)) {
      fence = null;
      // The rest of a longer line is text.
      const text = character.repeat(length) + (isWhole ? '' : '\n');
      return { length: line.length, text, isLineStart: !isWhole };
    }
    const isOpen = !isWhole && line.length < MAX_MARKER && /^[ \t>]*[`~]*[ \t]*$/.test(line);
    return isOpen ? null : undefined;
  }

  /** One step of prose. */
  async function readText(isEnd: boolean): Promise<Step | null> {
    if (pending === '') return null;
    if (isLineStart) {
      const step = readLineStart(isEnd);
      if (step !== undefined) return step;
    }
    const special = pending.search(/[\\`[\]!<&\n]|[hwfdjvb]/i);
    if (special > 0) return { length: special, text: pending.slice(0, special) };
    if (special === -1) return { length: pending.length, text: pending };
    return readSpecial(isEnd);
  }

  /** Undefined: the line starts with nothing special. */
  function readLineStart(isEnd: boolean): Step | null | undefined {
    const end = pending.indexOf('\n');
    const line = end === -1 ? pending : pending.slice(0, end);
    const opening = FENCE.exec(line);
    if (opening !== null) {
      if (end === -1 && !isEnd && line.length < MAX_LINK) return null;
      const [, , ticks, afterTicks, tildes = '~~~', afterTildes] = opening;
      const [marks, info = ''] = ticks === undefined ? [tildes, afterTildes] : [ticks, afterTicks];
      fence = { character: marks[0] ?? '`', length: marks.length };
      const language = /^[ \t]*([\w+#.-]{0,40})/.exec(info)?.[1] ?? '';
      // At the start of its line, so that all renderers read the same fence.
      return {
        length: Math.min(end === -1 ? line.length : end + 1, pending.length),
        text: `${marks}${language}\n`,
      };
    }
    const isOpen = end === -1 && !isEnd && line.length < MAX_MARKER;
    return isOpen && MARKER.test(line) ? null : undefined;
  }

  async function readSpecial(isEnd: boolean): Promise<Step | null> {
    const [character = '', next] = pending;
    if (character === '\n') return { length: 1, text: '\n' };
    if (character === ']') return { length: 1, text: '\\]' };
    if (character === '[') return readBracket(pending, 0, isEnd);
    if (character === '`') return readCodeSpan(isEnd);
    if (character === '&') return readEntity(isEnd);
    if (!/[\\<!]/.test(character)) return readWord(isEnd);
    if (next === undefined && !isEnd) return null;
    if (character === '\\') return readEscape(next);
    // HTML is text. A URL in angle brackets is read as any other.
    if (character === '<') return { length: 1, text: /^[\s\d=]?$/.test(next ?? '') ? '<' : '&lt;' };
    return next === '[' ? readBracket(pending, 1, isEnd) : { length: 1, text: '!' };
  }

  /** Some renderers create links from what entities stand for, so only those stay that cannot be part of a URL. */
  function readEntity(isEnd: boolean): Step | null {
    const known = /^&(?:lt|gt|quot|nbsp);/.exec(pending)?.[0];
    if (known !== undefined) return { length: known.length, text: known };
    if (!isEnd && pending.length < '&quot;'.length) return null;
    return { length: 1, text: /^&[a-z#]/i.test(pending) ? '&amp;' : '&' };
  }

  function readCodeSpan(isEnd: boolean): Step | null {
    const marks = /^`+/.exec(pending)?.[0] ?? '`';
    if (marks.length === pending.length && !isEnd) return null;
    const rest = pending.slice(marks.length);
    const line = /^[^\n]*/.exec(rest)?.[0] ?? '';
    const close = new RegExp(`(?<!\`)\`{${marks.length}}(?!\`)`).exec(line);
    const isOpen = line.length === rest.length && !isEnd;
    if (close === null || (isOpen && close.index + marks.length === rest.length)) {
      if (isOpen && rest.length < MAX_CODE_SPAN) return null;
      if (close === null)
        return { length: marks.length, text: marks.replaceAll('`', '\\`'), isLineStart: false };
    }
    const content = line.slice(0, close.index);
    const hasBar = content.includes('|');
    // In a table, a bar ends the cell and with it the code.
    if ((hasBar || hasBarInCode) && ACTIVE.test(content)) {
      return { length: marks.length, text: marks.replaceAll('`', '\\`'), isLineStart: false };
    }
    hasBarInCode ||= hasBar;
    return { length: marks.length * 2 + content.length, text: marks + checkCode(content, rules) + marks };
  }

  /** A link or an image, with its text in brackets at `at`. Images leave their text. */
  async function readBracket(text: string, at: number, isEnd: boolean): Promise<Step | null> {
    const close = closingBracket(text, at);
    const isTooLong = text.length - at > MAX_LINK || /\n[ \t]*\n/.test(text.slice(at, at + MAX_LINK));
    if (close === -1) {
      if (!isEnd && !isTooLong) return null;
      return { length: at + 1, text: at === 0 ? '\\[' : '!\\[', isLineStart: false };
    }
    const next = text[close + 1];
    if (next === undefined && !isEnd) return null;
    const label = await checkInline(text.slice(at + 1, close));
    hasBarInCode ||= label.includes('|');
    if (next === '(') return readTarget(text, { at, close, label, isEnd: isEnd || isTooLong });
    if (next === '[') return readReference(text, { close, label, isEnd: isEnd || isTooLong });
    return { length: close + 1, text: `\\[${label === '' ? ' ' : label}\\]`, isLineStart: false };
  }

  /** The rest of a reference, which has no definition here. */
  function readReference(
    text: string,
    { close, label, isEnd }: { close: number; label: string; isEnd: boolean },
  ): Step | null {
    const second = closingBracket(text, close + 1);
    if (second === -1 && !isEnd) return null;
    const length = second === -1 ? close + 2 : second + 1;
    return { length, text: plainLabel(label, lastCharacter), isLineStart: false };
  }

  /** The rest of a link, from the parenthesis on. */
  async function readTarget(
    text: string,
    { at, close, label, isEnd }: { at: number; close: number; label: string; isEnd: boolean },
  ): Promise<Step | null> {
    const link = readDestination(text, close + 2);
    if (link === null) {
      if (!isEnd && !/\n[ \t]*\n/.test(text.slice(close))) return null;
      return { length: close + 2, text: `${plainLabel(label, lastCharacter)} \\(`, isLineStart: false };
    }
    const url = at === 0 ? await rules.resolve(link.destination) : null;
    const kept =
      url === null
        ? plainLabel(label, lastCharacter)
        : linkTo(label === '' ? url : label, url, lastCharacter);
    return { length: link.end, text: kept, isLineStart: false };
  }

  /** A URL outside of links, which renderers make one; or any other word. */
  async function readWord(isEnd: boolean): Promise<Step | null> {
    const isInWord = /[a-z0-9]/i.test(lastCharacter);
    if (!isEnd && isUrlBeginning(pending)) return null;
    if (!URL_START.test(pending) || (isInWord && !/^(?:https?|ftp):\/\//i.test(pending))) {
      return { length: 1, text: pending.slice(0, 1) };
    }
    const end = pending.search(URL_END);
    if (end === -1 && !isEnd && pending.length < MAX_URL) return null;
    const whole = pending.slice(0, end === -1 ? pending.length : end);
    const url = whole.replace(/[.,;:!?*_~]+$/, '');
    const isData = /^(?:data|javascript|vbscript|blob|file):/i.test(url);
    if (isData && !/^[a-z]+:(?:\/\/|\S*[/;(,])/i.test(url)) return { length: 1, text: pending.slice(0, 1) };
    const known = isData ? null : await rules.resolve(url);
    const text = known === null ? REMOVED : linkTo(known, known, lastCharacter);
    return { length: url.length, text, isLineStart: false };
  }

  return {
    async push(text) {
      pending += text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
      return drain(false);
    },
    async end() {
      let out = await drain(true);
      // An open fence would take in what a client shows after the answer.
      if (fence !== null)
        out += `${out.endsWith('\n') || (out === '' && lastCharacter === '\n') ? '' : '\n'}${fence.character.repeat(fence.length)}\n`;
      fence = null;
      return out;
    },
  };

  /** The text of a link: without links, images and URLs of its own. */
  async function checkInline(text: string): Promise<string> {
    const inner = createChecker({ ...rules, resolve: async () => null }, false);
    const checked = (await inner.push(text.replace(/\s*\n\s*/g, ' '))) + (await inner.end());
    return checked.replace(/^[`~]{3,}/, '').trim();
  }
}

/** A link that cannot become an image by the character before it. */
function linkTo(label: string, url: string, before: string): string {
  return `${before === '!' ? ' ' : ''}[${label}](${url})`;
}

/**
 * The text of a link or an image that was removed. It must not start a block, such as a fence, at the start of a line,
 * nor become part of a URL with the text around it.
 */
function plainLabel(label: string, before: string): string {
  if (label === '') return '(removed)';
  const start = /\s/.test(before) ? label.replace(/^(\d*)([-*+>#~=_.)])/, '$1\\$2') : WORD_JOINER + label;
  return /[hwf:/.@]$|\b(?:h|f|ws|w)\w{0,5}$/i.test(label) ? start + WORD_JOINER : start;
}

/** A backslash before punctuation makes it text; before a line break, it would be one more. */
function readEscape(next: string | undefined): Step {
  if (next === '\n') return { length: 1, text: '' };
  const isText = PUNCTUATION.test(next ?? '') && !/[/:.@]/.test(next ?? '');
  return isText ? { length: 2, text: `\\${next}` } : { length: 1, text: '\\\\' };
}

interface Step {
  /** Characters that it takes. */
  length: number;
  /** What is sent for them. */
  text: string;
  isLineStart?: boolean;
}

/** Invisible; renderers do not read URLs across it. */
const WORD_JOINER = '\u2060';

/** Stands for a URL that is not one of the site. */
const REMOVED = '(link removed)';

/** Whether the text can still become the start of a URL. */
function isUrlBeginning(text: string): boolean {
  const lower = text.slice(0, 12).toLowerCase();
  return URL_STARTS.some((start) => start.startsWith(lower) && lower.length < start.length);
}

/** Index of the bracket that closes the one at `open`; -1 without one. Escapes are skipped. */
function closingBracket(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length && at - open <= MAX_LINK; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return at;
    else if (character === '\n' && /^[ \t]*\n/.test(text.slice(at + 1))) return -1;
  }
  return -1;
}

/** The destination of a link whose text has ended, without its title; null while it is not complete. */
function readDestination(text: string, start: number): { destination: string; end: number } | null {
  let depth = 1;
  let quote = '';
  for (let at = start; at < text.length && at - start <= MAX_LINK; at++) {
    const character = text[at] ?? '';
    if (character === '\\') at++;
    else if (quote !== '') {
      if (character === quote) quote = '';
    } else if (/["']/.test(character) && /\s/.test(text[at - 1] ?? '')) quote = character;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) {
      const inside = text.slice(start, at).trim();
      const angled = /^<([^<>\n]*)>/.exec(inside)?.[1];
      return { destination: angled ?? inside.split(/\s/, 1)[0] ?? '', end: at + 1 };
    } else if (character === '\n' && /^[ \t]*\n/.test(text.slice(at + 1))) return null;
  }
  return null;
}

/** Code with the URLs that somebody else than the model has written; of others, the host stays if it is known. */
function checkCode(code: string, rules: LinkRules): string {
  return code.replace(CODE_URL, (match) => {
    const url = match.replace(/[.,;:!?]+$/, '');
    const rest = match.slice(url.length);
    if (rules.isKnownUrl(url)) return match;
    const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]+(?=[/?#]|$)/i.exec(url)?.[0];
    return origin !== undefined && rules.isKnownUrl(origin) ? origin + rest : `…${rest}`;
  });
}
