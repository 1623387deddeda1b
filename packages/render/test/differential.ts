import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Nodes, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { mdxjs } from 'micromark-extension-mdxjs';
import { RESERVED_IDS } from '../src/theme/reserved.ts';

/**
 * The other side of the differential test: pages read by the parser of the MDX project and walked by the rules of
 * the documentation, with none of the renderer's code, only its list of reserved ids.
 */

export interface Reading {
  /** Runs of words that a page shows one after the other, in document order. */
  blocks: string[];
  /** Links written as Markdown or with a plain `href`, as written, each with its file. */
  links: { href: string; file: string }[];
  headings: { depth: number; text: string; id: string }[];
  /** All source text that the page is made of. */
  sources: string[];
}

type Names = ReadonlyMap<string, Root | string>;

interface Walk {
  folder: string;
  reading: Reading;
  ids: Map<string, number>;
  taken: Set<string>;
  definitions: Map<string, string>;
  depth: number;
  /** Inside a link, or in text that readers copy. */
  noLinks: boolean;
  /** Pages that bring their own layout give no ids to headings. */
  noIds: boolean;
}

/** Letters and digits only: typeset punctuation and markup do not count. */
export function wordsOf(text: string): string {
  return (text.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}

/** `## Title {#id}` is not MDX; outside fences the id becomes a mark that the walk reads, and comments of HTML go. */
function prepare(text: string): string {
  let fence: string | null = null;
  let isComment = false;
  const lines = text.split('\n').map((line) => {
    const mark = isComment ? undefined : /^[\s>]*(?:[-*+] |\d+[.)] )*\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === null ? mark : null;
      return line;
    }
    if (fence !== null) return line;
    if (isComment) {
      isComment = !line.includes('-->');
      return isComment ? '' : line.replace(/^.*?-->/, '');
    }
    const bare = line.replace(/<!--.*?-->/g, '');
    isComment = bare.includes('<!--') && !/`[^`]*<!--[^`]*`/.test(bare);
    const kept = isComment ? bare.replace(/<!--.*$/, '') : bare;
    return kept.replace(/^(\s*#{1,6} .*?)\s*\{#([^\s{}]+)\}\s*$/, '$1 {"#$2"}');
  });
  return lines.join('\n');
}

/** Throws if the text is not MDX. */
export function parse(text: string): Root {
  return fromMarkdown(prepare(text), {
    extensions: [mdxjs(), gfm(), frontmatter(['yaml', 'toml'])],
    mdastExtensions: [mdxFromMarkdown(), gfmFromMarkdown(), frontmatterFromMarkdown(['yaml', 'toml'])],
  });
}

/** Reads a page of a site. Throws if it is not MDX. */
export function readPage(folder: string, file: string, title: string | null, noIds = false): Reading {
  const reading: Reading = { blocks: [], links: [], headings: [], sources: [] };
  const walk: Walk = {
    folder,
    reading,
    ids: new Map([...RESERVED_IDS].map((id) => [id, 1])),
    taken: new Set(),
    definitions: new Map(),
    depth: 0,
    noLinks: false,
    noIds,
  };
  readFile(file, new Map(), title, walk);
  return reading;
}

function readFile(file: string, props: Names, title: string | null, walk: Walk): void {
  const text = readFileSync(posix.join(walk.folder, file), 'utf8');
  walk.reading.sources.push(text);
  walkRoot(parse(text), file, props, title, walk);
}

function walkRoot(root: Root, file: string, props: Names, title: string | null, walk: Walk): void {
  if (++walk.depth > 20) return;
  const names = new Map<string, Root | string>(props);
  for (const node of root.children) {
    if (node.type === 'mdxjsEsm') readModule(node.value, file, names, walk);
    if (node.type === 'definition') walk.definitions.set(node.identifier, node.url);
  }
  let first = true;
  for (const node of root.children) {
    if (['yaml', 'toml', 'mdxjsEsm'].includes(node.type)) continue;
    const repeats = first && title !== null && node.type === 'heading' && node.depth === 1;
    first = false;
    if (repeats && withoutMarks(inlineText(node, names)) === withoutMarks(title)) continue;
    walkBlock(node, file, names, walk);
  }
  walk.depth--;
}

const imports = new Map<string, Root>();

/** Content of imported snippets, and constants that are plain strings. */
function readModule(code: string, file: string, names: Map<string, Root | string>, walk: Walk): void {
  walk.reading.sources.push(code);
  for (const [, name = '', target = ''] of code.matchAll(/import\s+(\w+)[^'"\n]*from\s*['"]([^'"]+)['"]/g)) {
    const path = findFile(target, file, walk.folder);
    if (path === null) continue;
    const text = readFileSync(posix.join(walk.folder, path), 'utf8');
    walk.reading.sources.push(text);
    if (!/\.mdx?$/.test(path)) continue;
    const root = imports.get(path) ?? parse(text);
    imports.set(path, root);
    Object.assign(root, { file: path });
    names.set(name, root);
  }
  for (const [, list = '', target = ''] of code.matchAll(/import\s+\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g)) {
    const path = findFile(target, file, walk.folder);
    if (path === null) continue;
    const text = readFileSync(posix.join(walk.folder, path), 'utf8');
    walk.reading.sources.push(text);
    for (const name of list.split(',').map((part) => part.trim())) {
      const value = new RegExp(`export const ${name.replace(/\W/g, '')} = (["'\`])([^"'\`$]*)\\1`).exec(
        text,
      )?.[2];
      if (value !== undefined) names.set(name, value);
    }
  }
  for (const [, name = '', , value = ''] of code.matchAll(
    /export const (\w+) = (["'`])([^"'`$\n]*)\2;?\s*$/gm,
  ))
    names.set(name, value);
}

function findFile(target: string, file: string, folder: string): string | null {
  const base = target.startsWith('.') ? posix.join(posix.dirname(file), target) : target.replace(/^\/+/, '');
  for (const suffix of ['', '.mdx', '.md', '.jsx', '.tsx', '.js']) {
    try {
      readFileSync(posix.join(folder, base + suffix));
      return base + suffix;
    } catch {
      // The next suffix.
    }
  }
  return null;
}

interface JsxNode {
  type: 'mdxJsxFlowElement' | 'mdxJsxTextElement';
  name: string | null;
  attributes: { type: string; name?: string; value?: unknown }[];
  children: RootContent[];
}

function attributeOf(node: JsxNode, name: string, names: Names): string | null {
  const found = node.attributes.find((attribute) => attribute.name === name);
  if (found === undefined) return null;
  if (typeof found.value === 'string') return found.value;
  const code = (found.value as { value?: string } | null)?.value?.trim() ?? '';
  const literal = /^(["'`])([^"'`$]*)\1$/.exec(code)?.[2];
  const known = names.get(code);
  return literal ?? (typeof known === 'string' ? known : null);
}

function isJsx(node: { type: string }): boolean {
  return node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement';
}

// Anchors, by the rule of the documentation.

const gone = /[?,;:!"()[\]{}`<>|\\^*]|\u200d|\ufe0f|\u20e3|\p{Extended_Pictographic}|\p{RI}|\p{EMod}/u;

function anchorOf(text: string): string {
  let id = '';
  for (const char of text.trim().toLowerCase()) {
    if (char === "'") id += '’';
    else if (/[\s.]/.test(char)) id += '-';
    else if (!gone.test(char)) id += char;
  }
  return id.replace(/-+/g, '-').replace(/^-|-$/g, '') || 'section';
}

function takeId(wanted: string, walk: Walk): string {
  let number = (walk.ids.get(wanted) ?? 0) + 1;
  let id = number === 1 ? wanted : `${wanted}-${number}`;
  while (walk.taken.has(id)) id = `${wanted}-${++number}`;
  walk.ids.set(wanted, number);
  walk.taken.add(id);
  return id;
}

function headingId(explicit: string | null, text: string, walk: Walk): string {
  if (explicit === null && walk.noIds) return '';
  return takeId(explicit ?? anchorOf(text.replaceAll('_', '-')), walk);
}

// Blocks

function add(text: string, walk: Walk): void {
  const words = wordsOf(text);
  if (words !== '') walk.reading.blocks.push(words);
}

function walkBlock(node: RootContent | Nodes, file: string, names: Names, walk: Walk): void {
  if (isJsx(node)) {
    walkElement(node as unknown as JsxNode, file, names, walk);
    return;
  }
  switch (node.type) {
    case 'heading':
      walkHeading(node, file, names, walk);
      return;
    case 'paragraph':
    case 'tableCell':
      walkInline(node.children, file, names, walk);
      return;
    case 'code':
      add(fillFence(node.value, names).replace(/\[!code [^\]]*\]/g, ''), walk);
      return;
    case 'definition':
    case 'mdxFlowExpression':
      return;
    default:
      if ('children' in node) for (const child of node.children) walkBlock(child, file, names, walk);
  }
}

/** In a snippet, `{name}` in a fence is the value of a prop. */
function fillFence(code: string, names: Names): string {
  return code.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = names.get(name);
    return typeof value === 'string' ? value : whole;
  });
}

function walkHeading(node: Nodes & { type: 'heading' }, file: string, names: Names, walk: Walk): void {
  const last = node.children.at(-1);
  const explicit = last?.type === 'mdxTextExpression' ? /^"#(.*)"$/.exec(last.value)?.[1] : undefined;
  const children = explicit === undefined ? node.children : node.children.slice(0, -1);
  const all = children.map((child) => inlineText(child, names)).join('');
  const id = headingId(explicit ?? null, all, walk);
  walk.reading.headings.push({ depth: node.depth, text: wordsOf(all), id });
  walkInline(children, file, names, walk);
}

/** One run of text, split at block elements. */
function walkInline(children: readonly RootContent[], file: string, names: Names, walk: Walk): void {
  let run = '';
  const flush = (): void => {
    add(run, walk);
    run = '';
  };
  for (const child of children) {
    const jsx = isJsx(child) ? (child as unknown as JsxNode) : null;
    if (jsx !== null && (/^[A-Z]/.test(jsx.name ?? '') || blockTags.has(jsx.name ?? ''))) {
      flush();
      walkElement(jsx, file, names, walk);
    } else if (child.type === 'mdxTextExpression' && expressionText(child.value, names) === null) flush();
    else if (child.type === 'break') run += ' ';
    else {
      run += inlineText(child, names);
      if (hasComponent(child)) {
        flush();
        walkInline('children' in child ? (child.children as RootContent[]) : [], file, names, walk);
      } else collectLinks(child, file, names, walk);
    }
  }
  flush();
}

const blockTags = new Set(
  'div p section table tr td th ul ol li br img video iframe pre blockquote details summary'.split(' '),
);

function hasComponent(node: Nodes): boolean {
  if (!('children' in node)) return false;
  return (node.children as Nodes[]).some(
    (child) =>
      (isJsx(child) && /^[A-Z]/.test((child as unknown as JsxNode).name ?? '')) || hasComponent(child),
  );
}

function inlineText(node: Nodes | RootContent, names: Names): string {
  switch (node.type) {
    case 'text':
    case 'inlineCode':
      return node.value;
    case 'break':
      return ' ';
    case 'image':
    case 'imageReference':
    case 'footnoteReference':
      return '';
    case 'mdxTextExpression':
      return expressionText(node.value, names) ?? '';
    default:
      if (isJsx(node) && ['br', 'img'].includes((node as unknown as JsxNode).name ?? '')) return ' ';
      return 'children' in node
        ? (node.children as RootContent[]).map((child) => inlineText(child, names)).join('')
        : '';
  }
}

/** Text of an expression that needs no evaluation; null for any other. */
function expressionText(code: string, names: Names): string | null {
  const source = code.trim();
  if (source === '' || /^\/\*[\s\S]*\*\/$/.test(source)) return '';
  const literal = /^(["'`])([^"'`$\\]*)\1$/.exec(source)?.[2];
  if (literal !== undefined) return literal;
  if (/^\d+$/.test(source)) return source;
  const known = names.get(source);
  return typeof known === 'string' ? known : null;
}

function collectLinks(node: Nodes | RootContent, file: string, names: Names, walk: Walk): void {
  if (walk.noLinks) return;
  if (node.type === 'link') walk.reading.links.push({ href: node.url, file });
  else if (node.type === 'linkReference') {
    const url = walk.definitions.get(node.identifier);
    if (url !== undefined) walk.reading.links.push({ href: url, file });
  } else if (isJsx(node)) linkOf(node as unknown as JsxNode, file, names, walk);
  const isLink =
    node.type === 'link' || (isJsx(node) && linkElements.has((node as unknown as JsxNode).name ?? ''));
  if ('children' in node && !isLink)
    for (const child of node.children as RootContent[]) collectLinks(child, file, names, walk);
}

const linkElements = new Set(['a', 'Link', 'Card', 'Tile', 'Badge']);

function linkOf(node: JsxNode, file: string, names: Names, walk: Walk): void {
  const isTooltip = node.name === 'Tooltip' && attributeOf(node, 'cta', names) !== null;
  if (walk.noLinks || !(isTooltip || linkElements.has(node.name ?? ''))) return;
  const href = attributeOf(node, 'href', names);
  if (href !== null) walk.reading.links.push({ href, file });
}

// Elements

const withoutMarks = (text: string): string => text.replace(/[`*_~]/g, '').trim();

/** What takes an id from its title, in the order of the document. */
const titled: Readonly<Record<string, string>> = {
  Step: 'title',
  Accordion: 'title',
  Tab: 'title',
  Update: 'label',
  View: 'title',
};
const dropped = new Set(['script', 'style', 'Icon', 'svg', 'iframe', 'Latex', 'Mermaid', 'Color']);

function walkElement(node: JsxNode, file: string, names: Names, walk: Walk): void {
  const name = node.name ?? '';
  if (dropped.has(name)) return;
  if (name === 'Visibility' && attributeOf(node, 'for', names) !== 'humans') return;
  linkOf(node, file, names, walk);
  if (walkSnippet(node, file, names, walk)) return;
  const key = titled[name];
  const title = key === undefined ? null : (attributeOf(node, 'id', names) ?? attributeOf(node, key, names));
  if (title !== null) takeId(attributeOf(node, 'id', names) ?? anchorOf(title), walk);
  if (/^h[1-6]$/.test(name)) {
    const text = node.children.map((child) => inlineText(child, names)).join('');
    const id = headingId(attributeOf(node, 'id', names), text, walk);
    walk.reading.headings.push({ depth: Number(name[1]), text: wordsOf(text), id });
  }
  const { noLinks } = walk;
  if (name === 'Prompt' || name === 'a' || name === 'Link') walk.noLinks = true;
  const children = name === 'Prompt' ? structuredClone(node.children) : node.children;
  if (name === 'Prompt') children.forEach(spellLinks);
  const isLine = children.every(
    (child) => child.type !== 'paragraph' && !/Flow|list|code|table|heading|blockquote/.test(child.type),
  );
  if (isLine) walkInline(children, file, names, walk);
  else for (const child of children) walkBlock(child, file, names, walk);
  walk.noLinks = noLinks;
  // The content of an element reserves its ids first.
  const id = title === null && !/^h[1-6]$/.test(name) ? attributeOf(node, 'id', names) : null;
  if (id !== null) takeId(id, walk);
}

/** A prompt shows its Markdown: links with their URLs. */
function spellLinks(node: RootContent): void {
  if (!('children' in node)) return;
  if (node.type === 'link' && inlineText(node, new Map()) !== node.url)
    node.children.push({ type: 'text', value: ` ${node.url}` });
  for (const child of node.children) spellLinks(child as RootContent);
}

/** Content of a snippet in place of its element; false if the element is not a snippet. */
function walkSnippet(node: JsxNode, file: string, names: Names, walk: Walk): boolean {
  const known = names.get(node.name ?? '');
  if (known !== undefined && typeof known !== 'string') {
    walkRoot(known, (known as Root & { file: string }).file, propsOf(node, names), null, walk);
    return true;
  }
  if (node.name !== 'Snippet') return false;
  const path = attributeOf(node, 'file', names) ?? '';
  const found = ['snippets', '_snippets'].map((folder) => findFile(`/${folder}/${path}`, file, walk.folder));
  const first = found.find((each) => each !== null);
  if (first !== undefined) readFile(first, propsOf(node, names), null, walk);
  return true;
}

function propsOf(node: JsxNode, names: Names): Names {
  const props = new Map<string, string>();
  for (const { name } of node.attributes) {
    const value = name === undefined ? null : attributeOf(node, name, names);
    if (name !== undefined && value !== null) props.set(name, value);
  }
  return props;
}
