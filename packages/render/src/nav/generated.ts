import { isObject, type JsonObject } from '../config/json.ts';
import { readApiText } from '../mdx/parse/api-markdown.ts';
import type { NavNode, Operation, Page } from '../site.ts';
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
}

export function openGenerator(index: PageIndex): Generator {
  const made = new Map<string, Page | null>();
  return {
    page(file, operation, directory) {
      if (operation.excluded) return null;
      const folder =
        directory === null || !isSafePath(entryPath(directory)) ? DEFAULT_DIRECTORY : entryPath(directory);
      const key = `${folder}\n${file}\n${operationKey(operation.method, operation.path)}`;
      let page = made.get(key);
      if (page === undefined) {
        page = place(index, generate(file, operation, folder));
        made.set(key, page);
      }
      return page;
    },
  };
}

/** A written page of that path which documents the same operation is the page. */
function place(index: PageIndex, page: Page): Page | null {
  const present = index.find(page.path);
  const { operation } = page;
  if (present?.kind === 'page' && operation !== null && present.page.operation !== null) {
    if (present.page.source !== null && isSameOperation(present.page.operation, operation))
      return present.page;
  }
  return index.add(page);
}

function generate(file: string, operation: DescribedOperation, folder: string): Page {
  const { extension, method, path } = operation;
  const metadata = isObject(extension.metadata) ? extension.metadata : {};
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
    ...metadata,
    openapi: `${file} ${method.toLowerCase()} ${path}`,
  };
  const operationOfPage: Operation = { method, path, spec: file };
  const body = typeof extension.content === 'string' ? extension.content : '';
  const page = makePage({
    path: pathOf(operation, folder),
    source: null,
    readBody: () => body,
    bodyLine: 0,
    frontMatter,
  });
  const lead = page.description === text.description ? text.lead : null;
  return { ...page, lead, operation: operationOfPage };
}

/** The slug in words; for a webhook or an operation without a description file, the name or path itself. */
function titleOf({ method, path, slug, isDescribed }: DescribedOperation): string {
  return isDescribed && method !== 'WEBHOOK' ? titleOfPath(slug) : path;
}

function pathOf(operation: DescribedOperation, folder: string): string {
  const { href } = operation.extension;
  if (typeof href === 'string' && href.startsWith('/') && isSafePath(entryPath(href))) return entryPath(href);
  return [folder, operation.tagSlug ?? '', operation.slug].filter((segment) => segment !== '').join('/');
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
