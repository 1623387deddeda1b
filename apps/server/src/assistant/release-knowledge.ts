import { type ArtifactFile, anchorsOfHtml } from '@offprint/bundle';
import type { SearchHit } from '@offprint/search';
import type { DiscoveryService, SiteSource } from '../discovery/service.ts';
import type { FoundSection, OpenKnowledge, SiteKnowledge } from './port.ts';

/** Characters of one section that a search returns. */
export const MAX_SECTION = 2_500;
const MAX_REDIRECTS = 5;
const MAX_FILE_BYTES = 8_000_000;

/** What readers know who get no release. */
const NOTHING: SiteKnowledge = {
  search: async () => [],
  read: async () => null,
  resolves: async () => false,
};

type Search = DiscoveryService['searchIn'];

/**
 * Knowledge from the release that a reader gets: the search of the discovery API with its memory, and the Markdown
 * copies of the pages. Everything that the reader cannot read is as if it did not exist.
 */
export function createReleaseKnowledge({
  openServed,
  openRelease,
  searchIn,
}: Pick<DiscoveryService, 'openServed' | 'openRelease' | 'searchIn'>): OpenKnowledge {
  return async (site, { bundle, groups }) => {
    const source = bundle === null ? await openServed(site, groups) : await openRelease(site, bundle);
    return source === null ? NOTHING : knowledgeOf(source, searchIn);
  };
}

function knowledgeOf(source: SiteSource, searchIn: Search): SiteKnowledge {
  const readText = async (path: string): Promise<string | null> => {
    const bytes = await source.read(path, MAX_FILE_BYTES);
    return bytes === null ? null : new TextDecoder().decode(bytes);
  };
  /** Of the pages that one answer links. */
  const anchors = new Map<string, Promise<ReadonlySet<string>>>();
  const anchorsOf = (path: string): Promise<ReadonlySet<string>> => {
    const known =
      anchors.get(path) ?? readText(path).then((html) => new Set(anchorsOfHtml(html ?? '', () => false)));
    anchors.set(path, known);
    return known;
  };
  return {
    async search(query, limit) {
      const answer = await searchIn(source, { query, limit, everyLanguage: true, excerpt: MAX_SECTION });
      return (answer?.hits ?? []).flatMap(sectionsOf);
    },
    async read(path) {
      const file = pageOf(source, `/${path.replace(/^\/+/, '')}`);
      return file === null ? null : readText(file.path.replace(/\.html$/, '.md'));
    },
    async resolves(url) {
      const [target = '', fragment = ''] = url.split('#', 2);
      const file = pageOf(source, target);
      if (file === null) return false;
      if (fragment === '') return true;
      return file.path.endsWith('.html') && (await anchorsOf(file.path)).has(decode(fragment));
    },
  };
}

/** The file that the site sends for a path, after redirects that stay on the site; null without one. */
function pageOf({ find }: SiteSource, path: string): ArtifactFile | null {
  let target = path;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const found = find(target.split('#', 1)[0] ?? '');
    if (found.kind === 'file') return found.file.path.startsWith('_offprint/') ? null : found.file;
    if (found.kind !== 'redirect' || !/^\/(?!\/)/.test(found.location)) return null;
    target = found.location;
  }
  return null;
}

const sectionsOf = ({ path, title, sections }: SearchHit): FoundSection[] =>
  sections.map(({ anchor, heading, text }) => ({
    path: path.replace(/\/index$/, ''),
    title,
    anchor: anchor === '' ? null : anchor,
    text: `${heading === '' ? '' : `${heading}\n`}${text}`,
  }));

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
