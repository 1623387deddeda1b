/** Many sites by https in the process that serves them by http. */
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startHostingManagement } from '../src/hosting/management.ts';
import type { SecureHosting } from '../src/hosting/secure.ts';
import { createLog } from '../src/log.ts';
import { createChallengeCertificate } from '../src/tls/challenge-certificate.ts';
import { followOwnCertificate } from '../src/tls/own-certificate.ts';
import { makeBundle } from './support/bundle.ts';
import { createHostingLab, type HostingLab, servesDeployment, untilHost } from './support/hosting-lab.ts';
import { hostingToken, siteOf } from './support/hosting-platform.ts';
import { type Answer, ask } from './support/reader.ts';

const HOST = 'a.example.com';
const large = 8 * 1024 * 1024;

let lab: HostingLab;
let hosting: SecureHosting;
beforeEach(async () => {
  lab = await createHostingLab();
  const { cert, key } = createChallengeCertificate(HOST, 'any');
  const { fingerprint256: fingerprint, validToDate } = new X509Certificate(cert);
  const expiresAt = validToDate.toISOString();
  lab.platform.certificates = [{ domains: [HOST], chain: cert, key, fingerprint, expiresAt }];
  lab.platform.challenges.set('new.example.com abc', 'abc.thumbprint');
  const bundle = await makeBundle('one', { noise: large });
  lab.platform.addDeployment('d1', bundle);
  const cookieKey = 'a'.repeat(43);
  lab.platform.setSites([
    siteOf(HOST, 'd1', bundle),
    siteOf('b.example.com', 'd1', bundle, { access: { kind: 'password', cookieKey } }),
  ]);
  hosting = await lab.start({ tls: { port: 0, token: hostingToken } });
  await untilHost(hosting, HOST, servesDeployment('d1'));
  while (hosting.certificates?.().hosts !== 1) await sleep(10);
});
afterEach(() => lab.close());

