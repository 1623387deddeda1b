import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Coding,
  createPathSearch,
  type Encoding,
  type Found,
  isHashed,
  type PathSearch,
  type SiteFile,
  siteHeaders,
} from '@offprint/bundle';
import type { NotFoundPage, ServedSite } from '../serving/served-site.ts';
import { discoveryHeaders, longestNotFound, makeNotFound } from '../serving/site.ts';
import { createSecondUse } from './second-use.ts';
import type { HostRelease } from './state.ts';
import type { Table } from './table.ts';
import { copyHeaderBytes, damageOf, readCopy, readVerified, streamFile } from './verified-file.ts';
import type { Volume } from './volume.ts';
import { createWeightedCache, type WeightedCache } from './weighted-cache.ts';

/** The releases that requests read. What is in memory depends on the requests, not on the number of releases. */
export interface Releases {
  /** Runs `use` with an open release, whose files stay until it has ended. */
  with<Result>(release: HostRelease, use: (opened: OpenRelease) => Promise<Result>): Promise<Result>;
  /** Whether `with` runs for a release with this digest. */
  isInUse(sha256: string): boolean;
  /** A compressed copy of a file has been made. */
  onEncoded(sha256: string): void;
  /** Forgets what is known of a release, because its files were replaced. */
  forget(sha256: string): void;
  close(): void;
}

export interface OpenRelease {
  /** SHA-256 of the bundle; name, version label and URL of the site. */
  about: { sha256: string; name: string; version: string; url: string };
  /** Its pages were made for a site whose readers are counted. */
  isMeasured: boolean;
  find(target: string): Promise<Found<SiteFile>>;
  /** The file of this name, if pages of the release may still request it when another release is served. */
  findLasting(target: string): Promise<SiteFile | null>;
  /** The verified content of a file by its path; null for a missing or larger one. */
  read(path: string, maxBytes: number): Promise<Buffer | null>;
  /** What responses need. */
  serve(options: ServeOptions): ServedSite;
}

export interface ServeOptions {
  /** Headers of every response in addition to those of the site. */
  headers: Readonly<Record<string, string>>;
  /** Readers use https: send HSTS. */
  https: boolean;
}

/** Sizes of the compressed copies of a file; 0: it does not exist, or would not be shorter. */
type CopySizes = Readonly<Record<Encoding, number>>;

/** A compressed copy cannot be read; the same request works without it. */
export class CopyError extends Error {
  override name = 'CopyError';
}

interface Opened extends OpenRelease {
  key: string;
  table: Table;
}

const MB = 1024 * 1024;
/** Memory of the caches, in bytes. */
const cacheBytes = { bodies: 24 * MB, blocks: 16 * MB, sizes: 4 * MB, notFound: 4 * MB, opened: 24 * MB };
/** An open release, with its headers and an open file. */
const openedBytes = 8 * 1024;
/** Memory for each byte of the manifest without its files: redirects become tables. */
const bytesPerHeadByte = 8;

