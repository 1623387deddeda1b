import type { WarningCode } from '../warning-codes.ts';
import type { JsonObject } from './json.ts';
import { readKeys } from './key.ts';
import { type PageValues, pageKeys } from './keys/page.ts';
import type { Section } from './section.ts';
import { suggestSpelling } from './suggest-name.ts';

/** A value of the front matter that has no effect. */
export interface PageKeyError {
  key: string;
  code: WarningCode;
  message: string;
}

/** Names of other generators that look like a misspelled key but are not one. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['tags', 'author', 'date', 'slug', 'layout', 'summary', 'image', 'og', 'seo', 'name', 'label', 'type'],
  ...['order', 'weight', 'draft', 'category', 'categories', 'sidebar', 'sidebar_label', 'sidebar_position'],
  ...['id', 'index', 'link', 'path', 'models', 'node', 'group', 'versions', 'subtitle'],
  ...['published', 'updated'],
]);

/** The front matter of a page by its keys, and everything in it that cannot have the effect that was meant. */
export function readPageKeys(frontMatter: JsonObject): { values: PageValues; errors: PageKeyError[] } {
  const errors: PageKeyError[] = [];
  let key = '';
  const section: Section = {
    name: '',
    value: frontMatter,
    file: '',
    warn: ({ code, message }) =>
      errors.push({
        key,
        code: code === 'config-type' || code === 'config-value' ? 'front-matter-value' : code,
        message,
      }),
  };
  const values = readKeys(pageKeys, section, (name) => {
    key = name;
  });
  for (const name in frontMatter) {
    const value = frontMatter[name];
    const error =
      value === null || value === undefined || Object.hasOwn(pageKeys, name) ? null : misspelt(name);
    if (error !== null) errors.push(error);
  }
  return { values, errors };
}

/** Results for keys that were checked: pages of one site share a few keys. */
const checkedKeys = new Map<string, PageKeyError | null>();
const MAX_CHECKED = 1000;

function misspelt(key: string): PageKeyError | null {
  const known = checkedKeys.get(key);
  if (known !== undefined) return known;
  const error = findMisspelt(key);
  if (checkedKeys.size < MAX_CHECKED) checkedKeys.set(key, error);
  return error;
}

/** A page may have any key, so only one that is very similar to a known key is taken for a mistake. */
function findMisspelt(key: string): PageKeyError | null {
  if (OTHERS.has(key) || key.includes(':') || key.length < 4) return null;
  const near = suggestSpelling(key, Object.keys(pageKeys));
  if (near === null) return null;
  const isSpelling = key.replace(/[-_\s]/g, '').toLowerCase() === near.replaceAll('-', '').toLowerCase();
  if (!isSpelling && (key.length < 6 || Math.abs(key.length - near.length) > 1)) return null;
  return {
    key,
    code: 'front-matter-key',
    message: `${JSON.stringify(key.slice(0, 60))} has no effect. Did you mean "${near}"?`,
  };
}

/** Line of a key in the text of a page, 1 where it is not found. */
export function lineOfKey(text: string, key: string): number {
  const lines = text.split('\n', 500);
  const at = lines.findIndex((line) => line.trimStart().replace(/^["']/, '').startsWith(key));
  return at < 0 ? 1 : at + 1;
}