/** By https. `isRead` becomes true when the response has ended. */
function askSecure(
  host: string,
  path: string,
  onStart: (resume: () => void) => void = (resume) => resume(),
): Promise<Pick<Answer, 'status' | 'headers' | 'body'>> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port: hosting.tlsPort,
        host: '127.0.0.1',
        path,
        servername: HOST,
        headers: { host },
        rejectUnauthorized: false,
        agent: false,
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.pause();
        response.on('error', reject);
        response.on('end', () => {
          const headers: Answer['headers'] = {};
          for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
          resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(pieces) });
        });
        onStart(() => {
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.resume();
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

it('serves a host with a certificate by https with HSTS, and redirects it from http', async () => {
  const secure = await askSecure(HOST, '/page-1');
  expect([secure.status, secure.body.toString()]).toEqual([200, 'one 1']);
  expect(secure.headers['strict-transport-security']).toBe('max-age=31536000');
  const plain = await lab.get(hosting, HOST, '/page-1?a=b');
  expect([plain.status, plain.headers.location]).toEqual([308, `https://${HOST}/page-1?a=b`]);
  const other = await lab.get(hosting, `${HOST}:8080`, '/');
  expect(other.headers.location).toBe(`https://${HOST}:${hosting.tlsPort}/`);
  const without = await lab.get(hosting, 'b.example.com', '/page-1');
  expect([without.status, without.headers['strict-transport-security']]).toEqual([401, undefined]);
});

it('signs readers in by https with HSTS, and the platform learns of https', async () => {
  const answer = await askSecure('b.example.com', '/login');
  expect(answer.body.toString()).toBe('sign in here');
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
  expect(lab.platform.signIns[0]?.headers['x-forwarded-proto']).toBe('https');
});

it('responds to challenges and verifications of any host, with the responses of the platform', async () => {
  for (const kind of ['acme-challenge', 'offprint-verification']) {
    const path = `/.well-known/${kind}/abc`;
    const answer = await lab.get(hosting, 'new.example.com', path);
    expect([answer.status, answer.content.toString()]).toEqual([200, 'abc.thumbprint']);
    expect((await lab.get(hosting, HOST, path)).status).toBe(404);
  }
});

it('finishes responses by https before it stops, and cuts them off at the limit', async () => {
  const first = askSecure(HOST, '/noise.bin', (resume) => {
    const stopped = hosting.stop({ limitMs: 60_000 });
    setTimeout(resume, 200);
    void stopped.then(() => {
      isStopped = true;
    });
  });
  let isStopped = false;
  expect((await first).body.length).toBe(large);
  while (!isStopped) await sleep(10);
  hosting = await lab.start({ tls: { port: 0, token: hostingToken } });
  await untilHost(hosting, HOST, servesDeployment('d1'));
  const cut = askSecure(HOST, '/noise.bin', (resume) => void hosting.stop({ limitMs: 50 }).then(resume));
  await expect(cut).rejects.toThrow();
});

it('reports certificates on the management port', async () => {
  const management = await startHostingManagement({
    host: '127.0.0.1',
    port: 0,
    token: null,
    hosting,
    log: createLog('json', () => {}),
  });
  const get = async (path: string) => (await ask(management.port, path)).content.toString();
  expect(JSON.parse(await get('/sites')).certificates).toMatchObject({ hosts: 1, fault: null });
  const metrics = await get('/metrics');
  expect(metrics).toContain('offprint_site_certificate_hosts 1\n');
  expect(metrics).toContain('offprint_site_certificates_fault 0\n');
  expect(metrics).toMatch(/^offprint_site_certificate_expiry_timestamp_seconds \d+$/m);
  await management.stop();
});

it('serves a host without a certificate of the platform with the wildcard of the files, also after a renewal', async () => {
  const files = { certFile: join(lab.root, 'cert.pem'), keyFile: join(lab.root, 'key.pem') };
  const write = (serial: string) => {
    const { cert, key } = createChallengeCertificate('*.b.example.com', serial);
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
    return new X509Certificate(cert).fingerprint256;
  };
  const first = write('1');
  const told: string[] = [];
  const log = createLog('json', (line) => told.push(line));
  const own = await followOwnCertificate(files, { log, pollMs: 20 });
  await hosting.stop();
  hosting = await lab.start({ tls: { port: 0, token: hostingToken, files } });
  await untilHost(hosting, HOST, servesDeployment('d1'));
  const fingerprintOf = (servername: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(
        { port: hosting.tlsPort ?? 0, host: '127.0.0.1', servername, rejectUnauthorized: false },
        () => {
          resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
          socket.destroy();
        },
      );
      socket.on('error', reject);
    });
  expect(await fingerprintOf('preview.b.example.com')).toBe(first);
  // That of the platform comes first, and a wildcard is for one label only.
  expect(await fingerprintOf(HOST)).not.toBe(first);
  for (const other of ['b.example.com', 'x.y.b.example.com', 'preview.b.example.net'])
    await expect(fingerprintOf(other)).rejects.toThrow();
  const status = hosting.certificates?.();
  expect(status).toMatchObject({ fault: null, nextExpiry: expect.any(String) });

  try {
    const second = write('2');
    const used = () => own.contextOf('preview.b.example.com');
    const before = used();
    await expect.poll(() => used() !== before).toBe(true);
    expect(first).not.toBe(second);
    const renewed = used();
    writeFileSync(files.keyFile, 'nothing');
    await expect.poll(() => own.fault()).toMatch(/OFFPRINT_SITE_TLS_CERT_FILE/);
    expect(used(), 'the last one that could be read stays in use').toBe(renewed);
    for (const file of Object.values(files)) writeFileSync(file, '');
    await expect.poll(() => [own.fault(), used()]).toEqual([null, undefined]);
    expect(told.join('')).not.toContain('PRIVATE KEY');
  } finally {
    own.stop();
  }
});
