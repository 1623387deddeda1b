import { codeLabel, parseFenceMeta } from '../code/index.ts';
import { escapeText } from '../escape.ts';
import type { Node, Props } from '../tree.ts';
import { keptInView } from './choice.ts';
import type { Component, PageScope } from './component.ts';
import { panels } from './panel.ts';
import { readFlag, readText, rootAttributes } from './props.ts';
import { addExample, isKept } from './side.ts';
import { type TabPanel, writePanels } from './tabs.ts';

/** Fences behind tabs, named by their titles, else by their languages. */
export const codeGroup: Component = (props, children, page) => writeGroup(props, children, page, null);

/** Sample request, at the side on wide screens. */
export const requestExample: Component = (props, children, page) =>
  writeExample('request-example', 'Request', props, children, page);

/** Sample response, at the side on wide screens. */
export const responseExample: Component = (props, children, page) =>
  writeExample('response-example', 'Response', props, children, page);

/** A code block written as an element. */
export const codeBlock: Component = (props, children, page) => {
  const sample = readCodeBlock(props, children, page);
  const html = page.code(sample.value, sample.lang, sample.meta);
  const attributes = rootAttributes(props, page, []);
  return attributes === '' ? html : `<div${attributes}>${html}</div>`;
};

/** Examples of a page go to its side; those that belong to a step or a panel stay there. */
function writeExample(
  name: string,
  label: string,
  ...[props, children, page]: Parameters<Component>
): string {
  const group = writeGroup({ dropdown: props.dropdown }, children, page, label);
  const id = page.takeId(readText(props, 'id') ?? name);
  const html = `<div${rootAttributes(props, page, ['api-example', name], id)}>${group}</div>`;
  if (!page.hasSide || panels.nearest(page) !== null || isKept(page)) return html;
  addExample(page, keptInView(page, html));
  return '';
}

interface Sample {
  value: string;
  lang: string | null;
  meta: string | null;
}

function writeGroup(props: Props, children: readonly Node[], page: PageScope, name: string | null): string {
  const samples: Sample[] = [];
  const others: Node[] = [];
  collect(children, page, samples, others);
  const rest = others.length === 0 ? '' : page.html(others);
  if (samples.length === 0) return rest;
  const tabs = samples.map((sample, index): TabPanel => {
    const label = labelOf(sample, index, name);
    const { icon } = parseFenceMeta(sample.meta);
    return {
      id: page.id(`code-${label}`),
      label: escapeText(label),
      name: label,
      icon: icon === null ? '' : page.icon(icon, { size: 14, className: 'tab-icon' }),
      html: page.code(sample.value, sample.lang, sample.meta),
    };
  });
  const look = readFlag(props, 'dropdown') ? 'code-group-dropdown' : null;
  const attributes = rootAttributes(props, page, ['code-group', look]);
  return `<div${attributes} data-op-tabs data-op-sync>${writePanels(tabs, 0, page)}</div>${rest}`;
}

/** `Request`, `Request 2`... for untitled fences of an example; the language elsewhere. */
function labelOf(sample: Sample, index: number, name: string | null): string {
  const numbered = `${name ?? 'Code'}${index === 0 ? '' : ` ${index + 1}`}`;
  return codeLabel(name === null ? sample.lang : null, sample.meta, numbered);
}

/** Takes fences and code blocks out of wrappers; the other content of the group follows after it. */
function collect(nodes: readonly Node[], page: PageScope, samples: Sample[], others: Node[]): void {
  for (const node of nodes) {
    if (node.type === 'code') samples.push({ value: node.value, lang: node.lang, meta: node.meta });
    else if (node.type === 'element' && node.name === 'CodeBlock') {
      samples.push(readCodeBlock(node.props, node.children, page));
    } else if ('children' in node && containsCode(node)) collect(node.children, page, samples, others);
    else if (node.type !== 'text' || node.value.trim() !== '') others.push(node);
  }
}

function containsCode(node: Node): boolean {
  if (node.type === 'code' || (node.type === 'element' && node.name === 'CodeBlock')) return true;
  return 'children' in node && node.children.some(containsCode);
}

function readCodeBlock(props: Props, children: readonly Node[], page: PageScope): Sample {
  const fence =
    page.elements(children).length === 0 ? children.find((node) => node.type === 'code') : undefined;
  const options = [
    option('title', readText(props, 'filename') ?? readText(props, 'title')),
    option('icon', readText(props, 'icon')),
    option('highlight', listText(props, 'highlight')),
    option('focus', listText(props, 'focus')),
    ...['lines', 'wrap', 'expandable', 'nocopy'].map((name) => (readFlag(props, name) ? name : null)),
  ].filter((part) => part !== null);
  const lang = readText(props, 'language') ?? readText(props, 'lang') ?? fence?.lang ?? null;
  const meta = [fence?.meta ?? null, ...options].filter((part) => part !== null).join(' ');
  const value = fence?.value ?? codeText(children).replace(/^(?:[ \t]*\n)+|\s+$/g, '');
  return { value, lang, meta: meta === '' ? null : meta };
}

/** Text of children as it is written, blanks and line ends included. */
function codeText(nodes: readonly Node[]): string {
  return nodes.map(codeTextOf).join('');
}

function codeTextOf(node: Node): string {
  if (node.type === 'break') return '\n';
  if (node.type === 'paragraph') return `${codeText(node.children)}\n`;
  if ('children' in node) return codeText(node.children);
  return 'value' in node ? node.value : '';
}

function listText(props: Props, name: string): string | null {
  const value = props[name];
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'number').join(',');
  return readText(props, name);
}

/** The value in quotes that it does not hold itself. */
function option(name: string, value: string | null): string | null {
  if (value === null || value === '') return null;
  return value.includes('"') ? `${name}='${value.replaceAll("'", '’')}'` : `${name}="${value}"`;
}
