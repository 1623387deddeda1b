/** Functions to read pages, for the checks of tasks. */
import type { Files } from './fixture/fixture.ts';

/** Text of a file; '' if it does not exist. */
export function textOf(files: Files, path: string): string {
  const content = files.get(path);
  return typeof content === 'string' ? content : '';
}

/** The files with one text replaced. Throws if `from` does not occur exactly once, so that no task starts from wrong docs. */
export function withEdit(files: Files, path: string, from: string, to: string): Files {
  const text = textOf(files, path);
  if (text.split(from).length !== 2)
    throw new Error(`${path} does not contain ${JSON.stringify(from)} exactly once`);
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

/** The differences of two trees, as sentences. */
export function differences(end: Files, expected: Files): string[] {
  return changedPaths(end, expected).map((path) => {
    if (!end.has(path)) return `${path} is missing`;
    if (!expected.has(path)) return `${path} should not exist`;
    return `${path} differs from the expected text${firstDifference(textOf(end, path), textOf(expected, path))}`;
  });
}

function firstDifference(text: string, expected: string): string {
  const lines = text.split('\n');
  const index = expected.split('\n').findIndex((line, at) => line !== lines[at]);
  return index === -1 ? '' : ` in line ${index + 1}`;
}

/** Bytes of added and removed lines that the task does not allow to change. */
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

/** Lines that occur more often in one of two texts, repeated by the difference. */
export function changedLines(a: string, b: string): string[] {
  const counts = new Map<string, number>();
  for (const line of a.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of b.split('\n')) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts].flatMap(([line, count]) => Array.from({ length: Math.abs(count) }, () => line));
}

/** `allows` of a task with a single correct result: the lines that differ in it. */
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

/** The text with empty fenced code blocks. */
export const withoutFences = (text: string): string => text.replaceAll('\r\n', '\n').replace(FENCE, '```');

/** All parts of a page that are not prose: code, URLs, properties other than titles. */
export function codeOf(text: string): string[] {
  const plain = withoutFences(text);
  return [
    ...fencesOf(text),
    ...(plain.match(/`[^`\n]+`/g) ?? []),
    ...(plain.match(/\]\([^)\s]*\)/g) ?? []),
    ...(plain.match(/\b(?:href|path|query|body|src)="[^"]*"/g) ?? []),
  ];
}

/** The prose of a page, without code and URLs. */
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

/** Markdown links and `href` of components, in order, without images. */
export function linksOf(text: string): Link[] {
  const plain = withoutFences(text);
  const links = plain.matchAll(/(?<!!)\[([^\]\n]*)\]\(([^)\s]*)\)|<(\w+)([^>]*?)\bhref="([^"]*)"/g);
  return [...links].map(([, label, target, , before, href]) => ({
    text: label ?? /title="([^"]*)"/.exec(before ?? '')?.[1] ?? '',
    target: target ?? href ?? '',
  }));
}

/** Splits a page into front matter with flat strings and the body. */
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

/** The visible text: words without tags, separated by single spaces. */
export function visibleOf(text: string): string {
  return splitPage(text)
    .body.replace(/<\/?[A-Za-z]\w*\b[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A section with its heading of level 2; '' if it does not exist. */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  const from = lines.indexOf(`## ${heading}`);
  if (from === -1) return '';
  const next = lines.findIndex((line, index) => index > from && line.startsWith('## '));
  return lines.slice(from, next === -1 ? undefined : next).join('\n');
}

/** All entries of the page lists in the navigation, in order. */
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

/** Null if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The docs.json with a page inserted after another one in the same list; the layout is not kept. */
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

/** Whether two texts are equal as JSON. */
export const isSameJson = (a: string, b: string): boolean =>
  parseJson(a) !== null && JSON.stringify(parseJson(a)) === JSON.stringify(parseJson(b));
