import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type BrokenLink,
  BundleError,
  basePathOf,
  brokenLinks,
  type LinkFacts,
  type LinkSite,
  type Manifest,
  maxLinkFacts,
  parseLinkFacts,
  type ServedLink,
} from '@offprint/bundle';

const unzip = promisify(gunzip);

/** Links that are checked without a turn of the event loop. */
const STEP = 200;

/** A site as its artifact and the places of its links describe it. */
export interface KnownSite extends LinkSite {
  /** Whether the anchors of its pages are known: exports of earlier versions have no list of them. */
  hasAnchors: boolean;
}

/** `links`: the compressed places of links, null if they are not stored. */
export async function knownSite(
  manifest: Pick<Manifest, 'files' | 'redirects' | 'site'>,
  links: Uint8Array | null,
): Promise<KnownSite> {
  const facts = links === null ? null : await readFacts(links);
  return {
    basePath: basePathOf(manifest.site.url),
    manifest,
    facts: facts ?? factsOfManifest(manifest),
    hasAnchors: facts !== null,
  };
}

/** Damaged places are as good as none. The library inflates them in another thread. */
async function readFacts(links: Uint8Array): Promise<LinkFacts | null> {
  try {
    const text = await unzip(links, { maxOutputLength: maxLinkFacts });
    return await parseLinkFacts(text.toString());
  } catch (error) {
    const isDamaged = error instanceof BundleError || (error instanceof Error && 'code' in error);
    if (isDamaged) return null;
    throw error;
  }
}

function factsOfManifest({ files }: Pick<Manifest, 'files'>): LinkFacts {
  const pages = files.flatMap(({ path }) => {
    const page = /^(?!_offprint\/)(.+)\.html$/s.exec(path)?.[1];
    return page === undefined || page === '404' ? [] : [page];
  });
  const none = { file: null, anchors: new Map<string, null>() };
  return {
    pages: new Map(pages.map((page) => [page, none])),
    redirects: new Map(),
    queries: [],
    levels: new Map(),
  };
}

/** All broken links, with other work of the process in between. */
export async function findBrokenLinks(served: readonly ServedLink[], site: LinkSite): Promise<BrokenLink[]> {
  const found: BrokenLink[] = [];
  let checked = 0;
  for (const broken of brokenLinks(served, site)) {
    found.push(...broken);
    if (++checked % STEP === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}
