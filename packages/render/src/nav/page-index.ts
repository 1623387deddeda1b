import type { JsonObject } from '../config/json.ts';
import { readContextual } from '../config/keys/contextual.ts';
import { lineOfKey, readPageKeys } from '../config/page-keys.ts';
import { setPlace } from '../config/place.ts';
import { substituteVariables } from '../config/variables.ts';
import type { Excluded } from '../excluded.ts';
import type { WantedServices } from '../services/names.ts';
import type { Contextual, Page, Redirect } from '../site.ts';
import type { SourceTree } from '../source.ts';
import { readTextFile } from '../text-file.ts';
import type { KnownWarning, Warn } from '../warning.ts';
import { isRestricted, linkTarget, makePage } from './page.ts';
import { GroupNames, type LeftOutPage } from './page-access.ts';
import type { PageFile } from './page-files.ts';
import { entryPath, foldPath, outputPath } from './path.ts';

/** What a path leads to; `restricted` pages exist but are not for the readers of this export. */
export type Found =
  | { kind: 'page'; page: Page }
  | { kind: 'link'; page: Page; href: string }
  | { kind: 'restricted' };

/** The pages of a site by path. Optional files become pages when they are asked for. */
export interface PageIndex {
  /** What a navigation entry means; null when nothing is there. */
  find(entry: string): Found | null;
  /** Adds a generated page; the path gets `-1`, `-2`... until it is free. null for a restricted one. */
  add(page: Page): Page | null;
  pages(): Page[];
  /**
   * Pages of folders such as `build` that nothing asked for, as they would be; each becomes a page by `find` of its
   * path.
   */
  linkable(): Page[];
  /** Redirects from the paths of link pages. */
  links(): Redirect[];
  /** Pages that are for members of other groups. */
  leftOut(): LeftOutPage[];
  /** Groups that pages name. */
  groups: GroupNames;
}

/** What reading a page needs. */
interface Reading {
  source: Pick<SourceTree, 'read' | 'readText'>;
  /** Default place of the menus of pages. */
  display: Contextual['display'];
  /** What the export leaves out. */
  excluded: Excluded;
  /** Services of the platform that serves the site. */
  services: WantedServices;
  variables: Readonly<Record<string, string>>;
  allowed: ReadonlySet<string>;
  groups: GroupNames;
  warn: Warn;
}

export function indexPages(files: readonly PageFile[], options: Omit<Reading, 'groups'>): PageIndex {
  const groups = new GroupNames();
  const reading = { ...options, groups };
  const { allowed, warn } = reading;
  const leftOut: LeftOutPage[] = [];
  const found = new Map<string, Found>();
  /** By folded output path: the file that has it. */
  const taken = new Map<string, string>();
  const optional = new Map<string, PageFile>();
  /** Next number to try for a path that several operations want. */
  const counts = new Map<string, number>();

  const take = (entry: PageFile): Found | null => {
    const key = foldPath(outputPath(entry.path));
    const owner = taken.get(key);
    if (owner !== undefined) {
      warn(collision(entry.file, owner, entry.path));
      return null;
    }
    taken.set(key, entry.file);
    const known = read(entry, reading);
    if (known.kind === 'restricted') leftOut.push({ path: entry.path, file: entry.file });
    found.set(foldPath(entry.path), known);
    return known;
  };

  for (const file of byPreference(files)) if (!file.optional) take(file);
  for (const file of files) {
    const key = foldPath(file.path);
    if (file.optional && !found.has(key) && !optional.has(key)) optional.set(key, file);
  }

  const findPath = (path: string): Found | null => {
    const key = foldPath(path);
    const known = found.get(key);
    if (known !== undefined) return known;
    const file = optional.get(key);
    if (file === undefined) return null;
    optional.delete(key);
    return take(file);
  };

  return {
    find: (entry) => findPath(entryPath(entry)) ?? findPath(entryPath(decoded(entry))),
    add(page) {
      groups.add(page.frontMatter.groups);
      if (isRestricted(page.frontMatter.groups, allowed)) {
        leftOut.push({ path: page.path, file: page.operation?.spec ?? page.channel?.spec ?? page.path });
        return null;
      }
      let path = page.path;
      for (let count = counts.get(page.path) ?? 1; taken.has(foldPath(outputPath(path))); count++) {
        path = `${page.path}-${count}`;
        counts.set(page.path, count + 1);
      }
      const added = path === page.path ? page : { ...page, path, output: outputPath(path) };
      taken.set(foldPath(added.output), added.path);
      found.set(foldPath(path), { kind: 'page', page: added });
      return added;
    },
    pages: () => [...found.values()].flatMap((known) => (known.kind === 'page' ? [known.page] : [])),
    linkable() {
      const quiet = { ...reading, warn: () => undefined };
      return [...optional.values()].flatMap((entry) => {
        if (!entry.isLinkable || taken.has(foldPath(outputPath(entry.path)))) return [];
        const known = read(entry, quiet);
        return known.kind === 'restricted' ? [] : [known.page];
      });
    },
    links: () => [...found.values()].flatMap((known) => (known.kind === 'link' ? [linkRedirect(known)] : [])),
    leftOut: () => leftOut,
    groups,
  };
}

