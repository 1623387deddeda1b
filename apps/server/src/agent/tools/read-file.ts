import { z } from 'zod';
import { lineEnd } from '../edit/match.ts';
import { describeInvisible } from '../policy/unicode.ts';
import { fitLines, headOf, MAX_OUTPUT_BYTES } from './output.ts';
import { readTarget } from './target.ts';
import { defineTool, refuse, type ToolMemory } from './tool.ts';

/** `read_file`: the raw text, since line prefixes would be copied into edits. */
export const readFile = defineTool({
  name: 'read_file',
  description: 'Read a text file: one header line, then the text as it is, without line numbers.',
  parameters: z.object({
    path: z.string(),
    start_line: z.int().min(1).default(1),
    max_lines: z.int().min(1).max(2000).default(400),
    start_column: z.int().min(1).default(1).describe('Only for a line that is larger than one result'),
  }),
  run(
    { path: given, start_line: start, max_lines: most, start_column: column },
    { workspace, policy, memory },
  ) {
    const target = readTarget(given, { workspace, policy });
    if (target.path === undefined || target.text === undefined) return refuse(target.fault ?? '');
    const { path, text } = target;
    const lines = text.split('\n');
    if (lines.length > 1 && lines.at(-1) === '') lines.pop();
    if (start > lines.length)
      return refuse(`${path} has ${lines.length} lines; line ${start} is after its end.`);
    const fitted = fitLines(lines.slice(start - 1), most).lines;
    const notes: string[] = [];
    const invisible = describeInvisible(text);
    if (invisible !== null) notes.push(invisible);
    if (lineEnd(text) === '\r\n') notes.push('Windows line endings');
    let shown = fitted;
    if (fitted.length === 0 || column > 1) {
      // A single line exceeds the size of a result.
      const line = lines[start - 1]!;
      if (column > Math.max(1, line.length))
        return refuse(`Line ${start} of ${path} has ${line.length} characters; ${column} is after its end.`);
      const part = headOf(line.slice(column - 1), MAX_OUTPUT_BYTES);
      shown = [part];
      const next = column + part.length;
      notes.push(`line ${start} has ${line.length} characters; these are ${column}-${next - 1}`);
      if (next <= line.length) notes.push(`continue with start_line=${start}, start_column=${next}`);
    } else remember(memory, path, start, start + fitted.length - 1, lines.length);
    const end = start + shown.length - 1;
    const isWhole = !notes.some((note) => note.startsWith('continue'));
    if (isWhole && end < lines.length) notes.push(`continue with start_line=${end + 1}`);
    const header = `${path} lines ${start}-${end} of ${lines.length}`;
    const head = notes.length === 0 ? header : `${header} (${notes.join('; ')})`;
    return { text: `${head}\n${shown.map((line) => line.replace(/\r$/, '')).join('\n')}` };
  },
});

/** Notes what was seen; a file read in parts counts once the parts reach its end from its start. */
function remember(memory: ToolMemory, path: string, from: number, to: number, total: number): void {
  if (memory.readPaths.includes(path)) return;
  const parts = memory.readParts ?? [];
  const seen = parts.find(([one]) => one === path)?.[1] ?? 0;
  if (from > seen + 1) return;
  const others = parts.filter(([one]) => one !== path);
  const reached = Math.max(seen, to);
  if (reached < total) memory.readParts = [...others, [path, reached]];
  else {
    if (others.length < parts.length) memory.readParts = others;
    memory.readPaths = [...memory.readPaths, path];
  }
}
