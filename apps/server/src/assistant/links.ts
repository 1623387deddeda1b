import type { LinkRules } from './checked-text.ts';
import type { SiteKnowledge } from './port.ts';

export interface LinkSite {
  /** Host of the site, without port. */
  host: string;
  /** `/docs`, or empty for the root. */
  basePath: string;
  /** Path of the page on which the reader asks, below the base path and with a slash at the start; null: unknown. */
  currentPath: string | null;
  /** What links begin with: empty on the site itself, else its origin. */
  origin: string;
}

/** Longer destinations lead nowhere. */
const MAX_DESTINATION = 1_000;

/**
 * Rules for the links of an answer: they lead to what the reader can read on the site, or they are removed. A link
 * keeps no query, so that it carries no data. `isKnownUrl`: whether the text was in what the model has read.
 */
export function createLinkRules(
  knowledge: Pick<SiteKnowledge, 'resolves'>,
  site: LinkSite,
  isKnownUrl: (url: string) => boolean,
): LinkRules {
  const known = new Map<string, Promise<string | null>>();
  const find = async (destination: string): Promise<string | null> => {
    const target = pathOf(destination, site);
    if (target === null) return null;
    const { path, hash } = target;
    if (hash !== '' && (await knowledge.resolves(path + hash))) return urlOf(site, path + hash);
    return (await knowledge.resolves(path)) ? urlOf(site, path) : null;
  };
  return {
    isKnownUrl,
    resolve(destination) {
      let found = known.get(destination);
      if (found === undefined) {
        found = find(destination);
        known.set(destination, found);
      }
      return found;
    },
  };
}

/** The URL that is sent for a path of the release. */
export function urlOf({ origin, basePath }: Pick<LinkSite, 'origin' | 'basePath'>, path: string): string {
  return `${origin}${basePath}${path}`.replace(
    /[\s<>()[\]\\"'`!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}

/** Path on the release, with a slash at the start, and fragment of a destination; null if it leads elsewhere. */
function pathOf(
  destination: string,
  { host, basePath, currentPath }: LinkSite,
): { path: string; hash: string } | null {
  const text = destination.trim();
  if (text === '' || text.length > MAX_DESTINATION || /[\p{Cc}\p{Cf}\\]/u.test(text)) return null;
  const base = `https://${host}${basePath}${currentPath ?? '/'}`;
  const written = /^www\./i.test(text) ? `https://${text}` : text;
  if (!URL.canParse(written, base)) return null;
  const url = new URL(written, base);
  const isOwn =
    /^https?:$/.test(url.protocol) && url.hostname === host && url.username === '' && url.password === '';
  if (!isOwn) return null;
  const below = url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
  const path = (below ? url.pathname.slice(basePath.length) : url.pathname) || '/';
  // Markdown copies and file names are what the model has read; readers get the page.
  return { path: path.replace(/(?:\/index)?\.(?:mdx?|html)$/, '') || '/', hash: url.hash };
}