export function createReleases(volume: Volume): Releases {
  /** Requests by release and base path, counted before the release is open. */
  const uses = new Map<string, number>();
  /** Releases that are no longer kept: the last request closes them. */
  const leaving = new Set<Opened>();
  const close = (one: Opened): void => {
    if (uses.has(one.key)) leaving.add(one);
    else void one.table.close().catch(() => {});
  };
  const opened = createWeightedCache<Opened>({
    maxBytes: cacheBytes.opened,
    weigh: ({ table }) => openedBytes + table.headBytes * bytesPerHeadByte,
    onRemoved: close,
  });
  const shared: Shared = {
    volume,
    bodies: createWeightedCache({
      maxBytes: cacheBytes.bodies,
      weigh: ({ length }) => length,
      admits: createSecondUse(),
    }),
    blocks: createWeightedCache({ maxBytes: cacheBytes.blocks, weigh: ({ length }) => length }),
    sizes: createWeightedCache({ maxBytes: cacheBytes.sizes, weigh: () => 100, admits: createSecondUse() }),
    notFound: createWeightedCache({
      maxBytes: cacheBytes.notFound,
      weigh: ({ bodies }) => 2 * bodies.identity.length + 1000,
    }),
  };
  const end = (key: string): void => {
    const left = (uses.get(key) ?? 1) - 1;
    if (left > 0) {
      uses.set(key, left);
      return;
    }
    uses.delete(key);
    for (const one of leaving) {
      if (one.key !== key) continue;
      leaving.delete(one);
      close(one);
    }
  };
  const forget = (prefix: string): void => {
    for (const cache of [opened, shared.blocks])
      for (const key of [...cache.keys()]) if (key.startsWith(prefix)) cache.delete(key);
  };
  return {
    async with(release, use) {
      const key = keyOf(release);
      uses.set(key, (uses.get(key) ?? 0) + 1);
      try {
        const load = async () => {
          const table = await openTable(release.sha256, shared).catch((error: unknown) => {
            throw damageOf(error);
          });
          return openRelease(release, table, shared);
        };
        return await use(opened.get(key) ?? (await opened.load(key, load)));
      } finally {
        end(key);
      }
    },
    isInUse: (sha256) => [...uses.keys()].some((key) => key.startsWith(sha256)),
    onEncoded: (sha256) => shared.sizes.delete(sha256),
    forget,
    close: () => forget(''),
  };
}

const keyOf = ({ sha256, basePath }: HostRelease): string => `${sha256} ${basePath}`;

interface Shared {
  volume: Volume;
  /** Small files, by digest and encoding. */
  bodies: WeightedCache<Buffer>;
  /** Blocks of the tables, by release and number. */
  blocks: WeightedCache<Buffer>;
  /** By digest of the file. */
  sizes: WeightedCache<CopySizes>;
  notFound: WeightedCache<NotFoundPage>;
}

function openTable(sha256: string, { volume, blocks }: Shared): Promise<Table> {
  return volume.openTable(sha256, (block, read) => {
    const key = `${sha256} ${block}`;
    return blocks.get(key) ?? blocks.load(key, read);
  });
}

