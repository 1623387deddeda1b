import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { createChallengeCertificate } from './challenge-certificate.ts';
import { type ClientHello, maxHelloBytes, readClientHello } from './client-hello.ts';
import type { CertificateSource, Certificates } from './follow.ts';

export interface TlsListenerOptions {
  /** IP address to listen on. */
  host: string;
  /** 0 selects a free port. */
  port: number;
  certificates: Pick<Certificates, 'contextOf'>;
  source: Pick<CertificateSource, 'challenge'>;
  /** Receives connections of readers after their handshake: `socket => httpServer.emit('connection', socket)`. */
  deliver(socket: TLSSocket): void;
  /** Time for a handshake; default 10 seconds. */
  handshakeMs?: number;
  /** Handshakes at the same time; default 1,000. */
  maxHandshakes?: number;
}

export interface TlsListener {
  port: number;
  /** Connections in a handshake. */
  handshakes(): number;
  /** Accepts nothing new. Delivered connections are left to their server. */
  stop(): Promise<void>;
}

/** Application protocol of tls-alpn-01 (RFC 8737). */
const acmeProtocol = 'acme-tls/1';
/** Instead of the token of a challenge, which the connection does not name. */
const newestChallenge = 'tls-alpn-01';
/** A fatal alert: unrecognized_name (RFC 6066). */
const unknownName = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x70]);

/** Terminates TLS with the certificate of the host that the client names, and responds to tls-alpn-01 challenges. */
export async function startTlsListener(options: TlsListenerOptions): Promise<TlsListener> {
  const { certificates, source, handshakeMs = 10_000, maxHandshakes = 1_000 } = options;
  const stopping = new AbortController();
  const pending = new Set<Socket>();

  const readers = createTlsServer({
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: handshakeMs,
    minVersion: 'TLSv1.2',
    SNICallback: (name, done) => done(null, certificates.contextOf(name.toLowerCase())),
  });
  readers.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy());
    options.deliver(socket);
  });
  const authorities = createTlsServer({
    ALPNProtocols: [acmeProtocol],
    handshakeTimeout: handshakeMs,
    SNICallback: (name, done) => {
      challengeContext(name.toLowerCase()).then(
        (context) => done(null, context),
        () => done(new Error('no challenge exists for the host')),
      );
    },
  });
  // The handshake is all that the authority wants.
  authorities.on('secureConnection', (socket) => socket.end());
  for (const server of [readers, authorities])
    server.on('tlsClientError', (_error, socket) => socket.destroy());

  async function challengeContext(host: string) {
    const text = await source.challenge(host, newestChallenge, stopping.signal);
    if (text === null) throw new Error('no challenge exists for the host');
    return createSecureContext(createChallengeCertificate(host, text));
  }

  const accept = (socket: Socket): void => {
    if (pending.size >= maxHandshakes) {
      socket.destroy();
      return;
    }
    pending.add(socket);
    const timer = setTimeout(() => socket.destroy(), handshakeMs);
    const done = (): void => {
      clearTimeout(timer);
      pending.delete(socket);
    };
    socket.once('close', done);
    socket.on('error', () => socket.destroy());
    let bytes = Buffer.alloc(0);
    const read = (): void => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read())
        bytes = Buffer.concat([bytes, chunk]);
      const hello = bytes.length > maxHelloBytes ? 'invalid' : readClientHello(bytes);
      if (hello === 'more') return;
      socket.off('readable', read);
      done();
      if (hello === 'invalid') socket.destroy();
      else handOver(socket, bytes, hello);
    };
    socket.on('readable', read);
  };

  const handOver = (socket: Socket, bytes: Buffer, { serverName, protocols }: ClientHello): void => {
    const isChallenge = protocols.length === 1 && protocols[0] === acmeProtocol;
    if (!isChallenge && (serverName === null || certificates.contextOf(serverName) === undefined)) {
      socket.end(unknownName);
      return;
    }
    socket.unshift(bytes);
    (isChallenge ? authorities : readers).emit('connection', socket);
  };

  const server = createServer({ noDelay: true }, accept);
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    handshakes: () => pending.size,
    async stop() {
      stopping.abort();
      const closed = once(server, 'close');
      server.close();
      for (const socket of pending) socket.destroy();
      // Waits only for connections that were not delivered: those that were belong to another server.
      server.unref();
      await Promise.race([closed, new Promise((resolve) => setImmediate(resolve))]);
    },
  };
}
