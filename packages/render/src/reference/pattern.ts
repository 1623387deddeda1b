/** One character of a set, or a group, with how often it may be repeated. */
interface Item {
  readonly of: Sets | readonly Item[];
  readonly least: number;
  readonly most: number;
}

/** Ranges of characters; all others if negated. */
interface Sets {
  readonly ranges: readonly (readonly [number, number])[];
  readonly isNegated: boolean;
}

interface Reader {
  readonly text: string;
  at: number;
}

/** A pattern of which no string is made. */
class Unsupported extends Error {}

/** Halves of characters and control characters, which not every form of an example can contain. */
const UNUSABLE = /[\p{Cs}\p{Cc}]/u;

const MAX_PATTERN = 1000;
const MAX_DEPTH = 30;
const MAX_LENGTH = 200;
/** Repetitions where a pattern leaves them open. */
const USUAL = 6;

/**
 * A string that a regular expression matches, made of its parts; null if it has parts that are not understood. The
 * expression of a description is not run: it may take any time. Another `shift` gives another string, if the pattern
 * has sets of characters.
 */
export function stringOfPattern(pattern: string, least: number, most: number, shift = 0): string | null {
  if (pattern.length > MAX_PATTERN) return null;
  try {
    const reader = { text: pattern, at: 0 };
    const items = readChoice(reader, 0);
    if (reader.at < pattern.length) return null;
    for (const usual of [USUAL, 0, 1, 2, 3, 4, 12, 24, 48, 96]) {
      const made = write(items, usual, shift);
      if (UNUSABLE.test(made)) return null;
      if (made.length >= least && made.length <= most) return made;
      const [only] = items;
      // The length of one repeated character can be chosen.
      if (items.length === 1 && only !== undefined && 'ranges' in only.of) {
        const count = Math.min(Math.max(least, only.least, USUAL), most, only.most);
        return count < least || count < only.least || count > MAX_LENGTH ? null : write(items, count, shift);
      }
    }
    return null;
  } catch (fault) {
    if (fault instanceof Unsupported) return null;
    throw fault;
  }
}

// Reading

/** The first of the alternatives. */
function readChoice(reader: Reader, depth: number): Item[] {
  if (depth > MAX_DEPTH) throw new Unsupported();
  const first = readItems(reader, depth);
  while (reader.text[reader.at] === '|') {
    reader.at++;
    readItems(reader, depth);
  }
  return first;
}

function readItems(reader: Reader, depth: number): Item[] {
  const items: Item[] = [];
  for (;;) {
    const next = reader.text[reader.at];
    if (next === undefined || next === '|' || next === ')') return items;
    reader.at++;
    if (next === '^' && items.length === 0) continue;
    if (next === '$' && /^(?:$|[|)])/.test(reader.text.slice(reader.at, reader.at + 1))) continue;
    items.push({ of: readOne(next, reader, depth), ...readCount(reader) });
  }
}

function readOne(next: string, reader: Reader, depth: number): Item['of'] {
  switch (next) {
    case '(':
      return readGroup(reader, depth);
    case '[':
      return readClass(reader);
    case '.':
      return { ranges: [[10, 13]], isNegated: true };
    case '\\':
      return readEscape(reader);
    case '^':
    case '$':
    case '*':
    case '+':
    case '?':
    case '{':
      throw new Unsupported();
    default:
      return one(next);
  }
}

const one = (character: string): Sets => {
  const unit = character.charCodeAt(0);
  return { ranges: [[unit, unit]], isNegated: false };
};

function readGroup(reader: Reader, depth: number): Item[] {
  const start = /^\?(?::|<[A-Za-z_]\w*>)/.exec(reader.text.slice(reader.at, reader.at + 100))?.[0] ?? '';
  reader.at += start.length;
  if (reader.text[reader.at] === '?') throw new Unsupported();
  const items = readChoice(reader, depth + 1);
  if (reader.text[reader.at++] !== ')') throw new Unsupported();
  return items;
}

const KINDS: Readonly<Record<string, Sets>> = {
  d: { ranges: [[48, 57]], isNegated: false },
  D: { ranges: [[48, 57]], isNegated: true },
  w: {
    ranges: [
      [48, 57],
      [65, 90],
      [95, 95],
      [97, 122],
    ],
    isNegated: false,
  },
  W: {
    ranges: [
      [48, 57],
      [65, 90],
      [95, 95],
      [97, 122],
    ],
    isNegated: true,
  },
  s: {
    ranges: [
      [32, 32],
      [9, 13],
    ],
    isNegated: false,
  },
  S: {
    ranges: [
      [32, 32],
      [9, 13],
    ],
    isNegated: true,
  },
  n: one('\n'),
  r: one('\r'),
  t: one('\t'),
};

