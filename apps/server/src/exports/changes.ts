import type { ManifestFile } from '@offprint/bundle';
import type { ExportChanges, ExportPageChanges } from '@offprint/contract';

type Files = readonly Pick<ManifestFile, 'path' | 'sha256'>[];
type Digests = ReadonlyMap<string, string>;
type PageChange = ExportPageChanges['change'];

/**
 * What one manifest has that another does not have; lists are sorted by code units. Every page holds the navigation, so
 * a page of which only the file differs, and not the Markdown copy, has the same text.
 */
export function compareFiles(before: Files, after: Files): Pick<ExportChanges, 'pages' | 'files'> {
  const [old, now] = [digestsOf(before), digestsOf(after)];
  const files = { added: 0, removed: 0, changed: 0, unchanged: 0 };
  const byChange = new Map<PageChange, string[]>();
  const note = (path: string, kind: keyof typeof files): void => {
    files[kind] += 1;
    const page = pageOf(path);
    if (page === null) return;
    const change = kind === 'changed' ? changedPage(page, old, now) : kind;
    const pages = byChange.get(change);
    if (pages === undefined) byChange.set(change, [page]);
    else pages.push(page);
  };
  for (const [path, sha256] of now) {
    const known = old.get(path);
    note(path, known === undefined ? 'added' : known === sha256 ? 'unchanged' : 'changed');
  }
  for (const path of old.keys()) if (!now.has(path)) note(path, 'removed');
  const sorted = (change: PageChange) => (byChange.get(change) ?? []).sort();
  const [added, removed] = [sorted('added'), sorted('removed')];
  const [edited, layout, undetermined] = [sorted('edited'), sorted('layout'), sorted('undetermined')];
  return {
    pages: {
      added,
      removed,
      changed: [...edited, ...layout, ...undetermined].sort(),
      edited,
      layout,
      undetermined,
      renamed: findRenamed(removed, old, added, now),
      unchanged: byChange.get('unchanged')?.length ?? 0,
    },
    files,
  };
}

/** How a page changed from one manifest to another; null when neither has it. */
export function comparePage(before: Files, after: Files, page: string): PageChange | null {
  const [old, now] = [digestsOf(before), digestsOf(after)];
  const [known, current] = [old.get(`${page}.html`), now.get(`${page}.html`)];
  if (pageOf(`${page}.html`) === null || (known === undefined && current === undefined)) return null;
  if (known === undefined) return 'added';
  if (current === undefined) return 'removed';
  return known === current ? 'unchanged' : changedPage(page, old, now);
}

function changedPage(page: string, old: Digests, now: Digests): 'edited' | 'layout' | 'undetermined' {
  const [known, current] = [old.get(copyOf(page)), now.get(copyOf(page))];
  if (known !== current) return 'edited';
  return known === undefined ? 'undetermined' : 'layout';
}

/** Pairs of pages with the same text, where no other page that came or went has it too. */
function findRenamed(
  removed: readonly string[],
  old: Digests,
  added: readonly string[],
  now: Digests,
): ExportChanges['pages']['renamed'] {
  const sources = singles(removed, old);
  const targets = singles(added, now);
  return [...sources].flatMap(([text, from]) => {
    const to = targets.get(text);
    return from === null || to === undefined || to === null ? [] : [{ from, to }];
  });
}

/** Pages by the digest of their text; null where several have the same. */
function singles(pages: readonly string[], digests: Digests): Map<string, string | null> {
  const found = new Map<string, string | null>();
  for (const page of pages) {
    const text = digests.get(copyOf(page));
    if (text !== undefined) found.set(text, found.has(text) ? null : page);
  }
  return found;
}

function digestsOf(files: Files): Digests {
  return new Map(files.map(({ path, sha256 }) => [path, sha256]));
}

/** File of the Markdown copy of a page. */
export function copyOf(page: string): string {
  return `${page}.md`;
}

/** The path of a page without extension; null for files that are not pages. */
function pageOf(path: string): string | null {
  return path.endsWith('.html') && path !== '404.html' && !path.startsWith('_offprint/')
    ? path.slice(0, -'.html'.length)
    : null;
}
