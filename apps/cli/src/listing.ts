/** Findings and warnings for people: grouped by file, with line, severity, message and code. */
import { printable } from './printable.ts';

export interface Listed {
  file: string;
  line: number | null;
  column?: number | null;
  severity?: 'error' | 'warning' | 'info';
  message: string;
  code?: string | undefined;
  /** Number of occurrences and of files with them; default: one. */
  times?: { count: number; files: number };
}

const TONES = { error: '31', warning: '33', info: '36', strong: '1', faint: '2' } as const;

export function listing(findings: readonly Listed[], color: boolean): string {
  const paint = (tone: keyof typeof TONES, text: string): string =>
    color && text !== '' ? `\x1b[${TONES[tone]}m${text}\x1b[0m` : text;
  let text = '';
  for (const [file, list] of Map.groupBy(findings, (finding) => finding.file)) {
    const width = list.reduce((widest, finding) => Math.max(widest, placeOf(finding).length), 0);
    text += `${paint('strong', printable(file))}\n`;
    for (const finding of list) {
      const { severity = 'warning', message, code = '' } = finding;
      const place = placeOf(finding).padEnd(width);
      const label = paint(severity, (severity === 'info' ? 'note' : severity).padEnd(7));
      const rest = [printable(message), timesOf(finding), paint('faint', code)].filter((part) => part !== '');
      text += `  ${place}${width === 0 ? '' : '  '}${label}  ${rest.join('  ')}\n`;
    }
    text += '\n';
  }
  return text;
}

/** One finding per kind and message with its number of occurrences, in the order of the first occurrence. */
export function countEqual(findings: readonly Listed[]): Listed[] {
  const equal = Map.groupBy(findings, ({ severity, code, message }) => `${severity}\0${code}\0${message}`);
  return [...equal.values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    const files = new Set(list.map(({ file }) => file)).size;
    return [list.length === 1 ? first : { ...first, times: { count: list.length, files } }];
  });
}

function timesOf({ times }: Listed): string {
  if (times === undefined) return '';
  return times.files === 1 ? `(${times.count} times)` : `(${times.count} times in ${times.files} files)`;
}

function placeOf({ line, column }: Listed): string {
  if (line === null) return '';
  return column === null || column === undefined ? `${line}` : `${line}:${column}`;
}