function readEscape(reader: Reader): Sets {
  const next = reader.text[reader.at++];
  if (next === undefined) throw new Unsupported();
  if (Object.hasOwn(KINDS, next)) return KINDS[next] ?? one(next);
  const code = /^(?:x([\da-f]{2})|u([\da-f]{4}))/i.exec(reader.text.slice(reader.at - 1, reader.at + 4));
  if (code !== null) {
    reader.at += code[0].length - 1;
    return one(String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? '', 16)));
  }
  if (/[A-Za-z\d]/.test(next)) throw new Unsupported();
  return one(next);
}

function readClass(reader: Reader): Sets {
  const isNegated = reader.text[reader.at] === '^';
  if (isNegated) reader.at++;
  const ranges: (readonly [number, number])[] = [];
  for (;;) {
    const next = reader.text[reader.at++];
    if (next === undefined) throw new Unsupported();
    if (next === ']') return { ranges, isNegated };
    const from = next === '\\' ? readEscape(reader) : one(next);
    const isRange =
      reader.text[reader.at] === '-' && !/^(?:\]|$)/.test(reader.text.slice(reader.at + 1, reader.at + 2));
    const [first, ...more] = from.ranges;
    if (from.isNegated || first === undefined) throw new Unsupported();
    if (!isRange || more.length > 0 || first[0] !== first[1]) {
      ranges.push(...from.ranges);
      continue;
    }
    reader.at++;
    const end = reader.text[reader.at++] ?? '';
    const [to] = (end === '\\' ? readEscape(reader) : one(end)).ranges;
    if (to === undefined || to[0] !== to[1] || to[1] < first[0]) throw new Unsupported();
    ranges.push([first[0], to[1]]);
  }
}

function readCount(reader: Reader): Pick<Item, 'least' | 'most'> {
  const written = /^(?:[*+?]|\{(\d{1,9})(,)?(\d{1,9})?\})/.exec(reader.text.slice(reader.at, reader.at + 24));
  if (written === null) return { least: 1, most: 1 };
  reader.at += written[0].length;
  if (reader.text[reader.at] === '?') reader.at++;
  const [sign, from, isOpen, to] = written;
  if (sign === '?') return { least: 0, most: 1 };
  if (from === undefined) return { least: sign === '+' ? 1 : 0, most: Number.POSITIVE_INFINITY };
  const least = Number(from);
  return {
    least,
    most: to === undefined ? (isOpen === undefined ? least : Number.POSITIVE_INFINITY) : Number(to),
  };
}

// Writing

/** Parts that may be absent are, apart from characters that may be repeated: those are written as often as `usual`. */
function write(items: readonly Item[], usual: number, shift: number): string {
  let text = '';
  for (const { of, least, most } of items) {
    const wanted = 'ranges' in of && most > 1 ? usual : least;
    const count = Math.min(Math.max(wanted, least), most);
    for (let index = 0; index < count; index++) {
      const part = 'ranges' in of ? pick(of, index + shift) : write(of, usual, shift);
      // A group that writes nothing writes nothing the next time.
      if (part === '') break;
      text += part;
      if (text.length > MAX_LENGTH) throw new Unsupported();
    }
  }
  return text;
}

const WORD = 'string';
const DIGITS = '0123456789';

/** A character of a set: of a word, of a word in capitals, a digit, else its first one. */
function pick({ ranges, isNegated }: Sets, index: number): string {
  const isIn = (character: string): boolean => {
    const unit = character.charCodeAt(0);
    return ranges.some(([from, to]) => from <= unit && unit <= to) !== isNegated;
  };
  const letter = WORD.charAt(index % WORD.length);
  const wanted = [letter, letter.toUpperCase(), DIGITS.charAt(index % DIGITS.length)].find(isIn);
  if (wanted !== undefined) return wanted;
  const [first] = ranges;
  const other = [...'a0A-_ '].find(isIn);
  if (!isNegated && first !== undefined) return String.fromCharCode(first[0]);
  if (other === undefined) throw new Unsupported();
  return other;
}
