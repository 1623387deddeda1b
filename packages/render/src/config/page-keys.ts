import { libraryIconDefect, readIcon } from './icon.ts';
import { isObject, type JsonObject } from './json.ts';
import { suggestName } from './suggest-name.ts';

/** A value of the front matter that has no effect. */
export interface PageKeyError {
  key: string;
  code: string;
  message: string;
}

type Shape = 'text' | 'flag' | 'number' | 'any';

/** Keys of the front matter of a page and what they hold. */
const KEYS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...(['title', 'sidebarTitle', 'description', 'tag', 'iconType', 'url', 'canonical', 'robots'] as const).map(
    (key) => [key, 'text'] as const,
  ),
  ...(['openapi', 'openapi-schema', 'asyncapi', 'api', 'authMethod', 'contentType', 'version'] as const).map(
    (key) => [key, 'text'] as const,
  ),
  ...(['hidden', 'noindex', 'searchable', 'public', 'rss', 'timestamp', 'hideApiMarker'] as const).map(
    (key) => [key, 'flag'] as const,
  ),
  ['hideFooterPagination', 'flag'],
  ['boost', 'number'],
  ...(['icon', 'mode', 'keywords', 'graphql', 'auth', 'playground', 'deprecated', 'groups'] as const).map(
    (key) => [key, 'any'] as const,
  ),
  ...(['lastUpdatedDate', 'createdDate', 'authors', 'related', 'contextual', 'viewport'] as const).map(
    (key) => [key, 'any'] as const,
  ),
]);

/** Names of other generators that look like a misspelled key but are not one. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['tags', 'author', 'date', 'slug', 'layout', 'summary', 'image', 'og', 'seo', 'name', 'label', 'type'],
  ...['order', 'weight', 'draft', 'category', 'categories', 'sidebar', 'sidebar_label', 'sidebar_position'],
  ...[
    'id',
    'index',
    'link',
    'path',
    'models',
    'node',
    'group',
    'versions',
    'subtitle',
    'published',
    'updated',
  ],
]);

const MODES = ['default', 'wide', 'custom', 'frame', 'center', 'assistant'];
const WORDS: Readonly<Record<Shape, string>> = {
  text: 'text',
  flag: 'true or false',
  number: 'a number, 0 or greater',
  any: '',
};

/** Everything in the front matter of a page that cannot have the effect that was meant. */
export function checkPageKeys(frontMatter: JsonObject): PageKeyError[] {
  const faults: PageKeyError[] = [];
  for (const key in frontMatter) {
    const value = frontMatter[key];
    if (value === null || value === undefined) continue;
    const shape = KEYS.get(key);
    const fault =
      shape === undefined
        ? misspelt(key)
        : hasShape(value, shape)
          ? wrongValue(key, value, frontMatter)
          : wrongShape(key, shape);
    if (fault !== null) faults.push(fault);
  }
  return faults;
}

/** Results for keys that were checked: pages of one site share a few keys. */
const checkedKeys = new Map<string, PageKeyError | null>();
const MAX_CHECKED = 1000;

function misspelt(key: string): PageKeyError | null {
  const known = checkedKeys.get(key);
  if (known !== undefined) return known;
  const fault = findMisspelt(key);
  if (checkedKeys.size < MAX_CHECKED) checkedKeys.set(key, fault);
  return fault;
}

/** A page may have any key, so only one that is very similar to a known key is taken for a mistake. */
function findMisspelt(key: string): PageKeyError | null {
  if (OTHERS.has(key) || key.includes(':') || key.length < 4) return null;
  const near = suggestName(key, KEYS.keys());
  if (near === null) return null;
  const isSpelling = key.replace(/[-_\s]/g, '').toLowerCase() === near.replaceAll('-', '').toLowerCase();
  if (!isSpelling && (key.length < 6 || Math.abs(key.length - near.length) > 1)) return null;
  return {
    key,
    code: 'front-matter-key',
    message: `${JSON.stringify(key.slice(0, 60))} has no effect. Did you mean "${near}"?`,
  };
}

function hasShape(value: unknown, shape: Shape): boolean {
  if (shape === 'text') return typeof value === 'string' || typeof value === 'number';
  if (shape === 'flag') return typeof value === 'boolean' || value === 'true' || value === 'false';
  if (shape === 'number') return value !== '' && Number(value) >= 0 && typeof value !== 'boolean';
  return true;
}

function wrongShape(key: string, shape: Shape): PageKeyError {
  return { key, code: 'front-matter-value', message: `"${key}" must be ${WORDS[shape]}; it was ignored.` };
}

function wrongValue(key: string, value: unknown, frontMatter: JsonObject): PageKeyError | null {
  const fault = (message: string): PageKeyError => ({ key, code: 'front-matter-value', message });
  if (key === 'mode' && !MODES.includes(String(value))) {
    return fault(`"mode" is ${shown(value)}; it must be one of ${MODES.join(', ')}.`);
  }
  if (key === 'canonical' && !/^https?:\/\//i.test(String(value))) {
    return fault('"canonical" must be an http or https URL; it was ignored.');
  }
  if (key === 'related' && value !== false && !Array.isArray(value)) {
    return fault('"related" must be false or a list of pages; it was ignored.');
  }
  if (key === 'contextual' && !isObject(value)) {
    return fault('"contextual" must be an object with "options"; it was ignored.');
  }
  if (key === 'icon') return unknownIcon(value, frontMatter.iconType);
  return unsupported(key);
}

function unknownIcon(value: unknown, iconType: unknown): PageKeyError | null {
  const icon = readIcon(value, iconType);
  if (icon === null) {
    if (value === '') return null;
    return {
      key: 'icon',
      code: 'front-matter-value',
      message: '"icon" must be a name, a path or {"name"}; it was ignored.',
    };
  }
  const defect = libraryIconDefect(icon);
  return defect === null ? null : { key: 'icon', ...defect };
}

const UNSUPPORTED: Readonly<Record<string, string>> = {
  asyncapi: 'AsyncAPI channels are not rendered',
  graphql: 'GraphQL schemas are not rendered',
  'openapi-schema': 'data models are not rendered',
};

function unsupported(key: string): PageKeyError | null {
  const reason = Object.hasOwn(UNSUPPORTED, key) ? UNSUPPORTED[key] : undefined;
  if (reason === undefined) return null;
  const message = `"${key}": ${reason} in an export; the page shows its title, description and its own content.`;
  return { key, code: 'unsupported-source', message };
}

const shown = (value: unknown): string => JSON.stringify(String(value).slice(0, 60));

/** Line of a key in the text of a page, 1 where it is not found. */
export function lineOfKey(text: string, key: string): number {
  const lines = text.split('\n', 500);
  const at = lines.findIndex((line) => line.trimStart().replace(/^["']/, '').startsWith(key));
  return at < 0 ? 1 : at + 1;
}
