/** Maximum length of one segment in bytes that every file system supports. */
const MAX_SEGMENT = 255;
/** Folders of one path; deeper ones cannot be written everywhere and cost ignore rules time. */
const MAX_SEGMENTS = 100;
/** The longest ending that the output adds to a page path. */
const ENDING = '.html';

/** URL path of a page file: without extension, `x/index` as `x`, the root index as `index`. */
export function pagePath(file: string): string {
  const path = file.replace(/\.mdx?$/i, '');
  return path.endsWith('/index') ? path.slice(0, -'/index'.length) : path;
}

/** Sites are often written for a host that serves them below one of these paths. */
export function withoutBase(path: string): string {
  return path.replace(/^\/(?:docs|documentation)(?=\/.)/, '');
}

/** File of a page in the output. */
export function outputPath(path: string): string {
  return path + ENDING;
}

/**
 * The path that a navigation entry, redirect or option means: spaces, a leading `./` or slashes, the extension,
 * slashes at the end and `/index` do not count.
 */
export function entryPath(entry: string): string {
  let path = entry.trim();
  if (path.startsWith('./')) path = path.slice(2);
  let from = 0;
  while (path[from] === '/') from++;
  let to = path.length;
  while (to > from && path[to - 1] === '/') to--;
  path = pagePath(path.slice(from, to));
  return path === '' ? 'index' : path;
}

/** Paths that are equal on some file system: without regard to case and Unicode composition. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Whether a path can be a file name everywhere and cannot leave its folder. */
export function isSafePath(path: string): boolean {
  if (/[\\\0-\x1f\x7f]/.test(path)) return false;
  const segments = path.split('/');
  if (segments.length > MAX_SEGMENTS) return false;
  return segments.every((segment) => {
    if (segment === '' || segment === '.' || segment === '..') return false;
    return segment.length < MAX_SEGMENT / 4 || Buffer.byteLength(segment) <= MAX_SEGMENT;
  });
}

/** The title of a path without one: last segment, `-` and `_` as spaces, first letter upper-cased. */
export function titleOfPath(path: string): string {
  const words = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/[-_]+/g, ' ')
    .trim();
  const [first = ''] = words;
  return words === '' ? path : first.toUpperCase() + words.slice(first.length);
}

/** A path without percent-encoding; as written where that is invalid. */
export function decodePath(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
