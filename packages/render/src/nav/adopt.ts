import { readApiText } from '../mdx/parse/api-markdown.ts';
import type { Operation, Page, SiteConfig } from '../site.ts';
import type { Warn } from '../warning.ts';
import type { DescribedOperation, Descriptions } from './description.ts';
import { operationKey } from './operation.ts';

/** Descriptions that are looked through for the operations of pages. */
const MAX_CANDIDATES = 500;

/** Completes a written page of an operation from its description; `files` are the closest ones, if any. */
export type Adopt = (page: Page, files: readonly string[]) => void;

/**
 * Gives the operation of a written page its description file: the named one by path, file name or file name
 * without extension; without a name the first of the closest that has the operation, else that of the site, else
 * the first file by path. What the page does not say itself comes from there: title, description, deprecation.
 * An operation that no description has is a warning.
 */
export function createAdoption(
  config: SiteConfig,
  assets: readonly string[],
  descriptions: Descriptions,
  warn: Warn,
): Adopt {
  const files = assets.filter((file) => /\.(?:json|ya?ml)$/i.test(file)).slice(0, MAX_CANDIDATES);
  const candidates = [...new Set([...config.api.openapi, ...files])];
  const byKey = new Map<string, string | null>();
  const done = new Set<Page>();
  const findAnywhere = (key: string): string | null => {
    let file = byKey.get(key);
    if (file === undefined) {
      file = candidates.find((candidate) => descriptions.peek(candidate)?.byKey.has(key)) ?? null;
      byKey.set(key, file);
    }
    return file;
  };
  return (page, near) => {
    const { operation, source } = page;
    if (operation === null || source === null || done.has(page)) return;
    done.add(page);
    const isDescribed = typeof page.frontMatter.openapi === 'string';
    if (!isDescribed && /^https?:/i.test(operation.path)) return;
    const key = operationKey(operation.method, operation.path);
    if (operation.spec !== null) operation.spec = findFile(files, operation.spec);
    else {
      operation.spec = near.find((file) => descriptions.read(file)?.byKey.has(key)) ?? null;
      if (isDescribed) operation.spec ??= findAnywhere(key);
      if (isDescribed && operation.spec === null) warn(missing(source, operation));
    }
    const described = operation.spec === null ? undefined : descriptions.peek(operation.spec)?.byKey.get(key);
    if (described !== undefined && isDescribed) complete(page, described);
  };
}

/** What a page does not say itself. */
function complete(page: Page, described: DescribedOperation): void {
  const { frontMatter } = page;
  if (!page.hasTitle && described.summary !== null) {
    page.title = described.summary;
    if (typeof frontMatter.sidebarTitle !== 'string') page.sidebarTitle = described.summary;
  }
  if (page.description === null) Object.assign(page, readApiText(described.description));
  if (frontMatter.deprecated === undefined) page.deprecated = described.deprecated;
}

/** Remote files and names of no file stay as written. */
function findFile(files: readonly string[], written: string): string {
  if (files.includes(written)) return written;
  const isNamed = (file: string): boolean => {
    const name = file.slice(file.lastIndexOf('/') + 1);
    return name === written || name.replace(/\.[^.]*$/, '') === written;
  };
  return files.find(isNamed) ?? written;
}

const missing = (file: string, { method, path }: Operation) => ({
  file,
  line: 1,
  code: 'operation-missing',
  message: `No API description in the docs folder contains ${`${method} ${path}`.slice(0, 200)}. Correct "openapi" or add the description.`,
});
