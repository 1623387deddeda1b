/** Reads an exported site as a browser would see its files and finds what does not resolve. Knows no renderer. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Parser } from 'htmlparser2';

export interface Reference {
  /** File of the site that holds the reference. */
  from: string;
  tag: string;
  attribute: string;
  /** As written. */
  target: string;
}

export interface SiteReport {
  html: string[];
  /** References to files of the site that are not there. */
  broken: Reference[];
  /** References that a browser would load from elsewhere without a click. */
  outside: Reference[];
  /** Anchors that their page does not have. */
  anchors: Reference[];
}

const LOADED = new Set([
  'script src',
  'link href',
  'img src',
  'source src',
  'video src',
  'audio src',
  'video poster',
  'object data',
  'embed src',
  'track src',
]);
const LINK_RELS_NOT_LOADED = /canonical|alternate|me|author|license|next|prev/;
const REFERENCES: Record<string, readonly string[]> = {
  a: ['href'],
  area: ['href'],
  script: ['src'],
  link: ['href'],
  img: ['src', 'srcset'],
  source: ['src', 'srcset'],
  video: ['src', 'poster'],
  audio: ['src'],
  track: ['src'],
  object: ['data'],
  embed: ['src'],
};

const ERROR_PAGE = '404.html';

export function checkSite(folder: string): SiteReport {
  const html = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
  const pages = new Map(html.map((file) => [file, readPage(join(folder, file))]));
  const report: SiteReport = { html, broken: [], outside: [], anchors: [] };
  for (const [from, page] of pages) {
    for (const { rel, ...found } of page.references) {
      const fault = toDeploymentError(folder, { from, ...found }, rel, pages);
      if (fault !== null) report[fault].push({ from, ...found });
    }
  }
  return report;
}

function toDeploymentError(
  folder: string,
  reference: Reference,
  rel: string,
  pages: ReadonlyMap<string, { ids: ReadonlySet<string> }>,
): 'broken' | 'outside' | 'anchors' | null {
  const { from, tag, attribute, target } = reference;
  if (/^(https?:)?\/\//i.test(target)) {
    const loaded = LOADED.has(`${tag} ${attribute}`) && !(tag === 'link' && LINK_RELS_NOT_LOADED.test(rel));
    return loaded ? 'outside' : null;
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return null;
  const [path = '', fragment = ''] = target.split('#', 2);
  const file = path === '' ? from : resolveFile(folder, from, path);
  if (file === null) return 'broken';
  const ids = pages.get(file)?.ids;
  if (tag !== 'a' || fragment === '' || ids === undefined) return null;
  return ids.has(fragment) || ids.has(safeDecode(fragment)) ? null : 'anchors';
}

/** Exactly what a static host does with a relative path: no rewriting, no guessing of extensions. */
function resolveFile(folder: string, from: string, path: string): string | null {
  const plain = safeDecode(path.split('?')[0]!);
  // The error page is shown at any depth, so it alone names the root of the site.
  if (plain.startsWith('/') && from !== ERROR_PAGE) return null;
  const file = plain.startsWith('/') ? plain.slice(1) || 'index.html' : join(dirname(from), plain);
  if (file.startsWith('..')) return null;
  const full = join(folder, file);
  return existsSync(full) && statSync(full).isFile() ? file : null;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readPage(file: string) {
  const ids = new Set<string>();
  const references: { tag: string; attribute: string; target: string; rel: string }[] = [];
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (attributes.id) ids.add(attributes.id);
      if (tag === 'a' && attributes.name) ids.add(attributes.name);
      for (const attribute of REFERENCES[tag] ?? []) {
        const value = attributes[attribute];
        if (value === undefined) continue;
        const targets =
          attribute === 'srcset'
            ? value.split(',').map((part) => part.trim().split(/\s+/)[0]!)
            : [value.trim()];
        for (const target of targets) references.push({ tag, attribute, target, rel: attributes.rel ?? '' });
      }
    },
  });
  parser.end(readFileSync(file, 'utf8'));
  return { ids, references };
}
