/** Rules that need the whole site: unused files, unlisted pages, equal titles. */
import { MEDIA } from '../media.ts';
import type { NavKind, Page, SiteMap } from '../site.ts';
import type { SourceTree } from '../source.ts';
import type { Report } from './finding.ts';

/** Files whose text may name others. */
const TEXT = /\.(?:mdx?|[jt]sx?|json|css|html?|ya?ml|txt)$/i;
const ENDINGS = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|mp4|webm|mov|ogv|mp3|wav|ogg|m4a|mdx?|[jt]sx?)\b/gi;
/** Longer files, and those that are not text, are not searched. */
const MAX_TEXT = 8 * 1024 * 1024;
/** Switches of a site between which equal titles are meant. */
const BRANCHES: ReadonlySet<NavKind> = new Set<NavKind>([
  'language',
  'version',
  'product',
  'tab',
  'dropdown',
]);

/** Reports media and snippets whose name does not occur in any other file of the source. */
export function checkUnusedFiles(source: SourceTree, siteMap: SiteMap, report: Report): void {
  const candidates = new Map<string, string[]>();
  const add = (file: string): void => {
    const name = foldName(baseName(file));
    candidates.set(name, [...(candidates.get(name) ?? []), file]);
  };
  for (const file of siteMap.assets) if (MEDIA.test(file)) add(file);
  for (const file of siteMap.snippets) add(file);
  if (candidates.size === 0) return;
  const named = namesIn(source);
  const snippets = new Set(siteMap.snippets);
  for (const [name, files] of candidates) {
    for (const file of files) {
      const uses = named.get(name) ?? named.get(name.replace(/\.[^.]+$/, ''));
      // A snippet that is named only in its own text is unused.
      if (uses !== undefined && (uses.size > 1 || !uses.has(file))) continue;
      const message = snippets.has(file)
        ? 'No page or snippet imports this file. Remove it, or import it where it is needed.'
        : 'No page, style sheet or configuration uses this file, but the export contains it. Remove it, or list it in `.mintignore`.';
      report({ file, line: null, code: 'unused-file', message });
    }
  }
}

/** Names of files that occur in texts, folded, each with two of those files at most. */
function namesIn(source: SourceTree): Map<string, Set<string>> {
  const named = new Map<string, Set<string>>();
  const note = (written: string, file: string): void => {
    const name = foldName(decode(written));
    const files = named.get(name);
    if (files === undefined) named.set(name, new Set([file]));
    else if (files.size < 2) files.add(file);
  };
  for (const file of source.paths) {
    if (!TEXT.test(file) || source.size(file) > MAX_TEXT) continue;
    const text = source.readText(file);
    for (const { 0: ending, index } of text.matchAll(ENDINGS)) {
      const before = text.slice(Math.max(0, index - 255), index);
      // A name may contain spaces if it is in quotes or in the target of a link.
      for (const stop of [/[^\s/"'`()<>=:]*$/, /[^\n/"'`()<>=:]*$/])
        note(stop.exec(before)?.[0] + ending, file);
    }
    for (const [, path = ''] of text.matchAll(/(?:\bfrom\s+|\bfile=)["']([^"'\n]{1,300})["']/g)) {
      note(baseName(path), file);
    }
  }
  return named;
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

function foldName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

function decode(word: string): string {
  if (!word.includes('%')) return word;
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** Reports pages that no navigation lists, and titles that two pages of one part of the site share. */
export function checkPages(siteMap: SiteMap, report: Report): void {
  const titles = new Map<string, Page>();
  for (const page of siteMap.pages) {
    if (page.source === null) continue;
    if (page.trail.length === 0) {
      if (!page.hidden && !page.noindex && page.path !== 'index') reportUnlisted(page, report);
      continue;
    }
    const branch = page.trail.filter((node) => BRANCHES.has(node.kind)).map((node) => node.label);
    const key = [...branch, page.title.trim().toLowerCase()].join('\0');
    const first = titles.get(key);
    if (first === undefined) titles.set(key, page);
    else if (first.source !== page.source) reportSameTitle(page, first, report);
  }
}

function reportUnlisted(page: Page, report: Report): void {
  report({
    file: page.source ?? page.path,
    line: null,
    code: 'unlisted-page',
    message:
      'No navigation lists this page, so readers can find it only by its URL. List it, or set `hidden: true` in its front matter.',
  });
}

function reportSameTitle(page: Page, first: Page, report: Report): void {
  report({
    file: page.source ?? page.path,
    line: null,
    code: 'duplicate-title',
    message: `The title "${page.title}" is also the title of ${first.source ?? first.path}; in search results and browser tabs they look the same. Use different titles.`,
  });
}
