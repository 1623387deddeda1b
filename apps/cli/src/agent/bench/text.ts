/** Ways to look at pages that the checks of tasks share. */
import type { Files } from './fixture/fixture.ts';

/** Text of a file; '' when there is none. */
export function textOf(files: Files, path: string): string {
  const content = files.get(path);
  return typeof content === 'string' ? content : '';
}

/** The files with one text changed. Throws when `from` is not in it exactly once, so that no task starts wrong. */
export function withEdit(files: Files, path: string, from: string, to: string): Files {
  const text = textOf(files, path);
  if (text.split(from).length !== 2) throw new Error(`${path} holds ${JSON.stringify(from)} not once`);
  return new Map(files).set(path, text.split(from).join(to));
}

/** Paths that differ between two trees, sorted. */
export function changedPaths(a: Files, b: Files): string[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths].filter((path) => !isSame(a.get(path), b.get(path))).sort();
}

function isSame(a: string | Uint8Array | undefined, b: string | Uint8Array | undefined): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.from(a).equals(b);
  return a === b;
}

/** Where two trees differ, as sentences. */
export function differences(end: Files, expected: Files): string[] {
  return changedPaths(end, expected).map((path) => {
    if (!end.has(path)) return `${path} is missing`;
    if (!expected.has(path)) return `${path} should not be there`;
    return `${path} is not as expected${firstDifference(textOf(end, path), textOf(expected, path))}`;
  });
}

function firstDifference(text: string, expected: string): string {
  const lines = text.split('\n');
  const index = expected.split('\n').findIndex((line, at) => line !== lines[at]);
  return index === -1 ? '' : ` in line ${index + 1}`;
}

/** Bytes of lines that came or went where the task allows nothing. */
export function collateralBytes(
  start: Files,
  end: Files,
  allows: (path: string, line: string) => boolean,
): number {
  let bytes = 0;
  for (const path of changedPaths(start, end)) {
    for (const line of changedLines(textOf(start, path), textOf(end, path))) {
      if (!allows(path, line)) bytes += Buffer.byteLength(line) + 1;
    }
    if (start.get(path) instanceof Uint8Array) bytes += (start.get(path) as Uint8Array).byteLength;
  }
  return bytes;
}

/** Lines that only one of two texts has, each as often as it has it more often. */
export function changedLines(a: string, b: string): string[] {
  const counts = new Map<string, number>();
  for (const line of a.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of b.split('\n')) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts].flatMap(([line, count]) => Array.from({ length: Math.abs(count) }, () => line));
}

/** `allows` of a task with one right answer: the lines that it changes. */
export function allowsOf(start: () => Files, expected: () => Files): (path: string, line: string) => boolean {
  let lines: Map<string, Set<string>> | null = null;
  return (path, line) => {
    if (lines === null) {
      const [from, to] = [start(), expected()];
      lines = new Map(
        changedPaths(from, to).map((one) => [one, new Set(changedLines(textOf(from, one), textOf(to, one)))]),
      );
    }
    return lines.get(path)?.has(line) === true;
  };
}

const FENCE = /^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2[ \t]*$/gm;

/** Fenced code blocks with their fences, in order. */
export const fencesOf = (text: string): string[] => text.replaceAll('\r\n', '\n').match(FENCE) ?? [];

/** The text with nothing in its fenced code. */
export const withoutFences = (text: string): string => text.replaceAll('\r\n', '\n').replace(FENCE, '```');

/** Everything of a page that readers do not read as words: code, addresses, properties other than titles. */
export function codeOf(text: string): string[] {
  const plain = withoutFences(text);
  return [
    ...fencesOf(text),
    ...(plain.match(/`[^`\n]+`/g) ?? []),
    ...(plain.match(/\]\([^)\s]*\)/g) ?? []),
    ...(plain.match(/\b(?:href|path|query|body|src)="[^"]*"/g) ?? []),
  ];
}

/** The words of a page: no code, no addresses. */
export function proseOf(text: string): string {
  return withoutFences(text)
    .replace(/`[^`\n]+`/g, '``')
    .replace(/\]\([^)\s]*\)/g, ']()')
    .replace(/\b(href|path|query|body|src)="[^"]*"/g, '$1=""');
}

export interface Link {
  text: string;
  target: string;
}

/** Markdown links and `href` of components, in order; images are none. */
export function linksOf(text: string): Link[] {
  const plain = withoutFences(text);
  const links = plain.matchAll(/(?<!!)\[([^\]\n]*)\]\(([^)\s]*)\)|<(\w+)([^>]*?)\bhref="([^"]*)"/g);
  return [...links].map(([, label, target, , before, href]) => ({
    text: label ?? /title="([^"]*)"/.exec(before ?? '')?.[1] ?? '',
    target: target ?? href ?? '',
  }));
}

/** Front matter as flat texts, and the rest. */
export function splitPage(text: string): { front: Record<string, string>; body: string } {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(text);
  if (match === null) return { front: {}, body: text };
  const rows = (match[1] ?? '').split(/\r?\n/).flatMap((line) => {
    const [, key, value] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return key === undefined ? [] : [[key, (value ?? '').replace(/^(["'])(.*)\1$/, '$2')] as const];
  });
  return { front: Object.fromEntries(rows), body: text.slice(match[0].length) };
}

/** Names of opening, closing and empty tags outside of code, such as `Card`, `/Card`, `br/`. */
export function tagsOf(text: string): string[] {
  const plain = withoutFences(text).replace(/`[^`\n]+`/g, '');
  return [...plain.matchAll(/<(\/?)([A-Za-z]\w*)\b[^>]*?(\/?)>/g)].map(
    ([, close, name, empty]) => `${close}${name}${empty}`,
  );
}

/** What readers see: words without tags, in single blanks. */
export function visibleOf(text: string): string {
  return splitPage(text)
    .body.replace(/<\/?[A-Za-z]\w*\b[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The section below a heading of level 2, with it; '' when there is none. */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  const from = lines.indexOf(`## ${heading}`);
  if (from === -1) return '';
  const next = lines.findIndex((line, index) => index > from && line.startsWith('## '));
  return lines.slice(from, next === -1 ? undefined : next).join('\n');
}

/** Every entry of the navigation's page lists, in order. */
export function pagesOf(config: string): string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (value !== null && typeof value === 'object') {
      for (const [key, child] of Object.entries(value)) {
        if (key === 'pages' && Array.isArray(child)) {
          for (const page of child) typeof page === 'string' ? found.push(page) : walk(page);
        } else walk(child);
      }
    }
  };
  walk(parseJson(config));
  return found;
}

/** Null when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The docs.json with a page put after another one of the same list; its layout apart. */
export function withPageAfter(config: string, after: string, page: string): string {
  const parsed = parseJson(config);
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) {
      const index = value.indexOf(after);
      if (index !== -1) value.splice(index + 1, 0, page);
      else value.forEach(walk);
    } else if (value !== null && typeof value === 'object') Object.values(value).forEach(walk);
  };
  walk((parsed as { navigation?: unknown } | null)?.navigation);
  return JSON.stringify(parsed);
}

/** Whether two texts are the same JSON. */
export const isSameJson = (a: string, b: string): boolean =>
  parseJson(a) !== null && JSON.stringify(parseJson(a)) === JSON.stringify(parseJson(b));
