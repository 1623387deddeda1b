import type { Navigation, NavNode } from './nav.ts';

/** How much of a navigation is shown: pages by name, pages as a count, or only a number of levels. */
interface Detail {
  pages: boolean;
  depth: number;
}

const STEPS: readonly Detail[] = [
  { pages: true, depth: Number.POSITIVE_INFINITY },
  { pages: false, depth: Number.POSITIVE_INFINITY },
  { pages: false, depth: 3 },
  { pages: false, depth: 2 },
  { pages: false, depth: 1 },
  { pages: false, depth: 0 },
];

/**
 * A navigation, or what is below one entry, as lines: `[id] kind "label" (notes): 0 page, 1 page`. The
 * position before a page is the end of its id. Detail is reduced until the text is at most `limit` characters
 * long.
 */
export function navigationText(navigation: Navigation, from: NavNode, limit: number): string {
  for (const detail of STEPS) {
    const text = write(navigation, from, detail);
    if (text.length <= limit) return text;
  }
  const text = write(navigation, from, { pages: false, depth: 0 });
  const end = text.lastIndexOf('\n', limit - 60);
  return `${text.slice(0, Math.max(0, end))}\n(truncated; request a single entry with "under")`;
}

function write({ config, pageCount }: Navigation, from: NavNode, detail: Detail): string {
  const head = from.id === '' ? [`${config.file}: ${pageCount} page entries`] : [];
  const lines: string[] = [];
  writeNode(from, from, detail, 0, lines);
  return [...head, ...lines].join('\n');
}

function writeNode(node: NavNode, from: NavNode, detail: Detail, level: number, lines: string[]): void {
  const { pages, others } = split(node);
  const indent = '  '.repeat(level);
  const listed =
    pages.length === 0 ? '' : `: ${detail.pages ? pages.map(pageText).join(', ') : count(pages)}`;
  const isDeep = node !== from && level >= detail.depth && others.length > 0;
  const rest = isDeep ? ` (+ ${others.length} ${others.length === 1 ? 'entry' : 'entries'} below)` : '';
  if (node.id !== '' || listed !== '') lines.push(indent + headOf(node) + listed + rest);
  if (isDeep) return;
  for (const child of others) writeNode(child, from, detail, node.id === '' ? level : level + 1, lines);
}

function split({ children }: NavNode): { pages: NavNode[]; others: NavNode[] } {
  const isPage = ({ kind, children: below }: NavNode): boolean =>
    below.length === 0 && (kind === 'page' || kind === 'operation');
  return { pages: children.filter(isPage), others: children.filter((child) => !isPage(child)) };
}

function headOf({ id, kind, label, notes }: NavNode): string {
  const name = label === '' || kind === 'global' ? '' : ` ${JSON.stringify(label.slice(0, 100))}`;
  const noted = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  return id === '' ? '[root]' : `[${id}] ${kind}${name}${noted}`;
}

/** The end of the id before the path. */
const pageText = ({ id, label }: NavNode): string => `${id.split('/').at(-1)} ${label.slice(0, 200)}`;
const count = (pages: readonly NavNode[]): string =>
  `${pages.length} ${pages.length === 1 ? 'page' : 'pages'}`;
