import { type CSSToken, TokenType } from '@csstools/css-tokenizer';
import { CLOSING, quoted, type TokenStream, textOf, tokensOf } from './css-tokens.ts';
import { isDataFile, isLocalUrl } from './url.ts';

/** A URL that a style text loads. */
export interface CssUrl {
  /** Without quotes and escapes. */
  url: string;
  isImport: boolean;
  /** The declaration that contains it, in lower case; empty outside of declarations. */
  property: string;
  /** 1-based. */
  line: number;
}

export interface CssOptions {
  /** What to write in place of a URL; null removes it. A URL of another site is removed in any case. */
  resolve(found: CssUrl): string | null;
  /** Called for each part that is removed. */
  removed?(): void;
  /** Leaves out comments and needless white space. */
  isMinified?: boolean;
}

/** A bracket that is open. */
interface Frame {
  close: string;
  /** Whether texts in it are URLs. */
  hasUrls: boolean;
  /** The function around it in which texts are URLs. */
  owner: Frame | null;
  /** Where its text starts, and what was before it. */
  start: number;
  before: string;
  /** It loads what it may not load: `none` takes its place. */
  isBad: boolean;
}

interface State {
  tokens: TokenStream;
  options: CssOptions;
  out: string[];
  /** Last character that was written; `x` for a name that ends with an escape. */
  last: string;
  /** Something was left out after it, so the next token could become a part of it. */
  isCut: boolean;
  /** White space that is written if the next token needs it. */
  hasSpace: boolean;
  /** A semicolon that is written if no closing brace follows. */
  hasSemicolon: boolean;
  /** The last token included the line break after it. */
  hasBreak: boolean;
  frames: Frame[];
  line: number;
  /** The name at the start of what is being read: that of a declaration, until its end. */
  property: string;
  /** The next name is at a start. */
  isStart: boolean;
}

/** Functions in which a text is a URL. */
const URL_FUNCTION = /^(?:-\w+-)?(?:url|src|image|image-set|cross-fade)$/i;
/** What they may contain. Any other function, such as `var()`, could become a text. */
const INSIDE =
  /^(?:-\w+-)?(?:url|src|type|image|image-set|cross-fade|(?:repeating-)?(?:linear-|radial-|conic-)?gradient|calc|min|max|clamp|rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|crossorigin|integrity|referrer-policy)$/i;

/**
 * A style text without anything that would load from another site: the tokens of CSS Syntax Level 3 are written again,
 * and what is open at the end is closed. The time is linear in its length.
 */
export function cleanCss(css: string, options: CssOptions): string {
  const state: State = {
    tokens: tokensOf(css),
    options,
    out: [],
    last: '',
    isCut: false,
    hasSpace: false,
    hasSemicolon: false,
    hasBreak: false,
    frames: [],
    line: 1,
    property: '',
    isStart: true,
  };
  for (let token = state.tokens.next(); token[0] !== TokenType.EOF; token = state.tokens.next())
    write(token, state);
  while (state.frames.length > 0) closeFrame(state);
  if (state.hasSemicolon) state.out.push(';');
  const text = state.out.join('');
  // At the start it would be a byte order mark, which browsers drop.
  return text.startsWith('\ufeff') ? `\n${text}` : text;
}

/** What a style text loads, in order. */
export function cssUrls(css: string): CssUrl[] {
  const found: CssUrl[] = [];
  cleanCss(css, {
    resolve: (url) => {
      found.push(url);
      return null;
    },
  });
  return found;
}

/** Whether a text, read as CSS, could load a file or refer to another part of its page. */
export function loadsFile(css: string): boolean {
  let isLoading = false;
  cleanCss(css, {
    resolve: () => null,
    removed: () => {
      isLoading = true;
    },
  });
  return isLoading;
}

/** An image that hides what it masks, as a mask that does not load does. */
const EMPTY_IMAGE = 'linear-gradient(#0000,#0000)';

/** What takes the place of an image that a property may not load. */
export function instead(property: string): string {
  return /^(?:-webkit-)?mask(?:-image)?$/i.test(property) ? EMPTY_IMAGE : 'none';
}

