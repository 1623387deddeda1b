import { escapeText } from '../escape.ts';
import { iconSvg } from '../icons/index.ts';
import type { List, ListItem, Node } from '../tree.ts';
import type { Component, PageScope } from './component.ts';
import { createNesting } from './nesting.ts';
import { attribute, isOff, readFlag, readText, rootAttributes } from './props.ts';

/** Depth of the entries being written, from 1. */
const nesting = createNesting<number>();
const ENTRIES: ReadonlySet<string> = new Set([
  'Tree.Folder',
  'Tree.File',
  'FileTree.Folder',
  'FileTree.File',
]);

/**
 * A file tree of `Tree.Folder` and `Tree.File` elements or of a Markdown list, after the tree pattern of the ARIA
 * Authoring Practices. Without JavaScript every folder is open.
 */
export const tree: Component = (props, children, page) => {
  const attributes = rootAttributes(props, page, ['tree']);
  const entries = nesting.within(page, 1, () => writeEntries(children, page));
  return wrap(attributes, entries, page);
};

export const treeFolder: Component = (props, children, page) => {
  const isInTree = nesting.nearest(page) !== null;
  const level = nesting.nearest(page) ?? 1;
  const entries = nesting.within(page, level + 1, () => writeEntries(children, page));
  const isFixed = isOff(props, 'openable');
  const html = folder({
    name: readText(props, 'name') ?? '',
    entries,
    isOpen: isFixed || readFlag(props, 'defaultOpen'),
    isFixed,
    attributes: entryAttributes(props, page, 'tree-folder'),
    level,
  });
  return isInTree ? html : wrap(' class="tree op-tree"', html, page);
};

export const treeFile: Component = (props, _children, page) => {
  const attributes = entryAttributes(props, page, 'tree-file');
  const html = file(readText(props, 'name') ?? '', attributes, nesting.nearest(page) ?? 1);
  return nesting.nearest(page) === null ? wrap(' class="tree op-tree"', html, page) : html;
};

function entryAttributes(props: Parameters<Component>[0], page: PageScope, className: string): string {
  return rootAttributes(props, page, [className, readFlag(props, 'highlight') ? 'op-tree-highlight' : null]);
}

function wrap(attributes: string, entries: string, page: PageScope): string {
  return `<ul${attributes} role="tree"${attribute('aria-label', page.strings.fileTree)}>${entries}</ul>`;
}

interface Folder {
  name: string;
  entries: string;
  isOpen: boolean;
  /** Cannot be opened or closed. */
  isFixed: boolean;
  attributes: string;
  level: number;
}

function folder({ name, entries, isOpen, isFixed, attributes, level }: Folder): string {
  const canToggle = !isFixed && entries !== '';
  const state = canToggle ? ` aria-expanded="${isOpen}"` : '';
  const list =
    entries === ''
      ? ''
      : `<ul role="group"${attribute('aria-label', name)}${isOpen ? '' : ' hidden="until-found"'}>${entries}</ul>`;
  return `<li${attributes} role="none">${row('folder', name, level, state)}${list}</li>`;
}

function file(name: string, attributes: string, level: number): string {
  return `<li${attributes} role="none">${row('file', name, level, '')}</li>`;
}

function row(sign: string, name: string, level: number, state: string): string {
  return `<div class="op-tree-row" data-component-part="tree-row" role="treeitem" aria-level="${level}"${state}>${glyph(sign)}<span class="op-tree-name">${escapeText(name)}</span></div>`;
}

function glyph(name: string): string {
  return iconSvg({ name, style: null, library: 'lucide' }, 'lucide', { size: 16 }) ?? '';
}

function writeEntries(nodes: readonly Node[], page: PageScope): string {
  let html = '';
  for (const node of nodes) {
    if (node.type === 'list') html += writeList(node, page);
    else if (node.type === 'element' && ENTRIES.has(node.name)) html += page.html([node]);
    else if ('children' in node) html += writeEntries(node.children, page);
  }
  return html;
}

/** List items: one with a nested list or a slash at its end is a folder. */
function writeList(list: List, page: PageScope): string {
  const level = nesting.nearest(page) ?? 1;
  let html = '';
  for (const item of list.children) {
    if (item.type !== 'listItem') continue;
    const label = (item as ListItem).children.filter((node) => node.type !== 'list');
    const lists = (item as ListItem).children.filter((node) => node.type === 'list');
    const written = page.text(label).trim();
    if (lists.length === 0 && !written.endsWith('/')) html += file(written, ' class="tree-file"', level);
    else {
      const name = written.replace(/\/$/, '');
      const entries = nesting.within(page, level + 1, () => writeEntries(lists, page));
      html += folder({
        name,
        entries,
        isOpen: true,
        isFixed: false,
        attributes: ' class="tree-folder"',
        level,
      });
    }
  }
  return html;
}
