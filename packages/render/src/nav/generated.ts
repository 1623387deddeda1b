import { isObject, type JsonObject } from '../config/json.ts';
import { readApiText } from '../mdx/parse/api-markdown.ts';
import { isCopy } from '../remote/remote-files.ts';
import type { Channel, NavNode, Operation, Page } from '../site.ts';
import type { DescribedChannel } from './channel.ts';
import type { DescribedOperation } from './description.ts';
import { isSameOperation, operationKey } from './operation.ts';
import { makePage } from './page.ts';
import type { PageIndex } from './page-index.ts';
import { entryPath, isSafePath, titleOfPath } from './path.ts';

/** Folder of generated pages where the navigation names none. */
const DEFAULT_DIRECTORY = 'api-reference';

/** Makes the page of an API operation of a description file (or URL), once for each directory. */
export interface Generator {
  page(file: string, operation: DescribedOperation, directory: string | null): Page | null;
  /** The same for a channel. */
  channelPage(file: string, channel: DescribedChannel, directory: string | null): Page | null;
}

export function openGenerator(index: PageIndex): Generator {
  const made = new Map<string, Page | null>();
  return {
    page(file, operation, directory) {
      if (operation.excluded) return null;
      const folder = folderOf(directory);
      const key = `${folder}\n${file}\n${operationKey(operation.method, operation.path)}`;
      let page = made.get(key);
      if (page === undefined) {
        page = place(index, generate(file, operation, folder));
        made.set(key, page);
      }
      return page;
    },
    channelPage(file, channel, directory) {
      if (channel.excluded) return null;
      const folder = folderOf(directory);
      const key = `${folder}\n${file}\n\n${channel.id}`;
      let page = made.get(key);
      if (page === undefined) {
        page = place(index, generateChannel(file, channel, folder));
        made.set(key, page);
      }
      return page;
    },
  };
}

const folderOf = (directory: string | null): string =>
  directory === null || !isSafePath(entryPath(directory)) ? DEFAULT_DIRECTORY : entryPath(directory);

/** A written page of that path which documents the same operation or channel is the page. */
function place(index: PageIndex, page: Page): Page | null {
  const present = index.find(page.path);
  const { operation, channel } = page;
  if (present?.kind === 'page' && channel !== null && present.page.source !== null) {
    if (isSameChannel(present.page.channel, channel)) return present.page;
  }
  if (present?.kind === 'page' && operation !== null && present.page.operation !== null) {
    if (present.page.source !== null && isSameOperation(present.page.operation, operation))
      return present.page;
  }
  return index.add(page);
}

function generate(file: string, operation: DescribedOperation, folder: string): Page {
  const { method, path } = operation;
  const extension = extensionOf(file, operation);
  const text = readApiText(operation.description);
  const written: JsonObject = {
    title: operation.summary ?? titleOf(operation),
    ...(text.description === null ? {} : { description: text.description }),
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...(extension.groups === undefined ? {} : { groups: extension.groups }),
    ...(operation.hidden ? { hidden: true } : {}),
  };
  const frontMatter = {
    ...written,
    ...extension.metadata,
    openapi: `${file} ${method.toLowerCase()} ${path}`,
  };
  const operationOfPage: Operation = { method, path, spec: file };
  const page = makePage({
    path: pathIn(folder, operation.tagSlug ?? '', operation.slug, extension),
    source: null,
    readBody: () => extension.content,
    bodyLine: 0,
    frontMatter,
  });
  const lead = page.description === text.description ? text.lead : null;
  return { ...page, lead, operation: operationOfPage };
}

/** Front matter that the description of another host may set: texts of the page. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['title', 'sidebarTitle', 'description', 'tag', 'deprecated', 'hidden', 'noindex'],
]);

interface PageExtension {
  /** Front matter. */
  readonly metadata: JsonObject;
  /** MDX. */
  readonly content: string;
  readonly groups: unknown;
  /** Path of the page. */
  readonly href: unknown;
}

/**
 * What `x-mint` says of a page. The description of another host gets only Markdown: its content is not used, because it
 * would be MDX, its path not, because it could be that of any page, and its front matter only as far as it is text.
 */
function extensionOf(file: string, { extension }: Pick<DescribedOperation, 'extension'>): PageExtension {
  const metadata = isObject(extension.metadata) ? extension.metadata : {};
  const { content, groups, href } = extension;
  if (!isCopy(file)) return { metadata, groups, href, content: typeof content === 'string' ? content : '' };
  const texts = Object.entries(metadata).filter(([key]) => TEXTS.has(key));
  return { metadata: Object.fromEntries(texts), groups, href: null, content: '' };
}

/** Whether a page documents a channel; one that names no file may mean any. */
export function isSameChannel(a: Channel | null, b: Pick<Channel, 'id' | 'spec'>): boolean {
  return a !== null && a.id === b.id && (a.spec === null || a.spec === b.spec);
}

function generateChannel(file: string, channel: DescribedChannel, folder: string): Page {
  const { id } = channel;
  const extension = extensionOf(file, channel);
  const text = readApiText(channel.description);
  const frontMatter: JsonObject = {
    title: channel.title ?? id,
    ...(text.description === null ? {} : { description: text.description }),
    ...(extension.groups === undefined ? {} : { groups: extension.groups }),
    ...(channel.hidden ? { hidden: true } : {}),
    ...extension.metadata,
    asyncapi: `${file} ${id}`,
  };
  const page = makePage({
    path: pathIn(folder, channel.tagSlug ?? 'websockets', channel.slug, extension),
    source: null,
    readBody: () => extension.content,
    bodyLine: 0,
    frontMatter,
  });
  const lead = page.description === text.description ? text.lead : null;
  const { protocol, address } = channel;
  return { ...page, lead, operation: null, channel: { id, spec: file, protocol, address: address ?? id } };
}

/**
 * Method and path in words, without parameters; for a webhook or an operation without a description file, the name or
 * path itself. The slug joins segments, as in
 * `put-usersquery`.
 */
function titleOf({ method, path, place }: DescribedOperation): string {
  if (place === null || method === 'WEBHOOK') return path;
  const segments = path.replace(/\{[^{}]*\}/g, '').split('/');
  const words = [method.toLowerCase(), ...segments].filter((word) => word !== '');
  return titleOfPath(words.join('-'));
}

function pathIn(folder: string, tag: string, slug: string, { href }: PageExtension): string {
  if (typeof href === 'string' && href.startsWith('/') && isSafePath(entryPath(href))) return entryPath(href);
  return [folder, tag, slug].filter((segment) => segment !== '').join('/');
}

/** Pages below a node, at any depth. */
export function pagesBelow(nodes: readonly NavNode[]): Page[] {
  const found: Page[] = [];
  const open = [...nodes];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.page !== null) found.push(node.page);
    for (const child of node.children) open.push(child);
  }
  return found;
}
