import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryChunks, joinBundle, verifyBundle } from '@offprint/bundle';
import type { RemoteRequest } from '@offprint/render';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHILD_PROGRAMS } from '../child-programs.ts';
import { createSandbox, type Sandbox } from '../platform/sandbox/sandbox.ts';
import {
  answerFetch,
  createFetchBudget,
  createRemoteFetcher,
  FETCH_LIMITS,
  type FetchLimits,
} from './remote-fetch.ts';
import type { RenderInput } from './render-child.ts';
import { readAnswer } from './summary.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000', 'hex');
const asked: string[] = [];
let server: Server;
let base: string;
let work: string;

const answer: RequestListener = (request, response) => {
  const url = request.url ?? '';
  asked.push(url);
  if (url === '/huge') {
    // 10 GB by its own word, and as many as anybody takes.
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': String(10 * 1024 ** 3) });
    response.write(PNG);
  } else if (url === '/endless') {
    response.writeHead(200, { 'content-type': 'image/png' });
    const timer = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 1);
    response.on('close', () => clearInterval(timer));
  } else if (url === '/slow') {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.write(PNG.subarray(0, 4));
  } else if (url === '/private') {
    response.writeHead(302, { location: 'http://10.0.0.1/secret.png' }).end();
  } else if (url === '/metadata') {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  } else if (url === '/file') {
    response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  } else if (url === '/moved') response.writeHead(301, { location: '/a.png' }).end();
  else if (url === '/gone') response.writeHead(404).end('not here');
  else if (url.endsWith('.svg')) {
    response.writeHead(200, { 'content-type': 'image/svg+xml' });
    response.end('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  } else if (url === '/page')
    response.writeHead(200, { 'content-type': 'image/png' }).end('<html>no image</html>');
  else response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
};

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  asked.length = 0;
  work = await mkdtemp(join(tmpdir(), 'offprint-remote-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

/** Only this host may be reached, as an operator would allow it. */
const fetcherWith = (limits: Partial<FetchLimits> = {}) =>
  createRemoteFetcher({
    policy: { allowPrivate: false, allowedHosts: ['127.0.0.1'], allowHttp: true },
    cacheDir: join(work, 'cache'),
    limits,
  });
const signal = new AbortController().signal;
const get = async (paths: string[], limits: Partial<FetchLimits> = {}) => {
  const requests = paths.map((path): RemoteRequest => ({ url: base + path, kind: 'asset' }));
  const budget = createFetchBudget({ ...FETCH_LIMITS, ...limits });
  const answers = await fetcherWith(limits).getAll(requests, budget, signal);
  return paths.map((path) => {
    const found = answers.get(base + path);
    return found === undefined
      ? undefined
      : 'fault' in found
        ? found.fault
        : Buffer.from(found.content).toString('hex');
  });
};

test('a file is fetched once and then taken from the cache, until it is old', async () => {
  expect(await get(['/a.png', '/moved'])).toEqual([PNG.toString('hex'), PNG.toString('hex')]);
  expect(await get(['/a.png'])).toEqual([PNG.toString('hex')]);
  expect(asked.filter((url) => url === '/a.png')).toHaveLength(2);
  for (const name of await readdir(join(work, 'cache'))) await utimes(join(work, 'cache', name), 1, 1);
  await get(['/a.png']);
  expect(asked.filter((url) => url === '/a.png')).toHaveLength(3);
});

test.each([
  ['/private', /10\.0\.0\.1 is not a public host/],
  ['/metadata', /169\.254\.169\.254 is not a public host/],
  ['/file', /not file:/],
  ['/gone', /status 404/],
])('%s is reported as an error', async (path, fault) => {
  expect((await get([path]))[0]).toMatch(fault);
});

test('a host that was not allowed is not asked, whatever its name', async () => {
  const fetcher = createRemoteFetcher({
    policy: { allowPrivate: false, allowedHosts: [], allowHttp: true },
    cacheDir: join(work, 'cache'),
  });
  const url = `${base}/a.png`;
  const answers = await fetcher.getAll([{ url, kind: 'asset' }], createFetchBudget(), signal);
  expect(answers.get(url)).toMatchObject({ fault: expect.stringContaining('not a public host') });
  expect(asked).toEqual([]);
});

test('bodies that are too large or too slow are abandoned, and the others arrive', async () => {
  const limits = { fileBytes: 1_000_000, fileMs: 240_000, totalMs: 240_000 };
  const [huge, endless, image] = await get(['/huge', '/endless', '/a.png'], limits);
  expect(huge).toMatch(/larger than 1000000 bytes/);
  expect(endless).toMatch(/larger than 1000000 bytes/);
  expect(image).toBe(PNG.toString('hex'));
  // the image is in the cache now, so that a busy machine cannot be late with it
  const [slow, again] = await get(['/slow', '/a.png'], { fileMs: 300 });
  expect(slow).toMatch(/did not respond within 0\.3 s/);
  expect(again).toBe(PNG.toString('hex'));
  expect(await readdir(join(work, 'cache'))).toHaveLength(1);
});

test('one export fetches no more than its limits of files, bytes and milliseconds', async () => {
  const paths = Array.from({ length: 6 }, (_, at) => `/${at}.png`);
  const files = await get(paths, { files: 4, parallel: 1 });
  expect(files.filter((found) => found === PNG.toString('hex'))).toHaveLength(4);
  expect(files.at(-1)).toMatch(/fetches 4 files/);
  const bytes = await get(['/x1.png', '/x2.png', '/x3.png'], { totalBytes: PNG.byteLength, parallel: 1 });
  expect(bytes[0]).toBe(PNG.toString('hex'));
  expect(bytes[2]).toMatch(/may have 18 bytes/);
  const late = await get(['/slow', '/y.png'], { totalMs: 200, parallel: 1 });
  expect(late).toEqual([expect.stringMatching(/fetches for/), expect.stringMatching(/fetches for/)]);
});

test('the cache forgets the oldest files when it grows too large', async () => {
  await get(['/1.png', '/2.png', '/3.png'], { cacheBytes: 70 });
  expect(await readdir(join(work, 'cache'))).toHaveLength(2);
});

test.each([
  ['nothing', null],
  ['no list', { fetch: 'x' }],
  ['a file address', { fetch: [{ url: 'file:///etc/passwd', kind: 'asset' }] }],
  ['no address', { fetch: [{ url: 7, kind: 'asset' }] }],
  ['an endless address', { fetch: [{ url: `https://a.example/${'x'.repeat(9000)}`, kind: 'asset' }] }],
  ['an unknown purpose', { fetch: [{ url: 'https://a.example/', kind: 'program' }] }],
  ['too much', { fetch: new Array(5_000).fill({ url: 'https://a.example/', kind: 'asset' }) }],
])('a child that asks for %s is refused', async (_name, question) => {
  const to = { fetcher: fetcherWith(), budget: createFetchBudget(), folder: work, signal };
  await expect(answerFetch(question, to)).rejects.toThrow(TypeError);
});

test('a sandboxed render has no network but gets the files that its parent fetches', async () => {
  const source = join(work, 'source');
  await mkdir(source);
  await writeFile(
    join(source, 'docs.json'),
    JSON.stringify({
      name: 'S',
      theme: 'mint',
      colors: { primary: '#336699' },
      navigation: { pages: ['index'] },
    }),
  );
  const images = ['/a.png', '/evil.svg', '/page', '/gone'].map((path) => `![x](${base}${path})`);
  await writeFile(join(source, 'index.mdx'), images.join('\n\n'));
  const sandbox: Sandbox = createSandbox({
    programs: CHILD_PROGRAMS,
    folder: join(work, 'sandbox'),
    log: { info: () => undefined, warn: () => undefined },
  });
  try {
    const fetcher = fetcherWith();
    const budget = createFetchBudget();
    const result = readAnswer(
      await sandbox.run<RenderInput>({
        program: 'render',
        source,
        output: join(work, 'artifact'),
        input: {
          domain: 'docs.example.com',
          siteUrl: 'https://docs.example.com',
          commit: null,
          committedAt: null,
          canFetch: true,
        },
        limits: { cpuMs: 240_000, wallMs: 240_000, memoryMb: 512, outputBytes: 1e9 },
        signal,
        onQuestion: (question, folder) => answerFetch(question, { fetcher, budget, folder, signal }),
      }),
    );
    if (result.status !== 'completed') throw new Error('the render was refused');
    const parts: Uint8Array[] = [];
    const { index } = result.summary;
    for await (const part of joinBundle(index, directoryChunks(join(work, 'artifact')).get)) parts.push(part);
    await writeFile(join(work, 'site.tar.gz'), Buffer.concat(parts));
    const { manifest } = await verifyBundle(join(work, 'site.tar.gz'), { sha256: index.bundle.sha256 });
    const copies = manifest.files
      .map(({ path }) => path)
      .filter((path) => path.startsWith('_offprint/remote/'));
    expect(copies).toEqual([expect.stringMatching(/\.png$/)]);
    const faults = result.summary.warnings
      .filter(({ code }) => code === 'remote-file')
      .map(({ message }) => message);
    expect(faults).toHaveLength(3);
    expect(faults.join('\n')).toMatch(/SVG with "<script>".*\n.*is not an image.*\n.*status 404/s);
    expect(asked.sort()).toEqual(['/a.png', '/evil.svg', '/gone', '/page']);
  } finally {
    await sandbox.close();
  }
});

test('the child can read fetched files but not write them', async () => {
  const folder = join(work, 'answers');
  await mkdir(folder);
  const url = `${base}/a.png`;
  const [file] = await answerFetch(
    {
      fetch: [
        { url, kind: 'asset' },
        { url, kind: 'asset' },
      ],
    },
    { fetcher: fetcherWith(), budget: createFetchBudget(), folder, signal },
  );
  if (file === undefined || 'fault' in file) throw new Error('not fetched');
  expect(await readFile(join(folder, file.file))).toEqual(PNG);
  expect(await readdir(folder)).toHaveLength(1);
});
