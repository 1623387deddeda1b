/** A path of a redirect with captures, as its segments. */
export interface PathPattern {
  segments: readonly Segment[];
}

type Segment =
  | { kind: 'text'; text: string }
  /** `:name`, one segment. */
  | { kind: 'one'; name: string }
  /** `:name*` or a lone `*`, any number of segments; at most one in a pattern. */
  | { kind: 'rest'; name: string }
  /** `prefix-*`, at least one character inside a segment. */
  | { kind: 'part'; before: string; after: string };

/** Captured text by name; `*` for stars without a name. */
export type Captures = ReadonlyMap<string, string>;

/** Whether a path holds `:name`, `:name*` or `*`. */
export function isPattern(path: string): boolean {
  return /\*|(?:^|\/):[A-Za-z_]/.test(path);
}

/** null for a path that has more than one capture of any length, or one name twice. */
export function parsePattern(path: string): PathPattern | null {
  const segments = path.split('/').flatMap((text) => (text === '' ? [] : [parseSegment(text)]));
  const names = segments.flatMap((segment) => nameOf(segment) ?? []);
  const rests = segments.filter(({ kind }) => kind === 'rest');
  if (rests.length > 1 || new Set(names).size < names.length) return null;
  return { segments };
}

function parseSegment(text: string): Segment {
  const [, name, star] = /^:([A-Za-z_][\w-]*)(\*?)$/.exec(text) ?? [];
  if (name !== undefined) return { kind: star === '*' ? 'rest' : 'one', name };
  if (text === '*') return { kind: 'rest', name: '*' };
  const at = text.indexOf('*');
  return at < 0
    ? { kind: 'text', text }
    : { kind: 'part', before: text.slice(0, at), after: text.slice(at + 1) };
}

function nameOf(segment: Segment): string | null {
  if (segment.kind === 'text') return null;
  return segment.kind === 'part' ? '*' : segment.name;
}

/** Names that a pattern captures. */
export function captureNames(pattern: PathPattern): Set<string> {
  return new Set(pattern.segments.flatMap((segment) => nameOf(segment) ?? []));
}

/** What a pattern captures of a path without a leading slash; null when the path does not match. */
export function matchPattern(pattern: PathPattern, path: string): Captures | null {
  const { segments } = pattern;
  const parts = path === '' ? [] : path.split('/');
  const rest = segments.findIndex(({ kind }) => kind === 'rest');
  const spare = parts.length - segments.length + 1;
  if (rest < 0 ? parts.length !== segments.length : spare < 0) return null;
  const captures = new Map<string, string>();
  for (const [index, segment] of segments.entries()) {
    const at = rest >= 0 && index > rest ? index + spare - 1 : index;
    if (segment.kind === 'rest') captures.set(segment.name, parts.slice(at, at + spare).join('/'));
    else if (!matchSegment(segment, parts[at] ?? '', captures)) return null;
  }
  return captures;
}

function matchSegment(segment: Segment, part: string, captures: Map<string, string>): boolean {
  if (segment.kind === 'text') return segment.text === part;
  if (segment.kind !== 'part') {
    captures.set(segment.kind === 'one' ? segment.name : '*', part);
    return part !== '';
  }
  const { before, after } = segment;
  const length = part.length - before.length - after.length;
  if (length < 1 || !part.startsWith(before) || !part.endsWith(after)) return false;
  captures.set('*', part.slice(before.length, before.length + length));
  return true;
}

/** The path of a pattern with its captures filled in, without a leading slash; null when one is missing. */
export function fillPattern(pattern: PathPattern, captures: Captures): string | null {
  const parts: string[] = [];
  for (const segment of pattern.segments) {
    const name = nameOf(segment);
    const value = name === null ? '' : captures.get(name);
    if (value === undefined) return null;
    if (segment.kind === 'text') parts.push(segment.text);
    else if (segment.kind === 'part') parts.push(segment.before + value + segment.after);
    else if (value !== '') parts.push(value);
  }
  return parts.join('/');
}

/** A part of a destination: text, or the number of a capture, from 1. */
export type TargetPart = string | { capture: number };

/** A destination as texts and the numbers of the captures between them. */
export function splitTarget(destination: string, names: Iterable<string>): TargetPart[] {
  const numbers = [...names];
  const parts: TargetPart[] = [];
  const external = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(destination)?.[0] ?? '';
  let text = external;
  const capture = /:([A-Za-z_][\w-]*)\*?|\*/y;
  for (let at = external.length; at < destination.length; ) {
    capture.lastIndex = at;
    const match = capture.exec(destination);
    const number = match === null ? 0 : numbers.indexOf(match[1] ?? '*') + 1;
    if (match === null || number === 0) {
      text += destination[at++];
      continue;
    }
    parts.push(text, { capture: number });
    text = '';
    at += match[0].length;
  }
  return [...parts, text].filter((part) => part !== '');
}

/** A destination with its captures filled in. */
export function fillTarget(destination: string, captures: Captures): string {
  const values = [...captures.values()];
  return splitTarget(destination, captures.keys())
    .map((part) => (typeof part === 'string' ? part : (values[part.capture - 1] ?? '')))
    .join('');
}
