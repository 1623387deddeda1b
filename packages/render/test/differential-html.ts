/** Reads back what a page shows from its HTML, by tags alone. */

export interface Shown {
  /** Text with block elements apart. */
  text: string;
  /** URLs of links of the content, decoded. */
  links: string[];
  headings: { depth: number; text: string; id: string }[];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

export function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, number, hex, name) =>
    number !== undefined
      ? String.fromCodePoint(Number(number))
      : hex !== undefined
        ? String.fromCodePoint(Number.parseInt(hex, 16))
        : (entities[name as string] ?? whole),
  );
}

/** Elements of the interface: their words are ours, not the author's. */
const interfaceTags = new Set(['button', 'svg', 'select', 'script', 'template']);
const inlineTags = new Set(
  'a b i em strong del s code kbd span sub sup small mark u abbr cite q samp var tt font ins time wbr'.split(
    ' ',
  ),
);

interface Reader {
  shown: Shown;
  hidden: { tag: string; depth: number } | null;
  heading: { depth: number; id: string; from: number } | null;
}

export function readHtml(html: string): Shown {
  const reader: Reader = { shown: { text: '', links: [], headings: [] }, hidden: null, heading: null };
  for (const [token, tag] of html.matchAll(/<!--[\s\S]*?-->|<(\/?[a-zA-Z][^<>]*)>|[^<]+|</g)) {
    if (tag !== undefined) readTag(tag, reader);
    else if (reader.hidden === null && !token.startsWith('<!--')) reader.shown.text += decode(token);
  }
  return reader.shown;
}

function readTag(text: string, reader: Reader): void {
  const isClosing = text.startsWith('/');
  const tag = /^\/?([a-zA-Z][\w-]*)/.exec(text)?.[1]?.toLowerCase() ?? '';
  const { hidden, shown } = reader;
  if (hidden !== null) {
    if (tag === hidden.tag) hidden.depth += isClosing ? -1 : 1;
    if (hidden.depth === 0) reader.hidden = null;
    return;
  }
  if (!isClosing && (interfaceTags.has(tag) || / role="tablist"|class="katex-html"|^mrow/.test(text))) {
    reader.hidden = { tag, depth: 1 };
    return;
  }
  // A span with a class is a part of a component, which is separate from the text around it.
  if (!inlineTags.has(tag) || (tag === 'span' && / class=/.test(text))) shown.text += '\n';
  if (/^h[1-6]$/.test(tag)) readHeading(tag, text, isClosing, reader);
  if (tag === 'a' && !isClosing && isContentLink(text)) shown.links.push(attribute(text, 'href'));
}

function readHeading(tag: string, text: string, isClosing: boolean, reader: Reader): void {
  const { shown, heading } = reader;
  if (!isClosing) {
    reader.heading = { depth: Number(tag[1]), id: attribute(text, 'id'), from: shown.text.length };
  } else if (heading !== null) {
    const { depth, id, from } = heading;
    shown.headings.push({ depth, id, text: shown.text.slice(from) });
    reader.heading = null;
  }
}

/** Links that a component makes to itself, to the replacement of a file, or to an assistant are not links of the author. */
function isContentLink(tag: string): boolean {
  return (
    / href="/.test(tag) &&
    !/ class="[^"]*(?:anchor|footnote|placeholder|update-label)/.test(tag) &&
    !tag.includes('prompt-cursor-button')
  );
}

function attribute(tag: string, name: string): string {
  return decode(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}
