import { isObject } from '../config/json.ts';
import { endpointOf, type NavNode, type Page } from '../site.ts';
import type { PiecedFile } from '../stored-file.ts';
import { absoluteUrl, canonicalUrl, markdownOutput } from '../theme/addresses.ts';
import { inlineText } from '../theme/inline.ts';
import { encodePath, relativeLink } from '../theme/paths.ts';
import type { Theme } from '../theme/theme.ts';

/** Characters that `llms.txt` may have. */
const MAX_LENGTH = 100_000;
const MAX_DESCRIPTION = 300;
/** Links of one of its last sections. */
const MAX_LINKS = 200;
const MAX_DEPTH = 60;

/** What `llms.txt` needs of a rendered page. */
export interface PageAbout {
  page: Page;
  /** First paragraph of a page without a description; null with one. */
  description: string | null;
}

/** What the derived text files need of a rendered page. */
export interface PageText extends PageAbout {
  markdown: string;
}

/** The Markdown twin of a page: title, description, body. */
export function markdownTwin(theme: Theme, text: PageText): string {
  const { page } = text;
  const parts = [instructions(theme), `# ${inlineText(page.title)}`];
  if (page.description !== null && page.lead === null) parts.push(quote(page.description));
  const endpoint = endpointOf(page);
  if (endpoint !== null) parts.push(`\`${endpoint.method} ${endpoint.path}\``);
  parts.push(text.markdown.trim());
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/**
 * `llms.txt` (llmstxt.org): the pages of the default language and version in the order of the navigation.
 * Descriptions are shortened, then entries dropped, until it fits into 100,000 characters. `output` is its path: links
 * are relative to it where the URL of the site is not known.
 */
export function llmsIndex(
  output: string,
  theme: Theme,
  texts: ReadonlyMap<Page, PageAbout>,
  pages: readonly Page[],
): string {
  const { config } = theme.siteMap;
  const head = [
    `# ${oneLine(config.name)}`,
    config.description === null ? '' : quote(config.description),
    instructions(theme),
  ].filter((part) => part !== '');
  const sections = [
    ['OpenAPI Specs', descriptions(output, theme, 'openapi')],
    ['AsyncAPI Specs', descriptions(output, theme, 'asyncapi')],
    ['Optional', optionalLinks(theme).slice(0, MAX_LINKS)],
  ] as const;
  const ends = sections.flatMap(([title, lines]) =>
    lines.length > 0 ? [`## ${title}\n\n${lines.join('\n')}`] : [],
  );
  const sitemap = absoluteUrl(theme, 'sitemap.xml');
  const build = (lines: readonly string[]): string => {
    const rest = pages.length - lines.length;
    const more = rest > 0 ? [`- ${rest} more pages${sitemap === null ? '' : `: see ${sitemap}`}`] : [];
    return `${[...head, `## Docs\n\n${[...lines, ...more].join('\n')}`, ...ends].join('\n\n')}\n`;
  };
  const entries = pages.map((page) => entryOf(output, theme, page, texts.get(page)));
  // with the longest line that can follow those of the pages
  const room = MAX_LENGTH - build([]).length;
  for (const length of [MAX_DESCRIPTION, 120, 60, 0]) {
    const lines = entries.map((entry) => entryLine(entry, length));
    if (fittingLines(lines, room) === lines.length) return build(lines);
  }
  const links = entries.map(({ link }) => link);
  return build(links.slice(0, fittingLines(links, room)));
}

/** How many of the lines fit into that many characters. */
function fittingLines(lines: readonly string[], room: number): number {
  let left = room;
  for (const [at, line] of lines.entries()) {
    left -= line.length + 1;
    if (left < 0) return at;
  }
  return lines.length;
}

/** A part of `llms-full.txt`: the text of a page, or what comes before the first one. */
export interface LlmsPart {
  page: Page | null;
  /** Pieces of the text; KNOWN_PART for one that the earlier render has written. */
  text: readonly string[] | typeof KNOWN_PART;
}

export const KNOWN_PART = Symbol('known part');

/** `llms-full.txt`: every page of the index with its text, which `partOf` returns; null leaves the page out. */
export function llmsParts(
  theme: Theme,
  pages: readonly Page[],
  partOf: (page: Page) => LlmsPart['text'] | null,
): LlmsPart[] {
  const start = instructions(theme);
  const parts: LlmsPart[] = start === '' ? [] : [{ page: null, text: [start] }];
  for (const page of pages) {
    const text = partOf(page);
    if (text !== null) parts.push({ page, text });
  }
  return parts;
}

/** The part of a page. */
export function llmsPart(theme: Theme, { page, markdown }: PageText): readonly string[] {
  const about = page.description === null || page.lead !== null ? '' : `${page.description}\n\n`;
  const url = canonicalUrl(theme, page) ?? encodePath(markdownOutput(page));
  return [`# ${inlineText(page.title)}\nSource: ${url}\n\n${about}`, markdown.trim()];
}

/** Between two parts, and after the last one. */
export const LLMS_BETWEEN = '\n\n';
export const LLMS_END = '\n';

/** Bytes of a part in UTF-8; 0 for one of the earlier render. */
export function partSize({ text }: LlmsPart): number {
  return text === KNOWN_PART ? 0 : text.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

/**
 * All parts, none of which is of the earlier render, as UTF-8. It is the largest text of the site, which is never in memory
 * as a whole.
 */
export function joinLlms(parts: readonly LlmsPart[]): PiecedFile {
  const between = LLMS_BETWEEN.length * Math.max(0, parts.length - 1);
  return {
    size: parts.reduce((sum, part) => sum + partSize(part), between + LLMS_END.length),
    *pieces() {
      for (const [at, { text }] of parts.entries()) {
        if (at > 0) yield Buffer.from(LLMS_BETWEEN);
        if (text !== KNOWN_PART) for (const piece of text) yield Buffer.from(piece);
      }
      yield Buffer.from(LLMS_END);
    },
  };
}

/** Pages of `llms.txt`: those of the default language and version in order of the navigation, then the unlisted ones. */
export function llmsPages(theme: Theme, indexable: readonly Page[]): Page[] {
  const allowed = new Set(indexable);
  const found = new Set<Page>();
  const listed = new Set<Page>();
  const visit = (node: NavNode, isDefault: boolean): void => {
    if (node.page !== null && allowed.has(node.page)) {
      listed.add(node.page);
      if (isDefault) found.add(node.page);
    }
    for (const child of node.children) {
      const switched = child.kind === 'language' || child.kind === 'version';
      visit(child, isDefault && (!switched || child.isDefault));
    }
  };
  visit(theme.siteMap.navigation, true);
  for (const node of theme.siteMap.global) visit(node, true);
  for (const page of theme.siteMap.pages) if (allowed.has(page) && !listed.has(page)) found.add(page);
  return [...found];
}

/** A page in `llms.txt`. */
interface Entry {
  link: string;
  /** One line; empty without a description. */
  about: string;
}

function entryOf(output: string, theme: Theme, page: Page, text: PageAbout | undefined): Entry {
  const title = label(inlineText(page.title));
  const about = oneLine(inlineText(page.description ?? text?.description ?? ''));
  return { link: `- [${title}](${linkTo(output, theme, markdownOutput(page))})`, about };
}

function entryLine({ link, about }: Entry, length: number): string {
  const text = shorten(about, length);
  return text === '' ? link : `${link}: ${text}`;
}

function linkTo(from: string, theme: Theme, file: string): string {
  return absoluteUrl(theme, file) ?? relativeLink(from, file);
}

/** API descriptions of the source that the configuration names by that key, anywhere. */
function descriptions(output: string, theme: Theme, key: 'openapi' | 'asyncapi'): string[] {
  const { config } = theme.siteMap;
  const files = new Set<string>(config.api[key]);
  const add = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) add(item);
    else if (isObject(value)) add(value.source);
    else if (typeof value === 'string') {
      const file = value.trim().replace(/^(?:\.?\/)+/, '');
      if (theme.hasAsset(file)) files.add(file);
    }
  };
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === key) add(inner);
      else visit(inner, depth + 1);
    }
  };
  visit(config.raw, 0);
  return [...files]
    .slice(0, MAX_LINKS)
    .map((file) => `- [${label(nameOf(file))}](${linkTo(output, theme, file)})`);
}

function optionalLinks(theme: Theme): string[] {
  const lines = new Set<string>();
  const visit = (node: NavNode): void => {
    if (node.hidden) return;
    if (node.href !== null && /^https?:\/\//.test(node.href)) {
      lines.add(`- [${label(node.label)}](${node.href})`);
    }
    for (const child of node.children) visit(child);
  };
  visit(theme.siteMap.navigation);
  for (const node of theme.siteMap.global) visit(node);
  return [...lines];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Text that ends no link early. */
function label(text: string): string {
  return oneLine(text.replace(/[[\]]/g, ''));
}

function instructions(theme: Theme): string {
  const lines = theme.siteMap.config.markdown.instructions;
  return lines.length === 0 ? '' : quote(`## Agent Instructions\n${lines.join('\n')}`);
}

function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function shorten(line: string, length: number): string {
  if (line.length <= length) return line;
  if (length === 0) return '';
  const cut = line.slice(0, length);
  return `${cut.slice(0, Math.max(length / 2, cut.lastIndexOf(' ')))}…`;
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}
