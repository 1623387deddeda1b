import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the test server saw it. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Step = (request: Seen, response: ServerResponse) => void | Promise<void>;

/** A server that handles the n-th request by the n-th step (and repeats the last one). */
export async function serveSteps(...steps: Step[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', async () => {
      const { method = '', url = '', headers } = request;
      const step = steps[Math.min(seen.length, steps.length - 1)]!;
      const one = { method, url, headers, body: Buffer.concat(pieces).toString() };
      seen.push(one);
      await step(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Closes the connection without a response. */
export const hangUp: Step = (_request, response) => void response.destroy();
