import { escapeText } from '../escape.ts';
import { iconSvg } from '../icons/index.ts';
import type { List, ListItem, Node } from '../tree.ts';
import type { Component, PageScope } from './component.ts';
import { attribute, classAttribute, readFlag, readId, readText } from './props.ts';

/** A file tree of `Tree.Folder` and `Tree.File` elements or of a Markdown list. */
export const tree: Component = (props, children, page) =>
  `<ul${attribute('id', readId(props))}${classAttribute(props, 'tree')}>${writeEntries(children, page)}</ul>`;

export const treeFolder: Component = (props, children, page) => {
  const name = readText(props, 'name') ?? '';
  const isOpen = readFlag(props, 'defaultOpen') || props.openable === false;
  return folder(name, writeEntries(children, page), isOpen, readFlag(props, 'highlight'));
};

export const treeFile: Component = (props) =>
  file(escapeText(readText(props, 'name') ?? ''), readFlag(props, 'highlight'));

function folder(name: string, entries: string, isOpen: boolean, isHighlighted: boolean): string {
  return [
    `<li class="tree-folder${isHighlighted ? ' tree-highlight' : ''}"><details${isOpen ? ' open' : ''}>`,
    `<summary>${glyph('folder')}<span>${escapeText(name)}</span></summary><ul>${entries}</ul></details></li>`,
  ].join('');
}

function file(html: string, isHighlighted: boolean): string {
  return `<li class="tree-file${isHighlighted ? ' tree-highlight' : ''}">${glyph('file')}<span>${html}</span></li>`;
}

function glyph(name: string): string {
  return iconSvg({ name, style: null, library: 'lucide' }, 'lucide', { size: 16 }) ?? '';
}

function writeEntries(nodes: readonly Node[], page: PageScope): string {
  let html = '';
  for (const node of nodes) {
    if (node.type === 'list') html += writeList(node, page);
    else if (node.type === 'element') html += page.html([node]);
    else if (node.type === 'paragraph') html += writeEntries(node.children, page);
  }
  return html;
}

/** List items: one with a nested list or a slash at its end is a folder. */
function writeList(list: List, page: PageScope): string {
  let html = '';
  for (const item of list.children) {
    if (item.type !== 'listItem') continue;
    const label = (item as ListItem).children.filter((node) => node.type !== 'list');
    const lists = (item as ListItem).children.filter((node) => node.type === 'list');
    const name = page.text(label).trim();
    if (lists.length > 0 || name.endsWith('/'))
      html += folder(name.replace(/\/$/, ''), writeEntries(lists, page), true, false);
    else html += file(escapeText(name), false);
  }
  return html;
}
