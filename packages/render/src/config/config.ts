import type { Excluded } from '../excluded.ts';
import type { WantedServices } from '../services/names.ts';
import type { SourceTree } from '../source.ts';
import { SourceError, type Warn } from '../warning.ts';
import { isObject, type JsonObject } from './json.ts';
import { checkUnknown, readKeys } from './key.ts';
import { type DocsValues, docsKeys } from './keys/index.ts';
import { upgradeMint } from './mint.ts';
import { upgradeMintNavigation } from './mint-navigation.ts';
import { copyPlace, placeOf } from './place.ts';
import { readConfigTree } from './reference.ts';
import { type Section, warnAt } from './section.ts';

/** The configuration of a site: the values of docs.json by key, and where they are from. */
export interface SiteConfig extends DocsValues {
  /** `docs.json` or `mint.json`. */
  file: string;
  /** That file, then the files it pulls in by `$ref`, each once. */
  files: readonly string[];
  /** What the export leaves out although the source may set it up. */
  excluded: Excluded;
  /** Services of the platform that serves the site, as the caller wants them. */
  services: WantedServices;
  /** docs.json after `$ref` and the mint.json upgrade, for the navigation and for places of values. */
  raw: JsonObject;
}

/**
 * The configuration of a source: docs.json, or mint.json brought to the same form. A wrong value is a warning
 * and its default; an unknown key is a warning. `change` may put other values in place before they are read;
 * `excluded` is left out, with a warning where it is set up. `services`: what the platform that serves the site has.
 * Throws SourceError `config-missing`, `invalid-json`, `config-type`, `navigation-missing` or one of `$ref`.
 */
export function loadConfig(
  source: SourceTree,
  warn: Warn,
  change?: (config: JsonObject) => void,
  excluded: Excluded = {},
  services: WantedServices = {},
): SiteConfig {
  const file = findConfig(source);
  const tree = readConfigTree(source, file, warn);
  if (!isObject(tree.value)) {
    const message = 'The configuration must be a JSON object: { "name": ..., "navigation": ... }.';
    throw new SourceError({ file, line: 1, code: 'config-type', message });
  }
  const written: Section = { name: '', value: tree.value, file, warn, excluded, services, source };
  change?.(tree.value);
  const root = { ...written, value: file === 'mint.json' ? upgradeMint(written) : upgradeList(written) };
  checkUnknown(root, docsKeys);
  checkNavigation(root);
  return { ...readKeys(docsKeys, root), file, files: tree.files, excluded, services, raw: root.value };
}

function findConfig(source: SourceTree): string {
  const file = ['docs.json', 'mint.json'].find((name) => source.has(name));
  if (file !== undefined) return file;
  const nested = source.paths.find((path) => /\/(docs|mint)\.json$/.test(path));
  const hint =
    nested === undefined
      ? 'Add a docs.json with "name" and "navigation".'
      : `Found one at ${JSON.stringify(nested)}: set the folder of the project to ${JSON.stringify(nested.replace(/\/[^/]*$/, ''))}.`;
  const message = `No docs.json (or mint.json) found at the root of the docs folder. ${hint}`;
  throw new SourceError({ file: 'docs.json', line: null, code: 'config-missing', message });
}

/** A docs.json whose navigation is still the list of groups of mint.json. */
function upgradeList(root: Section): JsonObject {
  const navigation = upgradeMintNavigation(root.value);
  if (navigation === null) return root.value;
  const message =
    '"navigation" should be an object such as { "groups": [...] }; the list was used as its groups.';
  warnAt(root, 'navigation', 'config-type', message);
  return copyPlace(root.value, { ...root.value, navigation });
}

function checkNavigation(root: Section): void {
  if (isObject(root.value.navigation)) return;
  const missing = root.value.navigation === undefined || root.value.navigation === null;
  const message = missing
    ? '"navigation" is missing. Add one, for example { "pages": ["index"] }.'
    : '"navigation" must be an object such as { "pages": ["index"] }.';
  const line = placeOf(root.value, 'navigation')?.line ?? 1;
  throw new SourceError({ file: root.file, line, code: 'navigation-missing', message });
}
