import { isObject } from '../config/json.ts';

/** What stands for what is left out, with the number of items or members. */
const MARK = '…';
/** Characters of a member of an object or of an item of which a part is shown. */
const MIN_PART = 60;

/**
 * JSON of a value in that many characters. A longer one is without items, members and ends of texts, each of which leaves a
 * mark, so that the text stays JSON.
 */
export function shortenJson(value: unknown, room: number): string {
  return JSON.stringify(shorten(value, { room, depth: 0 }, openMeasure()), null, 2) ?? '';
}

interface Size {
  /** Characters of the indented JSON where it starts a line. */
  readonly length: number;
  /** Ends of lines in it, each of which has an indentation. */
  readonly breaks: number;
}

type Measure = (value: unknown) => Size;

/** Measures each object once: aliases of YAML can repeat one. */
function openMeasure(): Measure {
  const known = new Map<object, Size>();
  const measure = (value: unknown): Size => {
    if (!isContainer(value)) return { length: (JSON.stringify(value) ?? '').length, breaks: 0 };
    const before = known.get(value);
    if (before !== undefined) return before;
    const list = Array.isArray(value);
    let length = 2;
    let breaks = 0;
    for (const [key, one] of Object.entries(value)) {
      const inner = measure(one);
      // A line with its indentation, and a comma or the line of the end.
      length += (list ? 0 : keyLength(key)) + inner.length + 2 * inner.breaks + 4;
      breaks += inner.breaks + 1;
    }
    const size = { length, breaks: breaks === 0 ? 0 : breaks + 1 };
    known.set(value, size);
    return size;
  };
  return measure;
}

const isContainer = (value: unknown): value is unknown[] | Record<string, unknown> =>
  Array.isArray(value) || isObject(value);

const keyLength = (key: string): number => JSON.stringify(key).length + 2;

interface Place {
  /** Characters that the value may have. */
  readonly room: number;
  readonly depth: number;
}

const lengthAt = ({ length, breaks }: Size, depth: number): number => length + 2 * depth * breaks;

function shorten(value: unknown, place: Place, measure: Measure): unknown {
  if (lengthAt(measure(value), place.depth) <= place.room) return value;
  if (typeof value === 'string') return shortenString(value, place.room);
  if (Array.isArray(value)) return shortenList(value, place, measure);
  return isObject(value) ? shortenObject(value, place, measure) : value;
}

function shortenString(value: string, room: number): string {
  let end = Math.min(value.length, Math.max(0, room - 3));
  // Some characters are longer in JSON.
  while (end > 0 && JSON.stringify(value.slice(0, end)).length + 1 > room) end = Math.floor(end * 0.8);
  return value.slice(0, end).replace(/[\ud800-\udbff]$/, '') + MARK;
}

function shortenList(list: unknown[], { room, depth }: Place, measure: Measure): unknown {
  const indent = 2 * (depth + 1) + 2;
  let left = room - 4 - 2 * depth - indent - `"${MARK} +${list.length}"`.length;
  const kept: unknown[] = [];
  for (const item of list) {
    const cost = indent + lengthAt(measure(item), depth + 1);
    if (cost > left) break;
    kept.push(item);
    left -= cost;
  }
  if (left < 0) return MARK;
  if (kept.length === 0 && left - indent >= MIN_PART)
    kept.push(shorten(list[0], { room: left - indent, depth: depth + 1 }, measure));
  const rest = list.length - kept.length;
  return rest === 0 ? kept : [...kept, `${MARK} +${rest}`];
}

/** Short members are whole; the long ones share what they leave. */
function shortenObject(value: Record<string, unknown>, { room, depth }: Place, measure: Measure): unknown {
  const entries = Object.entries(value);
  const end = 2 * (depth + 1) + 2 + keyLength(MARK) + `"+${entries.length}"`.length;
  const members: Member[] = [];
  let left = room - 4 - 2 * depth - end;
  for (const [name, one] of entries) {
    const overhead = 2 * (depth + 1) + 2 + keyLength(name);
    const full = lengthAt(measure(one), depth + 1);
    const given = Math.min(full, MIN_PART);
    if (overhead + given > left) break;
    left -= overhead + given;
    members.push({ name, value: one, full, given });
  }
  if (left < 0) return MARK;
  share(members, left);
  // Names of members may be `__proto__`.
  const shown: Record<string, unknown> = Object.create(null);
  for (const { name, value: one, given } of members)
    shown[name] = shorten(one, { room: given, depth: depth + 1 }, measure);
  const rest = entries.length - members.length;
  if (rest > 0) shown[MARK] = `+${rest}`;
  return shown;
}

