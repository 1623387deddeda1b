/** What a deployment follows in files: a link with its pins, and certificates. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificate } from '../../../test/support/certificate.ts';
import { followAuthorities } from '../src/source/certificates.ts';
import { createLinkSource } from '../src/source/link.ts';
import { readAtomically } from '../src/source/read-atomically.ts';
import { makeBundle, type TestBundle } from './support/bundle.ts';
import { type BundleServer, sendBundle, startServer } from './support/bundle-server.ts';
import { createLab, errorOf, type Lab, serves, until } from './support/lab.ts';

let one: TestBundle;
let two: TestBundle;
let lab: Lab;
let host: BundleServer;
beforeAll(async () => {
  [one, two] = await Promise.all([makeBundle('1'), makeBundle('2')]);
});
beforeEach(async () => {
  lab = createLab();
  host = await startServer((request, response) =>
    sendBundle(request.url?.startsWith('/1') ? one : two, request, response),
  );
});
afterEach(async () => {
  lab.expectNowhere('of-this-link');
  await lab.close();
  await host.stop();
});

const link = (path: string) => `${host.url}${path}?signature=of-this-link`;

/** A folder as Kubernetes mounts a Secret: all files change in one moment, by one symbolic link. */
function mountSecret(name: string) {
  const folder = join(lab.root, name);
  let writes = 0;
  mkdirSync(folder);
  return {
    file: (key: string) => join(folder, key),
    write(data: Record<string, string>): void {
      const version = `..version-${writes++}`;
      mkdirSync(join(folder, version));
      for (const [key, text] of Object.entries(data)) {
        writeFileSync(join(folder, version, key), text);
        if (writes === 1) symlinkSync(join('..data', key), join(folder, key));
      }
      symlinkSync(version, join(folder, '..new'));
      renameSync(join(folder, '..new'), join(folder, '..data'));
      rmSync(join(folder, `..version-${writes - 2}`), { recursive: true, force: true });
    },
  };
}

const bundle = (path: string, sha256 = '', version = '') => ({ link: link(path), sha256, version });

function follow() {
  const secret = mountSecret('secret');
  const at = (key: string) => ({ file: secret.file(key) });
  return { ...secret, source: () => createLinkSource(at('link'), at('sha256'), at('version')) };
}

