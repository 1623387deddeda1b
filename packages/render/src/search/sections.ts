import { parseFenceMeta } from '../code/fence.ts';
import { splitCode } from '../code-span.ts';
import type { Component, SearchRule } from '../components/component.ts';
import { components } from '../components/index.ts';
import { isNode, type Node, type Value } from '../tree.ts';

/** A part of a page that a result of the search can lead to. */
export interface Section {
  /** Anchor on the page; empty for the start of the page. */
  id: string;
  /** Plain text of the heading; empty for the start of the page. */
  title: string;
  /** The title is a heading or reads like one, and is not the name of a field or tab. */
  isHeading: boolean;
  /** Plain text below the heading, blocks on lines of their own, code included. */
  text: string;
}

/** Nodes that one page is read to; lists of a page can share parts and grow without limit when written out. */
const MAX_NODES = 1_000_000;
/** Maximum number of characters of a page that are read: longer pages are data and not text. */
const MAX_CHARACTERS = 1_000_000;
const MAX_TITLE = 500;

interface Reader {
  sections: Section[];
  current: Section;
  anchorOf(node: Node): string | undefined;
  footnotes: ReadonlyMap<string, Node>;
  atStart: boolean;
  nodesLeft: number;
  charactersLeft: number;
}

/**
 * Plain text of a resolved page, cut at headings and at what has an anchor of its own: accordions, steps, tabs,
 * updates and fields. `anchorOf` gives the id under which a heading or component was written.
 */
export function readSections(
  nodes: readonly Node[],
  footnotes: ReadonlyMap<string, Node>,
  anchorOf: (node: Node) => string | undefined,
): Section[] {
  const start: Section = { id: '', title: '', isHeading: true, text: '' };
  const reader: Reader = {
    sections: [start],
    current: start,
    anchorOf,
    footnotes,
    atStart: true,
    nodesLeft: MAX_NODES,
    charactersLeft: MAX_CHARACTERS,
  };
  readAll(nodes, reader);
  return reader.sections.filter(
    (section) => section === start || section.title !== '' || section.text !== '',
  );
}

function readAll(nodes: readonly Node[], reader: Reader): void {
  for (const node of nodes) readNode(node, reader);
}

function readNode(node: Node, reader: Reader): void {
  if (--reader.nodesLeft < 0) return;
  switch (node.type) {
    case 'text':
    case 'inlineCode':
    case 'html':
    case 'inlineMath':
      add(node.value, reader);
      return;
    case 'code':
      startBlock(reader);
      // Most often the name of a file.
      if (node.meta !== null) add(parseFenceMeta(node.meta).title ?? '', reader);
      startBlock(reader);
      add(node.value, reader);
      startBlock(reader);
      return;
    case 'math':
      startBlock(reader);
      add(node.value, reader);
      startBlock(reader);
      return;
    case 'break':
      startBlock(reader);
      return;
    case 'image':
      add(node.alt, reader);
      return;
    case 'emphasis':
    case 'strong':
    case 'delete':
    case 'link':
      readAll(node.children, reader);
      return;
    case 'tableCell':
      readAll(node.children, reader);
      add(' ', reader);
      return;
    case 'heading':
      readHeading(node, reader);
      return;
    case 'element':
      readElement(node, reader);
      return;
    case 'footnoteReference':
      readFootnote(node.identifier, reader);
      return;
    case 'thematicBreak':
      return;
    case 'island':
      startBlock(reader);
      readAll(node.children, reader);
      readAll(node.hidden, reader);
      startBlock(reader);
      return;
    default:
      startBlock(reader);
      readAll(node.children, reader);
      startBlock(reader);
  }
}

/** A heading opens a section that ends at the next heading, or at the end of the component around it. */
function readHeading(node: Node & { children: Node[] }, reader: Reader): void {
  const id = reader.anchorOf(node);
  if (id === undefined || id === '') {
    startBlock(reader);
    readAll(node.children, reader);
    startBlock(reader);
    return;
  }
  openSection(id, true, () => readAll(node.children, reader), reader);
}

