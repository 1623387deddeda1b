import { isObject } from '../../config/json.ts';
import { scalarText } from '../values.ts';

/** How cells are separated, and which texts of cells need another form. */
const TABLES: readonly (readonly [type: RegExp, separator: string, write: (text: string) => string])[] = [
  [
    /^text\/csv\s*(?:;|$)/i,
    ',',
    (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
  ],
  [/^text\/tab-separated-values\s*(?:;|$)/i, '\t', (text) => text.replace(/[\t\r\n]/g, ' ')],
];

/**
 * A value as lines of CSV or TSV, objects below a line with the names of their members; null for other content types and
 * for texts, which are lines already.
 */
export function tableOf(value: unknown, type: string): string | null {
  const [, separator, write] = TABLES.find(([pattern]) => pattern.test(type)) ?? [];
  if (separator === undefined || write === undefined || typeof value !== 'object' || value === null)
    return null;
  const rows: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names = [...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
  const cellsOf = (row: unknown): unknown[] => {
    if (isObject(row)) return names.map((name) => (Object.hasOwn(row, name) ? row[name] : ''));
    return Array.isArray(row) ? row : [row];
  };
  const lines = [...(names.length > 0 ? [names] : []), ...rows.map(cellsOf)];
  return lines.map((cells) => cells.map((cell) => write(scalarText(cell))).join(separator)).join('\n');
}
