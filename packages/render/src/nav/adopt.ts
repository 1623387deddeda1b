import type { Operation, Page, SiteConfig } from '../site.ts';
import type { Warn } from '../warning.ts';
import type { Descriptions } from './description.ts';
import { operationKey } from './operation.ts';

/** Descriptions that are looked through for the operations of pages. */
const MAX_CANDIDATES = 500;

/**
 * Gives the operation of a written page its description file: the named one by path, file name or file name
 * without extension; without a name that of the site, else the first file by path that has the operation.
 * An operation that no description has is a warning.
 */
export function adoptDescriptions(
  pages: readonly Page[],
  config: SiteConfig,
  assets: readonly string[],
  descriptions: Descriptions,
  warn: Warn,
): void {
  const files = assets.filter((file) => /\.(?:json|ya?ml)$/i.test(file)).slice(0, MAX_CANDIDATES);
  const candidates = [...new Set([...config.api.openapi, ...files])];
  const byKey = new Map<string, string | null>();
  for (const page of pages) {
    const { operation, source } = page;
    if (operation === null || source === null || typeof page.frontMatter.openapi !== 'string') continue;
    if (operation.spec !== null) {
      operation.spec = findFile(files, operation.spec);
      continue;
    }
    const key = operationKey(operation.method, operation.path);
    let file = byKey.get(key);
    if (file === undefined) {
      file = candidates.find((candidate) => descriptions.peek(candidate)?.byKey.has(key)) ?? null;
      byKey.set(key, file);
    }
    operation.spec = file;
    if (file === null) warn(missing(source, operation));
  }
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
  message: `No API description of the docs folder has ${`${method} ${path}`.slice(0, 200)}; correct "openapi" or add the description.`,
});