describe('a link with digest and version beside it', () => {
  it('is followed: switches to a release and back, the latter without a request', async () => {
    const secret = follow();
    secret.write(bundle('/1', one.sha256, '1'));
    const deployment = lab.start(secret.source(), { intervalMs: 20 });
    await until(deployment, serves('1'));
    secret.write(bundle('/2', two.sha256, '2'));
    await until(deployment, serves('2'));
    const asked = host.seen.length;
    secret.write(bundle('/1', one.sha256, '1'));
    await until(deployment, serves('1'));
    expect(host.seen).toHaveLength(asked);
    // a different link to the same bytes does not cause a download
    secret.write(bundle('/1/again', one.sha256, '1'));
    expect((await deployment.update()).version).toBe('1');
    expect(host.seen).toHaveLength(asked);
    expect(deployment.status().fault).toBeNull();
  });

  it('must match both, and is retried as soon as one of them is corrected', async () => {
    const secret = follow();
    secret.write(bundle('/1'));
    const deployment = lab.start(secret.source(), { intervalMs: 20 });
    await until(deployment, serves('1'));
    for (const [wrong, code] of [
      [bundle('/1', '', '2'), 'version_mismatch'],
      [bundle('/1', one.sha256, '2'), 'version_mismatch'],
      [bundle('/1', two.sha256, ''), 'sha256_mismatch'],
      [bundle('/1', 'ABC', ''), 'source_failed'],
      [bundle('/1', '', 'a b'), 'source_failed'],
    ] as const) {
      secret.write(wrong);
      const status = await until(deployment, ({ fault }) => fault?.code === code);
      expect(status.release?.version).toBe('1');
      secret.write(bundle('/1', one.sha256, '1'));
      await until(deployment, ({ fault, step }) => fault === null && step === null);
    }
    secret.write(bundle('/2', two.sha256, '1'));
    await until(deployment, ({ fault }) => fault?.code === 'version_mismatch');
    expect(await errorOf(deployment.update({ bundleUrl: link('/2') }))).toMatchObject({
      code: 'version_mismatch',
    });
    expect((await deployment.update({ bundleUrl: link('/2'), version: '2' })).version).toBe('2');
  });

  it('is the same after a restart: nothing is downloaded again', async () => {
    const secret = follow();
    secret.write(bundle('/1', '', '1'));
    const first = lab.start(secret.source());
    await until(first, serves('1'));
    await first.stop();
    const second = lab.start(secret.source());
    await until(second, ({ checkedAt }) => checkedAt !== null);
    expect(host.seen.map(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([false, true]);
  });

  it('is read as one set, whatever changes in between', () => {
    const secret = mountSecret('set');
    secret.write({ a: 'old', b: 'old' });
    const files = [secret.file('a'), secret.file('b')];
    let reads = 0;
    const read = (file: string) => {
      const text = readFileSync(file, 'utf8');
      if (reads++ === 0) secret.write({ a: 'new', b: 'new' });
      return text;
    };
    expect(readAtomically(files, read)).toEqual(['new', 'new']);
    // a writer that never stops must not block the reader
    let writes = 0;
    const restless = (file: string) => {
      const text = readFileSync(file, 'utf8');
      secret.write({ a: `${++writes}`, b: `${writes}` });
      return text;
    };
    expect(() => readAtomically(files, restless)).toThrow(/kept changing while being read/);
    expect(() => readAtomically([secret.file('c')])).toThrow(/ENOENT/);
  });
});

describe('certificates', () => {
  it.skipIf(!hasOpenssl)(
    hasOpenssl ? 'are those of their file at each request' : 'no openssl to make a certificate',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'offprint-tls-'));
      const certificate = makeCertificate(folder);
      const secure = await startServer(
        (request, response) => sendBundle(one, request, response),
        certificate,
      );
      try {
        const [file, other] = [join(lab.root, 'ca.pem'), makeCertificate(lab.root)];
        writeFileSync(file, other.cert);
        const certificates = followAuthorities(file);
        const { stallMs } = lab.transport;
        const transport = {
          stallMs,
          get ca() {
            return certificates();
          },
        };
        const source = createLinkSource({ value: `${secure.url}/1` }, null);
        const deployment = lab.start(source, { intervalMs: 20, transport });
        await until(deployment, ({ fault }) => fault?.code === 'source_unreachable');
        for (const broken of ['', 'no certificate']) {
          writeFileSync(file, broken);
          const status = await until(deployment, ({ fault }) => fault?.code === 'source_failed');
          expect(status.fault?.message).toContain('OFFPRINT_CA_FILE');
          writeFileSync(file, other.cert);
          await until(deployment, ({ fault }) => fault?.code === 'source_unreachable');
        }
        writeFileSync(file, certificate.cert);
        await until(deployment, serves('1'));
      } finally {
        await secure.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

it('the end of an error is logged once, with the error', async () => {
  host.answer = (_request, response) => {
    response.writeHead(403).end();
    return true;
  };
  const deployment = lab.start(createLinkSource({ value: link('/1') }, null), { intervalMs: 20 });
  await until(deployment, ({ fault }) => fault?.code === 'link_expired');
  host.answer = () => false;
  await until(deployment, serves('1'));
  await deployment.update();
  await deployment.stop();
  const ends = lab.log().match(/\{[^{}]*error is resolved[^{}]*\}/g) ?? [];
  expect(ends.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'info', code: 'link_expired', since: expect.stringContaining('T') }),
  ]);
});
