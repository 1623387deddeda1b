import { TOKEN_CLASSES as T, type TokenClass } from '../spans.ts';
import {
  add,
  endOf,
  isDigit,
  isName,
  lineEnd,
  nameEnd,
  numberEnd,
  quotedEnd,
  type Scan,
  skipBlanks,
} from './scan.ts';

/** Dialects of JavaScript. */
export interface ScriptDialect {
  readonly hasTypes: boolean;
  readonly hasElements: boolean;
}

/** What a bracket encloses; `text` are the children of an element. */
type Kind = 'block' | 'object' | 'members' | 'names' | 'list' | 'types' | 'template' | 'value' | 'text';

interface Reading extends Scan {
  readonly dialect: ScriptDialect;
  /** Open brackets, the innermost last. */
  readonly open: Kind[];
  /** The token before: a word, or a sign; `0` for a literal. */
  before: string;
  /** The last word that decides what a bracket encloses; `?` inside a choice. */
  header: string;
  /** The last name was that of a type. */
  wasType: boolean;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const KEYWORDS = words(
  'async await break case catch class const continue debugger default delete do else export extends finally for ' +
    'function if import in instanceof let new of return static switch throw try typeof var void while with yield from as get set',
);
const TYPE_KEYWORDS = words(
  'abstract as asserts declare enum implements infer interface is keyof module namespace override private protected public ' +
    'readonly satisfies type unique',
);
/** Words that are names unless a name follows. */
const SOFT = words(
  'abstract as async asserts declare from get infer interface is keyof module namespace of override private protected ' +
    'public readonly satisfies set static type unique let yield',
);
const CONSTANTS = words('true false null this super');
const PRIMITIVES = words('any bigint boolean never number object string symbol unknown');
/** Behind these words, a type is named. */
const BEFORE_TYPES = words(
  'new extends implements instanceof as satisfies keyof is class interface type enum infer',
);
/** Words behind which an expression starts, so that `/` starts a pattern and `<` an element. */
const BEFORE_VALUES = words(
  'return typeof case do else in of instanceof new void delete throw await yield default export extends',
);
const MAX_OPEN = 2_000;

export function lexScript(scan: Scan, dialect: ScriptDialect): void {
  const reading: Reading = { ...scan, dialect, open: [], before: '', header: '', wasType: false };
  while (reading.at < reading.end) {
    if (reading.open.at(-1) === 'text') readText(reading);
    else readToken(reading);
  }
  scan.at = reading.at;
}

function readToken(reading: Reading): void {
  const { code, at: from } = reading;
  const first = code.charCodeAt(from);
  if (first === 32 || first === 10 || first === 9 || first === 13) reading.at++;
  else if (isDigit(first) || (first === 46 && isDigit(code.charCodeAt(from + 1)))) {
    reading.at = numberEnd(reading, from);
    literal(reading, from, T.number);
  } else if (isName(first)) readName(reading);
  else if (first === 34 || first === 39) {
    readQuoted(reading);
    reading.before = '0';
  } else if (first === 96) {
    reading.at++;
    readTemplate(reading, from);
  } else if (first === 47) readSlash(reading);
  else readSign(reading);
}

function literal(reading: Reading, from: number, className: TokenClass): void {
  add(reading, from, className);
  reading.before = '0';
}

// Names

function readName(reading: Reading): void {
  const { code, at: from } = reading;
  reading.at = nameEnd(reading, from);
  const name = code.slice(from, reading.at);
  const className = classOfName(reading, name);
  add(reading, from, className);
  reading.wasType = className === T.type;
  if (className === T.keyword) reading.header = name;
  reading.before = className === T.keyword || className === T.number ? name : 'a';
}

function classOfName(reading: Reading, name: string): TokenClass | null {
  const { code, before, header, dialect } = reading;
  const after = skipBlanks(reading, reading.at);
  const next = code[after] ?? '';
  const isCall = next === '(' || (next === '`' && after === reading.at);
  const other = dialect.hasTypes && isTypePlace(reading) ? T.type : null;
  if (before === '.' || before === '?.') return isCall ? T.function : (other ?? T.property);
  if (isKeyword(name, next, code, after, dialect))
    return before === '{' && next === ':' ? T.property : T.keyword;
  if (CONSTANTS.has(name) && next !== ':') return T.number;
  if (NAMES_TYPE.has(before)) return T.type;
  if (before === 'function' || (before === '*' && header === 'function')) return T.function;
  if (isMember(reading, next)) return T.property;
  if (dialect.hasTypes && PRIMITIVES.has(name) && next !== '(' && next !== '=') return T.type;
  return isCall ? T.function : other;
}

/** Words behind which a name is that of a type. */
const NAMES_TYPE = words('class interface enum new');

function isKeyword(
  name: string,
  next: string,
  code: string,
  after: number,
  { hasTypes }: ScriptDialect,
): boolean {
  if (!KEYWORDS.has(name) && !(hasTypes && TYPE_KEYWORDS.has(name))) return false;
  if (!SOFT.has(name)) return true;
  if (name === 'async' && next === '(') return true;
  if (name === 'from') return next === '"' || next === "'";
  return (
    isName(code.charCodeAt(after)) ||
    next === '[' ||
    next === '{' ||
    (next === '*' && name !== 'as') ||
    (name === 'as' && next === "'")
  );
}

/** Names of members and keys: at the start of an entry, before what follows a name there. */
function isMember({ before, code, at, open }: Reading, next: string): boolean {
  const kind = open.at(-1);
  if (kind === 'object') return STARTS_KEY.has(before) && ENDS_KEY.has(next);
  if (kind !== 'members' || !(STARTS_MEMBER.has(before) || SOFT.has(before))) return false;
  return ENDS_MEMBER.has(next) || ((next === '?' || next === '!') && /[:;(]/.test(code[at + 1] ?? ''));
}

const STARTS_KEY = words('{ , async get set');
const ENDS_KEY = new Set([':', ',', '}', '(', '\n']);
const STARTS_MEMBER = words('{ , ; } a ) # * 0 ]');
const ENDS_MEMBER = new Set([':', '(', '=', ';', '<', ',', '\n', '}']);

/** Whether a type is expected: behind a colon outside objects, in angle brackets, behind words that precede one. */
function isTypePlace({ before, open, header, wasType }: Reading): boolean {
  if (open.at(-1) === 'types' || BEFORE_TYPES.has(before)) return true;
  if (before === ':') return open.at(-1) !== 'object' && header !== 'case' && header !== '?';
  if (before === '|' || before === '&') return wasType || header === 'type';
  return before === '=' && header === 'type';
}

// Texts and patterns

/** A text between quotes; escapes have a class of their own. */
function readQuoted(reading: Reading): void {
  const from = reading.at;
  const end = quotedEnd(reading, from);
  const { code } = reading;
  const kind = reading.open.at(-1);
  if (
    kind === 'object' &&
    (reading.before === '{' || reading.before === ',') &&
    code[skipBlanks(reading, end)] === ':'
  ) {
    reading.at = end;
    add(reading, from, T.string);
    return;
  }
  readEscapes(reading, from, end);
}

function readEscapes(reading: Reading, start: number, end: number): void {
  const { code } = reading;
  let from = start;
  for (let at = code.indexOf('\\', from); at >= 0 && at < end; at = code.indexOf('\\', reading.at)) {
    reading.at = at;
    add(reading, from, T.string);
    const length =
      code[at + 1] === 'u'
        ? code[at + 2] === '{'
          ? code.indexOf('}', at) - at + 1
          : 6
        : code[at + 1] === 'x'
          ? 4
          : 2;
    from = at;
    reading.at = Math.min(at + Math.max(length, 2), end);
    add(reading, from, T.special);
    from = reading.at;
  }
  reading.at = end;
  add(reading, from, T.string);
}

/** A template up to its end or to code in it; `from` is where its text starts. */
function readTemplate(reading: Reading, from: number): void {
  const { code, end } = reading;
  let at = reading.at;
  for (; at < end; at++) {
    const character = code.charCodeAt(at);
    if (character === 92) at++;
    else if (character === 96) {
      readEscapes(reading, from, at + 1);
      reading.before = '0';
      return;
    } else if (character === 36 && code.charCodeAt(at + 1) === 123 && reading.open.length < MAX_OPEN) {
      readEscapes(reading, from, at);
      reading.at = at + 2;
      reading.open.push('template');
      reading.before = '{';
      return;
    }
  }
  readEscapes(reading, from, end);
}

function readSlash(reading: Reading): void {
  const { code, at: from } = reading;
  if (code[from + 1] === '/') {
    reading.at = lineEnd(reading, from);
    add(reading, from, T.comment);
  } else if (code[from + 1] === '*') {
    reading.at = endOf(reading, '*/', from + 2);
    add(reading, from, T.comment);
  } else if (isValuePlace(reading) && patternEnd(reading, from) > 0) {
    reading.at = patternEnd(reading, from);
    literal(reading, from, T.special);
  } else readSign(reading);
}

/** Whether an expression starts here: `/` divides after a value, `<` compares. */
function isValuePlace({ before }: Reading): boolean {
  return before === '' || BEFORE_VALUES.has(before) || /^(?:[([{,;:=!&|?+\-*%~^<>}]|=>|\.\.\.)$/.test(before);
}

function patternEnd({ code, end }: Scan, from: number): number {
  let isClass = false;
  for (let at = from + 1; at < end; at++) {
    const character = code[at];
    if (character === '\\') at++;
    else if (character === '\n') return -1;
    else if (character === '[') isClass = true;
    else if (character === ']') isClass = false;
    else if (character === '/' && !isClass) {
      while (at + 1 < end && isName(code.charCodeAt(at + 1))) at++;
      return at + 1;
    }
  }
  return -1;
}

// Signs and brackets

function readSign(reading: Reading): void {
  const { code, at: from, dialect } = reading;
  const sign = code[from] ?? '';
  if (
    sign === '<' &&
    dialect.hasElements &&
    isValuePlace(reading) &&
    /^<[\p{L}_/>]/u.test(code.slice(from, from + 3))
  ) {
    readTag(reading);
    return;
  }
  reading.at++;
  if (sign === '@' && isName(code.charCodeAt(from + 1))) add(reading, from, T.builtin);
  if (sign === '?' && code[reading.at] === '.') {
    reading.at++;
    reading.before = '?.';
  } else if (sign === '.' && code.startsWith('..', reading.at)) {
    reading.at += 2;
    reading.before = '...';
  } else if (!readBracket(reading, sign)) {
    reading.header = headerAfter(reading, sign);
    reading.before = sign === '>' && reading.before === '=' ? '=>' : sign;
  }
}

/** Notes an opened or closed bracket; returns true where that decides what comes before the next token. */
function readBracket(reading: Reading, sign: string): boolean {
  const { open, dialect, before } = reading;
  if (sign === '{' || sign === '(' || sign === '[') {
    if (open.length < MAX_OPEN) open.push(kindOf(sign, reading));
  } else if (sign === '<' && dialect.hasTypes && before === 'a' && isTypeList(reading)) open.push('types');
  else if (sign === '>' && open.at(-1) === 'types') {
    open.pop();
    reading.before = 'a';
    return true;
  } else if (sign === '}' || sign === ')' || sign === ']') {
    const closed = close(reading);
    if (closed === 'template') readTemplate(reading, reading.at);
    else if (closed === 'value') reading.before = '>';
    return closed === 'template' || closed === 'value';
  }
  return false;
}

function headerAfter({ code, at, header }: Reading, sign: string): string {
  if (sign === ';' || sign === '{' || sign === '}') return '';
  if (sign === '?' && !/[:,)]/.test(code[at] ?? '')) return '?';
  return header === '?' && (sign === ',' || sign === '(') ? '' : header;
}

/** Closes the innermost bracket; angle brackets that were none go with it. */
function close({ open }: Reading): Kind | undefined {
  let kind = open.pop();
  while (kind === 'types') kind = open.pop();
  return kind;
}

function kindOf(sign: string, reading: Reading): Kind {
  const { before, header, dialect, open } = reading;
  if (sign !== '{') return 'list';
  if (
    header === 'class' ||
    header === 'interface' ||
    header === 'enum' ||
    header === 'extends' ||
    header === 'implements'
  )
    return 'members';
  if (header === 'type' && dialect.hasTypes) return 'members';
  if (header === 'import' || header === 'export') return 'names';
  if (before === ':' && dialect.hasTypes && open.at(-1) !== 'object' && header !== '?') return 'members';
  if (/^(?:[(,=:[?&|]|return|default|=>)$/.test(before) && before !== '=>') return 'object';
  if (/^(?:const|let|var)$/.test(before)) return 'names';
  return startsEntry(reading) ? 'object' : 'block';
}

/** Whether a key with a colon follows; a block that starts with a label is rare. */
function startsEntry(reading: Reading): boolean {
  const { code } = reading;
  const from = skipBlanks(reading, reading.at, true);
  const isQuoted = code[from] === '"' || code[from] === "'";
  const to = isQuoted ? quotedEnd(reading, from) : nameEnd(reading, from);
  return to > from && code[skipBlanks(reading, to)] === ':';
}

/** Whether `<` starts types: a closing bracket comes before anything that no type contains. */
function isTypeList({ code, at, end }: Scan): boolean {
  for (let to = at, depth = 1; to < end && to < at + 300; to++) {
    const character = code[to] ?? '';
    if (character === '<') depth++;
    else if (character === '>' && code[to - 1] !== '=' && --depth === 0) return true;
    else if (/[;+*/%!`]/.test(character) || (character === '&' && code[to + 1] === '&')) return false;
  }
  return false;
}

// Elements

/** A tag from `<` to `>`; its content is text until the tag that closes it. */
function readTag(reading: Reading): void {
  const { code, end, open } = reading;
  const isClosing = code[reading.at + 1] === '/';
  reading.at += isClosing ? 2 : 1;
  const from = reading.at;
  while (reading.at < end && (isName(code.charCodeAt(reading.at)) || /[.:-]/.test(code[reading.at] ?? '')))
    reading.at++;
  const name = code.slice(from, reading.at);
  addTagName(reading, from, name);
  while (reading.at < end) {
    const first = code[reading.at] ?? '';
    if (first === '>') {
      reading.at++;
      if (isClosing) {
        if (open.at(-1) === 'text') open.pop();
      } else if (open.length < MAX_OPEN) open.push('text');
      reading.before = '0';
      return;
    }
    if (first === '/' && code[reading.at + 1] === '>') {
      reading.at += 2;
      reading.before = '0';
      return;
    }
    readAttribute(reading, first);
  }
}

/** Names of HTML elements are built in; those of components are types. */
function addTagName(reading: Reading, from: number, name: string): void {
  if (/^[a-z][\w-]*$/.test(name)) {
    add(reading, from, T.builtin);
    return;
  }
  let at = from;
  for (const part of name.split('.')) {
    reading.at = at + part.length;
    add(reading, at, T.type);
    at += part.length + 1;
  }
  reading.at = from + name.length;
}

function readAttribute(reading: Reading, first: string): void {
  const { code, at: from, end } = reading;
  if (first === '"' || first === "'") {
    reading.at = quotedEnd(reading, from, true);
    add(reading, from, T.string);
  } else if (first === '{') {
    reading.at++;
    readBraces(reading);
  } else if (isName(code.charCodeAt(from))) {
    while (reading.at < end && (isName(code.charCodeAt(reading.at)) || /[:-]/.test(code[reading.at] ?? '')))
      reading.at++;
    add(reading, from, T.property);
  } else reading.at++;
}

/** Code in braces of a tag or of the text of an element, to the brace that closes it. */
function readBraces(reading: Reading): void {
  const { open } = reading;
  const depth = open.length;
  if (depth >= MAX_OPEN) return;
  open.push('value');
  reading.before = '{';
  while (reading.at < reading.end && open.length > depth) {
    if (open.at(-1) === 'text') readText(reading);
    else readToken(reading);
  }
}

/** Text of an element up to the next tag or code. */
function readText(reading: Reading): void {
  const { code, end } = reading;
  while (reading.at < end) {
    const first = code[reading.at];
    if (first === '<') {
      readTag(reading);
      return;
    }
    reading.at++;
    if (first === '{') {
      readBraces(reading);
      return;
    }
  }
}
