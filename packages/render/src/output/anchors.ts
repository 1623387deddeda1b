import { placeOf } from '../config/place.ts';
import type { RenderedPage } from '../mdx/page.ts';
import type { PageLink } from '../mdx/write/links.ts';
import {
  compileRedirects,
  followRedirects,
  isExternal,
  type RedirectRules,
  splitUrl,
} from '../nav/follow-redirects.ts';
import { decodePath, entryPath } from '../nav/path.ts';
import { isPattern } from '../nav/path-pattern.ts';
import type { Page, Redirect, SiteMap } from '../site.ts';
import { RESERVED_IDS } from '../theme/reserved.ts';
import type { Warn } from '../warning.ts';

/** Fragments of all links against the ids of all pages. Authors write them by the rules of many other tools. */
export interface AnchorCheck {
  add(
    page: Pick<Page, 'path' | 'operation' | 'frontMatter'>,
    rendered: Pick<RenderedPage, 'ids' | 'aliases'>,
  ): void;
  /** Whether the page is added, so that what links to it mean is known. */
  has(path: string): boolean;
  /**
   * Links to write in place of others, by `href`, once the pages that they lead to are added: those whose heading has
   * another id. Keeps those that lead to no heading for the report.
   */
  settle(links: readonly PageLink[]): Map<string, string>;
  /** Warns of each settled link that leads to no heading, and of redirects that do. */
  report(warn: Warn, site: Pick<SiteMap, 'config' | 'linkPages'>): void;
}

/** Ids in one text each, between separators: as sets they would take several times the memory on a large site. */
interface Ids {
  ids: string;
  aliases: string;
}

/** A character that no id in HTML can contain. */
const SEPARATOR = '\0';
const holds = (list: string, id: string): boolean => list.includes(SEPARATOR + id + SEPARATOR);
const listOf = (ids: Iterable<string>): string => SEPARATOR + [...ids].join(SEPARATOR) + SEPARATOR;
const idsOf = (list: string): string[] => list.split(SEPARATOR).slice(1, -1);

export function createAnchorCheck(): AnchorCheck {
  const pages = new Map<string, Ids>();
  const folded = new Map<string, ReadonlyMap<string, string | null>>();
  const dead: PageLink[] = [];
  const partial = new Set<string>();
  const ofOperations = new Set<string>();

  /** The id that a link means; the fragment itself where the page is not part of the export, null without one. */
  const idOf = ({ target, hash }: PageLink): string | null => {
    const page = pages.get(target);
    if (page === undefined) return hash;
    if (RESERVED_IDS.has(hash)) return holds(page.ids, `${hash}-2`) ? `${hash}-2` : hash;
    if (holds(page.ids, hash)) return hash;
    let byFold = folded.get(target);
    if (byFold === undefined) {
      byFold = foldIds(page);
      folded.set(target, byFold);
    }
    const written = byFold.get(fold(hash));
    if (written !== undefined || !ofOperations.has(target)) return written ?? null;
    return fieldIds(hash).flatMap((id) => byFold?.get(fold(id)) ?? [])[0] ?? null;
  };

  return {
    add(page, { ids, aliases }) {
      pages.set(page.path, { ids: listOf(ids), aliases: listOf(aliases) });
      if (page.operation !== null) ofOperations.add(page.path);
      if (lacksDescription(page)) partial.add(page.path);
    },
    has: (path) => pages.has(path),
    settle(links) {
      const found = new Map<string, string>();
      for (const link of links) {
        const id = idOf(link);
        if (id === null) {
          if (!partial.has(link.target)) dead.push(link);
        } else if (id !== link.hash)
          found.set(link.href, link.href.slice(0, link.href.indexOf('#') + 1) + encodeURIComponent(id));
      }
      return found;
    },
    report(warn, { config, linkPages }) {
      for (const { target, hash, file, line } of dead) {
        warn({
          file,
          line,
          code: 'anchor-not-found',
          message: `The page /${target} has no heading or element with the id ${JSON.stringify(hash.slice(0, 200))}. Correct the link or add {#id} to the heading.`,
        });
      }
      const rules = compileRedirects(config.redirects);
      for (const redirect of [...config.redirects, ...linkPages]) {
        const { path, id } = headingOf(redirect, rules, (each) => pages.has(each));
        const page = id === '' || partial.has(path) ? undefined : pages.get(path);
        if (page === undefined || holds(page.ids, id) || RESERVED_IDS.has(id)) continue;
        const place = placeOf(redirect, 'destination');
        warn({
          file: place?.file ?? config.file,
          line: place?.line ?? null,
          code: 'anchor-not-found',
          message: `The redirect from ${JSON.stringify(redirect.source.slice(0, 200))} leads to /${path}, which has no heading or element with the id ${JSON.stringify(id.slice(0, 200))}. Correct the destination or add {#id} to the heading.`,
        });
      }
    },
  };
}

/** The page and the id that a redirect leads to in the end; an empty id for other hosts, patterns and parts of a text. */
function headingOf(
  { source, destination }: Redirect,
  rules: RedirectRules,
  isPage: (path: string) => boolean,
): { path: string; id: string } {
  const link = splitUrl(destination);
  const path = entryPath(link.path);
  if (isExternal(destination) || isPattern(source) || link.hash.startsWith(':~:')) return { path, id: '' };
  const find = (next: string): string | null => (isPage(entryPath(next)) ? entryPath(next) : null);
  const landing = isPage(path) || link.hash === '' ? null : followRedirects(rules, link, find);
  if (landing?.kind === 'target') return { path: landing.target, id: decodePath(landing.hash) };
  return { path, id: decodePath(link.hash) };
}

/** Whether a page would have more ids with its API description, which was not found: that is reported by itself. */
function lacksDescription({ operation, frontMatter }: Pick<Page, 'operation' | 'frontMatter'>): boolean {
  if (operation === null || typeof frontMatter.openapi !== 'string') return false;
  return operation.spec === null || /^https?:/i.test(operation.spec);
}

/** How ids of fields start, by how those of the hosted service do. */
const FIELD_STARTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['body', ['request-body']],
  ['param', ['parameter', 'request-body']],
  ['response', ['response-body']],
]);

/** Ids that a link means which is written for the hosted service: there, values of a map are below `key`. */
function fieldIds(hash: string): string[] {
  const [, start = '', rest = ''] = /^([a-z]+)-(.+)$/s.exec(hash) ?? [];
  return (FIELD_STARTS.get(start) ?? []).flatMap((own) => [
    `${own}-${rest}`,
    `${own}-${rest.replace(/-key(?=-|$)/g, '')}`,
  ]);
}

/** Letters and digits in lower case: what the rules of all tools keep of a heading. */
function fold(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join('');
}

/** Ids by their letters and digits; null where several headings share them. */
function foldIds({ ids, aliases }: Ids): Map<string, string | null> {
  const byFold = new Map<string, string | null>();
  for (const id of idsOf(ids)) {
    const key = fold(id);
    if (key === '' || (holds(aliases, id) && byFold.has(key))) continue;
    byFold.set(key, byFold.has(key) ? null : id);
  }
  return byFold;
}
