import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { FetchRemote, RemoteAnswer, RemoteRequest } from '@offprint/render';
import { NetworkError } from '../platform/net/error.ts';
import { type SafeFetchOptions, safeFetch } from '../platform/net/safe-fetch.ts';

export interface FetchLimits {
  /** Most files of one export. */
  files: number;
  /** Most bytes of one file, and of all files of one export. */
  fileBytes: number;
  totalBytes: number;
  /** One file, and all of one export. */
  fileMs: number;
  totalMs: number;
  /** Requests at a time. */
  parallel: number;
  /** How long a file is taken from the cache instead. */
  cacheMs: number;
  /** Bytes of the cache; the oldest files leave it first. */
  cacheBytes: number;
}

export const FETCH_LIMITS: Readonly<FetchLimits> = {
  files: 1_000,
  fileBytes: 32 * 1024 ** 2,
  totalBytes: 256 * 1024 ** 2,
  fileMs: 15_000,
  totalMs: 120_000,
  parallel: 8,
  cacheMs: 24 * 3_600_000,
  cacheBytes: 1024 ** 3,
};

/** What one export has left of its limits, over all of its questions. */
export interface FetchBudget {
  files: number;
  bytes: number;
  ms: number;
}

export interface RemoteFetcher {
  readonly limits: Readonly<FetchLimits>;
  /**
   * Fetches files as far as policy and budget allow; each has a result. Throws the reason of the signal only.
   */
  getAll(
    requests: readonly RemoteRequest[],
    budget: FetchBudget,
    signal: AbortSignal,
  ): Promise<Map<string, RemoteAnswer>>;
}

export interface RemoteFetcherOptions {
  policy: SafeFetchOptions['policy'];
  /** Folder of the cache; made when it is not there. */
  cacheDir: string;
  limits?: Partial<FetchLimits>;
}

/** Style sheets of fonts name small modern files only to programs that say they can read them. */
const STYLE_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Offprint';

/** Fetches files that sites name on other hosts, behind the address guard, with a cache on disk. */
export function createRemoteFetcher(options: RemoteFetcherOptions): RemoteFetcher {
  const limits = { ...FETCH_LIMITS, ...options.limits };
  const cache = createCache(options.cacheDir, limits);

  const get = async (
    { url, kind }: RemoteRequest,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<RemoteAnswer> => {
    const known = await cache.get(url);
    if (known !== null) {
      return known.content.byteLength <= maxBytes ? known : { fault: tooMuch(limits.totalBytes) };
    }
    const secure = options.policy.allowHttp === true ? url : url.replace(/^http:/, 'https:');
    const response = await safeFetch(secure, {
      policy: options.policy,
      maxBytes: Math.min(maxBytes, limits.fileBytes),
      timeoutMs: limits.fileMs,
      signal,
      ...(kind === 'style' ? { userAgent: STYLE_AGENT } : {}),
    });
    if (response.status !== 200) return { fault: `the host returned status ${response.status}` };
    const answer = { content: response.body, type: (response.headers['content-type'] ?? '').slice(0, 200) };
    await cache.put(url, answer);
    return answer;
  };
  const attempt = async (
    request: RemoteRequest,
    budget: FetchBudget,
    signal: AbortSignal,
  ): Promise<RemoteAnswer> => {
    if (--budget.files < 0) return { fault: `an export fetches ${limits.files} files of other hosts` };
    if (budget.ms <= 0) return { fault: tooLate(limits.totalMs) };
    if (budget.bytes <= 0) return { fault: tooMuch(limits.totalBytes) };
    const deadline = AbortSignal.timeout(budget.ms);
    try {
      const answer = await get(request, budget.bytes, AbortSignal.any([signal, deadline]));
      if ('content' in answer) budget.bytes -= answer.content.byteLength;
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) return { fault: tooLate(limits.totalMs) };
      if (error instanceof NetworkError) return { fault: error.message.replace(/\.$/, '') };
      throw error;
    }
  };
  return {
    limits,
    async getAll(requests, budget, signal) {
      const answers = new Map<string, RemoteAnswer>();
      const started = performance.now();
      const queue = [...requests];
      const total = budget.ms;
      const work = async (): Promise<void> => {
        for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
          budget.ms = Math.floor(total - (performance.now() - started));
          answers.set(request.url, await attempt(request, budget, signal));
        }
      };
      await Promise.all(Array.from({ length: limits.parallel }, work));
      await cache.sweep();
      return answers;
    },
  };
}

const tooMuch = (bytes: number): string => `all files of an export may have ${bytes} bytes`;
const tooLate = (ms: number): string => `an export fetches for ${Math.round(ms / 1000)} s`;

