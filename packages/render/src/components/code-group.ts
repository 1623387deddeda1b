import { codeLabel } from '../code/index.ts';
import { escapeText } from '../escape.ts';
import type { Node, Props } from '../tree.ts';
import type { Component, PageScope } from './component.ts';
import { attribute, classAttribute, readFlag, readId, readText } from './props.ts';
import { type TabPanel, writePanels } from './tabs.ts';

/** Fences behind tabs, named by their titles, else by their languages. */
export const codeGroup: Component = (props, children, page) => writeGroup(props, children, page, null);

/** Sample request, in the right column on wide screens. */
export const requestExample: Component = (props, children, page) =>
  `<div id="request-example" class="api-example request-example">${writeGroup(props, children, page, 'Request')}</div>`;

/** Sample response, in the right column on wide screens. */
export const responseExample: Component = (props, children, page) =>
  `<div id="response-example" class="api-example response-example">${writeGroup(props, children, page, 'Response')}</div>`;

/** A code block written as an element. */
export const codeBlock: Component = (props, children, page) => {
  const sample = readCodeBlock(props, children, page);
  return page.code(sample.value, sample.lang, sample.meta);
};

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
  const panels = samples.map((sample, index): TabPanel => {
    const label = labelOf(sample, index, name);
    const html = page.code(sample.value, sample.lang, sample.meta);
    return { id: page.id(`code-${label}`), label: escapeText(label), name: label, icon: '', html };
  });
  const look = readFlag(props, 'dropdown') ? 'code-group-dropdown' : null;
  const attributes = attribute('id', readId(props)) + classAttribute(props, 'code-group', look);
  return `<div${attributes} data-tabs data-sync>${writePanels(panels, 0, page)}</div>${rest}`;
}

/** `Request`, `Request 2`... for untitled fences of an example; the language elsewhere. */
function labelOf(sample: Sample, index: number, name: string | null): string {
  const numbered = `${name ?? 'Code'}${index === 0 ? '' : ` ${index + 1}`}`;
  return codeLabel(name === null ? sample.lang : null, sample.meta, numbered);
}

/** Takes fences and code blocks out of wrappers; what else stands in the group follows after it. */
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
  const value = fence?.value ?? page.text(children).replace(/^\n+|\s+$/g, '');
  return { value, lang, meta: meta === '' ? null : meta };
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
