/**
 * Elements that are certain to be closed, and paragraphs whose parent is certain. A run of lines that contain nothing
 * but text and whole tags has force as a whole or, in code, comments and values, not at all: nothing in it could
 * start or end such a place. In such a run, a tag alone on its line is closed by the tag of the same name and
 * indentation, and a paragraph of one line is a child of the tag that was opened last.
 */

/** A line with tags, or with expressions side by side. */
export interface MarkedLine {
  /** Offsets of the tags that are opened here, or of the braces. */
  readonly offsets: readonly number[];
  /** Whether a paragraph that contains nothing else can start here. */
  flow: boolean;
  /** Tags that this line opens and may not close. */
  open: number;
}

interface Frame {
  readonly name: string;
  readonly indent: string;
  readonly line: MarkedLine;
  /** Lines with paragraphs of tags that are children. */
  readonly flows: MarkedLine[];
  children: number;
}

/** Links, escapes and values that cannot contain a tag or be a part of anything longer. */
const harmless = /\\[_*.|#-]|\[[\w .,-]*\]\([\w#./:-]*\)|=\{(?:\d+|true|false)\}/g;

/** A line without what cannot make text of a tag. */
export function withoutHarmless(line: string): string {
  return line.replace(harmless, (found) => (found.startsWith('=') ? '="1"' : 'x'));
}

/** What can start or end code, an expression, a formula, a comment or a link. */
const restless = /[\\`{}$~[]|^(?:import|export)\b|^(?:[-*+>]|\d{1,9}[.)])|<!--|-->/;
const loneOpening = /^<([A-Za-z][\w.:-]*)(?:\s+[\w:-]+(?:="[^"<>{}]*")?)*\s*>$/;
const loneClosing = /^<\/([A-Za-z][\w.:-]*)\s*>$/;
/** Statements of module code that a page can have, as each can end between two lines of a run. */
const maxModules = 100;

/** Finds such elements in the lines of a page, which it is given in their order. */
export class PairedTags {
  private readonly frames: Frame[] = [];
  private readonly hasOpenQuotes: boolean;
  private readonly maxPairs: number;
  private modules = 0;
  /** Children of all parents, each multiplied by the paragraphs of tags among them. */
  pairs = 0;
  /** Children of parents that are certain, which are children of no other. */
  children = 0;

  constructor(text: string, maxPairs: number) {
    this.maxPairs = maxPairs;
    this.hasOpenQuotes = openQuote.test(text);
  }

  take(line: string, marked: MarkedLine | null): void {
    const content = line.trim();
    if (content === '') return;
    if (/^(?:import|export)\b/.test(line)) this.modules++;
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    const { frames } = this;
    while (frames.length > 0 && !indent.startsWith(frames.at(-1)?.indent ?? '')) frames.pop();
    if (frames.length === 0 && marked === null) return;
    if (!this.takeCalm(withoutHarmless(content), indent, marked)) frames.length = 0;
  }

  /** Whether the line continues the run. */
  private takeCalm(content: string, indent: string, marked: MarkedLine | null): boolean {
    if (restless.test(content) || this.modules > maxModules) return false;
    if (this.hasOpenQuotes && /["']/.test(content)) return false;
    const parent = this.frames.at(-1);
    if (marked === null) {
      const name = loneClosing.exec(content)?.[1];
      if (name !== undefined) return this.close(name, indent);
      if (parent !== undefined) parent.children++;
      return !content.includes('<');
    }
    const name = loneOpening.exec(content)?.[1];
    if (name !== undefined) {
      this.frames.push({ name, indent, line: marked, flows: [], children: 0 });
      return true;
    }
    if (marked.open > 0) return false;
    if (parent === undefined) return true;
    parent.children += marked.offsets.length;
    if (marked.flow) parent.flows.push(marked);
    return true;
  }

  private close(name: string, indent: string): boolean {
    const frame = this.frames.pop();
    if (frame === undefined || frame.name !== name || frame.indent !== indent) return false;
    const parent = this.frames.at(-1);
    if (parent !== undefined) parent.children++;
    frame.line.open = 0;
    frame.line.flow = false;
    this.children += frame.children;
    const pairs = frame.flows.length * frame.children;
    if (this.pairs + pairs > this.maxPairs) return true;
    this.pairs += pairs;
    for (const line of frame.flows) line.flow = false;
    return true;
  }
}

/** The start of a value in quotes that does not end in its line. */
const openQuote = /(?:^|[=/>])[ \t]*(?:"[^"\n]*|'[^'\n]*)$/m;