/** Nothing in it can be a name with a bracket, a text or an escape. */
const PLAIN_VALUE = /^[\w\s#%.,+*-]*$/;
const STRUCTURE: ReadonlySet<string> = new Set([
  TokenType.AtKeyword,
  TokenType.BadString,
  TokenType.BadURL,
  TokenType.CDC,
  TokenType.CDO,
  TokenType.OpenCurly,
  TokenType.CloseCurly,
  TokenType.Semicolon,
]);

/** The value of a declaration or a presentation attribute; null for one that loads what it may not load or is not a value. */
export function cleanValue(value: string, resolve: (url: string) => string | null): string | null {
  if (PLAIN_VALUE.test(value)) return value;
  const tokens = tokensOf(value);
  let isValue = true;
  for (let token = tokens.next(); token[0] !== TokenType.EOF && isValue; token = tokens.next())
    isValue = !STRUCTURE.has(token[0]) && !isWord(token, 'expression');
  if (!isValue) return null;
  const cleaned = cleanCss(value, {
    resolve: ({ url }) => resolve(url),
    removed: () => {
      isValue = false;
    },
  });
  return isValue ? cleaned : null;
}

/** Declarations of a `style` attribute: name and value, as written. */
export function cssDeclarations(text: string): [name: string, value: string][] {
  const tokens = tokensOf(text);
  const found: [string, string][] = [];
  let parts: [string, string] = ['', ''];
  let at: 0 | 1 = 0;
  let depth = 0;
  for (let token = tokens.next(); token[0] !== TokenType.EOF; token = tokens.next()) {
    if (opens(token)) depth++;
    else if (closes(token)) depth = Math.max(0, depth - 1);
    if (depth === 0 && token[0] === TokenType.Semicolon) {
      found.push(parts);
      parts = ['', ''];
      at = 0;
    } else if (at === 0 && token[0] === TokenType.Colon) at = 1;
    else parts[at] += textOf(token);
  }
  return [...found, parts].map(([name, value]) => [trimmed(name), trimmed(value)]);
}

function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && BLANK.test(text.charAt(end - 1))) end--;
  return text.slice(0, end).replace(/^[ \t\n]+/, '');
}

// Writing

/**
 * Characters that belong to no name, before and after which nothing can merge. White space is that of CSS: `\s` also
 * matches characters of names, such as U+FEFF and U+1680.
 */
const ENDS = /[ \t\n;{}),:]/;
const BLANK = /^[ \t\n]*$/;

function put(text: string, state: State): void {
  const first = text.charAt(0);
  if (state.hasSemicolon) {
    state.hasSemicolon = false;
    state.hasSpace = false;
    if (first !== '}') state.out.push(';');
    state.last = ';';
  }
  if (state.hasSpace) {
    state.hasSpace = false;
    if (state.last !== '' && !/[ \t\n{};,]/.test(state.last) && !/[{};,]/.test(first)) {
      state.out.push(' ');
      state.last = ' ';
    }
  }
  if (state.isCut && state.last !== '' && !ENDS.test(state.last) && !ENDS.test(first)) state.out.push('/**/');
  state.isCut = false;
  state.hasBreak = text.endsWith('\n') && !BLANK.test(text);
  state.out.push(text);
  state.last = text.endsWith(' ') && !BLANK.test(text) ? 'x' : text.slice(-1);
}

/** Writes a text where something else was. */
function putInstead(text: string, state: State): void {
  state.isCut = true;
  put(text, state);
  state.isCut = true;
}

function removed(state: State): void {
  state.isCut = true;
  state.options.removed?.();
}

function noteProperty(token: CSSToken, state: State): void {
  const [type] = token;
  if (type === TokenType.Whitespace || type === TokenType.Comment) return;
  const isEnd = type === TokenType.Semicolon || type === TokenType.OpenCurly || type === TokenType.CloseCurly;
  if (isEnd || state.isStart) state.property = type === TokenType.Ident ? wordOf(token) : '';
  state.isStart = isEnd;
}

function write(token: CSSToken, state: State): void {
  countLines(token, state);
  noteProperty(token, state);
  switch (token[0]) {
    case TokenType.Whitespace:
      if (state.options.isMinified === true) state.hasSpace = true;
      else if (!state.hasBreak) put(token[1], state);
      else if (token[1].length > 1) put(token[1].slice(1), state);
      break;
    case TokenType.Comment:
      writeComment(token, state);
      break;
    case TokenType.String:
      writeText(token, token[4].value, state);
      break;
    case TokenType.URL:
      writeUrl(token, token[4].value, state);
      break;
    case TokenType.AtKeyword:
      writeAtKeyword(token, state);
      break;
    case TokenType.Function:
      openFunction(token, state);
      break;
    case TokenType.Ident:
      writeName(token, state);
      break;
    case TokenType.Semicolon:
      if (state.options.isMinified === true && state.last !== '\n') state.hasSemicolon = true;
      else put(';', state);
      break;
    default:
      if (closes(token) && state.frames.at(-1)?.close === token[1]) closeFrame(state);
      else if (opens(token)) openBlock(token, state);
      else put(textOf(token), state);
  }
}

