/** A line of a unified diff with its number on either side, from 1; null where it is not on that side. */
export interface PatchLine {
  kind: 'context' | 'added' | 'removed' | 'note';
  /** Without the mark at its start. */
  text: string;
  before: number | null;
  after: number | null;
}

/** A run of changed lines with what is around them. */
export interface Hunk {
  /** The first line with its numbers, as the diff has it. */
  header: string;
  lines: PatchLine[];
}

/** The diff of one file. */
export interface Patch {
  /** Null: the file is new. */
  before: string | null;
  /** Null: the file was deleted. */
  after: string | null;
  isBinary: boolean;
  hunks: Hunk[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Reads the unified diff of one file as Git writes it. The counts of a hunk say where it ends, so a removed line
 * that itself starts with `--` stays a line. Lines it does not know are left out.
 */
export function parsePatch(diff: string): Patch {
  const patch: Patch = { before: null, after: null, isBinary: false, hunks: [] };
  const lines = diff.split('\n');
  let index = 0;
  while (index < lines.length) {
    const line = lines[index++] ?? '';
    const hunk = HUNK.exec(line);
    if (hunk === null) {
      readHeader(patch, line);
      continue;
    }
    const start = { before: Number(hunk[1]), after: Number(hunk[3]) };
    const left = { before: Number(hunk[2] ?? 1), after: Number(hunk[4] ?? 1) };
    const found: PatchLine[] = [];
    while (index < lines.length && (left.before > 0 || left.after > 0 || lines[index]?.startsWith('\\'))) {
      const next = readLine(lines[index] ?? '', start);
      if (next === null) break;
      if (next.before !== null) left.before--;
      if (next.after !== null) left.after--;
      found.push(next);
      index++;
    }
    patch.hunks.push({ header: line, lines: found });
  }
  return patch;
}

function readHeader(patch: Patch, line: string): void {
  const [, mark = '', name = ''] = /^(--- |\+\+\+ |rename from |rename to )(.*)$/.exec(line) ?? [];
  if (mark === '--- ') patch.before = nameOf(name);
  if (mark === '+++ ') patch.after = nameOf(name);
  if (mark === 'rename from ') patch.before = name;
  if (mark === 'rename to ') patch.after = name;
  if (/^(Binary files |GIT binary patch)/.test(line)) patch.isBinary = true;
}

/** The path without the prefix of its side. A tab precedes a date. */
function nameOf(text: string): string | null {
  const name = text.split('\t', 1)[0] ?? '';
  return name === '/dev/null' ? null : name.replace(/^[ab]\//, '');
}

/** Takes one line of a hunk and moves `at` on; null for what is none. */
function readLine(line: string, at: { before: number; after: number }): PatchLine | null {
  const text = line.slice(1);
  switch (line[0]) {
    case '+':
      return { kind: 'added', text, before: null, after: at.after++ };
    case '-':
      return { kind: 'removed', text, before: at.before++, after: null };
    case '\\':
      return { kind: 'note', text: text.trim(), before: null, after: null };
    case ' ':
      return { kind: 'context', text, before: at.before++, after: at.after++ };
    case undefined:
      // Some programs cut the blank of an empty line.
      return { kind: 'context', text: '', before: at.before++, after: at.after++ };
    default:
      return null;
  }
}
