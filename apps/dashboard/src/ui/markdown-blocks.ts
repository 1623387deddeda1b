/** A block of Markdown. Texts inside are parsed by `inlinesOf`. */
export type Block =
  | { kind: 'paragraph' | 'heading' | 'quote'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; start: number; items: string[] }
  | { kind: 'rule' };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:-\s*){3,}$|^ {0,3}(?:\*\s*){3,}$|^ {0,3}(?:_\s*){3,}$/;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;

/** The blocks of a text, in one pass over its lines: what models write of CommonMark, without nesting. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split(/\r\n|\r|\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      const end = lines.findIndex((one, index) => index > at && one.trim() === fence);
      const stop = end === -1 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, stop).join('\n') });
      at = stop;
      continue;
    }
    const block = blockOf(line);
    if (block === null) continue;
    // Lines that follow each other belong together; a blank line ends a paragraph and a quotation.
    const isNext = at > 0 && (lines[at - 1] ?? '').trim() !== '';
    if (!isJoined(blocks.at(-1), block, isNext)) blocks.push(block);
  }
  return blocks;
}

/** Whether the block was added to the last one, which it continues. */
function isJoined(last: Block | undefined, block: Block, isNext: boolean): boolean {
  if (last?.kind === 'list') {
    if (block.kind === 'list' && last.isOrdered === block.isOrdered) last.items.push(...block.items);
    else if (isNext && block.kind === 'paragraph') {
      last.items.push(`${last.items.pop() ?? ''}\n${block.text}`);
    } else return false;
    return true;
  }
  if (!isNext || (block.kind !== 'paragraph' && block.kind !== 'quote') || last?.kind !== block.kind) {
    return false;
  }
  last.text += `\n${block.text}`;
  return true;
}

function blockOf(line: string): Block | null {
  if (line.trim() === '') return null;
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) return { kind: 'heading', text: heading };
  if (RULE.test(line)) return { kind: 'rule' };
  const [, , number, item] = ITEM.exec(line) ?? [];
  if (item !== undefined) {
    return { kind: 'list', isOrdered: number !== undefined, start: Number(number ?? 1), items: [item] };
  }
  const quote = QUOTE.exec(line)?.[1];
  return quote === undefined ? { kind: 'paragraph', text: line.trim() } : { kind: 'quote', text: quote };
}

/** A piece of a line. `href` is what the author wrote, whatever it leads to. */
export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis' | 'image'; text: string }
  | { kind: 'link'; text: string; href: string };

/** One mark each; quantifiers are bounded, so that no text takes long. */
const INLINE =
  /(`{1,3})([^`\n]{1,500})\1|!\[([^\]\n]{0,200})\]\([^)\s]{0,2000}\)|\[([^\]\n]{1,500})\]\(([^)\s]{1,2000})\)|\*\*([^*\n]{1,1000})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,1000})\*(?![\w*])|(?<!\w)_([^_\s][^_\n]{0,1000})_(?!\w)/g;

/** The pieces of a text of a block. Everything that is not a mark, HTML included, is text. */
export function inlinesOf(text: string): Inline[] {
  const pieces: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, image, label, href, strong, star, underscore] = match;
    if (match.index > end) pieces.push({ kind: 'text', text: text.slice(end, match.index) });
    end = match.index + whole.length;
    if (code !== undefined) pieces.push({ kind: 'code', text: code });
    else if (image !== undefined) pieces.push({ kind: 'image', text: image });
    else if (label !== undefined) pieces.push({ kind: 'link', text: label, href: href ?? '' });
    else if (strong !== undefined) pieces.push({ kind: 'strong', text: strong });
    else pieces.push({ kind: 'emphasis', text: star ?? underscore ?? '' });
  }
  if (end < text.length) pieces.push({ kind: 'text', text: text.slice(end) });
  return pieces;
}
