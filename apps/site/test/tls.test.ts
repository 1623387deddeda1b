/** TLS of the site server: certificates by host, without a restart, and what comes over plain http. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChallengeCertificate } from '../src/tls/challenge-certificate.ts';
import { readClientHello } from '../src/tls/client-hello.ts';
import { type CertificateSource, type Certificates, followCertificates } from '../src/tls/follow.ts';
import { startTlsListener, type TlsListener } from '../src/tls/listener.ts';
import { createPlainHandler } from '../src/tls/plain.ts';
import { openSealedFile } from '../src/tls/sealed-file.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const TOKEN = 'a token of this test with more than 32 characters';

/** A platform whose list a test changes. */
function createPlatform() {
  let list: { cursor: string; certificates: unknown[] } = { cursor: '0', certificates: [] };
  let isAway = false;
  let wake = () => {};
  const challenges = new Map<string, string>();
  const source: CertificateSource = {
    async certificates(after, signal) {
      if (isAway) throw new Error('the platform is away');
      if (after === list.cursor) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return list;
    },
    challenge: async (host, token) => challenges.get(`${host} ${token}`) ?? null,
  };
  return {
    source,
    challenges,
    set(certificates: unknown[]) {
      list = { cursor: String(Number(list.cursor) + 1), certificates };
      wake();
    },
    leave() {
      isAway = true;
    },
  };
}

/** A self-signed certificate as the platform sends it. */
function certificateOf(...domains: string[]) {
  const { cert, key } = createChallengeCertificate(domains[0] ?? '', String(Math.random()));
  const { fingerprint256: fingerprint, validToDate } = new X509Certificate(cert);
  return { domains, chain: cert, key, fingerprint, expiresAt: validToDate.toISOString() };
}

let dir: string;
let platform: ReturnType<typeof createPlatform>;
let certificates: Certificates;
let server: Server;
let listener: TlsListener;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'offprint-tls-'));
  platform = createPlatform();
  certificates = await follow();
  server = createServer((incoming, response) => {
    response.end(
      `${'encrypted' in incoming.socket ? 'tls' : 'plain'} ${incoming.headers.host}${incoming.url}`,
    );
  });
  listener = await startTlsListener({
    host: '127.0.0.1',
    port: 0,
    certificates: { contextOf: (host) => certificates.contextOf(host) },
    source: platform.source,
    deliver: (socket) => server.emit('connection', socket),
    handshakeMs: 3_000,
  });
});

afterEach(async () => {
  await listener.stop();
  await certificates.stop();
  server.closeAllConnections();
  await rm(dir, { recursive: true, force: true });
});

const file = () => openSealedFile(join(dir, 'certificates.sealed'), TOKEN);
const follow = (sealed = file()) => followCertificates({ source: platform.source, file: sealed, log });

