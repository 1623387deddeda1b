import { counted } from '@offprint/contract/counted';
import { z } from 'zod';
import { literalPattern } from '../edit/fold.ts';
import { linesAt, type Splice, splice } from '../edit/match.ts';
import { proseSpans, type Span } from '../edit/mdx-scope.ts';
import { lookalikes, placesOf, type Sought, within } from '../edit/places.ts';
import { recased } from '../edit/word.ts';
import { MAX_CHANGED_FILES } from '../policy/limits.ts';
import { globFilter } from './glob.ts';
import { answerOf, listOf, windowOf } from './output.ts';
import { createPace } from './pace.ts';
import { contentFault, writeTarget } from './target.ts';
import { defineTool, refuse, type ToolContext } from './tool.ts';

/** Most characters of what is found and of what is put there. */
const MAX_TEXT = 1000;

/** Lines shown of one file, and in all. */
const SAMPLES = 3;
const MAX_SAMPLES = 60;

/** Milliseconds of CPU time. */
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
    'Replace a word or phrase in many files at once. Literal. scope=prose does not change code, URLs, link targets, front matter keys and JSX names. Start with dry_run=true, then repeat with dry_run=false.',
  parameters: z.object({
    find: z.string(),
    replace: z.string(),
    glob: z.string().default('**/*.{md,mdx}'),
    whole_word: z.boolean().default(true),
    case: z
      .enum(['exact', 'preserve'])
      .default('exact')
      .describe('preserve: matches any case and keeps the case of the text'),
    scope: z.enum(['prose', 'all']).default('prose'),
    dry_run: z.boolean().default(true),
  }),
  async run(input, context) {
    const { find, replace, glob, dry_run: dryRun } = input;
    if (find === '') return refuse('find is empty. Pass the text to replace.');
    if (find.length > MAX_TEXT || replace.length > MAX_TEXT) {
      return refuse(
        `find and replace are limited to ${MAX_TEXT} characters each. Use edit_file for longer texts.`,
      );
    }
    if (find === replace) return refuse('find and replace are the same: nothing would change.');
    if (replace.includes('\0'))
      return refuse('replace contains a NUL character, which is not allowed in text files.');
    let means: (path: string) => boolean;
    try {
      means = globFilter(glob);
    } catch (error) {
      return refuse((error as Error).message);
    }
    const mayOccur = firstWordFilter(find);
    const pace = createPace(BUDGET, context.signal);
    const changes: FileChange[] = [];
    const left: string[] = [];
    let files = 0;
    for (const { path, isText } of context.workspace.list()) {
      if (!isText || !means(path)) continue;
      if (!(await pace.goOn()))
        return refuse('The replacement took too long, and nothing was changed. Use a narrower glob.');
      files += 1;
      const found = await changeOf(path, input, context, mayOccur);
      left.push(...found.left);
      if (found.change !== null) changes.push(found.change);
    }
    const paths = new Set([...context.workspace.overlay().keys(), ...changes.map(({ path }) => path)]);
    const isTooMany = paths.size > MAX_CHANGED_FILES;
    const many = `With this ${paths.size} files would be changed; a job may change ${MAX_CHANGED_FILES}. Use a narrower glob.`;
    if (isTooMany && !dryRun) return refuse(`${many} Nothing was changed.`);
    if (!dryRun) apply(changes, context);
    const lines = report(changes, left, files, dryRun);
    return {
      text: answerOf(isTooMany ? [many, ...lines] : lines, 'Use a narrower glob to see the rest.'),
    };
  },
});

interface Options extends Sought {
  replace: string;
  scope: 'prose' | 'all';
}

/** Whether a text can contain a place or what reads like one: most files do not, and this costs much less than to look. */
function firstWordFilter(find: string): (text: string) => boolean {
  const [first = ''] = find.split(/\s+/).filter((word) => word !== '');
  if (first === '') return () => true;
  const pattern = literalPattern(first);
  return (text) => text.search(pattern) >= 0;
}

/** What one file would become, and what of it stays and why. */
async function changeOf(
  path: string,
  options: Options,
  context: ToolContext,
  mayOccur: (text: string) => boolean,
): Promise<{ change: FileChange | null; left: string[] }> {
  const before = context.workspace.read(path) ?? '';
  if (!mayOccur(before)) return { change: null, left: [] };
  const places = placesOf(before, options);
  const alike = lookalikes(before, options, places);
  if (places.length + alike.length === 0) return { change: null, left: [] };
  const isPage = /\.mdx?$/i.test(path);
  if (options.scope === 'prose' && !isPage) {
    return { change: null, left: [`${path}: ${places.length + alike.length}, not Markdown; see scope=all`] };
  }
  const spans = options.scope === 'prose' ? proseSpans(before) : [{ start: 0, end: before.length }];
  const meant = within(places, spans);
  const left: string[] = [];
  const tell = (rest: readonly Span[], what: string): void => {
    const lines = linesAt(
      before,
      rest.map(({ start }) => start),
    );
    if (rest.length > 0) left.push(`${path}: ${rest.length} ${what}, lines ${listOf([...new Set(lines)])}`);
  };
  const taken = new Set(meant);
  tell(
    places.filter((place) => !taken.has(place)),
    'in code or names',
  );
  tell(within(alike, spans), 'with other case or marks, or across a line break');
  if (meant.length === 0) return { change: null, left };
  const splices = meant.map((place) => ({ ...place, text: textFor(before, place, options) }));
  const after = splice(before, splices);
  const target = writeTarget(path, context);
  const fault = target.rule ?? target.fault ?? (await contentFault(path, after, context));
  if (fault !== null) return { change: null, left: [...left, fault] };
  return { change: after === before ? null : { path, after, splices }, left };
}

/** All of it, after the last wait: a call that is stopped has changed nothing. */
function apply(changes: readonly FileChange[], { workspace, signal }: ToolContext): void {
  signal.throwIfAborted();
  for (const { path, after } of changes) workspace.write(path, after);
}

function textFor(before: string, { start, end }: Span, { find, replace, case: mode }: Options): string {
  return mode === 'preserve' ? recased(before.slice(start, end), find, replace) : replace;
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
    `${counted(total, 'occurrence')} in ${counted(changes.length, 'file')} ${done}; ${counted(files, 'file')} searched`,
  ];
  let samples = 0;
  for (const { path, after, splices } of changes) {
    lines.push(`${path}: ${splices.length}`);
    const shown = samples < MAX_SAMPLES ? splices.slice(0, SAMPLES) : [];
    samples += shown.length;
    lines.push(...samplesOf(after, shown));
  }
  if (left.length > 0) lines.push('Not changed:', ...left);
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
