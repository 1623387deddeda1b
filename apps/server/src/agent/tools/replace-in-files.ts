import { z } from 'zod';
import { foldCase } from '../edit/fold.ts';
import { linesAt, type Splice, splice } from '../edit/match.ts';
import { proseSpans, type Span } from '../edit/mdx-scope.ts';
import { isWholeWord, recased } from '../edit/word.ts';
import { globFilter } from './glob.ts';
import { answerOf, countOf, listOf, windowOf } from './output.ts';
import { createPace } from './pace.ts';
import { contentFault, MAX_CHANGED_FILES, writeTarget } from './target.ts';
import { defineTool, refuse, type ToolContext } from './tool.ts';

/** Most characters of what is found and of what is put there. */
const MAX_TEXT = 1000;

/** Lines shown of one file, and in all. */
const SAMPLES = 3;
const MAX_SAMPLES = 60;

/** Milliseconds that looking may take. */
const BUDGET = 20_000;

/** What would change in one file. */
interface FileChange {
  path: string;
  after: string;
  splices: Splice[];
}

/** `replace_in_files`: one literal text for another over many pages. */
export const replaceInFiles = defineTool({
  name: 'replace_in_files',
  description:
    'Replace a word or phrase in many files at once. Literal. scope=prose leaves code, URLs, link targets, front matter keys and JSX names alone. First look (dry_run=true), then repeat with dry_run=false.',
  parameters: z.object({
    find: z.string(),
    replace: z.string(),
    glob: z.string().default('**/*.{md,mdx}'),
    whole_word: z.boolean().default(true),
    case: z.enum(['exact', 'preserve']).default('exact').describe('preserve: any case, kept in the new text'),
    scope: z.enum(['prose', 'all']).default('prose'),
    dry_run: z.boolean().default(true),
  }),
  async run(input, context) {
    const { find, replace, glob, dry_run: dryRun } = input;
    if (find === '') return refuse('find is empty. Give the text to replace.');
    if (find.length > MAX_TEXT || replace.length > MAX_TEXT) {
      return refuse(`find and replace may have ${MAX_TEXT} characters each. Use edit_file for longer texts.`);
    }
    if (find === replace) return refuse('find and replace are the same: nothing would change.');
    let means: (path: string) => boolean;
    try {
      means = globFilter(glob);
    } catch (error) {
      return refuse((error as Error).message);
    }
    const pace = createPace(BUDGET, context.signal);
    const changes: FileChange[] = [];
    const left: string[] = [];
    let files = 0;
    for (const { path, isText } of context.workspace.list()) {
      if (!isText || !means(path)) continue;
      if (!(await pace.goOn()))
        return refuse('That took too long, and nothing was changed. Use a narrower glob.');
      files += 1;
      const found = changeOf(path, input, context);
      left.push(...found.left);
      if (found.fault !== null) return refuse(`${found.fault} Nothing was changed.`);
      if (found.change !== null) changes.push(found.change);
    }
    if (changes.length > MAX_CHANGED_FILES) {
      return refuse(
        `${changes.length} files would change; a job may change ${MAX_CHANGED_FILES}. Nothing was changed. Use a narrower glob.`,
      );
    }
    if (!dryRun) apply(changes, context);
    return { text: answerOf(report(changes, left, files, dryRun), 'Use a narrower glob to see the rest.') };
  },
});

interface Options {
  find: string;
  replace: string;
  whole_word: boolean;
  case: 'exact' | 'preserve';
  scope: 'prose' | 'all';
}