interface Member {
  readonly name: string;
  readonly value: unknown;
  /** Characters of all of its value, and those that it gets. */
  readonly full: number;
  given: number;
}

function share(members: readonly Member[], room: number): void {
  let left = room;
  const ordered = [...members].sort((a, b) => a.full - b.full);
  for (const [index, member] of ordered.entries()) {
    const more = Math.min(member.full - member.given, Math.floor(left / (ordered.length - index)));
    member.given += more;
    left -= more;
  }
}

/** The element that is open at a place, within others. */
interface Open {
  readonly name: string;
  readonly around: Open | null;
  readonly depth: number;
  /** Characters of the tags that close it and those around it, each on a line. */
  readonly closing: number;
}

interface Cut {
  readonly at: number;
  readonly open: Open;
}

const XML_MARK = `<!-- ${MARK} -->`;

/** XML in that many characters. A longer one ends between two elements, with a mark and the tags that close it. */
export function shortenXml(text: string, room: number): string {
  if (text.length <= room) return text;
  const cut = cutOf(text.slice(0, room), room - XML_MARK.length);
  return cut === null ? shortenText(text, room) : closed(text.slice(0, cut.at), cut.open);
}

/** Comments, sections and declarations; tags with their name and `/` at their end; texts. */
const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[!?][^<>]*>|<(\/?)([^\s<>/!?"']{1,200})(?:[^<>"']|"[^"]*"|'[^']*')*>|[^<]+/y;

/** The last place at which the text may end, at the end of a line if one is near; null if it is not XML. */
function cutOf(text: string, room: number): Cut | null {
  let open: Open | null = null;
  let last: Cut | null = null;
  let line: Cut | null = null;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token, slash, name] = match;
    const isText = !token.startsWith('<');
    const next: Open | null | undefined =
      name === undefined ? open : afterTag(token, slash === '/', name, open);
    const isOutside = isText && open === null && token.trim() !== '';
    if (next === undefined || isOutside) return null;
    open = next;
    if (open === null) continue;
    const end = match.index + token.length;
    const most = room - open.closing;
    const at = end <= most ? end : isText ? endOfText(text, match.index, most) : 0;
    if (at > (last?.at ?? 0)) last = { at, open };
    if (isText && at === end && /\n\s*$/.test(token)) line = last;
    if (end > most) break;
  }
  return line !== null && last !== null && line.at > last.at / 2 ? line : last;
}

/** Where a text may end: not within a reference to a character. */
function endOfText(text: string, start: number, end: number): number {
  const reference = text.lastIndexOf('&', end - 1);
  const isOpen = reference > start && text.slice(reference, end).indexOf(';') < 0;
  const at = isOpen ? reference : end;
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}

/** The element that is open after a tag; undefined if the tag closes another one. */
function afterTag(tag: string, isEnd: boolean, name: string, open: Open | null): Open | null | undefined {
  if (isEnd) return open?.name === name ? open.around : undefined;
  if (tag.endsWith('/>')) return open;
  const depth = open === null ? 0 : open.depth + 1;
  return { name, around: open, depth, closing: (open?.closing ?? 0) + name.length + 4 + 2 * depth };
}

function closed(text: string, open: Open): string {
  const isLine = /\n\s*$/.test(text);
  let shown = text + XML_MARK;
  for (let one: Open | null = open; one !== null; one = one.around)
    shown += `${isLine ? `\n${'  '.repeat(one.depth)}` : ''}</${one.name}>`;
  return shown;
}

/** A text up to the end of a line, if a line ends. */
export function shortenText(text: string, room: number): string {
  if (text.length <= room) return text;
  const start = text.slice(0, room);
  const end = start.lastIndexOf('\n');
  return `${end > 0 ? start.slice(0, end) : start}\n${MARK}`;
}
