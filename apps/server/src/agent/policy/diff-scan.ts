import { counted } from '@offprint/contract/counted';
import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseTree, Change } from '../workspace/workspace.ts';
import { countedBytes, MAX_CHANGED_BYTES, MAX_CHANGED_FILES, maxBytes } from './limits.ts';
import { findHosts, findRisks } from './mdx-risk.ts';
import { writeFault } from './paths.ts';
import { findSecrets } from './secrets.ts';
import { describeInvisible, findInvisible } from './unicode.ts';
import type { WritePolicy } from './write-policy.ts';

/** Something about a change: why it may not be published, or what a person should review. */
export interface ScanNote {
  /** Below the docs root; '' when it is about all changes together. */
  path: string;
  /** Null when it is about the whole file. */
  line: number | null;
  /** Stable kebab-case name. */
  code: string;
  message: string;
}

export interface ScanOptions {
  policy: WritePolicy;
  /** What the changes are against. */
  base: BaseTree;
  /** Values that must never leave. */
  secrets: readonly string[];
}

/** Notes of one kind for one file; the rest is counted. */
const MAX_ALIKE = 5;
/** The number of deletions from which they are reported. */
const MANY_DELETED = 10;

const BINARY = /\.(?:png|jpe?g|gif|webp|avif|ico|mp4|webm|mp3|woff2?|ttf|otf|pdf)$/i;

/**
 * Checks everything a job wants to publish. What is `blocked` must not be pushed; `notes` belong into the
 * pull request. Only what is new counts: text that any of the changed files had before, even under another
 * name, does not.
 */
export function scanChanges(
  given: readonly Change[],
  options: ScanOptions,
): { blocked: ScanNote[]; notes: ScanNote[] } {
  const changes = given.map(withPlainLines);
  const blocked: ScanNote[] = scanSize(changes);
  const notes: ScanNote[] = [];
  const files = createWorkspace(options.base, new Map(given.map(({ path, after }) => [path, after])));
  for (const { path, kind } of changes) {
    const fault = writeFault(path, options.policy, files);
    if (fault !== null) {
      const verb = kind === 'deleted' ? 'deleted' : 'written';
      blocked.push(note(path, null, 'path', `must not be ${verb}: ${fault}`));
    }
    if (findSecrets(path, options.secrets).length > 0) {
      blocked.push(note('', null, 'secret', 'The name of a file contains a secret.'));
    }
  }
  // Names and sizes come first: what is out of bounds is not read.
  if (blocked.length > 0) return { blocked: blocked.slice(0, 50), notes };
  const before = readBefore(changes);
  for (const change of changes) {
    if (change.after === null) continue;
    blocked.push(...scanSecrets(change, change.after, before, options.secrets));
    const risks = scanRisks(change.path, change.after, before);
    blocked.push(...risks.blocked);
    notes.push(...risks.notes, ...scanUnicode(change));
  }
  notes.push(...scanHosts(changes, before), ...scanDeleted(changes));
  return { blocked: blocked.slice(0, 50), notes };
}

/** Lines end in one way for all that reads them: with Windows line ends prose would pass for code. */
function withPlainLines({ path, kind, before, after }: Change): Change {
  const plain = (text: string | null): string | null => text?.replace(/\r\n?/g, '\n') ?? null;
  return { path, kind, before: plain(before), after: plain(after) };
}

/** A note as one line of Markdown for people. */
export function sayNote({ path, line, message }: ScanNote): string {
  if (path === '') return message;
  return `\`${path}\`${line === null ? '' : `, line ${line}`}: ${message}`;
}

function note(path: string, line: number | null, code: string, message: string): ScanNote {
  return { path, line, code, message };
}

function scanSize(changes: readonly Change[]): ScanNote[] {
  const found: ScanNote[] = [];
  if (changes.length > MAX_CHANGED_FILES) {
    const message = `${changes.length} files are changed; the limit of a job is ${MAX_CHANGED_FILES}.`;
    found.push(note('', null, 'file-count', message));
  }
  let total = 0;
  for (const { path, before, after } of changes) {
    if (after === null) continue;
    const bytes = Buffer.byteLength(after);
    const limit = maxBytes(before);
    total += countedBytes(before, after);
    if (bytes > limit) {
      found.push(note(path, null, 'file-size', `has ${bytes} bytes; the limit of a file is ${limit}`));
    }
    if (BINARY.test(path)) {
      found.push(note(path, null, 'not-text', 'is not a text file, and a job writes text only'));
    }
  }
  if (total > MAX_CHANGED_BYTES) {
    const message = `The changed files have ${total} bytes in total; the limit of a job is ${MAX_CHANGED_BYTES}.`;
    found.push(note('', null, 'total-size', message));
  }
  return found;
}

