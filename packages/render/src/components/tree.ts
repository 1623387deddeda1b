import type { IconRef } from '../site.ts';
import type { List, Node } from '../tree.ts';
import { type Component, css, defineComponent, type PageScope } from './component.ts';
import { type Attributes, h, isEmpty, part, type View } from './markup.ts';
import { createNesting } from './nesting.ts';
import { rootAttributes } from './props.ts';
import { type Common, flag, searched, switchedOn, text } from './schema.ts';

/** Depth of the entries being written, from 1. */
const nesting = createNesting<number>();
const ENTRY = /^(?:File)?Tree\.(?:Folder|File)$/;
const SIGNS = {
  folder: { name: 'folder', style: null, library: 'lucide' },
  file: { name: 'file', style: null, library: 'lucide' },
} satisfies Record<string, IconRef>;

/** After the tree pattern of the ARIA Authoring Practices. Without JavaScript every folder is open. */
export const tree = defineComponent({
  name: 'Tree',
  aliases: ['FileTree'],
  kind: 'block',
  about: 'A file tree of `Tree.Folder` and `Tree.File` elements or of a Markdown list',
  example:
    '<Tree><Tree.Folder name="src"><Tree.File name="a.ts" /><Tree.Folder name="b" defaultOpen><Tree.File name="c" /></Tree.Folder></Tree.Folder></Tree>',
  isVerbatim: true,
  icons: [SIGNS.folder, SIGNS.file],
  props: {},
  view({ common }, children, page) {
    const root = rootAttributes(common, page, ['tree']);
    return wrap(
      root,
      nesting.within(page, 1, () => entriesOf(children, page)),
      page,
    );
  },
  client: 'tree',
  style: css`
    .op-tree,
    .op-tree ul {
      margin: 0;
      padding: 0;
      list-style: none;
    }
    .op-tree {
      --tree-highlight: var(--color-primary);
      margin-block: 20px;
      padding: 10px;
      border: 1px solid var(--color-border);
      border-radius: var(--radius-card);
      background: var(--color-raised);
      font-family: var(--font-mono);
      font-size: 13.5px;
      line-height: 20px;
      overflow-x: auto;
    }
    .op-tree ul {
      margin-inline-start: 15px;
      padding-inline-start: 8px;
      border-inline-start: 1px solid var(--color-border);
    }
    .op-tree li {
      margin: 0;
      padding: 0;
    }
    .op-tree-row {
      display: flex;
      align-items: center;
      gap: 8px;
      min-block-size: 30px;
      padding-inline: 24px 10px;
      position: relative;
      border-radius: 6px;
      white-space: nowrap;
    }
    .op-tree-row[aria-expanded] {
      cursor: pointer;
    }
    .op-tree-row:hover {
      background: var(--chip);
    }
    .op-tree-row:focus-visible {
      outline: 2px solid var(--color-primary);
      outline-offset: -2px;
    }
    .op-tree .op-icon {
      color: var(--color-muted);
    }
    .op-tree-row[aria-expanded]::before {
      content: "";
      position: absolute;
      inset-inline-start: 9px;
      inline-size: 6px;
      block-size: 6px;
      border: solid var(--color-muted);
      border-width: 0 1.5px 1.5px 0;
      rotate: -45deg;
    }
    [dir="rtl"] .op-tree-row[aria-expanded]::before {
      rotate: 135deg;
    }
    .op-tree-row[aria-expanded="true"]::before,
    [dir="rtl"] .op-tree-row[aria-expanded="true"]::before {
      rotate: 45deg;
    }
    .op-tree-name {
      direction: ltr;
      unicode-bidi: isolate;
    }
    .op-tree-highlight > .op-tree-row {
      background: color-mix(in oklab, var(--tree-highlight) 10%, transparent);
      font-weight: 600;
    }
    .op-tree-highlight > .op-tree-row .op-icon {
      color: var(--tree-highlight);
    }
    .op-tree-highlight .op-tree-name {
      color: color-mix(in oklab, var(--tree-highlight) 55%, var(--color-text));
    }
    @media (prefers-reduced-motion: no-preference) {
      .op-tree-row::before {
        transition: rotate 150ms ease-out;
      }
    }
    @media (scripting: none) {
      .op-tree-row[aria-expanded]::before {
        display: none;
      }
      .op-tree [hidden] {
        display: block !important;
        content-visibility: visible;
      }
    }
    @media print {
      .op-tree [hidden] {
        display: block !important;
        content-visibility: visible;
      }
    }
    @media (forced-colors: active) {
      .op-tree-highlight > .op-tree-row {
        border: 1px solid Highlight;
      }
    }
  `,
});

const highlight = flag('highlights the entry; for a folder, also its content');

