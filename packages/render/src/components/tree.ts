import { escapeText } from '../escape.ts';
import { iconSvg } from '../icons/index.ts';
import type { List, ListItem, Node } from '../tree.ts';
import type { Component, PageScope } from './component.ts';
import { createNesting } from './nesting.ts';
import { attribute, isOff, readFlag, readText, rootAttributes } from './props.ts';

const nesting = createNesting<true>();
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
  const entries = nesting.within(page, true, () => writeEntries(children, page));
  return wrap(attributes, entries, page);
};

export const treeFolder: Component = (props, children, page) => {
  const isInTree = nesting.nearest(page) !== null;
  const entries = nesting.within(page, true, () => writeEntries(children, page));
  const isFixed = isOff(props, 'openable');
  const html = folder({
    name: readText(props, 'name') ?? '',
    entries,
    isOpen: isFixed || readFlag(props, 'defaultOpen'),
    isFixed,
    attributes: entryAttributes(props, page, 'tree-folder'),
    page,
  });
  return isInTree ? html : wrap(' class="tree"', html, page);
};

export const treeFile: Component = (props, _children, page) => {
  const html = file(readText(props, 'name') ?? '', entryAttributes(props, page, 'tree-file'));
  return nesting.nearest(page) === null ? wrap(' class="tree"', html, page) : html;
};

function entryAttributes(props: Parameters<Component>[0], page: PageScope, className: string): string {
  return rootAttributes(props, page, [className, readFlag(props, 'highlight') ? 'tree-highlight' : null]);
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
  page: PageScope;
}

function folder({ name, entries, isOpen, isFixed, attributes, page }: Folder): string {
  const canToggle = !isFixed && entries !== '';
  const state = canToggle ? ` aria-expanded="${isOpen}"` : '';
  const list =
    entries === ''
      ? ''
      : `<ul role="group"${attribute('aria-label', name)}${isOpen ? '' : ' hidden="until-found"'}>${entries}</ul>`;
  const row = `<div class="tree-row" data-component-part="tree-row">${glyph('folder')}<span class="tree-name">${escapeText(name)}</span></div>`;
  const label = attribute('aria-label', name || page.strings.details);
  return `<li${attributes} role="treeitem"${label}${state}>${row}${list}</li>`;
}

function file(name: string, attributes: string): string {
  return `<li${attributes} role="treeitem"><div class="tree-row" data-component-part="tree-row">${glyph('file')}<span class="tree-name">${escapeText(name)}</span></div></li>`;
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
  let html = '';
  for (const item of list.children) {
    if (item.type !== 'listItem') continue;
    const label = (item as ListItem).children.filter((node) => node.type !== 'list');
    const lists = (item as ListItem).children.filter((node) => node.type === 'list');
    const written = page.text(label).trim();
    if (lists.length === 0 && !written.endsWith('/')) html += file(written, ' class="tree-file"');
    else {
      const name = written.replace(/\/$/, '');
      const entries = writeEntries(lists, page);
      html += folder({
        name,
        entries,
        isOpen: true,
        isFixed: false,
        attributes: ' class="tree-folder"',
        page,
      });
    }
  }
  return html;
}
