import { counted } from '@offprint/contract/counted';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { defaultFirst } from '../edit/default-first.ts';
import { literalPattern } from '../edit/fold.ts';
import { linesAt } from '../edit/match.ts';
import type { Workspace, WorkspaceFile } from '../workspace/workspace.ts';
import { globFilter } from './glob.ts';
import { answerOf, windowOf } from './output.ts';
import { createPace, type Pace } from './pace.ts';
import { unreadReason } from './target.ts';
import { defineTool, refuse } from './tool.ts';

/** Maximum characters of a query and of a line in a result. */
const MAX_QUERY = 1000;
const MAX_LINE = 500;

/** Most characters of one line that a pattern is run over. */
const MAX_PATTERN_LINE = 10_000;

/** Milliseconds of CPU time of one search. */
const BUDGET = 5000;

/** Characters searched for a literal between two checks of the budget. */
const WINDOW = 2 ** 18;

/** Files that were skipped, by name; the rest is counted. */
const MAX_SKIPPED = 20;

/** Files that hold no text by their names: they are counted, not named. */
const BINARY =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|mp[34]|webm|mov|m4[av]|ogg|wav|woff2?|ttf|otf|eot|pdf|zip|gz|tgz|docx|xlsx|pptx)$/i;

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
    'Search the text of all files, the default language and version first. Literal, unless regex=true (RE2 syntax, line by line, no look-around). Returns path:line: text; with mode=files or mode=count, only paths or matching lines per file.',
  parameters: z.object({
    query: z.string(),
    regex: z.boolean().default(false),
    glob: z.string().optional().describe('Such as *.mdx or api/**'),
    case_sensitive: z
      .boolean()
      .default(false)
      .describe('true also distinguishes typographic quotes from plain ones'),
    context: z.int().min(0).max(5).default(0).describe('Number of context lines'),
    mode: z.enum(['lines', 'files', 'count']).default('lines'),
    limit: z.int().min(1).max(1000).default(100).describe('Maximum number of lines or files'),
  }),
  async run(input, { workspace, signal }) {
    const { query, regex, glob, case_sensitive: exact, context: around, mode, limit } = input;
    const prepared = prepare(query, { regex, exact, glob });
    if ('fault' in prepared) return refuse(prepared.fault);
    const { find, means } = prepared;
    const pace = createPace(BUDGET, signal);
    const lines: string[] = [];
    let total = 0;
    let files = 0;
    let stopped: string | null = null;
    const skipped: WorkspaceFile[] = [];
    const meant = workspace.list().filter(({ path }) => means(path));
    for (const file of defaultFirst(meant, workspace)) {
      const { path } = file;
      const text = file.isText ? workspace.read(path) : null;
      if (text === null) {
        skipped.push(file);
        continue;
      }
      const { hits, done } = await find(text, pace);
      if (hits.length > 0) {
        if (mode === 'lines') {
          lines.push(...hitLines(path, text, hits.slice(0, Math.max(0, limit - total)), around));
        } else if (files < limit) lines.push(mode === 'files' ? path : `${path}: ${hits.length}`);
        total += hits.length;
        files += 1;
      }
      if (done && (await pace.goOn())) continue;
      stopped = path;
      break;
    }
    const isCut = (mode === 'lines' ? total : files) > limit;
    const head = [
      `${counted(total, 'line')} in ${counted(files, 'file')}${isCut ? `, the first ${limit}` : ''}`,
    ];
    if (stopped !== null) {
      head.push(
        `[Stopped in ${stopped} after ${BUDGET / 1000} s of CPU time: later files were not searched. Use a glob or a simpler query.]`,
      );
    }
    head.push(...skippedLines(skipped, workspace));
    return { text: answerOf([...head, ...lines], 'Narrow the query or the glob.') };
  },
});

function prepare(
  query: string,
  { regex, exact, glob = '' }: { regex: boolean; exact: boolean; glob?: string | undefined },
): { find: Finder; means: (path: string) => boolean } | { fault: string } {
  if (query === '') return { fault: 'query is empty. To list files, use list_files.' };
  if (query.length > MAX_QUERY)
    return { fault: `query has ${query.length} characters; the limit is ${MAX_QUERY}.` };
  try {
    const find = regex ? patternFinder(query, exact) : literalFinder(query, exact);
    return { find, means: glob === '' ? () => true : globFilter(glob) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** What was not searched, and why: nothing found in them says nothing. */
function skippedLines(skipped: readonly WorkspaceFile[], workspace: Workspace): string[] {
  const named = skipped.filter(({ path, kind }) => kind === 'file' && !BINARY.test(path));
  const rest = skipped.length - named.length;
  return [
    ...named
      .slice(0, MAX_SKIPPED)
      .map((file) => `[Not searched: ${file.path} ${unreadReason(file, workspace)}]`),
    ...(named.length > MAX_SKIPPED ? [`[Not searched: ${named.length - MAX_SKIPPED} more files]`] : []),
    ...(rest > 0 ? [`[Not searched: ${counted(rest, 'file')} without text, such as images and links]`] : []),
  ];
}

function literalFinder(query: string, exact: boolean): Finder {
  const plain = query.replaceAll('\r\n', '\n');
  const spansLines = plain.includes('\n');
  const pattern = exact ? null : literalPattern(plain);
  return async (text, pace) => {
    const hay = spansLines ? text.replaceAll('\r\n', '\n') : text;
    let done = true;
    const indexIn = (part: string): number => (pattern === null ? part.indexOf(plain) : part.search(pattern));
    // A repetitive text takes time by its length and that of the query, so long ones are searched piece by piece.
    const indexFrom = async (from: number): Promise<number> => {
      for (let start = from; start < hay.length; start += WINDOW) {
        const at = indexIn(hay.slice(start, start + WINDOW + 2 * plain.length));
        if (at >= 0 && at < WINDOW) return start + at;
        if (start + WINDOW < hay.length && !(await pace.goOn())) {
          done = false;
          break;
        }
      }
      return -1;
    };
    const offsets: number[] = [];
    // A line counts once, so that the next look is after its end.
    for (let at = await indexFrom(0); at >= 0; ) {
      offsets.push(at);
      const end = hay.indexOf('\n', at);
      if (end < 0) break;
      if ((offsets.length & 0x3ff) === 0) done = await pace.goOn();
      if (!done) break;
      at = await indexFrom(end + 1);
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