/** What the changed files held at the base, whatever they are called now. */
interface Before {
  texts: string[];
  /** How often each risk was there. */
  risks: Map<string, number>;
  hosts: Set<string>;
}

function readBefore(changes: readonly Change[]): Before {
  const before: Before = { texts: [], risks: new Map(), hosts: new Set() };
  for (const { path, before: text } of changes) {
    if (text === null) continue;
    before.texts.push(text);
    for (const { key } of findRisks(path, text)) before.risks.set(key, (before.risks.get(key) ?? 0) + 1);
    for (const { host, kind } of findHosts(path, text)) before.hosts.add(`${kind} ${host}`);
  }
  return before;
}

function scanSecrets(
  { path, before: own }: Change,
  text: string,
  before: Before,
  secrets: readonly string[],
): ScanNote[] {
  const found: ScanNote[] = [];
  for (const { what, line, start, end } of findSecrets(text, secrets)) {
    const value = text.slice(start, end);
    const isKnown = own?.includes(value) === true || before.texts.some((one) => one.includes(value));
    if (isKnown && what !== OWN_SECRET) continue;
    found.push(note(path, line, 'secret', `holds ${what}`));
  }
  return firstOfEach(found);
}

const OWN_SECRET = 'a secret of this installation';

function scanRisks(path: string, text: string, before: Before): { blocked: ScanNote[]; notes: ScanNote[] } {
  const left = new Map(before.risks);
  const blocked: ScanNote[] = [];
  const notes: ScanNote[] = [];
  for (const { code, blocks, line, message, key } of findRisks(path, text)) {
    const known = left.get(key) ?? 0;
    if (known > 0) left.set(key, known - 1);
    else (blocks ? blocked : notes).push(note(path, line, code, `has ${message}`));
  }
  return { blocked: firstOfEach(blocked), notes: firstOfEach(notes) };
}

function scanUnicode({ path, before, after }: Change): ScanNote[] {
  if (after === null) return [];
  const known = new Map(findInvisible(before ?? '').map(({ char, lines }) => [char, lines.length]));
  const found = findInvisible(after).filter(({ char, lines }) => lines.length > (known.get(char) ?? 0));
  if (found.length === 0) return [];
  const line = found[0]?.lines[0] ?? null;
  return [note(path, line, 'invisible', `contains invisible characters: ${describeInvisible(after)}`)];
}

/** One note for each host that none of the changed files named before. */
function scanHosts(changes: readonly Change[], before: Before): ScanNote[] {
  const found = new Map<string, { first: ScanNote; files: number }>();
  for (const { path, after } of changes) {
    if (after === null) continue;
    for (const { host, kind, line } of findHosts(path, after)) {
      if (before.hosts.has(`${kind} ${host}`)) continue;
      const known = found.get(`${kind} ${host}`);
      if (known !== undefined) known.files++;
      else {
        const what = kind === 'image' ? 'loads from' : 'links to';
        found.set(`${kind} ${host}`, {
          first: note(path, line, `${kind}-host`, `${what} \`${host}\`, which these files did not`),
          files: 1,
        });
      }
    }
  }
  return [...found.values()].map(({ first, files }) =>
    files === 1 ? first : { ...first, message: `${first.message} (and ${files - 1} more files)` },
  );
}

function scanDeleted(changes: readonly Change[]): ScanNote[] {
  const deleted = changes.filter(({ kind }) => kind === 'deleted').length;
  const added = changes.filter(({ kind }) => kind === 'added').length;
  if (deleted - added < MANY_DELETED) return [];
  return [note('', null, 'deletions', `Deletes ${counted(deleted, 'file')} and adds ${added}.`)];
}

/** The first notes of each kind, and a count of the rest. */
function firstOfEach(notes: readonly ScanNote[]): ScanNote[] {
  const byKind = new Map<string, ScanNote[]>();
  for (const one of notes) {
    const kind = `${one.code} ${one.message}`;
    byKind.set(kind, [...(byKind.get(kind) ?? []), one]);
  }
  return [...byKind.values()].flatMap((alike) => {
    const shown = alike.slice(0, MAX_ALIKE);
    const last = shown.at(-1);
    if (last !== undefined && alike.length > MAX_ALIKE) {
      shown[shown.length - 1] = {
        ...last,
        message: `${last.message} (and ${alike.length - MAX_ALIKE} more)`,
      };
    }
    return shown;
  });
}
