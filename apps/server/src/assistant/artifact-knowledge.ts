import { type ArtifactFile, anchorsOfHtml } from '@offprint/bundle';
import { createEngine } from '@offprint/search/engine';
import type { StoredArtifact } from '../exports/service.ts';
import type { FoundSection, OpenKnowledge, SiteKnowledge } from './port.ts';

/** Pages that a search gives sections of. */
const SECTIONS_OF_PAGE = 3;
/** Characters of one section that a search returns. */
const MAX_SECTION = 2_500;
const MAX_REDIRECTS = 5;
/** Releases whose index is kept: each some megabytes at most. */
const KEPT_RELEASES = 16;
/** Files of an index that are read once for all queries of a release, and pages whose anchors are known. */
const KEPT_FILES = 400;
const MAX_FILE_BYTES = 8_000_000;

/**
 * Knowledge from the artifact of a release in the store: its search files, with the engine of exported sites, and the
 * Markdown copies of its pages. Everything that the reader cannot read is as if it did not exist.
 */
export function createArtifactKnowledge(
  open: (organizationId: string, bundle: string) => Promise<StoredArtifact>,
): OpenKnowledge {
  const releases = new Map<string, Promise<Release>>();
  const openRelease = (organizationId: string, bundle: string): Promise<Release> => {
    const name = `${organizationId}/${bundle}`;
    const release = releases.get(name) ?? open(organizationId, bundle).then(createRelease);
    releases.delete(name);
    releases.set(name, release);
    release.catch(() => releases.delete(name));
    for (const oldest of releases.keys()) {
      if (releases.size <= KEPT_RELEASES) break;
      releases.delete(oldest);
    }
    return release;
  };
  return async ({ organizationId, bundle }) => knowledgeOf(await openRelease(organizationId, bundle));
}

interface Release {
  artifact: StoredArtifact;
  read(path: string): Promise<string | null>;
  /** One engine for each language. */
  engines: Promise<ReturnType<typeof createEngine>[]>;
  anchors(file: ArtifactFile): Promise<ReadonlySet<string>>;
}

function createRelease(artifact: StoredArtifact): Release {
  const files = new Map(artifact.manifest.files.map((file) => [file.path, file]));
  const read = async (path: string): Promise<string | null> => {
    const file = files.get(path);
    if (file === undefined || file.size > MAX_FILE_BYTES) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of artifact.read(file)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  /** Files of the index are scripts; they are read as data and never run. */
  const data = async (path: string): Promise<unknown> => {
    const script = await read(path);
    const start = script?.indexOf(',') ?? -1;
    if (script === null || !script.startsWith('offprintSearch("') || !script.endsWith(');\n'))
      throw new TypeError(`${path} is not a file of a search index`);
    return JSON.parse(script.slice(start + 1, -');\n'.length));
  };
  const directories = [...files.keys()].filter((path) =>
    /^_offprint\/search(?:\.[a-z][a-z0-9-]*)?\.js$/.test(path),
  );
  let engines: Release['engines'] | null = null;
  const anchors = keepRecent(
    async (path: string) => new Set(anchorsOfHtml((await read(path)) ?? '', () => false)),
  );
  return {
    artifact,
    read,
    get engines() {
      engines ??= Promise.all(
        directories.sort().map(async (path) => {
          const directory = await data(path);
          if (typeof directory !== 'object' || directory === null)
            throw new TypeError(`${path} is not the directory of a search index`);
          return createEngine({ ...directory }, (name: string) => data(`_offprint/search/${name}.js`));
        }),
      );
      engines.catch(() => {
        engines = null;
      });
      return engines;
    },
    anchors: ({ path }) => anchors(path),
  };
}

/** Runs a function once for each of the arguments used last. */
function keepRecent<Value>(make: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const kept = new Map<string, Promise<Value>>();
  return (key) => {
    const value = kept.get(key) ?? make(key);
    kept.delete(key);
    kept.set(key, value);
    value.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > KEPT_FILES && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}

function knowledgeOf(release: Release): SiteKnowledge {
  return {
    async search(query, limit) {
      const lists = await Promise.all(
        (await release.engines).map(async (engine) => {
          const { results } = await engine.search(query);
          return Promise.all(
            results.slice(0, limit).map(async (result: { page: number; sections: number[] }) => ({
              page: result.page,
              sections: await sectionsOf(engine, result),
            })),
          );
        }),
      );
      return mix(lists.map((list) => list.map(({ sections }) => sections)))
        .slice(0, limit)
        .flat();
    },
    async read(path) {
      const file = pageOf(release, `/${path.replace(/^\/+/, '')}`);
      return file === null ? null : release.read(file.path.replace(/\.html$/, '.md'));
    },
    async resolves(url) {
      const [target = '', fragment = ''] = url.split('#', 2);
      const file = pageOf(release, target);
      if (file === null) return false;
      if (fragment === '') return true;
      return file.path.endsWith('.html') && (await release.anchors(file)).has(decode(fragment));
    },
  };
}

/** The file that the site sends for a path, after redirects that stay on the site; null without one. */
function pageOf({ artifact }: Release, path: string): ArtifactFile | null {
  let target = path;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const found = artifact.find(target.split('#', 1)[0] ?? '');
    if (found.kind === 'file') return found.file.path.startsWith('_offprint/') ? null : found.file;
    if (found.kind !== 'redirect' || !/^\/(?!\/)/.test(found.location)) return null;
    target = found.location;
  }
  return null;
}

async function sectionsOf(
  engine: ReturnType<typeof createEngine>,
  { sections }: { sections: number[] },
): Promise<FoundSection[]> {
  const entries = await Promise.all(
    sections.slice(0, SECTIONS_OF_PAGE).map((section) => engine.entry(section)),
  );
  return entries.map(({ output, title, id, heading, text }) => ({
    path: output.replace(/(?:^|\/)index\.html$|\.html$/, '') || 'index',
    title,
    anchor: id === '' ? null : id,
    text: `${heading === '' ? '' : `${heading}\n`}${text}`.slice(0, MAX_SECTION),
  }));
}

/** The first of each list, then the second of each, and so on: no language comes before another. */
function mix<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const length = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
