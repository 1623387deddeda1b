/** `user.firstName`, `user?.team.name ?? "your team"`. */
const FORM =
  /^\s*user((?:\??\.[A-Za-z_$][\w$]{0,100}){1,10})\s*(?:(?:\?\?|\|\|)\s*(?:"([^"\\\n]{0,1000})"|'([^'\\\n]{0,1000})'))?\s*$/;

/** A value of the reader of a page. */
export interface ReaderValue {
  /** Names of members, with dots. */
  path: string;
  /** What readers see of whom it is not known. */
  fallback: string;
}

/** What an expression shows of the reader; null for any other expression. */
export function readerValueOf(source: string): ReaderValue | null {
  const [, members, double, single] = FORM.exec(source) ?? [];
  if (members === undefined) return null;
  return { path: members.replace(/\??\./g, '.').slice(1), fallback: double ?? single ?? '' };
}
