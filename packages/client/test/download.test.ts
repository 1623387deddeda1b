import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BundleLink, downloadBundle } from '../src/download.ts';
import { hangUp, json, type Step, serveSteps } from './server.ts';

const content = randomBytes(300_000);
const sha256 = hash('sha256', content);
const expired = json(403, { error: 'The link has expired.', code: 'link_invalid' });

/** Sends the content, or the part asked for; `breakAfter` bytes later the connection breaks. */
function send(options: { breakAfter?: number; ignoreRange?: boolean; bytes?: Buffer } = {}): Step {
  return (request, response) => {
    const bytes = options.bytes ?? content;
    const from = options.ignoreRange
      ? 0
      : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from === 0 ? 200 : 206, { 'content-length': bytes.length - from });
    if (options.breakAfter === undefined) return void response.end(bytes.subarray(from));
    response.write(bytes.subarray(from, from + options.breakAfter));
    // What the client has not written yet would go with the connection.
    const here = setInterval(() => {
      if (partBytes() !== from + options.breakAfter!) return;
      clearInterval(here);
      response.destroy();
    }, 5);
  };
}

/** Bytes that the client has written so far. */
const partBytes = (): number =>
  statSync(join(root, `site.tar.gz.${sha256.slice(0, 12)}.part`), { throwIfNoEntry: false })?.size ?? 0;

let root: string;
let servers: Awaited<ReturnType<typeof serveSteps>>[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-download-'));
});
afterEach(async () => {
  rmSync(root, { recursive: true, force: true });
  for (const server of servers) await server.close();
  servers = [];
});

async function start(...steps: Step[]) {
  const server = await serveSteps(...steps);
  servers.push(server);
  const link: BundleLink = {
    bundleUrl: `${server.url}/b.tar.gz?signature=x`,
    sizeBytes: content.length,
    sha256,
  };
  return { server, link, file: join(root, 'site.tar.gz') };
}

describe('downloading a bundle', () => {
  it('writes the file whole, with progress up to its size, and nothing beside it', async () => {
    const { link, file, server } = await start(send());
    const seen: number[] = [];
    await downloadBundle(link, file, { onProgress: ({ bytes }) => seen.push(bytes) });
    expect(Buffer.compare(readFileSync(file), content)).toBe(0);
    expect(seen.at(-1)).toBe(content.length);
    expect(readdirSync(root)).toEqual(['site.tar.gz']);
    expect(server.seen[0]!.headers.authorization).toBeUndefined();
  });

  it('resumes where the connection broke', async () => {
    const { link, file, server } = await start(
      send({ breakAfter: 100_000 }),
      hangUp,
      send({ breakAfter: 50_000 }),
      send(),
    );
    await downloadBundle(link, file);
    expect(Buffer.compare(readFileSync(file), content)).toBe(0);
    expect(server.seen.map((one) => one.headers.range)).toEqual([
      undefined,
      'bytes=100000-',
      'bytes=100000-',
      'bytes=150000-',
    ]);
  });

  it('resumes the download of an earlier process', async () => {
    const { link, file, server } = await start(send());
    writeFileSync(`${file}.${sha256.slice(0, 12)}.part`, content.subarray(0, 1234));
    await downloadBundle(link, file);
    expect(Buffer.compare(readFileSync(file), content)).toBe(0);
    expect(server.seen[0]!.headers.range).toBe('bytes=1234-');
  });

  it('starts over if the server does not support ranges', async () => {
    const { link, file } = await start(send({ breakAfter: 100_000 }), send({ ignoreRange: true }));
    await downloadBundle(link, file);
    expect(Buffer.compare(readFileSync(file), content)).toBe(0);
  });

  it('refuses other bytes, and does not resume with them the next time', async () => {
    const wrong = Buffer.from(content);
    wrong[5]! ^= 1;
    const { link, file } = await start(send({ bytes: wrong }), send());
    await expect(downloadBundle(link, file)).rejects.toThrow(/is not the bundle .* Download it again/);
    expect(readdirSync(root)).not.toContain('site.tar.gz');
    await downloadBundle(link, file);
    expect(Buffer.compare(readFileSync(file), content)).toBe(0);
  });

  it('refuses more bytes than the link says', async () => {
    const { link, file } = await start(send({ bytes: Buffer.concat([content, content]) }));
    await expect(downloadBundle(link, file)).rejects.toThrow('it has more than 300000 bytes');
  });

  it('of an expired link takes a fresh one where it can, and fails at once where not', async () => {
    const { link, file, server } = await start(expired, send());
    await expect(downloadBundle(link, file)).rejects.toMatchObject({ status: 403, code: 'link_invalid' });
    expect(server.seen).toHaveLength(1);
    const again = await start(expired, send());
    let renewed = 0;
    await downloadBundle(again.link, again.file, {
      renew: async () => {
        renewed++;
        return again.link;
      },
    });
    expect(renewed).toBe(1);
    expect(Buffer.compare(readFileSync(file), content)).toBe(0);
  });

  it('asks for a fresh link when the bundle is no longer stored', async () => {
    const { link, file } = await start((_request, response) => void response.writeHead(404).end('{}'));
    const again = await start(send());
    await downloadBundle(link, file, { renew: async () => again.link });
    expect(Buffer.compare(readFileSync(file), content)).toBe(0);
  });

  it('reports the error when the store responds in another format', async () => {
    const { link, file } = await start((_request, response) => void response.writeHead(403).end('<Error/>'));
    await expect(downloadBundle(link, file)).rejects.toThrow('the link has expired or was altered');
  });

  it('gives up after the retries without progress', async () => {
    const { link, file, server } = await start(hangUp);
    await expect(downloadBundle(link, file, { retries: 1 })).rejects.toThrow('Cannot reach');
    expect(server.seen).toHaveLength(2);
  });

  it('ends when the caller aborts, and keeps the part', async () => {
    const abort = new AbortController();
    const { link, file } = await start((_request, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 1000));
      const here = setInterval(() => {
        if (partBytes() === 0) return;
        clearInterval(here);
        abort.abort(new Error('enough'));
      }, 5);
    });
    await expect(downloadBundle(link, file, { signal: abort.signal })).rejects.toThrow('enough');
    expect(readdirSync(root)).toEqual([`site.tar.gz.${sha256.slice(0, 12)}.part`]);
  });
});