async function openRelease(release: HostRelease, table: Table, shared: Shared): Promise<Opened> {
  const { sha256, basePath } = release;
  const { volume } = shared;
  const folder = volume.folderOf(sha256);
  const { head } = table;
  const search = createPathSearch<SiteFile>(head.redirects, basePath);
  const copies = new WeakMap<SiteFile, CopySizes>();

  const lookUp = (path: string): Promise<SiteFile | null> => readFile(table, path);
  /** Before a response, whose encoding depends on the copies that exist. */
  const prepare = async (file: SiteFile): Promise<SiteFile> => {
    for (const one of [file, file.twin]) {
      if (one === null || !one.isText) continue;
      const sizes =
        shared.sizes.get(one.sha256) ??
        (await shared.sizes.load(one.sha256, () => readCopySizes(volume, one.sha256)));
      copies.set(one, sizes);
    }
    return file;
  };
  const llms = new Set<string>();
  for (const name of ['llms.txt', 'llms-full.txt']) if ((await table.find(name)) !== null) llms.add(name);
  const base = {
    ...siteHeaders({ https: false, connect: head.connect }),
    'Offprint-Release': sha256.slice(0, 16),
  };
  const discovery = discoveryHeaders((name) => llms.has(name), basePath);
  const { 'Strict-Transport-Security': hsts = '' } = siteHeaders({ https: true });

  /** Reads a compressed copy. One that is damaged or was removed is not used again. */
  const useCopy = async <Result>(
    file: SiteFile,
    encoding: Encoding,
    use: (copy: { folder: string; name: string }, size: number) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await use(volume.encodedFile(file.sha256, encoding), copies.get(file)?.[encoding] ?? 0);
    } catch (error) {
      await volume.dropEncoded(file.sha256, encoding);
      shared.sizes.delete(file.sha256);
      throw new CopyError('A compressed copy cannot be read.', { cause: error });
    }
  };
  const content = (file: SiteFile, coding: Coding): Promise<Buffer> =>
    coding === 'identity'
      ? readVerified(folder, file.sha256, file)
      : useCopy(file, coding, ({ folder: place, name }, size) => readCopy(place, name, size));

  return {
    key: keyOf(release),
    about: { sha256: release.sha256, name: head.site.name, version: head.version, url: head.site.url },
    isMeasured: head.features.analytics === true,
    table,
    async find(target) {
      const found = await runSearch(search(target), lookUp);
      if (found.kind === 'file') await prepare(found.file);
      return found;
    },
    async findLasting(target) {
      const path = target.startsWith(`${basePath}/`)
        ? target.slice(basePath.length + 1).replace(/\?.*$/s, '')
        : '';
      const file = isHashed.test(path) ? await lookUp(path) : null;
      return file === null ? null : prepare(file);
    },
    async read(path, maxBytes) {
      const file = await lookUp(path);
      return file === null || file.size > maxBytes ? null : readVerified(folder, file.sha256, file);
    },
    serve({ headers: others, https }) {
      const headers = { ...base, ...(https ? { 'Strict-Transport-Security': hsts } : {}), ...others };
      return {
        sha256,
        basePath,
        headers: { ...headers, ...discovery },
        notFound: () => readNotFound(shared, release, { lookUp, siteUrl: head.site.url, headers }),
        length: (file, encoding) => copies.get(file)?.[encoding] ?? 0,
        piece(file, coding, _from, make) {
          const key = `${file.sha256} ${coding}`;
          const body = shared.bodies.get(key);
          if (body !== undefined) return { headers: make(), body };
          return shared.bodies
            .load(key, () => content(file, coding))
            .then((read) => ({ headers: make(), body: read }));
        },
        stream(file, coding, part) {
          if (coding === 'identity') return streamFile(folder, file.sha256, file.size, part ?? { start: 0 });
          return useCopy(file, coding, ({ folder: place, name }, size) =>
            streamFile(place, name, size + copyHeaderBytes, { start: copyHeaderBytes }),
          );
        },
      };
    },
  };
}

async function runSearch(
  steps: PathSearch<SiteFile>,
  lookUp: (path: string) => Promise<SiteFile | null>,
): Promise<Found<SiteFile>> {
  let step = steps.next();
  while (step.done !== true) step = steps.next((await lookUp(step.value)) ?? undefined);
  return step.value;
}

async function readFile(table: Table, path: string): Promise<SiteFile | null> {
  const record = await table.find(path);
  if (record === null) return null;
  const { hasTwin, ...file } = record;
  return { ...file, path, twin: hasTwin ? await readFile(table, path.replace(/html$/, 'md')) : null };
}

/** What is opened later is compared with its size. */
async function readCopySizes(volume: Volume, sha256: string): Promise<CopySizes> {
  const [br = 0, gzip = 0] = await Promise.all(
    (['br', 'gzip'] as const).map(async (encoding) => {
      const { folder, name } = volume.encodedFile(sha256, encoding);
      const there = await lstat(join(folder, name)).catch(() => null);
      return there?.isFile() === true ? Math.max(0, there.size - copyHeaderBytes) : 0;
    }),
  );
  return { br, gzip };
}

async function readNotFound(
  { volume, notFound }: Shared,
  { sha256, basePath }: HostRelease,
  options: {
    lookUp(path: string): Promise<SiteFile | null>;
    siteUrl: string;
    headers: Readonly<Record<string, string>>;
  },
): Promise<NotFoundPage> {
  const key = `${sha256} ${basePath}`;
  const page =
    notFound.get(key) ??
    (await notFound.load(key, async () => {
      const file = await options.lookUp('404.html');
      const text =
        file === null || file.size > longestNotFound
          ? null
          : (await readVerified(volume.folderOf(sha256), file.sha256, file)).toString();
      return makeNotFound(text, options.siteUrl, basePath, {});
    }));
  return { headers: { ...options.headers, ...page.headers }, bodies: page.bodies };
}