function openSection(id: string, isHeading: boolean, readTitle: () => void, reader: Reader): void {
  const section: Section = { id, title: '', isHeading, text: '' };
  reader.sections.push(section);
  reader.current = section;
  reader.atStart = true;
  readTitle();
  section.title = section.text.slice(0, MAX_TITLE).replace(/\s+/g, ' ').trim();
  section.text = '';
  reader.atStart = true;
}

/** Each footnote is read at the place of its mark. */
function readFootnote(identifier: string, reader: Reader): void {
  const note = reader.footnotes.get(identifier);
  if (note === undefined || !('children' in note) || note.children.length === 0) return;
  const { nodesLeft } = reader;
  // Notes may refer to each other.
  reader.nodesLeft = Math.min(nodesLeft, 200);
  add(' ', reader);
  readAll(note.children, reader);
  reader.nodesLeft = nodesLeft - 200;
}

/** Props of the components of a site that most often are text. */
const TEXT_PROPS = ['title', 'label', 'headline', 'name', 'description', 'caption', 'hint', 'tip', 'tags'];

/** Names of the props of a component whose text readers see. */
function searchedProps(name: string): readonly string[] {
  const definition = components[name];
  if (definition === undefined) return TEXT_PROPS;
  let names = searchedNames.get(definition);
  if (names === undefined) {
    names = Object.keys(definition.props).filter((prop) => definition.props[prop]?.isSearched === true);
    searchedNames.set(definition, names);
  }
  return names;
}

const searchedNames = new Map<Component, readonly string[]>();

function readElement(node: Node & { type: 'element' }, reader: Reader): void {
  const { name, props } = node;
  const rule = components[name]?.search;
  if (name === 'script' || name === 'style' || rule?.isHidden?.(props) === true) return;
  const isComponent = name.charCodeAt(0) < 97;
  if (!isComponent && /^h[1-6]$/.test(name)) {
    readHeading(node, reader);
    return;
  }
  if (!node.inline) startBlock(reader);
  const outer = reader.current;
  const label = openTitled(node, rule, reader);
  if (isComponent) readProps(node, label, reader);
  if (name === 'img' && typeof props.alt === 'string') add(props.alt, reader);
  if (name === 'br') startBlock(reader);
  readAll(node.children, reader);
  if (label !== null) {
    reader.current = outer;
    reader.atStart = outer.text === '' || outer.text.endsWith('\n');
  }
  if (!node.inline) startBlock(reader);
}

/** Opens the section of a component with a title; the prop that is the title, or null where it has no anchor. */
function openTitled(
  node: Node & { type: 'element' },
  rule: SearchRule | undefined,
  reader: Reader,
): string | null {
  const prop = rule?.title?.find((key) => Object.hasOwn(node.props, key) && isText(node.props[key]));
  if (prop === undefined) return null;
  const id = reader.anchorOf(node);
  if (id === undefined || id === '') return null;
  openSection(id, rule?.isHeading === true, () => readValue(node.props[prop], reader), reader);
  return prop;
}

function isText(value: Value): boolean {
  return (typeof value === 'string' && value.trim() !== '') || (typeof value === 'object' && value !== null);
}

function readProps(node: Node & { type: 'element' }, label: string | null, reader: Reader): void {
  for (const name of searchedProps(node.name)) {
    const value = name === label || !Object.hasOwn(node.props, name) ? undefined : node.props[name];
    if (value === undefined || value === true) continue;
    readValue(value, reader);
    if (node.inline) add(' ', reader);
    else startBlock(reader);
  }
}

function readValue(value: Value, reader: Reader): void {
  if (--reader.nodesLeft < 0) return;
  if (typeof value === 'string') add(splitCode(value).join(''), reader);
  else if (typeof value === 'number') add(String(value), reader);
  else if (Array.isArray(value)) {
    for (const item of value) {
      readValue(item, reader);
      if (typeof item === 'string') add(' ', reader);
    }
  } else if (value !== undefined && isNode(value)) readNode(value, reader);
}

function add(text: string, reader: Reader): void {
  if (text === '' || reader.charactersLeft < 0) return;
  reader.charactersLeft -= text.length;
  reader.current.text += text;
  reader.atStart = text.charCodeAt(text.length - 1) === 10;
}

function startBlock(reader: Reader): void {
  if (reader.atStart) return;
  reader.current.text += '\n';
  reader.atStart = true;
}
