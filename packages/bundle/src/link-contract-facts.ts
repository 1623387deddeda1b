import { BundleError } from './error.ts';

/** Where a source says something. */
export interface LinkPlace {
  file: string;
  /** 1-based; null where no line is known. */
  line: number | null;
}

/** A page with its anchors in the order of the page. */
export interface LinkPage {
  /** File that makes the page; null where it is not known. */
  file: string | null;
  anchors: ReadonlyMap<string, LinkPlace | null>;
}

/** Where the source of an export says what its site promises to links. */
export interface LinkFacts {
  /** By path, without extension. */
  pages: ReadonlyMap<string, LinkPage>;
  /** By source, as in the manifest. */
  redirects: ReadonlyMap<string, LinkPlace>;
  /** Test queries of the search, with the path of the page that is expected first. */
  queries: readonly { query: string; expect: string }[];
  /** Levels of the checks of change reports that are set. */
  levels: ReadonlyMap<string, string>;
}

/** Name of the facts beside the chunks of an artifact. They are compressed with gzip, and not part of the bundle. */
export const linkFactsFile = 'links.ndjson.gz';

/** Bytes of the facts of one export without compression. */
export const maxLinkFacts = 64 * 1024 * 1024;
const maxAnchors = 3_000_000;
const maxQueries = 500;
const maxText = 4096;
/** Characters that are read without a turn of the event loop: some milliseconds. */
const stepCharacters = 500_000;

/**
 * Reads what `RenderResult.links` contains. A compromised renderer can have written it, so it is only data: each part
 * has a limit, and other work runs in between. Throws a BundleError.
 */
export async function parseLinkFacts(text: string): Promise<LinkFacts> {
  if (text.length > maxLinkFacts) throw fault('is too large');
  const pages = new Map<string, LinkPage>();
  const redirects = new Map<string, LinkPlace>();
  const queries: { query: string; expect: string }[] = [];
  const levels = new Map<string, string>();
  let anchors = 0;
  let turnAt = stepCharacters;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
    const [kind, name, file, more] = parseLine(line);
    if (kind === 'page') {
      const page = { file: textOf(file), anchors: anchorsOf(more, textOf(file)) };
      anchors += page.anchors.size;
      if (anchors > maxAnchors) throw fault('has too many anchors');
      pages.set(textOf(name), page);
    } else if (kind === 'redirect') {
      redirects.set(textOf(name), { file: textOf(file), line: lineOf(more) });
    } else if (kind === 'query' && queries.length < maxQueries) {
      queries.push({ query: textOf(name), expect: textOf(file) });
    } else if (kind === 'level') {
      levels.set(textOf(name), textOf(file));
    }
    if (at > turnAt) {
      turnAt = at + stepCharacters;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { pages, redirects, queries, levels };
}

function parseLine(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    if (Array.isArray(value)) return value;
  } catch {
    // Reported below, without the text.
  }
  throw fault('has a line that is not a list');
}

function anchorsOf(value: unknown, own: string): Map<string, LinkPlace> {
  if (!Array.isArray(value)) throw fault('has a page without anchors');
  const anchors = new Map<string, LinkPlace>();
  for (const one of value) {
    if (!Array.isArray(one)) throw fault('has an anchor that is not a list');
    const [id, line, file]: unknown[] = one;
    anchors.set(textOf(id), { file: file === undefined ? own : textOf(file), line: lineOf(line) });
  }
  return anchors;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw fault('has a value that is not a text');
  return value.slice(0, maxText).toWellFormed();
}

function lineOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function fault(what: string): BundleError {
  return new BundleError('manifest_invalid', `The file with the places of links ${what}.`, linkFactsFile);
}
