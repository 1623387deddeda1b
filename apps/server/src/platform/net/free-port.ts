import { createServer } from 'node:net';

/**
 * Rejects like the server that is to listen there would, so that a port in use is reported before a database is started
 * for it. Port 0 is always free.
 */
export function requireFreePort(port: number, host: string): Promise<void> {
  if (port === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve()));
  });
}