export const treeFolder: Component = defineComponent({
  name: 'Tree.Folder',
  aliases: ['FileTree.Folder'],
  kind: 'block',
  about: 'A folder of a tree',
  example:
    '<Tree><Tree.Folder name="docs" openable={false}><Tree.File name="docs.json" /></Tree.Folder></Tree>',
  isVerbatim: true,
  props: {
    name: searched(text('name of the folder')),
    defaultOpen: flag('open initially'),
    openable: switchedOn('keeps it open'),
    highlight,
  },
  view(props, children, page) {
    const isInTree = nesting.nearest(page) !== null;
    const level = nesting.nearest(page) ?? 1;
    const entries = nesting.within(page, level + 1, () => entriesOf(children, page));
    const shown = folder(
      {
        name: props.name ?? '',
        entries,
        isOpen: !props.openable || props.defaultOpen,
        isFixed: !props.openable,
        attributes: entryAttributes(props, page, 'tree-folder', !isInTree),
        level,
      },
      page,
    );
    return isInTree ? shown : wrap(loneTree(page), shown, page);
  },
});

export const treeFile: Component = defineComponent({
  name: 'Tree.File',
  aliases: ['FileTree.File'],
  kind: 'block',
  about: 'A file of a tree',
  example: '<Tree><Tree.File name="docs.json" highlight /></Tree>',
  isVerbatim: true,
  props: { name: searched(text('name of the file')), highlight },
  view(props, _children, page) {
    const level = nesting.nearest(page);
    const attributes = entryAttributes(props, page, 'tree-file', level === null);
    const shown = file(props.name ?? '', attributes, level ?? 1, page);
    return level === null ? wrap(loneTree(page), shown, page) : shown;
  },
});

/** Root of an entry without a tree around it. */
function loneTree(page: PageScope): Attributes {
  return { 'data-component-name': page.name, class: 'tree op-tree' };
}

function entryAttributes(
  props: { readonly common: Common; readonly highlight: boolean },
  page: PageScope,
  className: string,
  isLone: boolean,
): Attributes {
  const root = rootAttributes(props.common, page, [className, props.highlight ? 'op-tree-highlight' : null]);
  return isLone ? { ...root, 'data-component-name': null } : root;
}

function wrap(attributes: Attributes, entries: View, page: PageScope): View {
  return h('ul', { ...attributes, role: 'tree', 'aria-label': page.strings.fileTree }, entries);
}

interface Folder {
  name: string;
  entries: View;
  isOpen: boolean;
  /** Cannot be opened or closed. */
  isFixed: boolean;
  attributes: Attributes;
  level: number;
}

function folder({ name, entries, isOpen, isFixed, attributes, level }: Folder, page: PageScope): View {
  const isBare = isEmpty(entries);
  const expanded = isFixed || isBare ? null : String(isOpen);
  const list = { role: 'group', 'aria-label': name, hidden: isOpen ? null : 'until-found' };
  return h(
    'li',
    { ...attributes, role: 'none' },
    row(SIGNS.folder, name, level, expanded, page),
    isBare ? null : h('ul', list, entries),
  );
}

function file(name: string, attributes: Attributes, level: number, page: PageScope): View {
  return h('li', { ...attributes, role: 'none' }, row(SIGNS.file, name, level, null, page));
}

function row(sign: IconRef, name: string, level: number, expanded: string | null, page: PageScope): View {
  return part(
    'div',
    'tree-row',
    { role: 'treeitem', 'aria-level': level, 'aria-expanded': expanded },
    page.icon(sign, { size: 16, isOwn: true }),
    h('span', { class: 'op-tree-name' }, name),
  );
}

function entriesOf(nodes: readonly Node[], page: PageScope): View {
  return nodes.map((node) => {
    if (node.type === 'list') return listEntries(node, page);
    if (node.type === 'element' && ENTRY.test(node.name)) return page.content([node]);
    // A component of the page, whose entries only the browser knows.
    if (page.isLive && node.type === 'slot') return page.content([node]);
    return 'children' in node ? entriesOf(node.children, page) : null;
  });
}

/** List items: one with a nested list or a slash at its end is a folder. */
function listEntries(list: List, page: PageScope): View {
  const level = nesting.nearest(page) ?? 1;
  return list.children.map((item) => {
    if (item.type !== 'listItem') return null;
    const isList = ({ type }: Node) => type === 'list';
    const written = page.text(item.children.filter((node) => !isList(node))).trim();
    const lists = item.children.filter(isList);
    if (lists.length === 0 && !written.endsWith('/'))
      return file(written, { class: 'tree-file' }, level, page);
    const entries = nesting.within(page, level + 1, () => entriesOf(lists, page));
    const name = written.replace(/\/$/, '');
    return folder(
      { name, entries, isOpen: true, isFixed: false, attributes: { class: 'tree-folder' }, level },
      page,
    );
  });
}
