/** Code of a docs file that runs in the browsers of readers, or decides what they load or where their requests go. */
export interface BrowserCode {
  /** 1-based line of the file. */
  line: number;
  /** What it is, to follow "has": `a function`. */
  what: string;
  /** Equal for the same code in another place or file. */
  key: string;
  /** Set when it counts only if the docs do not do the same with the host or the file already. */
  unless: Known | null;
}

/** What docs may use already, so that using it again is nothing new. */
export type Known = { kind: 'frame' | 'api' | 'import'; name: string };

export interface Sample {
  line: number;
  what: string;
  /** Source text of it. */
  code: string;
  unless?: Known;
}

export type Report = (sample: Sample) => void;

const MAX_KEY = 2_000;

/** Equal code has the same key, however it is indented or wrapped. */
export function browserCode({ line, what, code, unless }: Sample): BrowserCode {
  const plain = code.replace(/\s+/g, ' ').trim();
  return { line, what, key: `${what}\0${plain.slice(0, MAX_KEY)}\0${plain.length}`, unless: unless ?? null };
}

/** Number of line ends before an offset. */
export function linesBefore(text: string, offset: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
