import type { Change } from '../workspace/workspace.ts';
import type { Finding, FindingDifference } from './docs-check.ts';

/** Kinds that block besides errors: what leads readers nowhere, or takes something out of the navigation. */
const BLOCKING: ReadonlySet<string> = new Set([
  'link-target-missing',
  'navigation-unknown-key',
  'navigation-type',
  'redirect-over-page',
  'redirect-duplicate',
  'redirect-target',
  'config-duplicate-key',
]);

/** Texts of two versions of one file have at least this part of their lines in common. */
const SAME_FILE = 0.5;
/** Pairs of files that are compared to find moved ones. */
const MAX_PAIRS = 2500;

/**
 * What is new, what was there before and what is gone. Findings are the same when file, code and message are,
 * lines apart; two of them need two before. `moves` maps each earlier path to its current one, for paths that
 * changed.
 */
export function compareFindings(
  base: readonly Finding[],
  now: readonly Finding[],
  moves: ReadonlyMap<string, string> = new Map(),
): FindingDifference {
  const left = new Map<string, Finding[]>();
  for (const finding of base) {
    const key = keyOf(afterMoves(finding, moves));
    const same = left.get(key);
    if (same === undefined) left.set(key, [finding]);
    else same.push(finding);
  }
  const difference: FindingDifference = { new: [], known: [], fixed: [] };
  for (const finding of now) {
    const before = left.get(keyOf(finding))?.shift();
    difference[before === undefined ? 'new' : 'known'].push(finding);
  }
  difference.fixed = [...left.values()].flat().filter(seenIn(base, now));
  return difference;
}

/**
 * Whether a finding could have been found again. A page that has errors for the first time hides its own findings; any
 * other file that has, such as docs.json, may hide those of the whole site.
 */
function seenIn(base: readonly Finding[], now: readonly Finding[]): (finding: Finding) => boolean {
  const brokenIn = (findings: readonly Finding[]): Set<string> =>
    new Set(findings.flatMap(({ severity, file }) => (severity === 'error' ? [file] : [])));
  const before = brokenIn(base);
  const broken = new Set([...brokenIn(now)].filter((file) => !before.has(file)));
  const hidesAll = [...broken].some((file) => !/\.mdx?$/i.test(file));
  return ({ file }) => !hidesAll && !broken.has(file);
}

/**
 * A finding as it is reported after files have moved: of the file, and of other files whose links lead to it.
 */
function afterMoves(finding: Finding, moves: ReadonlyMap<string, string>): Finding {
  let { message } = finding;
  for (const [from, to] of moves) {
    message = renamed(renamed(message, from, to), `/${bare(from)}`, `/${bare(to)}`);
  }
  return { ...finding, file: moves.get(finding.file) ?? finding.file, message };
}

/** Replaces one name with another where it is a separate word. */
function renamed(text: string, from: string, to: string): string {
  let result = '';
  let kept = 0;
  for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + from.length)) {
    const end = at + from.length;
    const isPart = /[\w/.-]/.test(text[at - 1] ?? '') || /[\w/-]/.test(text[end] ?? '');
    if (isPart) continue;
    result += text.slice(kept, at) + to;
    kept = end;
  }
  return result + text.slice(kept);
}

/** The address of a page, of other files the path. */
const bare = (file: string): string => file.replace(/(?:\/index)?\.mdx?$/i, '');

/** Messages may name the line of another place. */
const keyOf = ({ file, code, message }: Finding): string =>
  `${file}\0${code}\0${message.replace(/\bline \d+/g, 'line')}`;

const isBlocking = ({ severity, code }: Finding): boolean => severity === 'error' || BLOCKING.has(code);

/** New findings that a change must not bring. The others are reported. */
export function blockingFindings(difference: FindingDifference): Finding[] {
  return difference.new.filter(isBlocking);
}

/** Those that block before the others; the order is kept otherwise. */
export function blockingFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => Number(isBlocking(b)) - Number(isBlocking(a)));
}

/** Paths that changes have moved, detected by the text: current path by earlier path. */
export function movedPaths(changes: readonly Change[]): Map<string, string> {
  const gone = changes.filter(({ kind }) => kind === 'deleted');
  const come = changes.filter(({ kind }) => kind === 'added');
  const moves = new Map<string, string>();
  if (gone.length * come.length > MAX_PAIRS) return moves;
  const taken = new Set<string>();
  for (const { path, before } of gone) {
    if (before === null) continue;
    const lines = linesOf(before);
    let best = { path: '', share: 0 };
    for (const { path: to, after } of come) {
      if (after === null || taken.has(to)) continue;
      const share = commonShare(lines, linesOf(after));
      if (share > best.share) best = { path: to, share };
    }
    if (best.share < SAME_FILE) continue;
    moves.set(path, best.path);
    taken.add(best.path);
  }
  return moves;
}

function linesOf(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const line of text.split('\n')) {
    const plain = line.trim();
    if (plain !== '') lines.set(plain, (lines.get(plain) ?? 0) + 1);
  }
  return lines;
}

function commonShare(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const sum = (lines: ReadonlyMap<string, number>): number =>
    [...lines.values()].reduce((total, count) => total + count, 0);
  let common = 0;
  for (const [line, count] of a) common += Math.min(count, b.get(line) ?? 0);
  const most = Math.max(sum(a), sum(b));
  return most === 0 ? 0 : common / most;
}
