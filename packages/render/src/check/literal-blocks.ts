/** Blocks of other Markdown dialects, and tables and links that are none to the parser: readers see their marks. */
import type { Node, Text } from '../tree.ts';
import type { WarningCode } from '../warning-codes.ts';

export interface LiteralBlock {
  code: WarningCode;
  message: string;
  /** Line of the file; null if it is not known. */
  line: number | null;
}

/** `:::note`, `::: warning Title`, `:::tip[Title]`; not `::: a title :::`. */
const DIRECTIVE = /^(:{3,}) ?([A-Za-z][\w-]*)(?=[\s[{]|$)(?!.*:::\s*$)/;
/** `!!! note "Title"` of MkDocs, and its form that can be closed. */
const ADMONITION = /^(!!!|\?\?\?\+?) ([a-z][\w-]*)(?=\s+"|\s*$)/;
/** `[!NOTE]` of GitHub, the first line of a quote. */
const ALERT = /^\[!([A-Za-z]+)\][+-]?(?=\s|$)/;
const DELIMITER_ROW = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;
const MAX_ROW = 1000;
/** The URL of a link in text: a path is not written behind a bracket on purpose. */
const LINK = /\]\(\s?((?:\.{0,2}\/|#)[^\s)）]{1,200})/;

/** Components that show what a directive of this name shows elsewhere. */
const COMPONENTS: Readonly<Record<string, string>> = {
  caution: 'Warning',
  check: 'Check',
  danger: 'Danger',
  error: 'Danger',
  important: 'Warning',
  info: 'Info',
  note: 'Note',
  success: 'Check',
  tip: 'Tip',
  warning: 'Warning',
};

/** What a paragraph shows as text although its author wrote a block. */
export function literalBlocks(children: readonly Node[]): LiteralBlock[] {
  const found: LiteralBlock[] = [];
  children.forEach((node, at) => {
    if (node.type !== 'text' || !/:::|!!!|\[!|\?\?\?|-\s*\||\|\s*:?-/.test(node.value)) return;
    const lines = node.value.split('\n');
    const startsLine = at === 0 || children[at - 1]?.type === 'break';
    const endsLine = at === children.length - 1 || children[at + 1]?.type === 'break';
    const start = node.position?.start.line ?? null;
    lines.forEach((line, index) => {
      if (index === 0 && !startsLine) return;
      const isWhole = index < lines.length - 1 || endsLine;
      const block = blockOf(line.trim(), isWhole);
      if (block !== null) found.push({ ...block, line: start === null ? null : start + index });
    });
  });
  return found;
}

/** A link that a text shows with its brackets. A URL with a scheme is a link of its own behind the text. */
export function literalLink({ value, position }: Text, next: Node | undefined): LiteralBlock | null {
  if (!value.includes('](')) return null;
  const found = LINK.exec(value) ?? (next?.type === 'link' ? /\]\($/.exec(value) : null);
  if (found === null) return null;
  const url = found[1] ?? (next?.type === 'link' ? next.url.slice(0, 200) : '');
  const message = `The link to \`${url}\` is shown as text. A URL must not contain blanks or line breaks (write \`%20\`), and the text needs both brackets, without a backslash.`;
  const start = position?.start.line ?? null;
  const line = start === null ? null : start + value.slice(0, found.index).split('\n').length - 1;
  return { code: 'invalid-link', message, line };
}

/** Two marks of one kind with text between them that starts or ends with a space, or ends with punctuation. */
const EMPHASIS = /(?<![*\\])(\*\*|~~)(?![*~])(\s?)([^*~\n]{1,200})(?<!\*)\1(?!\*)(?=(\S?))/g;
/** Names of parameters: `**args and **kwargs`. */
const PARAMETERS = /^\w+(?:,| and| or)\s+$/;

/** Emphasis that a text shows with its marks, because a space or punctuation beside them keeps them from having an effect. */
export function literalEmphasis({ value, position }: Text): LiteralBlock | null {
  if (!/\*\*|~~/.test(value) || !isAsWritten(value, position)) return null;
  for (const {
    index,
    0: whole,
    1: mark = '',
    2: before = '',
    3: content = '',
    4: next = '',
  } of value.matchAll(EMPHASIS)) {
    const endsWithBlank = /\s$/.test(content);
    const isHeld = /[\p{P}\p{S}]$/u.test(content) && /[\p{L}\p{N}]/u.test(next);
    if (before !== '' ? endsWithBlank : !endsWithBlank && !isHeld) continue;
    if (content.trim() === '' || PARAMETERS.test(content)) continue;
    const rule =
      isHeld && before === ''
        ? `Add a space after the closing \`${mark}\`, or move the punctuation behind it`
        : `Remove the space between \`${mark}\` and the text`;
    const message = `The marks of \`${whole.slice(0, 80)}\` are shown as text. ${rule}.`;
    const line =
      position === undefined ? null : position.start.line + value.slice(0, index).split('\n').length - 1;
    return { code: 'literal-emphasis', message, line };
  }
  return null;
}

/** Whether a text has no escapes and no entities, which are marks on purpose. */
function isAsWritten(value: string, position: Text['position']): boolean {
  if (position === undefined) return false;
  const { start, end } = position;
  if (start.offset !== undefined && end.offset !== undefined)
    return end.offset - start.offset === value.length;
  return start.line === end.line && end.column - start.column === value.length;
}

function blockOf(line: string, isWhole: boolean): Omit<LiteralBlock, 'line'> | null {
  const alert = ALERT.exec(line);
  const [, marks = '', word = ''] = DIRECTIVE.exec(line) ?? ADMONITION.exec(line) ?? [];
  const name = alert?.[1] ?? word;
  if (name !== '') {
    const written = alert?.[0] ?? `${marks}${marks[0] === ':' ? '' : ' '}${word}`;
    const message = `\`${written.slice(0, 40)}\` is not part of MDX and is shown as text. ${wayOut(name)}`;
    return { code: 'unsupported-directive', message };
  }
  if (!isWhole || line.length > MAX_ROW || !DELIMITER_ROW.test(line) || cellsOf(line) < 2) return null;
  const message = `The table of \`${line.slice(0, 60)}\` is shown as text: the line directly above must be its header, with as many cells (${cellsOf(line)}). Remove lines between the two, or correct the number of cells.`;
  return { code: 'invalid-table', message };
}

function wayOut(name: string): string {
  const known = name.toLowerCase();
  if (known === 'details') return 'Use `<Accordion title="…">` with its closing tag.';
  const component = Object.hasOwn(COMPONENTS, known) ? COMPONENTS[known] : undefined;
  return component === undefined
    ? 'Use a component, such as `<Note>` with its closing tag.'
    : `Use \`<${component}>\` with its closing tag.`;
}

const cellsOf = (row: string): number => row.split('|').filter((cell) => cell.trim() !== '').length;
