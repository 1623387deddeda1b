import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Site, serveBundle } from '../src/index.ts';
import { ask, packFiles, sha256Of } from './support/reader.ts';

const switches = process.env.OFFPRINT_TEST === 'full' ? 50 : 5;
const readers = 8;
const pages = 30;
const accepted = ['gzip, deflate, br', 'gzip', 'identity', ''];

/** A release as described by its manifest: digests by path, and the style sheet that all its pages load. */
interface Known {
  bundle: string;
  digests: Map<string, string>;
  asset: string;
}

let root: string;
let site: Site | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-site-'));
});
afterEach(async () => {
  await site?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** The same pages in all releases, with other words; the name of the style sheet changes with its content. */
async function makeRelease(name: string): Promise<Known & { sha256: string }> {
  const style = `/* ${name} */ ${'body { color: red } '.repeat(60)}`;
  const asset = `_offprint/site-${createHash('sha256').update(style).digest('hex').slice(0, 10)}.css`;
  const files: Record<string, string> = { [asset]: style };
  for (let page = 0; page < pages; page++) {
    files[`page-${page}.html`] =
      `<!doctype html><title>${name} ${page}</title>${`${name} of ${page} `.repeat(400)}`;
    files[`page-${page}.md`] = `# ${name} ${page}\n${`${name} in Markdown `.repeat(200)}`;
  }
  // one that goes through a stream
  files['large.txt'] = `${name} is long. `.repeat(20_000);
  const bytes = await packFiles(files, { version: name });
  const bundle = join(root, `${name}.tar.gz`);
  writeFileSync(bundle, bytes);
  const digests = new Map(Object.entries(files).map(([path, text]) => [path, sha256Of(Buffer.from(text))]));
  return { bundle, digests, asset, sha256: sha256Of(bytes) };
}

it(`${switches} switches under load: no request fails, no response mixes two releases, open pages keep their files`, async () => {
  const made = await Promise.all(['one', 'two', 'three'].map(makeRelease));
  const known = new Map<string | undefined, Known>(
    made.map((release) => [release.sha256.slice(0, 16), release]),
  );
  const first = made[0] as Known;
  const releasesDir = join(root, 'releases');
  const options = { releasesDir, port: 0, host: '127.0.0.1', durable: false, compress: true };
  site = await serveBundle({ bundle: first.bundle, ...options });
  const { port } = site;
  const faults: string[] = [];
  const seen = new Set<string | undefined>();
  let answers = 0;
  let isOver = false;
  /** Number of switches when the last complete round of each reader started. */
  const rounds = new Array<number>(readers).fill(-1);
  let switched = 0;

  const check = async (
    path: string,
    file: (release: Known) => string,
    headers: Record<string, string>,
    agent: Agent,
  ) => {
    const answer = await ask(port, path, { headers, agent }).catch((error: Error) => error);
    answers += 1;
    if (answer instanceof Error) {
      faults.push(`${path}: ${answer.message}`);
      return null;
    }
    const name = answer.headers['offprint-release'];
    const release = known.get(name);
    const wanted = release?.digests.get(file(release));
    const isWhole = answer.status === 200 && wanted === sha256Of(answer.content);
    // the tag names the content as well
    const isTagged = answer.headers.etag?.startsWith(`"${wanted?.slice(0, 32)}`) === true;
    if (!isWhole || !isTagged)
      faults.push(
        `${path}: ${answer.status} of ${name}, ${answer.headers.etag}, ${answer.body.length} bytes`,
      );
    return release ?? null;
  };
  const read = async (reader: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = 0; !isOver; round++) {
      const begun = switched;
      const page = (round * 7 + reader) % pages;
      const headers = { 'accept-encoding': accepted[(round + reader) % accepted.length] ?? '' };
      const release = await check(`/page-${page}`, () => `page-${page}.html`, headers, agent);
      // what the page loads is there although the page may be of the release before by now
      if (release !== null) await check(`/${release.asset}`, () => release.asset, headers, agent);
      const accept = { ...headers, accept: 'text/markdown, */*' };
      await check(`/page-${page}`, () => `page-${page}.md`, accept, agent);
      if (round % 4 === 0) await check('/large.txt', () => 'large.txt', headers, agent);
      seen.add(release === null ? undefined : release.bundle);
      rounds[reader] = begun;
    }
    agent.destroy();
  };
  const reading = Array.from({ length: readers }, (_, reader) => read(reader));
  const next = async (turn: number): Promise<void> => {
    // every reader has read whole rounds of this release, so no round is of more than two
    while (rounds.some((begun) => begun < turn)) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  try {
    for (let turn = 0; turn < switches; turn++) {
      await next(turn);
      await site.update((made[(turn + 1) % made.length] as Known).bundle);
      switched += 1;
    }
    await next(switches);
  } finally {
    isOver = true;
    await Promise.all(reading);
  }

  expect(faults).toEqual([]);
  expect(seen).toEqual(new Set(made.map(({ bundle }) => bundle)));
  expect(answers).toBeGreaterThan(switches * readers * 3);
  // the releases before the last two are gone, with what was compressed of them
  const names = readdirSync(releasesDir).filter((name) => /^[0-9a-f]{64}/.test(name));
  expect(names.filter((name) => name.length === 64)).toHaveLength(2);
  process.stdout.write(`${answers} answers during ${switches} switches\n`);
});

const hashed = (name: string) => `_offprint/site-${sha256Of(Buffer.from(name)).slice(0, 10)}.css`;

it('hashed files of the previous release are served, its pages and its other files are not', async () => {
  const [one, two, three] = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      const bundle = join(root, `${name}.tar.gz`);
      const files = {
        [hashed(name)]: `/* ${name} */`,
        [`_offprint/${name}.js`]: name,
        [`only-${name}.html`]: name,
        'index.html': name,
      };
      // a pattern for everything would take the place of files
      const redirects = [{ source: '/:rest*', destination: '/', permanent: true }];
      writeFileSync(bundle, await packFiles(files, { redirects, version: name }));
      return bundle;
    }),
  );
  const options = { releasesDir: join(root, 'releases'), port: 0, host: '127.0.0.1', durable: false };
  site = await serveBundle({ bundle: one as string, ...options });
  const { port } = site;
  const status = async (path: string) => (await ask(port, path)).status;
  const asset = (name: string) => `/${hashed(name)}`;

  await site.update(three as string);
  expect(await status(asset('one'))).toBe(200);
  expect(await status(`${asset('one')}?v=1`)).toBe(200);
  expect((await ask(port, asset('one'))).headers['cache-control']).toContain('immutable');
  expect(await status('/only-one')).toBe(308);
  expect(await status('/_offprint/one.js')).toBe(308);
  expect((await ask(port, '/')).body.toString()).toBe('three');

  await site.update(two as string);
  expect(await status(asset('three'))).toBe(200);
  // two releases later the first one is removed
  expect(await status(asset('one'))).toBe(308);
  await site.update(three as string);
  expect(await status('/only-two')).toBe(308);
  expect(await status('/only-three')).toBe(200);
});

it('a download in progress completes, two switches later', async () => {
  const large = Buffer.alloc(24_000_000, 'the bytes of the first release ');
  const bundles = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      const bundle = join(root, `${name}.tar.gz`);
      writeFileSync(
        bundle,
        await packFiles({ 'index.html': name, ...(name === 'one' ? { 'large.bin': large } : {}) }),
      );
      return bundle;
    }),
  );
  const options = { releasesDir: join(root, 'releases'), port: 0, host: '127.0.0.1', durable: false };
  site = await serveBundle({ bundle: bundles[0] as string, ...options });
  const server = site;
  const response = await fetch(`${server.url}large.bin`);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const digest = createHash('sha256');
  digest.update((await reader.read()).value ?? new Uint8Array());
  for (const bundle of bundles.slice(1)) await server.update(bundle);
  expect((await ask(server.port, '/large.bin')).status).toBe(404);
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) digest.update(piece.value);
  expect(digest.digest('hex')).toBe(sha256Of(large));
});
