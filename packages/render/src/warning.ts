import type { WarningCode } from './warning-codes.ts';

/** A defect of the source that did not stop the export. Sorted by file, line, code when reported. */
export interface Warning {
  /** Path from the docs root. */
  file: string;
  /** 1-based line, or null where the defect has no line. */
  line: number | null;
  /** Stable kebab-case name of the kind of defect, for filters and tests. */
  code: string;
  /** One sentence that names the thing and the way out. */
  message: string;
}

/** A defect of a kind that this renderer knows; what was stored may be of another version. */
export interface KnownWarning extends Warning {
  code: WarningCode;
}

export type Warn = (warning: KnownWarning) => void;

/** The source cannot be exported at all (no docs.json, invalid JSON, no pages). Retrying cannot help. */
export class SourceError extends Error {
  override name = 'SourceError';
  readonly file: string;
  readonly line: number | null;
  readonly code: WarningCode;
  constructor(fault: KnownWarning) {
    super(`${fault.file}${fault.line === null ? '' : `:${fault.line}`}: ${fault.message}`);
    this.file = fault.file;
    this.line = fault.line;
    this.code = fault.code;
  }
}

/** Each defect once, by file, line, code and message. */
export function sortWarnings(warnings: readonly Warning[]): Warning[] {
  const byKey = new Map<string, Warning>();
  for (const warning of warnings) {
    byKey.set(`${warning.file}\0${warning.line}\0${warning.code}\0${warning.message}`, warning);
  }
  return firstOfNotes([...byKey.values()].sort(compareWarnings));
}

/** Kinds of notes that say the same at each place. */
const saidOnce: ReadonlySet<string> = new Set(['icon-substituted']);

/** Sorted warnings without the notes that a place before has had. */
export function firstOfNotes<T extends Warning>(sorted: readonly T[]): T[] {
  const said = new Set<string>();
  return sorted.filter(({ code, message }) => {
    if (!saidOnce.has(code)) return true;
    const isNew = !said.has(message);
    said.add(message);
    return isNew;
  });
}

/** Order by file, line, code and message, by code unit. */
export function compareWarnings(a: Warning, b: Warning): number {
  return (
    compare(a.file, b.file) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compare(a.code, b.code) ||
    compare(a.message, b.message)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