function linkRedirect({ page, href }: { page: Page; href: string }): Redirect {
  const redirect = { source: `/${page.path}`, destination: href, permanent: false };
  setPlace(redirect, { file: page.source ?? page.path, line: 1, keys: [], lines: [] });
  return redirect;
}

function read({ file, path, front, readBody, hasReplacement }: PageFile, reading: Reading): Found {
  const { source, display, excluded, services, variables, allowed, groups, warn } = reading;
  const { bodyLine, unread } = front;
  const frontMatter = withVariables(front.frontMatter, variables);
  groups.add(frontMatter.groups);
  const hasUnreadRule = unread !== null && /^\s{0,20}["']?groups["']?\s{0,20}[:=]/m.test(unread);
  if (hasUnreadRule || isRestricted(frontMatter.groups, allowed)) {
    warn({ file, line: null, code: 'page-restricted', message: restriction(hasUnreadRule) });
    return { kind: 'restricted' };
  }
  if (hasReplacement) readTextFile(source, file, warn);
  const { values, errors } = readPageKeys(frontMatter);
  const page = makePage({ path, source: file, readBody, bodyLine, frontMatter }, values);
  const lineOf = (key: string): number => lineOfKey(source.readText(file), key);
  for (const { key, code, message } of errors) {
    warn({ file, line: lineOf(key), code, message });
  }
  if (frontMatter.contextual !== undefined)
    page.contextual = pageMenu(page, file, { display, excluded, services }, lineOf, warn);
  const href = linkTarget(values);
  return href === null ? { kind: 'page', page } : { kind: 'link', page, href };
}

/** The front matter with variables of the site in its texts: titles and descriptions are parts of the page. */
function withVariables(written: JsonObject, variables: Readonly<Record<string, string>>): JsonObject {
  const hasAny = Object.values(written).some((value) => typeof value === 'string' && value.includes('{{'));
  if (!hasAny) return written;
  const read: JsonObject = {};
  for (const [key, value] of Object.entries(written)) {
    read[key] = typeof value === 'string' ? substituteVariables(value, variables) : value;
  }
  return read;
}

/** The page's own menu. */
function pageMenu(
  { frontMatter }: Page,
  file: string,
  { display, excluded, services }: Pick<Reading, 'display' | 'excluded' | 'services'>,
  lineOf: (key: string) => number,
  warn: Warn,
): Contextual | null {
  const tell: Warn = (warning) => warn({ ...warning, line: warning.line ?? lineOf('contextual') });
  return readContextual({ name: '', value: frontMatter, file, warn: tell, excluded, services }, display);
}

/** An `.md` file beside the `.mdx` file of the same page is after it: it is what a migration has left, or a copy for agents. */
function byPreference(files: readonly PageFile[]): PageFile[] {
  const written = new Map(files.map((file) => [file.file, file]));
  const isSecond = ({ file }: PageFile): boolean => {
    const other = /\.md$/i.test(file) ? written.get(`${file}x`) : undefined;
    return other !== undefined && !other.optional && other.readBody().trim() !== '';
  };
  const seconds = files.filter(isSecond);
  return seconds.length === 0 ? [...files] : [...files.filter((file) => !isSecond(file)), ...seconds];
}

const restriction = (unread: boolean): string =>
  unread
    ? 'The front matter contains "groups" but cannot be parsed, so the page was excluded. Correct the front matter.'
    : 'The page is for members of its "groups", so it was excluded. A served site shows it to its readers in one of them; to export it, name one in the groups of the export.';

const collision = (file: string, other: string, path: string): KnownWarning => ({
  file,
  line: null,
  code: 'page-collision',
  message: `This file and ${other} both are the page "/${path}" (case and Unicode forms are ignored); this one was excluded. Rename it.`,
});

function decoded(entry: string): string {
  if (!entry.includes('%')) return entry;
  try {
    return decodeURI(entry);
  } catch {
    return entry;
  }
}