export function createFetchBudget(limits: Readonly<FetchLimits> = FETCH_LIMITS): FetchBudget {
  return { files: limits.files, bytes: limits.totalBytes, ms: limits.totalMs };
}

/** The fetcher as a render of this process takes it, with the budget of one export. */
export function fetchInProcess(fetcher: RemoteFetcher, signal: AbortSignal): FetchRemote {
  const budget = createFetchBudget(fetcher.limits);
  return (requests) => fetcher.getAll(requests, budget, signal);
}

/** What a sandboxed render asks. */
export interface FetchQuestion {
  fetch: readonly RemoteRequest[];
}

/** The result: names of files in the folder of the reply, or the reasons why they are missing. */
export type FetchedFiles = ({ url: string; file: string; type: string } | { url: string; fault: string })[];

const KINDS: ReadonlySet<unknown> = new Set(['asset', 'style', 'script', 'data']);

/**
 * Answers the question of a sandboxed render with files in a folder that it reads. The child has read hostile
 * content: whatever it asks, only web addresses are fetched, under the policy and what its export has left.
 */
export async function answerFetch(
  question: unknown,
  to: { fetcher: RemoteFetcher; budget: FetchBudget; folder: string; signal: AbortSignal },
): Promise<FetchedFiles> {
  const answers = await to.fetcher.getAll(readQuestion(question, to.fetcher.limits), to.budget, to.signal);
  const files: FetchedFiles = [];
  for (const [url, answer] of answers) {
    if ('fault' in answer) {
      files.push({ url, fault: answer.fault });
      continue;
    }
    const file = randomBytes(12).toString('hex');
    await writeFile(join(to.folder, file), answer.content, { flag: 'wx', mode: 0o600 });
    files.push({ url, file, type: answer.type });
  }
  return files;
}

/** Throws TypeError for anything but a question; addresses once each. */
function readQuestion(question: unknown, limits: FetchLimits): RemoteRequest[] {
  const { fetch } = (question ?? {}) as { fetch?: unknown };
  if (!Array.isArray(fetch) || fetch.length > 4 * limits.files) throw new TypeError('no question for files');
  const requests = new Map<string, RemoteRequest>();
  for (const request of fetch as unknown[]) {
    const { url, kind } = (request ?? {}) as Partial<RemoteRequest>;
    const parsed = typeof url === 'string' && url.length <= 8_192 ? URL.parse(url) : null;
    if (parsed === null || !/^https?:$/.test(parsed.protocol) || !KINDS.has(kind)) {
      throw new TypeError('no question for files of other hosts');
    }
    requests.set(url as string, { url: url as string, kind: kind as RemoteRequest['kind'] });
  }
  return [...requests.values()];
}

interface Cache {
  get(url: string): Promise<{ content: Uint8Array; type: string } | null>;
  put(url: string, file: { content: Uint8Array; type: string }): Promise<void>;
  sweep(): Promise<void>;
}

/** One file per URL: the Content-Type on the first line, then the bytes. Its age is that of the file. */
function createCache(folder: string, limits: FetchLimits): Cache {
  let isMade = false;
  let isStale = false;
  const pathOf = (url: string): string => join(folder, createHash('sha256').update(url).digest('hex'));
  return {
    async get(url) {
      const path = pathOf(url);
      const found = await stat(path).catch(() => null);
      if (found === null || Date.now() - found.mtimeMs > limits.cacheMs) return null;
      const bytes = await readFile(path).catch(() => null);
      const end = bytes?.indexOf(10) ?? -1;
      if (bytes === null || end === -1) return null;
      return { type: bytes.toString('latin1', 0, end), content: new Uint8Array(bytes.subarray(end + 1)) };
    },
    async put(url, { content, type }) {
      if (!isMade) await makeFolder(folder, 0o700);
      isMade = true;
      isStale = true;
      const path = pathOf(url);
      const part = `${path}.${randomBytes(6).toString('hex')}.part`;
      const head = Buffer.from(`${type.replace(/[^\x20-\x7e]/g, '')}\n`, 'latin1');
      await writeFile(part, Buffer.concat([head, content]), { mode: 0o600 });
      // Atomic, even if another process writes the same file.
      await rename(part, path);
    },
    async sweep() {
      if (!isStale) return;
      isStale = false;
      const found: { path: string; bytes: number; age: number }[] = [];
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        const info = await stat(path).catch(() => null);
        if (info !== null) found.push({ path, bytes: info.size, age: Date.now() - info.mtimeMs });
      }
      let bytes = 0;
      for (const file of found.sort((a, b) => a.age - b.age)) {
        bytes += file.bytes;
        if (file.age > limits.cacheMs || bytes > limits.cacheBytes) await rm(file.path, { force: true });
      }
    },
  };
}
