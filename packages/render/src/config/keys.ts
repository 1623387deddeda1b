import { REMOTE_FOLDER } from '../remote/remote-files.ts';
import { isObject, type JsonObject } from './json.ts';
import { copyPlace } from './place.ts';
import { type Section, warnAt } from './section.ts';
import { suggestName } from './suggest-name.ts';

type Shape = 'text' | 'object' | 'list' | 'flag' | 'any';

/** Top-level keys of docs.json and the type that readers of rarer keys may rely on. */
const KEYS: Readonly<Record<string, Shape>> = {
  $schema: 'any',
  theme: 'text',
  name: 'text',
  description: 'text',
  colors: 'object',
  logo: 'any',
  favicon: 'any',
  appearance: 'object',
  fonts: 'object',
  icons: 'object',
  background: 'object',
  styling: 'object',
  thumbnails: 'object',
  navbar: 'object',
  navigation: 'any',
  footer: 'object',
  banner: 'any',
  interaction: 'object',
  contextual: 'object',
  redirects: 'list',
  errors: 'object',
  variables: 'object',
  metadata: 'object',
  search: 'object',
  seo: 'object',
  api: 'object',
  markdown: 'object',
  integrations: 'object',
  public: 'flag',
  variations: 'object',
};

/** Keys of older or unofficial files, which change nothing here. */
const IGNORED: ReadonlySet<string> = new Set(['feedback', 'scripts', 'head', 'css', 'js', 'styles']);

const MAX_UNKNOWN = 50;

const WORDS: Readonly<Record<Shape, string>> = {
  text: 'text',
  object: 'an object',
  list: 'a list',
  flag: 'true or false',
  any: '',
};

/** The root without keys of a wrong type; one warning for each of them and for each unknown or ignored key. */
export function checkKeys(root: Section): JsonObject {
  const kept: JsonObject = {};
  let unknown = 0;
  for (const [key, value] of Object.entries(root.value)) {
    if (value === null) continue;
    const shape = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (shape === undefined) {
      if (unknown++ < MAX_UNKNOWN) warnUnknown(root, key);
      kept[key] = value;
    } else if (hasShape(value, shape)) kept[key] = value;
    else warnAt(root, key, 'config-type', `"${key}" must be ${WORDS[shape]}; it was ignored.`);
  }
  return copyPlace(root.value, kept);
}

function warnUnknown(root: Section, key: string): void {
  const shown = JSON.stringify(key.slice(0, 80));
  if (IGNORED.has(key)) {
    // Copies of files of other hosts are part of the source, so they are loaded by every page.
    if (JSON.stringify(root.value[key]).includes(REMOTE_FOLDER)) return;
    warnAt(root, key, 'config-ignored-key', `${shown} has no effect in an export. Remove it.`);
    return;
  }
  const near = suggestName(key, Object.keys(KEYS));
  const hint = near === null ? 'Check its spelling or remove it.' : `Did you mean "${near}"?`;
  warnAt(root, key, 'config-unknown-key', `Unknown key ${shown} in ${root.file}. ${hint}`);
}

function hasShape(value: unknown, shape: Shape): boolean {
  if (shape === 'text') return typeof value === 'string' || typeof value === 'number';
  if (shape === 'object') return isObject(value);
  if (shape === 'list') return Array.isArray(value);
  if (shape === 'flag') return typeof value === 'boolean';
  return true;
}