async function untilServed(fingerprint: string, host: string): Promise<void> {
  for (;;) {
    const seen = await handshake(host).catch(() => null);
    if (seen === fingerprint) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Fingerprint of the certificate that a host has. */
function handshake(servername: string, ALPNProtocols?: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port: listener.port, host: '127.0.0.1', servername, rejectUnauthorized: false };
    const socket = connect({ ...options, ...(ALPNProtocols === undefined ? {} : { ALPNProtocols }) }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

function get(host: string, path: string, agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port: listener.port, host: '127.0.0.1', servername: host, rejectUnauthorized: false };
    const sent = request(
      { ...options, path, headers: { host }, ...(agent === undefined ? {} : { agent }) },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve(text));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

test('each host gets its own certificate, and requests reach the server of the site', async () => {
  const [one, two] = [certificateOf('one.example.com'), certificateOf('two.example.com')];
  platform.set([one, two]);
  await untilServed(one.fingerprint, 'one.example.com');
  expect(await handshake('TWO.example.com')).toBe(two.fingerprint);
  expect(await get('one.example.com', '/page?a=b')).toBe('tls one.example.com/page?a=b');
  expect(certificates.status()).toMatchObject({ hosts: 2, fault: null });
});

test('a host without a certificate gets an alert, and no certificate of another host', async () => {
  platform.set([certificateOf('one.example.com')]);
  await expect(handshake('other.example.com')).rejects.toThrow(/unrecognized name/i);
});

test('a renewed certificate is used at once, and connections that are open stay open', async () => {
  const before = certificateOf('one.example.com');
  platform.set([before]);
  await untilServed(before.fingerprint, 'one.example.com');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await get('one.example.com', '/1', agent)).toContain('/1');
  const after = certificateOf('one.example.com');
  platform.set([after]);
  await untilServed(after.fingerprint, 'one.example.com');
  const [open] = Object.values(agent.freeSockets).flat();
  expect(await get('one.example.com', '/2', agent)).toContain('/2');
  expect(Object.values(agent.freeSockets).flat()[0]).toBe(open);
  agent.destroy();
});

test('an invalid certificate leaves the others in use', async () => {
  const good = certificateOf('one.example.com');
  const mixed = { ...certificateOf('two.example.com'), key: certificateOf('x.example.com').key };
  platform.set([null, {}, { ...good, domains: ['../x'] }, { ...good, key: 'no key' }, mixed, good]);
  await untilServed(good.fingerprint, 'one.example.com');
  expect(certificates.status().hosts).toBe(1);
});

test('certificates are kept encrypted, and are in use after a restart without the platform', async () => {
  const one = certificateOf('one.example.com');
  platform.set([one]);
  await untilServed(one.fingerprint, 'one.example.com');
  const path = join(dir, 'certificates.sealed');
  while ((await readFile(path).catch(() => null)) === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const bytes = await readFile(path, 'latin1');
  expect(bytes).not.toContain('PRIVATE KEY');
  expect(bytes).not.toContain('one.example.com');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await certificates.stop();
  platform.leave();
  certificates = await follow();
  expect(await handshake('one.example.com')).toBe(one.fingerprint);
  expect(await openSealedFile(path, `${TOKEN}x`).read()).toBeNull();
});

test('a tls-alpn-01 challenge gets its certificate, and readers never do', async () => {
  const one = certificateOf('one.example.com');
  platform.set([one]);
  await untilServed(one.fingerprint, 'one.example.com');
  platform.challenges.set('one.example.com tls-alpn-01', 'token.thumbprint');
  const seen = await handshake('one.example.com', ['acme-tls/1']);
  expect(seen).not.toBe(one.fingerprint);
  expect(await handshake('one.example.com', ['http/1.1'])).toBe(one.fingerprint);
  expect(await handshake('one.example.com', ['acme-tls/1', 'http/1.1'])).toBe(one.fingerprint);
  await expect(handshake('none.example.com', ['acme-tls/1'])).rejects.toThrow();
});

test('a challenge certificate names the host and contains the digest of the key authorization', () => {
  const { cert } = createChallengeCertificate('docs.example.com', 'token.thumbprint');
  const parsed = new X509Certificate(cert);
  expect(parsed.checkHost('docs.example.com')).toBe('docs.example.com');
  expect(parsed.verify(parsed.publicKey)).toBe(true);
  expect(parsed.raw.includes(Buffer.from('2b0601050507011f0101ff', 'hex'))).toBe(true);
});

test('hosts with a certificate are redirected to https; challenges and other hosts are not', async () => {
  platform.set([certificateOf('one.example.com')]);
  platform.challenges.set('one.example.com abc', 'abc.thumbprint');
  while (!certificates.has('one.example.com')) await new Promise((resolve) => setTimeout(resolve, 20));
  const handle = createPlainHandler({ certificates, source: platform.source, httpsPort: () => 8443 });
  const plain = createServer((incoming, response) => {
    const host = incoming.headers.host?.replace(/:\d+$/, '') ?? null;
    if (handle(incoming, response, host) === null) response.end('served');
  });
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const address = plain.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const ask = (host: string, path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
        let text = `${response.statusCode} ${response.headers.location ?? ''} `;
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve(text.trim()));
      });
      sent.on('error', reject);
      sent.end();
    });
  try {
    expect(await ask('one.example.com', '/a/b?c=d')).toBe('308 https://one.example.com/a/b?c=d');
    expect(await ask('one.example.com', '//evil.example.org/')).toBe(
      '308 https://one.example.com//evil.example.org/',
    );
    expect(await ask('one.example.com:80', '/')).toBe('308 https://one.example.com/');
    expect(await ask('one.example.com:8080', '/')).toBe('308 https://one.example.com:8443/');
    expect(await ask('two.example.com', '/')).toBe('200  served');
    expect(await ask('one.example.com', '/.well-known/acme-challenge/abc')).toBe('200  abc.thumbprint');
    expect(await ask('one.example.com', '/.well-known/acme-challenge/unknown')).toBe('404');
    expect(await ask('one.example.com', '/.well-known/acme-challenge/../x')).toMatch(/^308 /);
  } finally {
    plain.close();
    plain.closeAllConnections();
  }
});

/** The first bytes of a real client. */
async function helloOf(servername: string): Promise<Buffer> {
  const tcp = await new Promise<Buffer>((resolve) => {
    const sink = createSink((bytes) => resolve(bytes));
    sink.then((port) => {
      connect({ port, host: '127.0.0.1', servername, ALPNProtocols: ['h2', 'http/1.1'] }).on(
        'error',
        () => {},
      );
    });
  });
  return tcp;
}

async function createSink(hear: (bytes: Buffer) => void): Promise<number> {
  const { createServer: createTcpServer } = await import('node:net');
  const sink = createTcpServer((socket) => {
    socket.once('data', (bytes) => {
      hear(bytes);
      socket.destroy();
      sink.close();
    });
    socket.on('error', () => {});
  });
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const address = sink.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a ClientHello is read whole, in parts and in several records', async () => {
  const hello = await helloOf('Docs.Example.com');
  const expected = { serverName: 'docs.example.com', protocols: ['h2', 'http/1.1'] };
  expect(readClientHello(hello)).toEqual(expected);
  for (let length = 0; length < hello.length; length += 1)
    expect(readClientHello(hello.subarray(0, length)), String(length)).toBe('more');
  const body = hello.subarray(5);
  const record = (part: Buffer) => {
    const head = Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]);
    return Buffer.concat([head, part]);
  };
  const split = Buffer.concat([
    record(body.subarray(0, 3)),
    record(body.subarray(3, 100)),
    record(body.subarray(100)),
  ]);
  expect(readClientHello(split)).toEqual(expected);
});

test('damaged beginnings of connections end no process and hold no connection', async () => {
  const hello = await helloOf('docs.example.com');
  for (let at = 0; at < hello.length; at += 1) {
    for (const value of [0, 1, 127, 255]) {
      const damaged = Buffer.from(hello);
      damaged[at] = value;
      readClientHello(damaged);
    }
  }
  expect(readClientHello(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))).toBe('invalid');
  const socket = connectTcp(listener.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: docs.example.com\r\n\r\n');
  await once(socket, 'close');
  // One that says nothing is closed after the time of a handshake.
  const silent = connectTcp(listener.port, '127.0.0.1');
  silent.on('error', () => {});
  await once(silent, 'close');
  while (listener.handshakes() > 0) await new Promise((resolve) => setTimeout(resolve, 20));
});
