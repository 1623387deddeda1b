import { createHash } from 'node:crypto';
import { cleanCss, cssUrls } from '../clean/css.ts';
import { cleanDataUrl } from '../clean/files.ts';
import { fileForm, type RemoteKind } from './file-form.ts';

export interface RemoteRequest {
  /** Absolute, http or https, without a fragment. */
  url: string;
  kind: RemoteKind;
}

/** The file and the Content-Type it came with, or why it could not be fetched: the end of "... could not be fetched: ". */
export type RemoteAnswer = { content: Uint8Array; type: string } | { fault: string };

/**
 * Gets files of other hosts, as far as the policy of the export lets it; called once for each URL. A URL
 * missing from the result is not available. Must not throw for errors of a host.
 */
export type FetchRemote = (requests: readonly RemoteRequest[]) => Promise<ReadonlyMap<string, RemoteAnswer>>;

export interface RemoteFile {
  /** Output path, below `_offprint/remote/`. */
  path: string;
  content: Uint8Array;
}

/** Files of other hosts that an export keeps copies of. */
export interface RemoteFiles {
  /** Number of requests for files that had not been fetched. */
  readonly misses: number;
  /** The copy of a file; `wanted` until `load` has run, null when there will be none. */
  find(url: string, kind: RemoteKind): RemoteFile | 'wanted' | null;
  /** Why there is no copy of a file; null if fetching is not allowed. */
  faultOf(url: string): string | null;
  /** URL of a file by the path of its copy; null for other files. */
  urlOf(path: string): string | null;
  /** Fetches all wanted files, and the files that their style sheets load. */
  load(): Promise<void>;
  /** Copies that were found, with those that they load, sorted by path. */
  files(): RemoteFile[];
}

export const REMOTE_FOLDER = '_offprint/remote/';

/** Whether a file of the source is a copy of a file of another host, which its authors do not control. */
export const isCopy = (file: string): boolean => file.startsWith(REMOTE_FOLDER);

/** Maximum depth of style sheets that import each other. */
const MAX_NESTING = 3;
/** Maximum number of files of one site, which limits the requests to other hosts. */
const MAX_FILES = 2_000;

/** A file, its URL, and what it loads if it is a style sheet. */
type Entry = { file: RemoteFile; url: string; uses: ReadonlyMap<string, RemoteKind> } | { fault: string };

export function createRemoteFiles(fetchRemote: FetchRemote | undefined): RemoteFiles {
  const entries = new Map<string, Entry>();
  const wanted = new Map<string, RemoteKind>();
  const used = new Set<string>();
  let misses = 0;

  const ask = (url: string, kind: RemoteKind): void => {
    if (entries.has(url) || wanted.has(url)) return;
    if (entries.size + wanted.size < MAX_FILES) wanted.set(url, kind);
    else entries.set(url, { fault: `the site uses more than ${MAX_FILES} files on other hosts` });
  };
  const take = (url: string, kind: RemoteKind, answer: RemoteAnswer | undefined): void => {
    const entry = entryOf(url, kind, answer ?? { fault: 'it was not downloaded' });
    entries.set(url, entry);
    if ('uses' in entry) for (const [part, partKind] of entry.uses) ask(part, partKind);
  };
  return {
    get misses() {
      return misses;
    },
    find(written, kind) {
      const url = absoluteUrl(written);
      if (fetchRemote === undefined || url === null) return null;
      const entry = entries.get(url);
      if (entry === undefined) {
        ask(url, kind);
        if (!wanted.has(url)) return null;
        misses++;
        return 'wanted';
      }
      if ('fault' in entry) return null;
      used.add(url);
      return entry.file;
    },
    faultOf(written) {
      const entry = entries.get(absoluteUrl(written) ?? '');
      return entry !== undefined && 'fault' in entry ? entry.fault : null;
    },
    urlOf(path) {
      for (const entry of isCopy(path) ? entries.values() : [])
        if ('file' in entry && entry.file.path === path) return entry.url;
      return null;
    },
    async load() {
      for (let round = 0; round <= MAX_NESTING && wanted.size > 0; round++) {
        const requests = [...wanted].map(([url, kind]) => ({ url, kind }));
        const answers = (await fetchRemote?.(requests)) ?? new Map<string, RemoteAnswer>();
        wanted.clear();
        for (const { url, kind } of requests) take(url, kind, answers.get(url));
      }
      for (const url of wanted.keys()) entries.set(url, { fault: 'too many style sheets import each other' });
      wanted.clear();
    },
    files: () => collect(entries, used),
  };
}

/** Whether a URL names a file of another host, which can be fetched. */
export function isRemoteUrl(written: string): boolean {
  return /^\s*(?:https?:|[/\\]{2})/i.test(written) && absoluteUrl(written) !== null;
}

/** Normalized form of a URL, used for requests and as a key; null for anything but http and https. */
export function absoluteUrl(written: string, base?: string): string | null {
  const url = URL.parse(written.trim().replace(/^[/\\]{2}/, 'https://'), base);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.hash = '';
  return url.href;
}

function entryOf(url: string, kind: RemoteKind, answer: RemoteAnswer): Entry {
  if ('fault' in answer) return { fault: answer.fault };
  const form = fileForm(kind, answer.content, answer.type);
  if ('fault' in form) return form;
  const content = form.content ?? answer.content;
  const digest = createHash('sha256').update(content);
  // The links of a style sheet are relative to where it was.
  if (form.ending === 'css') digest.update(url);
  const path = `${REMOTE_FOLDER}${digest.digest('hex').slice(0, 20)}.${form.ending}`;
  return { file: { path, content }, url, uses: form.ending === 'css' ? partsOf(content, url) : new Map() };
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function partsOf(css: Uint8Array, base: string): Map<string, RemoteKind> {
  const parts = new Map<string, RemoteKind>();
  for (const { url, isImport } of cssUrls(decoder.decode(css))) {
    const part = absoluteUrl(url, base);
    if (part !== null && !parts.has(part)) parts.set(part, isImport ? 'style' : 'asset');
  }
  return parts;
}

function collect(entries: ReadonlyMap<string, Entry>, used: ReadonlySet<string>): RemoteFile[] {
  const files = new Map<string, RemoteFile>();
  const visit = (url: string): void => {
    const entry = entries.get(url);
    if (entry === undefined || 'fault' in entry || files.has(entry.file.path)) return;
    const { file, uses } = entry;
    files.set(file.path, file);
    for (const part of uses.keys()) visit(part);
    if (file.path.endsWith('.css'))
      files.set(file.path, { ...file, content: localStyles(file.content, entry.url, entries) });
  };
  for (const url of used) visit(url);
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Parts are beside the style sheet; one that could not be fetched is removed from it. */
function localStyles(css: Uint8Array, base: string, entries: ReadonlyMap<string, Entry>): Uint8Array {
  const local = cleanCss(decoder.decode(css), {
    resolve({ url }) {
      if (url.startsWith('#') || /^\s*data:/i.test(url)) return url.startsWith('#') ? url : cleanDataUrl(url);
      const entry = entries.get(absoluteUrl(url, base) ?? '');
      return entry === undefined || 'fault' in entry ? null : entry.file.path.slice(REMOTE_FOLDER.length);
    },
  });
  return encoder.encode(local);
}
