import { RE2JS } from 're2js';
import { z } from 'zod';
import { foldCase, foldMarks } from '../edit/fold.ts';
import { linesAt } from '../edit/match.ts';
import { globFilter } from './glob.ts';
import { answerOf, countOf, windowOf } from './output.ts';
import { createPace, type Pace } from './pace.ts';
import { defineTool, refuse } from './tool.ts';

/** Maximum characters of a query and of a line in a result. */
const MAX_QUERY = 1000;
const MAX_LINE = 500;

/** Most characters of one line that a pattern is run over. */
const MAX_PATTERN_LINE = 10_000;

/** Milliseconds of one search. */
const BUDGET = 5000;

/** A line that matches, and where in it. */
interface Hit {
  line: number;
  column: number;
}

type Finder = (text: string, pace: Pace) => Promise<{ hits: Hit[]; done: boolean }>;

/** `search`: lines of the docs that hold a text or match a pattern. */
export const search = defineTool({
  name: 'search',
  description:
    'Search the text of all files. Literal, unless regex=true (RE2 syntax, line by line, no look-around). Returns path:line: text.',
  parameters: z.object({
    query: z.string(),
    regex: z.boolean().default(false),
    glob: z.string().optional().describe('Such as *.mdx or api/**'),
    case_sensitive: z
      .boolean()
      .default(false)
      .describe('true also distinguishes typographic quotes from plain ones'),
    context: z.int().min(0).max(5).default(0).describe('Number of context lines'),
    limit: z.int().min(1).max(1000).default(100),
  }),
  async run({ query, regex, glob, case_sensitive: exact, context: around, limit }, { workspace, signal }) {
    if (query === '') return refuse('query is empty. To list files, use list_files.');
    if (query.length > MAX_QUERY)
      return refuse(`query has ${query.length} characters; the limit is ${MAX_QUERY}.`);
    let find: Finder;
    let means: (path: string) => boolean = () => true;
    try {
      find = regex ? patternFinder(query, exact) : literalFinder(query, exact);
      if (glob !== undefined && glob !== '') means = globFilter(glob);
    } catch (error) {
      return refuse((error as Error).message);
    }
    const pace = createPace(BUDGET, signal);
    const lines: string[] = [];
    let total = 0;
    let files = 0;
    let stopped: string | null = null;
    for (const { path, isText } of workspace.list()) {
      if (!isText || !means(path)) continue;
      const text = workspace.read(path)!;
      const { hits, done } = await find(text, pace);
      if (hits.length > 0) {
        lines.push(...hitLines(path, text, hits.slice(0, Math.max(0, limit - total)), around));
        total += hits.length;
        files += 1;
      }
      if (done && (await pace.goOn())) continue;
      stopped = path;
      break;
    }
    const head = [
      `${countOf(total, 'line')} in ${countOf(files, 'file')}${total > limit ? `, the first ${limit}` : ''}`,
    ];
    if (stopped !== null) {
      head.push(
        `[Stopped in ${stopped} after ${BUDGET / 1000} s: later files were not searched. Use a glob or a simpler query.]`,
      );
    }
    return { text: answerOf([...head, ...lines], 'Narrow the query or the glob.') };
  },
});

function literalFinder(query: string, exact: boolean): Finder {
  const plain = (text: string): string => (exact ? text : foldCase(foldMarks(text)));
  const sought = plain(query.replaceAll('\r\n', '\n'));
  const spansLines = sought.includes('\n');
  return async (text, pace) => {
    const hay = plain(spansLines ? text.replaceAll('\r\n', '\n') : text);
    const offsets: number[] = [];
    let done = true;
    // A line counts once, so that the next look is after its end.
    for (let at = hay.indexOf(sought); at >= 0; ) {
      offsets.push(at);
      const end = hay.indexOf('\n', at);
      if (end < 0) break;
      if ((offsets.length & 0x3ff) === 0) done = await pace.goOn();
      if (!done) break;
      at = hay.indexOf(sought, end + 1);
    }
    const numbers = linesAt(hay, offsets);
    const hits = offsets.map((at, index) => ({
      line: numbers[index]!,
      column: at - (hay.lastIndexOf('\n', at - 1) + 1),
    }));
    return { hits, done };
  };
}

function patternFinder(query: string, exact: boolean): Finder {
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(query, exact ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Invalid pattern: ${reason.slice(0, 200)}. Use RE2 syntax, without look-around and back references.`,
    );
  }
  return async (text, pace) => {
    const hits: Hit[] = [];
    for (const [index, whole] of text.split('\n').entries()) {
      const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
      const part = line.slice(0, MAX_PATTERN_LINE);
      if (pattern.test(part)) {
        // Where it is only matters when the line is too long to be shown.
        const column = line.length > MAX_LINE ? columnOf(pattern, part) : 0;
        hits.push({ line: index + 1, column });
      }
      if (!(await pace.goOn())) return { hits, done: false };
    }
    return { hits, done: true };
  };
}

function columnOf(pattern: RE2JS, line: string): number {
  const matcher = pattern.matcher(line);
  return matcher.find() ? matcher.start() : 0;
}

function hitLines(path: string, text: string, hits: readonly Hit[], around: number): string[] {
  if (hits.length === 0) return [];
  const lines = text.split('\n');
  const columns = new Map(hits.map(({ line, column }) => [line, column]));
  const out: string[] = [];
  let shown = 0;
  for (const { line } of hits) {
    const from = Math.max(1, line - around, shown + 1);
    const to = Math.min(lines.length, line + around);
    if (around > 0 && shown > 0 && from > shown + 1) out.push('--');
    for (let at = from; at <= to; at++) {
      const column = columns.get(at);
      const body = windowOf(lines[at - 1]!.replace(/\r$/, ''), column ?? 0, MAX_LINE);
      out.push(column === undefined ? `${path}-${at}- ${body}` : `${path}:${at}: ${body}`);
    }
    shown = Math.max(shown, to);
  }
  return out;
}
