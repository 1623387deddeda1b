import { definitions } from '@offprint/render/components';
import { ConfigFault, configFile } from '../edit/config-tree.ts';
import { readNavigation } from '../edit/nav.ts';
import { navigationText } from '../edit/nav-text.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Characters of the navigation, about 1,500 tokens. */
const MAX_NAVIGATION = 5200;
/** Snippets and API descriptions that are named. */
const MAX_NAMES = 40;

/**
 * The description of the docs that a model receives at the start: the same for the same base, so that it can
 * be cached. Names of files and labels are those of the repository: material and no instruction, which the
 * prompt says.
 */
export function projectFacts(workspace: Workspace): string {
  const files = workspace.filePaths();
  const isSnippet = (path: string): boolean => /(?:^|\/)_?snippets\//.test(path);
  const pages = files.filter((path) => /\.mdx?$/i.test(path) && !isSnippet(path));
  const snippets = files.filter((path) => isSnippet(path) && /\.(?:mdx?|[jt]sx?)$/i.test(path));
  const specs = files.filter((path) => isDescription(path, workspace));
  const facts = [
    `Paths start at the docs root. It contains ${files.length} files, ${pages.length} of them pages; settings and navigation: ${configFile(workspace) ?? 'no docs.json, so the site cannot be built yet'}.`,
    `Components without import, with their properties: ${componentsText()}.`,
    namesOf('Snippets, to import', snippets),
    namesOf('API descriptions', specs),
    navigationOf(workspace),
  ];
  return facts.filter((fact) => fact !== '').join('\n');
}

/** Components as `Name (property, property)`, without those that older sites use for the same. */
function componentsText(): string {
  const names = definitions.flatMap(({ name, isOlder, props }) => {
    if (isOlder === true) return [];
    const accepted = Object.keys(props);
    return accepted.length === 0 ? name : `${name} (${accepted.join(', ')})`;
  });
  return names.join('; ');
}

function isDescription(path: string, workspace: Workspace): boolean {
  if (!/\.(?:json|ya?ml)$/i.test(path) || /(?:^|\/)\./.test(path)) return false;
  const start = workspace.read(path)?.slice(0, 2000) ?? '';
  return /^\s*\{?\s*["']?(?:openapi|swagger)["']?\s{0,20}:/m.test(start);
}

function namesOf(what: string, files: readonly string[]): string {
  if (files.length === 0) return '';
  const rest = files.length > MAX_NAMES ? ` and ${files.length - MAX_NAMES} more` : '';
  const names = files.slice(0, MAX_NAMES).map((path) => path.slice(0, 120));
  return `${what}: ${names.join(', ')}${rest}.`;
}

function navigationOf(workspace: Workspace): string {
  if (configFile(workspace) === null) return '';
  try {
    const navigation = readNavigation(workspace);
    return `Navigation (see all of it with get_navigation):\n${navigationText(navigation, navigation.root, MAX_NAVIGATION)}`;
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return `The navigation cannot be parsed: ${error.message}`;
  }
}
