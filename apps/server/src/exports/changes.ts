import type { ManifestFile } from '@offprint/bundle';
import type { ExportChanges } from '@offprint/contract';

type Files = readonly Pick<ManifestFile, 'path' | 'sha256'>[];

/** What one manifest has that another had not, and the other way round; lists are sorted by code units. */
export function compareFiles(before: Files, after: Files): Pick<ExportChanges, 'pages' | 'files'> {
  const rest = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const pages = { added: [] as string[], removed: [] as string[], changed: [] as string[], unchanged: 0 };
  const files = { added: 0, removed: 0, changed: 0, unchanged: 0 };
  const note = (path: string, kind: 'added' | 'removed' | 'changed' | 'unchanged'): void => {
    files[kind] += 1;
    const page = pageOf(path);
    if (page === null) return;
    if (kind === 'unchanged') pages.unchanged += 1;
    else pages[kind].push(page);
  };
  for (const { path, sha256 } of after) {
    const known = rest.get(path);
    rest.delete(path);
    note(path, known === undefined ? 'added' : known === sha256 ? 'unchanged' : 'changed');
  }
  for (const path of rest.keys()) note(path, 'removed');
  for (const list of [pages.added, pages.removed, pages.changed]) list.sort();
  return { pages, files };
}

/** The path of a page without extension; null for files that are no pages. */
function pageOf(path: string): string | null {
  return path.endsWith('.html') && path !== '404.html' && !path.startsWith('_offprint/')
    ? path.slice(0, -'.html'.length)
    : null;
}
