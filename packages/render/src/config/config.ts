import type { Excluded } from '../excluded.ts';
import type { SiteConfig, ThemeName } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { SourceError, type Warn } from '../warning.ts';
import { readApi } from './api.ts';
import { readSearchPrompt } from './assistant.ts';
import { readBanner, readFooter, readLogo, readNavbar, readThemedPath } from './chrome.ts';
import { readContextual } from './contextual.ts';
import { checkIntegrations } from './integrations.ts';
import { isObject, type JsonObject } from './json.ts';
import { checkKeys } from './keys.ts';
import { readBackground, readCodeBlocks, readFonts, readThumbnails, readVariations } from './look.ts';
import { upgradeMint } from './mint.ts';
import { upgradeMintNavigation } from './mint-navigation.ts';
import { copyPlace, placeOf } from './place.ts';
import { readRedirects } from './redirect.ts';
import { readConfigTree } from './reference.ts';
import {
  checkMembers,
  choice,
  color,
  flag,
  type Section,
  subsection,
  text,
  texts,
  warnAt,
} from './section.ts';
import { readSeo } from './seo.ts';

const THEMES: readonly ThemeName[] = [
  'mint',
  'maple',
  'palm',
  'willow',
  'linden',
  'almond',
  'aspen',
  'sequoia',
  'luma',
];
const DEFAULT_PRIMARY = '#16a34a';
/** Longest value of a variable, in characters. */
const MAX_VARIABLE = 10_000;

/**
 * The configuration of a source: docs.json, or mint.json brought to the same form. A wrong value is a warning
 * and its default; an unknown key is a warning. `change` may put other values in place before they are read;
 * `excluded` is left out, with a warning where it is set up.
 * Throws SourceError `config-missing`, `invalid-json`, `config-type`, `navigation-missing` or one of `$ref`.
 */
export function loadConfig(
  source: SourceTree,
  warn: Warn,
  change?: (config: JsonObject) => void,
  excluded: Excluded = {},
): SiteConfig {
  const file = findConfig(source);
  const tree = readConfigTree(source, file, warn);
  if (!isObject(tree.value)) {
    const message = 'The configuration must be a JSON object: { "name": ..., "navigation": ... }.';
    throw new SourceError({ file, line: 1, code: 'config-type', message });
  }
  const written: Section = { name: '', value: tree.value, file, warn, excluded };
  change?.(tree.value);
  const upgraded = file === 'mint.json' ? upgradeMint(written) : upgradeList(written);
  const root = { ...written, value: checkKeys({ ...written, value: upgraded }) };
  checkNavigation(root);
  return { file, files: tree.files, ...readSite(root, source, excluded), raw: root.value };
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

function readSite(
  root: Section,
  source: SourceTree,
  excluded: Excluded,
): Omit<SiteConfig, 'file' | 'files' | 'raw'> {
  const part = (key: string, known: readonly string[]): Section => {
    const section = subsection(root, key);
    checkMembers(section, known);
    return section;
  };
  const appearance = part('appearance', ['default', 'strict']);
  const styling = part('styling', ['eyebrows', 'latex', 'codeblocks', 'css']);
  const missing = subsection(part('errors', ['404']), '404');
  checkMembers(missing, ['redirect', 'title', 'description']);
  if (missing.value.redirect === true) {
    const message =
      '"errors.404.redirect" has no effect: the error page says that the URL was not found, and links to the home page.';
    warnAt(missing, 'redirect', 'config-no-effect', message);
  }
  const markdown = part('markdown', ['schema', 'instructions']);
  warnWithoutEffect(root, styling);
  checkIntegrations(root, excluded);
  return {
    name: readName(root),
    description: text(root, 'description'),
    theme: choice(root, 'theme', THEMES) ?? 'mint',
    colors: readColors(root),
    logo: readLogo(root),
    favicon: readThemedPath(root, 'favicon'),
    appearance: {
      default: choice(appearance, 'default', ['system', 'light', 'dark']) ?? 'system',
      strict: flag(appearance, 'strict') ?? false,
    },
    icons: {
      library:
        choice(part('icons', ['library']), 'library', ['fontawesome', 'lucide', 'tabler']) ?? 'fontawesome',
    },
    navbar: readNavbar(root),
    footer: readFooter(root),
    banner: readBanner(root),
    eyebrows: choice(styling, 'eyebrows', ['section', 'breadcrumbs']),
    latex: flag(styling, 'latex'),
    codeBlocks: readCodeBlocks(styling),
    fonts: readFonts(root),
    background: readBackground(root),
    thumbnails: readThumbnails(root),
    contextual: readContextual(root, 'header', excluded),
    drilldown: flag(part('interaction', ['drilldown']), 'drilldown'),
    timestamp: flag(part('metadata', ['timestamp']), 'timestamp') ?? false,
    variations: readVariations(root),
    searchPrompt: readSearchPrompt(part('search', ['prompt'])),
    redirects: readRedirects(root),
    notFound: {
      redirect: flag(missing, 'redirect') ?? true,
      title: text(missing, 'title'),
      description: text(missing, 'description'),
    },
    variables: readVariables(root),
    seo: readSeo(root),
    markdownInstructions: texts(markdown, 'instructions'),
    markdownSchema: flag(markdown, 'schema') ?? true,
    api: readApi(root, source),
    excluded,
  };
}

/** Settings that cannot work in public files. */
function warnWithoutEffect(root: Section, styling: Section): void {
  if (root.value.public === false) {
    const message =
      '"public" has no effect: an export has no sign-in. Pages with "groups" are excluded unless the export names the group.';
    warnAt(root, 'public', 'config-no-effect', message);
  }
  if (styling.value.css !== undefined) {
    const message = '"styling.css" has no effect: every .css file in the docs folder is loaded. Remove it.';
    warnAt(styling, 'css', 'config-ignored-key', message);
  }
}

function readName(root: Section): string {
  const name = text(root, 'name');
  if (name !== null) return name;
  warnAt(root, 'name', 'config-value', '"name" is missing; the site is named "Documentation".');
  return 'Documentation';
}

function readColors(root: Section): SiteConfig['colors'] {
  const colors = subsection(root, 'colors');
  checkMembers(colors, ['primary', 'light', 'dark']);
  const primary = color(colors, 'primary') ?? DEFAULT_PRIMARY;
  return { primary, light: color(colors, 'light') ?? primary, dark: color(colors, 'dark') ?? primary };
}

/** Values are plain text: tags are taken out, since they are put into pages before the parse. */
function readVariables(root: Section): Record<string, string> {
  const variables = subsection(root, 'variables');
  const found: Record<string, string> = Object.create(null);
  for (const key of Object.keys(variables.value)) {
    if (!/^[A-Za-z0-9_.-]{1,200}$/.test(key)) {
      const message = `Invalid variable name ${JSON.stringify(key.slice(0, 60))}. Use letters, digits, "_", "." and "-".`;
      warnAt(variables, key, 'config-value', message);
      continue;
    }
    const value =
      typeof variables.value[key] === 'string' ? String(variables.value[key]) : text(variables, key);
    if (value !== null) found[key] = value.slice(0, MAX_VARIABLE).replace(/<[^<>]*>/g, '');
  }
  return found;
}
