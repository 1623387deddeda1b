import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type Reading, wordsOf } from './differential.ts';
import type { Shown } from './differential-html.ts';

/** What the comparison knows of the site: names of its files, and its redirects, both read without the renderer. */
export interface SiteNames {
  /** Paths of pages without extension, `index` files under the path of their folder. */
  pages: ReadonlySet<string>;
  folded: ReadonlyMap<string, string>;
  files: ReadonlySet<string>;
  redirects: ReadonlyMap<string, string>;
}

export function pathOf(file: string): string {
  const path = file.replace(/\.mdx?$/, '');
  return path === 'index' ? '' : path.replace(/\/index$/, '');
}

export function siteNames(folder: string, pageFiles: readonly string[], files: readonly string[]): SiteNames {
  const pages = new Set(pageFiles.map(pathOf));
  const redirects = new Map<string, string>();
  for (const { source, destination } of redirectsOf(folder))
    redirects.set(source.replace(/^\/+|\/+$/g, ''), destination);
  const folded = new Map([...pages].map((page) => [page.toLowerCase(), page]));
  return { pages, folded, files: new Set(files), redirects };
}

interface Rule {
  source: string;
  destination: string;
}

function redirectsOf(folder: string): Rule[] {
  const file = ['docs.json', 'mint.json'].find((name) => existsSync(posix.join(folder, name)));
  if (file === undefined) return [];
  const read = (name: string): unknown => JSON.parse(readFileSync(posix.join(folder, name), 'utf8'));
  const { redirects } = read(file) as { redirects?: Rule[] | { $ref: string } };
  if (redirects === undefined) return [];
  return Array.isArray(redirects) ? redirects : (read(redirects.$ref) as Rule[]);
}

const bare = (path: string): string =>
  posix
    .normalize(path)
    .replace(/^\/+|\/+$/g, '')
    .replace(/^\.$/, '');

/** `/path#hash` for a link within the site, the URL itself for another. */
export function linkTarget(href: string, file: string, page: string, names: SiteNames): string {
  const text = href.trim();
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text;
  if (text.startsWith('//')) return `https:${text}`;
  const [, path = '', , hash = ''] = /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(text) ?? [];
  const tail = hash === '' ? '' : `#${safeDecode(hash)}`;
  if (path === '') return `/${page}${tail}`;
  const target = safeDecode(path);
  const bases = target.startsWith('/') ? ['/'] : [posix.dirname(`/${file}`), `/${page}`, '/'];
  for (const base of bases) {
    const found = findPage(posix.join(base, target), names);
    if (found !== null) return `/${found}${tail}`;
  }
  const first = bare(posix.join(bases[0] ?? '/', target)).replace(/\.mdx?$/, '');
  const redirect = followRedirect(first, names);
  if (redirect !== null)
    return linkTarget(tail === '' || redirect.includes('#') ? redirect : redirect + tail, file, page, names);
  const below = /^(?:docs|documentation)\/(.+)$/.exec(first)?.[1];
  if (below === undefined) return `/${first}${tail}`;
  const found = findPage(below, names);
  if (found === null && followRedirect(below, names) !== null)
    return linkTarget(`/${below}${tail}`, file, page, names);
  return `/${found ?? first}${tail}`;
}

function findPage(path: string, names: SiteNames): string | null {
  const plain = bare(path);
  if (names.files.has(plain) && !/\.(?:mdx?|html)$/.test(plain)) return plain;
  const page = plain.replace(/\.(?:mdx?|html)$/, '').replace(/(?:^|\/)(?:index|README)$/, '');
  return names.pages.has(page) ? page : (names.folded.get(page.toLowerCase()) ?? null);
}

function followRedirect(path: string, names: SiteNames): string | null {
  const exact = names.redirects.get(path);
  if (exact !== undefined) return exact;
  for (const [source, destination] of names.redirects) {
    const [, prefix = '', rest = ''] = /^(.*\/)(:\w+\*?|\*)$/.exec(source) ?? [];
    if (rest === '' || !`${path}/`.startsWith(prefix)) continue;
    // A rule for one segment does not match a path without it.
    if (!rest.endsWith('*') && path.length < prefix.length) continue;
    return destination.replace(rest, path.slice(prefix.length)).replace(/\/$/, '');
  }
  return null;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The target that a link in the HTML of a page names. */
export function shownTarget(href: string, output: string, paths: ReadonlyMap<string, string>): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href;
  const [, path = '', , hash = ''] = /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(href) ?? [];
  const tail = hash === '' ? '' : `#${safeDecode(hash)}`;
  const file = path === '' ? output : posix.join(posix.dirname(output), safeDecode(path));
  return `/${paths.get(file) ?? file.replace(/\.html$/, '')}${tail}`;
}

/** What differs between what the source says and what the page shows; empty where they are equal. */
export function differences(
  reading: Reading,
  shown: Shown,
  targets: { written: readonly string[]; shown: readonly string[] },
  vocabulary: ReadonlySet<string>,
): string[] {
  const faults = [...lostText(reading, shown), ...addedText(reading, shown, vocabulary)];
  const source = reading.sources.join('\n');
  const added = minus(targets.shown, targets.written);
  for (const target of minus(targets.written, targets.shown)) {
    // A folder without a page of its own leads to its first page.
    const [path = '', hash] = target.split('#');
    const within = added.findIndex((other) => other.startsWith(`${path}/`) && other.split('#')[1] === hash);
    if (within === -1) faults.push(`link lost: ${target}`);
    else added.splice(within, 1);
  }
  for (const target of added) {
    const last = target.replace(/#.*$/, '').split('/').at(-1) ?? '';
    if (!source.includes(last)) faults.push(`link added: ${target}`);
  }
  const line = (heading: Reading['headings'][number]): string =>
    `${heading.depth} #${heading.id} ${wordsOf(heading.text)}`;
  const own = shown.headings.map(line);
  // One without text is left out, since screen readers would announce a heading without a name.
  const named = reading.headings.filter(({ text }) => wordsOf(text) !== '');
  faults.push(...minus(named.map(line), own).map((heading) => `heading lost: ${heading}`));
  return faults;
}

function lostText(reading: Reading, shown: Shown): string[] {
  const text = ` ${wordsOf(shown.text)} `;
  const faults: string[] = [];
  let from = 0;
  for (const block of reading.blocks) {
    let at = text.indexOf(` ${block} `, from);
    if (at === -1) at = text.indexOf(` ${block} `);
    else from = at + block.length;
    if (at === -1) faults.push(`text lost: ${block.slice(0, 100)}`);
  }
  return faults;
}

function addedText(reading: Reading, shown: Shown, vocabulary: ReadonlySet<string>): string[] {
  const known = new Set(wordsOf([...reading.sources, ...reading.blocks].join('\n')).split(' '));
  const added = new Set(
    wordsOf(shown.text)
      .split(' ')
      .filter(
        // Steps, notes and lines have numbers.
        (word) => word !== '' && !known.has(word) && !vocabulary.has(word) && !/^\d{1,3}$/.test(word),
      ),
  );
  return [...added].map((word) => `text added: ${word}`);
}

function minus(list: readonly string[], other: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(item) ?? 0;
    if (count > 0) left.set(item, count - 1);
    return count === 0;
  });
}