/** What one file would become, what of it stays and why, and what forbids the whole. */
function changeOf(
  path: string,
  options: Options,
  context: ToolContext,
): { change: FileChange | null; left: string[]; fault: string | null } {
  const before = context.workspace.read(path)!;
  const places = placesOf(before, options);
  const none = (...left: string[]) => ({ change: null, left, fault: null });
  if (places.length === 0) return none();
  if (options.scope === 'prose' && !/\.mdx?$/i.test(path)) {
    return none(`${path}: ${places.length}, no Markdown; scope=all changes them`);
  }
  const meant = options.scope === 'prose' ? within(places, proseSpans(before)) : places;
  const left = meant.length < places.length ? [leftText(path, before, places, meant)] : [];
  if (meant.length === 0) return none(...left);
  const denied = writeTarget(path, context).fault;
  if (denied !== undefined) return none(...left, denied);
  const splices = meant.map((place) => ({ ...place, text: textFor(before, place, options) }));
  const after = splice(before, splices);
  return {
    change: after === before ? null : { path, after, splices },
    left,
    fault: contentFault(path, after),
  };
}

/** All of it, after the last wait: a call that is stopped has changed nothing. */
function apply(changes: readonly FileChange[], { workspace, signal }: ToolContext): void {
  signal.throwIfAborted();
  for (const { path, after } of changes) workspace.write(path, after);
}

function placesOf(text: string, { find, ...options }: Options): Span[] {
  const preserve = options.case === 'preserve';
  const hay = preserve ? foldCase(text) : text;
  const sought = preserve ? foldCase(find) : find;
  const places: Span[] = [];
  for (let at = hay.indexOf(sought); at >= 0; ) {
    const end = at + sought.length;
    const fits = !options.whole_word || isWholeWord(text, at, end);
    if (fits) places.push({ start: at, end });
    at = hay.indexOf(sought, fits ? end : at + 1);
  }
  return places;
}

/** Places that are in one of the spans as a whole; both are in order. */
function within(places: readonly Span[], spans: readonly Span[]): Span[] {
  let index = 0;
  return places.filter(({ start, end }) => {
    while (index < spans.length && spans[index]!.end <= start) index += 1;
    const span = spans[index];
    return span !== undefined && span.start <= start && end <= span.end;
  });
}

function textFor(before: string, { start, end }: Span, { find, replace, case: mode }: Options): string {
  return mode === 'preserve' ? recased(before.slice(start, end), find, replace) : replace;
}

function leftText(path: string, text: string, places: readonly Span[], meant: readonly Span[]): string {
  const taken = new Set(meant.map(({ start }) => start));
  const rest = places.map(({ start }) => start).filter((start) => !taken.has(start));
  return `${path}: ${rest.length} in code or names, lines ${listOf([...new Set(linesAt(text, rest))])}`;
}

function report(
  changes: readonly FileChange[],
  left: readonly string[],
  files: number,
  dryRun: boolean,
): string[] {
  const total = changes.reduce((sum, { splices }) => sum + splices.length, 0);
  const done = dryRun ? 'would be replaced (dry run: nothing was changed)' : 'replaced';
  const lines = [
    `${countOf(total, 'place')} in ${countOf(changes.length, 'file')} ${done}; ${countOf(files, 'file')} looked at`,
  ];
  let samples = 0;
  for (const { path, after, splices } of changes) {
    lines.push(`${path}: ${splices.length}`);
    const shown = samples < MAX_SAMPLES ? splices.slice(0, SAMPLES) : [];
    samples += shown.length;
    lines.push(...samplesOf(after, shown));
  }
  if (left.length > 0) lines.push('Left as they are:', ...left);
  return lines;
}

/** Lines as they become, with the place in sight. */
function samplesOf(after: string, splices: readonly Splice[]): string[] {
  let moved = 0;
  const places = splices.map(({ start, end, text }) => {
    const place = start + moved;
    moved += text.length - (end - start);
    return place;
  });
  const numbers = linesAt(after, places);
  return places.flatMap((place, index) => {
    if (numbers[index] === numbers[index - 1]) return [];
    const from = after.lastIndexOf('\n', place - 1) + 1;
    const end = after.indexOf('\n', place);
    const line = after.slice(from, end < 0 ? after.length : end).replace(/\r$/, '');
    return [`  ${numbers[index]}: ${windowOf(line, place - from, 160)}`];
  });
}
