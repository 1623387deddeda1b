import { compareWarnings, firstOfNotes, type KnownWarning, type Warning } from '../warning.ts';
import { type Severity, severityOf } from '../warning-codes.ts';

/** A defect of the source, or something worth knowing about it. */
export interface Finding extends Warning {
  /** 1-based column, or null where it is not known. */
  column: number | null;
  severity: Severity;
}

/** Takes what a rule finds. */
export type Report = (found: KnownWarning & { column?: number | null }) => void;

/** Each finding once, sorted by file, line, code and message. */
export function sortFindings(found: readonly (Warning & { column?: number | null })[]): Finding[] {
  const byKey = new Map<string, Finding>();
  for (const { file, line, column = null, code, message } of found) {
    const key = `${file}\0${line}\0${code}\0${message}`;
    if (!byKey.has(key)) byKey.set(key, { file, line, column, severity: severityOf(code), code, message });
  }
  return firstOfNotes([...byKey.values()].sort(compareWarnings));
}
