import type { DescriptionUse } from '../reference/description-use.ts';
import type { Page, SiteConfig } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import { type Adopt, createAdoption } from './adopt.ts';
import { type Descriptions, openDescriptions } from './description.ts';
import { type PageHeads, type SourceFiles, sortFiles } from './page-files.ts';
import { indexPages, type PageIndex } from './page-index.ts';
import { buildTree, type NavigationTree } from './tree.ts';

/** Everything that a source has, before an export leaves anything out. */
export interface OpenPages {
  files: SourceFiles;
  index: PageIndex;
  tree: NavigationTree;
  descriptions: Descriptions;
  /** Completes a page that was added later from its API description. */
  adopt: Adopt;
}

/** The pages that the readers of `groups` may see, generated ones included, and the navigation as written. */
export function openPages(
  source: SourceTree,
  config: SiteConfig,
  groups: readonly string[],
  warn: Warn,
  heads: PageHeads | null = null,
  use?: DescriptionUse,
): OpenPages {
  const files = sortFiles(source, config.files, warn, heads);
  const display = config.contextual?.display ?? 'header';
  const index = indexPages(files.pages, {
    source,
    display,
    excluded: config.excluded,
    services: config.services,
    variables: config.variables,
    allowed: new Set(groups),
    warn,
  });
  const descriptions = openDescriptions(source, config.api.overlays, warn, use);
  const adopt = createAdoption(config, files.assets, descriptions, warn);
  const tree = buildTree({ source, config, index, descriptions, adopt, warn });
  for (const page of index.pages()) adopt(page, []);
  return { files, index, tree, descriptions, adopt };
}

/** The page that a path of the options means; null when it does not exist for these readers. */
export function findPage(index: PageIndex, path: string): Page | null {
  const found = index.find(path.replace(/\.html$/i, ''));
  return found?.kind === 'page' ? found.page : null;
}
