import type { WrittenUpdate } from '../../components/component.ts';
import { dateIn } from '../../dates.ts';
import { escapeAttribute, escapeText } from '../../escape.ts';
import { isNode, type Node, type Value } from '../../tree.ts';
import { lineText } from '../text.ts';

/** One entry of the RSS feed of a page. */
export interface FeedEntry {
  /** Element of the page that it leads to. */
  id: string;
  title: string;
  /** HTML of the prose: links are as on the page. Empty without prose. */
  html: string;
  tags: readonly string[];
  /** As parseDate gives it, from the label of the update; null when the label holds no date. */
  date: string | null;
}

interface FeedScope {
  /** Anchors of headings by their content. */
  anchorOf(heading: Node): string | null;
  link(href: string): string | null;
}

/** Characters of the prose of one entry; the page has the rest. */
const MAX_PROSE = 20_000;
const MAX_DEPTH = 50;

/**
 * Entries of one update: the one of its `rss` prop, else one per heading, else one with its label. Prose only:
 * components, code blocks and raw HTML stay on the page.
 */
export function feedEntries(update: WrittenUpdate, scope: FeedScope): FeedEntry[] {
  const { id, label, tags, children } = update;
  const date = dateIn(label);
  const rss = ownWords(update.rss);
  if (rss !== null) {
    const html = rss.description === null ? prose(children, scope) : `<p>${escapeText(rss.description)}</p>`;
    return [{ id, title: rss.title ?? label, html, tags, date }];
  }
  const sections = sectionsOf(children);
  const [first] = sections;
  if (first === undefined) return [{ id, title: label, html: prose(children, scope), tags, date }];
  const lead = children.slice(0, children.indexOf(first.heading));
  return sections.map(({ heading, content }, index) => ({
    id: scope.anchorOf(heading) ?? id,
    title: lineText([heading]) || label,
    html: prose(index === 0 ? [...lead, ...content] : content, scope),
    tags,
    date,
  }));
}

function ownWords(value: Value): { title: string | null; description: string | null } | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isNode(value)) return null;
  const { title, description } = value as { title?: Value; description?: Value };
  const words = (text: Value): string | null =>
    typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
  const found = { title: words(title), description: words(description) };
  return found.title === null && found.description === null ? null : found;
}

function sectionsOf(nodes: readonly Node[]): { heading: Node; content: Node[] }[] {
  const sections: { heading: Node; content: Node[] }[] = [];
  for (const node of nodes) {
    if (node.type === 'heading') sections.push({ heading: node, content: [] });
    else sections.at(-1)?.content.push(node);
  }
  return sections;
}

function prose(nodes: readonly Node[], scope: FeedScope): string {
  let html = '';
  for (const node of nodes) {
    html += proseOf(node, scope, 0);
    if (html.length > MAX_PROSE) break;
  }
  return html;
}

const TAGS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  emphasis: 'em',
  strong: 'strong',
  delete: 'del',
  blockquote: 'blockquote',
  listItem: 'li',
};

function proseOf(node: Node, scope: FeedScope, depth: number): string {
  if (depth > MAX_DEPTH) return '';
  const inside = (children: readonly Node[]): string =>
    children.map((child) => proseOf(child, scope, depth + 1)).join('');
  switch (node.type) {
    case 'text':
    case 'inlineCode':
      return escapeText(node.value);
    case 'break':
      return '<br>';
    case 'heading':
      return `<h3>${inside(node.children)}</h3>`;
    case 'list':
      return wrap(node.ordered ? 'ol' : 'ul', inside(node.children));
    case 'link': {
      const href = scope.link(node.url);
      const content = inside(node.children);
      return href === null || content === '' ? content : `<a href="${escapeAttribute(href)}">${content}</a>`;
    }
    default: {
      const tag = TAGS[node.type];
      return tag === undefined || !('children' in node) ? '' : wrap(tag, inside(node.children));
    }
  }
}

function wrap(tag: string, content: string): string {
  return content.trim() === '' ? '' : `<${tag}>${content}</${tag}>`;
}
