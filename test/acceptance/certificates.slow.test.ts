/**
 * Domains and certificates from end to end: a platform with two workers, a DNS server, Pebble, and the TLS of the site
 * server. When the platform stops, its log and tables are searched for the keys that the site server has received.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { SiteDomain } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificateSource } from '../../apps/site/src/source/hosting-certificates.ts';
import { type Certificates, followCertificates } from '../../apps/site/src/tls/follow.ts';
import { startTlsListener, type TlsListener } from '../../apps/site/src/tls/listener.ts';
import { createPlainHandler } from '../../apps/site/src/tls/plain.ts';
import { openSealedFile } from '../../apps/site/src/tls/sealed-file.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { type Pebble, pebbleProgram, startPebble } from '../support/pebble.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { missing } from '../support/system-program.ts';
import { call, createProject, makeFolder, siteFiles } from './api.ts';

const TOKEN = 'hosting-token-of-this-test-0123456789abcdef';
const WAIT_MS = 240_000;

describe.skipIf(pebbleProgram === null).each(['http-01', 'tls-alpn-01'])(
  `with Pebble and %s${missing(pebbleProgram, 'pebble')}`,
  (challenge) => {
    let dns: DnsServer;
    let pebble: Pebble;
    let platform: TestPlatform;
    let tenant: Tenant;
    let certificates: Certificates;
    let listener: TlsListener;
    let dir: string;
    const web = createServer((request, response) => void response.end(`page of ${request.headers.host}`));
    let plain: ReturnType<typeof createServer>;

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'offprint-certificates-'));
      dns = await startDnsServer();
      pebble = await startPebble({ dnsServer: dns.address });
      const env = {
        OFFPRINT_DNS_SERVERS: dns.address,
        OFFPRINT_ACME_DIRECTORY: pebble.directory,
        OFFPRINT_ACME_CA_FILE: pebble.caFile,
        OFFPRINT_ACME_CHALLENGE: challenge,
        OFFPRINT_HOSTING_TOKEN: TOKEN,
      };
      platform = await startTestPlatform({ env });
      platform.start(['worker']);
      tenant = await platform.createTenant();
      const source = createCertificateSource({
        url: new URL(`${platform.url}/`),
        token: { value: TOKEN },
        transport: { ca: null, stallMs: 60_000 },
      });
      const log = { info: () => {}, warn: () => {}, error: () => {} };
      const file = openSealedFile(join(dir, 'certificates.sealed'), TOKEN);
      certificates = await followCertificates({ source, file, log });
      const handle = createPlainHandler({ certificates, source, httpsPort: () => pebble.tlsPort });
      plain = createServer((request, response) => {
        const host = request.headers.host?.replace(/:\d+$/, '') ?? null;
        if (handle(request, response, host) === null) response.end('plain');
      });
      plain.listen(pebble.httpPort, '127.0.0.1');
      listener = await startTlsListener({
        host: '127.0.0.1',
        port: pebble.tlsPort,
        certificates,
        source,
        deliver: (socket) => web.emit('connection', socket),
      });
    });

    afterAll(async () => {
      await listener?.stop();
      await certificates?.stop();
      plain?.close();
      plain?.closeAllConnections();
      web.closeAllConnections();
      await platform?.stop();
      await pebble?.stop();
      await dns?.close();
      await rm(dir, { recursive: true, force: true });
    });

    test('a domain is claimed, verified, gets a certificate and is served over TLS', async () => {
      const path = await makeFolder(siteFiles(1));
      const { projectId } = await createProject(platform.url, tenant.key, { kind: 'folder', path });
      const domains = `/v1/projects/${projectId}/domains`;
      const { key } = tenant;
      const host = 'docs.example.com';
      const added = await call<SiteDomain>(platform.url, 'POST', domains, {
        key,
        body: { domain: 'DOCS.example.com' },
      });
      expect(added.status, added.text).toBe(201);
      expect(added.body).toMatchObject({ domain: host, state: 'pending', certificate: null });
      expect((await call(platform.url, 'GET', `/v1/hosting/ask?domain=${host}`)).status).toBe(404);

      dns.set(added.body.record.name, 'TXT', [added.body.record.value]);
      dns.set(host, 'A', ['127.0.0.1']);
      const read = async (): Promise<SiteDomain> =>
        (await call<SiteDomain>(platform.url, 'GET', `${domains}/${added.body.id}`, { key })).body;
      const deadline = performance.now() + WAIT_MS;
      const check = `${domains}/${added.body.id}/check`;
      for (let shown = added.body; shown.certificate?.state !== 'ready'; shown = await read()) {
        if (performance.now() > deadline) throw new Error(JSON.stringify(shown));
        if (shown.state !== 'verified') {
          const checked = await call<SiteDomain>(platform.url, 'POST', check, { key });
          expect(checked.status, checked.text).toBe(200);
        }
        await sleep(300);
      }
      expect(await read()).toMatchObject({ state: 'verified', method: 'dns', nextStep: null });
      expect((await call(platform.url, 'GET', `/v1/hosting/ask?domain=${host}`)).status).toBe(200);

      while (!certificates.has(host)) await sleep(50);
      expect(await readPage(listener.port, host)).toContain(`page of ${host}`);
      const redirect = await fetch(`http://127.0.0.1:${pebble.httpPort}/`, { redirect: 'manual' });
      expect(redirect.status).toBe(200);

      // Released: the certificate is gone with the domain.
      expect((await call(platform.url, 'DELETE', `${domains}/${added.body.id}`, { key })).status).toBe(204);
      while (certificates.has(host)) await sleep(50);
      expect((await call(platform.url, 'GET', `/v1/hosting/ask?domain=${host}`)).status).toBe(404);
    });

    test('certificates and challenges are for site servers only', async () => {
      const list = '/v1/hosting/certificates';
      const paths = [list, '/v1/hosting/challenges/docs.example.com/token'];
      for (const path of paths) {
        for (const key of [undefined, tenant.key, `${TOKEN}x`, TOKEN.slice(1)])
          expect((await call(platform.url, 'GET', path, key === undefined ? {} : { key })).status).toBe(401);
      }
      expect((await call(platform.url, 'GET', list, { key: TOKEN })).body).toMatchObject({
        certificates: [],
      });
      expect((await call(platform.url, 'GET', paths[1] ?? '', { key: TOKEN })).status).toBe(404);
      const other = await platform.startApi({ OFFPRINT_HOSTING_TOKEN: '' });
      for (const path of [...paths, '/v1/hosting/ask?domain=docs.example.com'])
        expect((await call(other, 'GET', path, { key: TOKEN })).status).toBe(404);
    });
  },
);

/** The response of a host over TLS. */
function readPage(port: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false }, () => {
      expect(socket.getPeerX509Certificate()?.checkHost(servername)).toBe(servername);
      socket.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`);
    });
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}
