import { type ReadFile, readText } from './site-files.ts';

/** A page as agents read it. */
export interface Page {
  /** Without extension: `guides/start`. */
  path: string;
  /** Markdown. */
  content: string;
}

const MAX_PATH = 1_024;
const MAX_PAGE = 16 * 1024 * 1024;

/**
 * The path of a page from what a client names: `guides/start`, `/docs/guides/start.md`, or a URL of the site. Null if it
 * names no page.
 */
export function pagePathOf(text: string, basePath = ''): string | null {
  if (text.length > MAX_PATH * 4) return null;
  const target = text.trim().replace(/^https?:\/\/[^/?#]*/i, '');
  const decoded = decodePath(target.replace(/[?#].*$/s, ''));
  if (decoded === null || decoded.length > MAX_PATH || /[\0\\]/.test(decoded)) return null;
  const isBelow = basePath !== '' && (decoded === basePath || decoded.startsWith(`${basePath}/`));
  const own = (isBelow ? decoded.slice(basePath.length) : decoded).replace(/^\/+|\/+$/g, '');
  const path = own.replace(/\.(?:html|mdx?)$/i, '');
  if (path.split('/').some((part) => part === '..' || part === '.')) return null;
  return path === '' ? 'index' : path;
}

/** The Markdown of a page by its path; null if it is missing. */
export async function readPage(read: ReadFile, path: string): Promise<Page | null> {
  for (const name of [path, `${path}/index`]) {
    const content = await readText(read, `${name}.md`, MAX_PAGE);
    if (content !== null) return { path: name, content };
  }
  return null;
}

/** The URL of a page below the base path of its site: `/docs/guides/start`. */
export function urlOf(path: string, basePath: string, anchor = ''): string {
  const shown = path === 'index' ? '' : path.replace(/\/index$/, '/');
  const url = `${basePath}/${shown.split('/').map(encodeURIComponent).join('/')}`;
  return anchor === '' ? url : `${url}#${encodeURIComponent(anchor)}`;
}

function decodePath(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