function countLines(token: CSSToken, state: State): void {
  for (let at = token[1].indexOf('\n'); at !== -1; at = token[1].indexOf('\n', at + 1)) state.line++;
}

/** Developer tools load source maps. */
const SOURCE_URL = /^\/\*[#@]\s*source(?:Mapping)?URL\s*=\s*([^\s*]+)/;

function writeComment(token: CSSToken, state: State): void {
  if (state.options.isMinified === true) {
    state.isCut = true;
    return;
  }
  const source = SOURCE_URL.exec(token[1])?.[1];
  if (source === undefined || isLocalUrl(source)) put(textOf(token), state);
  else removed(state);
}

function writeText(token: CSSToken, value: string, state: State): void {
  const frame = state.frames.at(-1);
  if (frame?.hasUrls !== true) {
    put(textOf(token), state);
    return;
  }
  const url = resolved(value, false, state);
  if (url === null && frame.owner !== null) frame.owner.isBad = true;
  put(url === value ? textOf(token) : quoted(url ?? ''), state);
}

function writeUrl(token: CSSToken, value: string, state: State): void {
  const url = resolved(value, false, state);
  if (url === value) put(textOf(token), state);
  else if (url !== null) putInstead(`url(${quoted(url)})`, state);
  else {
    const owner = state.frames.at(-1)?.owner ?? null;
    if (owner !== null) owner.isBad = true;
    removed(state);
    putInstead(instead(state.property), state);
  }
}

function resolved(url: string, isImport: boolean, state: State): string | null {
  const to = state.options.resolve({
    url,
    isImport,
    property: isImport ? '' : state.property,
    line: state.line,
  });
  return to !== null && (isLocalUrl(to) || (!isImport && isDataFile(to))) ? to : null;
}

/** Properties of old browsers that load code. */
const LOADS_CODE = /^(?:behavior|-moz-binding)$/i;

function writeName(token: CSSToken, state: State): void {
  if (LOADS_CODE.test(wordOf(token))) {
    const between = skipBlank(state);
    const next = state.tokens.next();
    state.tokens.back(...between, next);
    if (next[0] === TokenType.Colon) {
      removed(state);
      putInstead('x-removed', state);
      return;
    }
  }
  put(textOf(token), state);
}

// Brackets

function openFrame(
  token: CSSToken,
  { hasUrls, owner }: Pick<Frame, 'hasUrls' | 'owner'>,
  state: State,
): Frame {
  const { out, last } = state;
  const frame = {
    close: CLOSING[token[0]] ?? ')',
    hasUrls,
    owner,
    start: out.length,
    before: last,
    isBad: false,
  };
  put(textOf(token), state);
  state.frames.push(frame);
  return frame;
}

/** A bracket without a name: texts in it are what they are around it. */
function openBlock(token: CSSToken, state: State): void {
  const around = state.frames.at(-1);
  const owner = around?.hasUrls === true ? around.owner : null;
  openFrame(token, { hasUrls: owner !== null, owner }, state);
}

function openFunction(token: CSSToken, state: State): void {
  const name = wordOf(token);
  const around = state.frames.at(-1);
  const owner = around?.hasUrls === true ? around.owner : null;
  if (owner !== null && !INSIDE.test(name)) owner.isBad = true;
  const hasUrls = URL_FUNCTION.test(name);
  const frame = openFrame(token, { hasUrls, owner: null }, state);
  if (hasUrls) frame.owner = frame;
  if (isWord(token, 'expression')) frame.isBad = true;
}

function closeFrame(state: State): void {
  const frame = state.frames.pop();
  if (frame === undefined) return;
  if (!frame.isBad) {
    put(frame.close, state);
    return;
  }
  state.out.length = frame.start;
  state.last = frame.before;
  state.hasSpace = false;
  removed(state);
  putInstead(instead(state.property), state);
  // An image that cannot be one makes the list around it invalid.
  const around = state.frames.at(-1);
  if (around?.hasUrls === true && around.owner !== null) around.owner.isBad = true;
}

// At-rules

function writeAtKeyword(token: CSSToken, state: State): void {
  const name = wordOf(token);
  // The output is UTF-8, whatever the input says.
  if (name === 'charset') skipStatement(state);
  else if (name === 'import') writeImport(token, state);
  else if (name === 'namespace') writeNamespace(token, state);
  else put(textOf(token), state);
}

function writeImport(token: CSSToken, state: State): void {
  const blank = skipBlank(state);
  for (const each of blank) countLines(each, state);
  const url = readUrl(state);
  const to = url === null ? null : resolved(url.value, true, state);
  if (to === null) {
    skipStatement(state);
    removed(state);
    return;
  }
  put(textOf(token), state);
  put(' ', state);
  put(`url(${quoted(to)})`, state);
}

/**
 * A namespace has the form of a URL, but nothing loads it. As a text it cannot be mistaken for one. With anything behind
 * it, the rule is invalid and left out.
 */
function writeNamespace(token: CSSToken, state: State): void {
  const before = skipBlank(state);
  const prefix = state.tokens.next();
  const between = prefix[0] === TokenType.Ident ? skipBlank(state) : [];
  if (prefix[0] !== TokenType.Ident) state.tokens.back(prefix);
  const next = state.tokens.next();
  state.tokens.back(next);
  const url = next[0] === TokenType.URL || next[0] === TokenType.Function ? readUrl(state) : null;
  if (url !== null) {
    const after = skipBlank(state);
    const end = state.tokens.next();
    const { value, tokens } = url;
    state.tokens.back(...after, end);
    if (end[0] !== TokenType.Semicolon && end[0] !== TokenType.EOF) {
      const named = prefix[0] === TokenType.Ident ? [prefix, ...between] : [];
      for (const each of [...before, ...named, ...tokens]) countLines(each, state);
      skipStatement(state);
      return;
    }
    state.tokens.back([TokenType.String, quoted(value), -1, -1, { value }]);
  }
  put(textOf(token), state);
  if (prefix[0] === TokenType.Ident) state.tokens.back(...before, prefix, ...between);
  else state.tokens.back(...before);
}

/** The URL that follows in a rule, as a text or in `url()` or `src()`; null, and nothing is read, for anything else. */
function readUrl(state: State): { value: string; tokens: readonly CSSToken[] } | null {
  const { tokens } = state;
  const first = tokens.next();
  if (first[0] === TokenType.String || first[0] === TokenType.URL)
    return { value: first[4].value, tokens: [first] };
  if (first[0] !== TokenType.Function || !/^(?:url|src)$/.test(wordOf(first))) {
    tokens.back(first);
    return null;
  }
  const before = skipBlank(state);
  const text = tokens.next();
  const after = skipBlank(state);
  const close = tokens.next();
  const isClosed = close[0] === TokenType.CloseParen || close[0] === TokenType.EOF;
  const all = [first, ...before, text, ...after, close];
  if (text[0] === TokenType.String && isClosed) return { value: text[4].value, tokens: all };
  tokens.back(...all);
  return null;
}

/** Leaves out the rest of a rule: up to its semicolon, its block, or the end of the block around it. */
function skipStatement(state: State): void {
  const open: string[] = [];
  const around = new Set(['}', state.frames.at(-1)?.close ?? '}']);
  state.isCut = true;
  for (let token = state.tokens.next(); ; token = state.tokens.next()) {
    countLines(token, state);
    if (token[0] === TokenType.EOF) return;
    if (open.length === 0 && token[0] === TokenType.Semicolon) return;
    if (opens(token)) open.push(CLOSING[token[0]] ?? ')');
    else if (closes(token)) {
      if (open.length === 0 && around.has(token[1])) {
        state.tokens.back(token);
        return;
      }
      if (open.at(-1) === token[1] && open.length === 1 && token[1] === '}') return;
      if (open.at(-1) === token[1]) open.pop();
    }
  }
}

function skipBlank(state: State): CSSToken[] {
  const blank: CSSToken[] = [];
  let token = state.tokens.next();
  for (; token[0] === TokenType.Whitespace || token[0] === TokenType.Comment; token = state.tokens.next())
    blank.push(token);
  state.tokens.back(token);
  return blank;
}

// Tokens

function opens([type]: CSSToken): boolean {
  return CLOSING[type] !== undefined;
}

function closes([type]: CSSToken): boolean {
  return type === TokenType.CloseParen || type === TokenType.CloseSquare || type === TokenType.CloseCurly;
}

/** Name of a function, an at-rule or an identifier, in lower case. */
function wordOf(token: CSSToken): string {
  const [type] = token;
  const isNamed = type === TokenType.Ident || type === TokenType.Function || type === TokenType.AtKeyword;
  return isNamed ? token[4].value.toLowerCase() : '';
}

function isWord(token: CSSToken, word: string): boolean {
  return wordOf(token) === word;
}
