import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { callerOf } from './rate-limit.ts';

export interface ConnectionLimits {
  /** Maximum number of open connections. */
  max: number;
  /** Maximum number of connections of one IP address, or /64 network of IPv6. */
  maxPerAddress: number;
  /**
   * Addresses or networks of proxies: they hold connections for many clients, so that each client is limited to
   * `maxPerAddress` requests at a time instead.
   */
  trustedProxies: readonly string[];
}

/** Times in milliseconds. */
export interface ConnectionTimes {
  /** For a body to arrive after its head. */
  body: number;
  /** In which an upload sends at least `uploadRate` bytes per second. */
  uploadWindow: number;
  uploadRate: number;
  /** For which a client reads nothing of a response that waits for it. */
  stall: number;
  /** Between two checks. */
  check: number;
}

/** Why a connection was closed before its client closed it. */
export type CloseReason = 'limit' | 'address-limit' | 'refused' | 'slow-head' | 'slow-body' | 'slow-reader';

export interface Connections {
  count(): number;
  /** The request may upload a file: it gets time as long as it progresses. */
  allowUpload(request: IncomingMessage): void;
  /**
   * Counts a request of a client behind a trusted proxy until its response ends. False: the client has the
   * maximum number of requests in progress, or its connection was refused.
   */
  admit(request: IncomingMessage, response: ServerResponse, client: string): boolean;
  /** Whether a response written to the connection now would be read as the one to its incomplete request. */
  canRespond(socket: Socket): boolean;
  /** What a request that did not arrive in time was waiting for. */
  timeoutReason(socket: Socket): CloseReason;
  stop(): void;
}

export const CONNECTION_TIMES: ConnectionTimes = {
  body: 20_000,
  uploadWindow: 20_000,
  uploadRate: 10_000,
  stall: 60_000,
  check: 1_000,
};

/** Busy connections that are compared when one must be closed. */
const MAX_COMPARED = 512;

interface Connection {
  socket: Socket;
  /** The connections of the same address; null for proxies. */
  peers: Peers | null;
  /** Responses that have not ended. */
  responses: number;
  /** The newest request; null before the first. */
  request: IncomingMessage | null;
  response: ServerResponse | null;
  isUpload: boolean;
  /** Start of the body, and of the current window of an upload. */
  since: number;
  bytesRead: number;
  /** Bytes that the client has taken of what was written, and since when it takes no more; 0: it does. */
  bytesTaken: number;
  stalledSince: number;
}

/**
 * Connections in the order of their last use: `waiting` ones have no complete request, so that nothing is lost when
 * they are closed.
 */
interface Peers {
  waiting: Set<Connection>;
  busy: Set<Connection>;
}

/**
 * Limits the connections of a server. Above a limit, the connection is closed that has waited longest without a
 * complete request; if every one has, the one whose client has not read for longest; else the new one is refused.
 * Closes connections whose bodies arrive too slowly or whose clients do not read.
 */
export function watchConnections(
  server: Server,
  limits: ConnectionLimits,
  onTimeout: (socket: Socket) => void,
  onClosed: (reason: CloseReason) => void,
  times: ConnectionTimes = CONNECTION_TIMES,
): Connections {
  const all: Peers = { waiting: new Set(), busy: new Set() };
  const open = new Map<Socket, Connection>();
  const byAddress = new Map<string, Peers>();
  const inProgress = new Map<string, number>();
  const refused = new WeakSet<Socket>();
  const isProxy = matcherOf(limits.trustedProxies);

  const move = (connection: Connection, to: keyof Peers): void => {
    for (const peers of [all, connection.peers]) {
      if (peers === null) continue;
      peers.waiting.delete(connection);
      peers.busy.delete(connection);
      peers[to].add(connection);
    }
  };
  const remove = (connection: Connection, address: string): void => {
    open.delete(connection.socket);
    for (const peers of [all, connection.peers]) {
      peers?.waiting.delete(connection);
      peers?.busy.delete(connection);
    }
    if (connection.peers !== null && sizeOf(connection.peers) === 0) byAddress.delete(address);
  };

  server.on('connection', (socket: Socket) => {
    const address = callerOf(plainAddress(socket));
    const connection = connectionOf(socket, isProxy(socket) ? null : peersOf(byAddress, address));
    open.set(socket, connection);
    move(connection, 'waiting');
    socket.once('close', () => remove(connection, address));
    const { peers } = connection;
    const isAbove = peers !== null && sizeOf(peers) > limits.maxPerAddress;
    if (!isAbove && open.size <= limits.max) return;
    const leaving = leastUseful(isAbove ? peers : all, connection);
    onClosed(leaving === undefined ? 'refused' : isAbove ? 'address-limit' : 'limit');
    if (leaving === undefined) {
      refused.add(socket);
      refuse(socket);
    } else {
      leaving.socket.destroy();
      // Another connection may come before the event.
      remove(leaving, callerOf(plainAddress(leaving.socket)));
    }
  });

  // Before the listener of the application, which names uploads.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(request.socket);
    if (connection === undefined) return;
    Object.assign(connection, { request, response, isUpload: false, since: performance.now() });
    connection.bytesRead = request.socket.bytesRead;
    connection.responses += 1;
    if (hasBody(request)) request.once('end', () => connection.responses > 0 && move(connection, 'busy'));
    else move(connection, 'busy');
    response.once('close', () => {
      connection.responses -= 1;
      if (connection.responses === 0 && open.has(connection.socket)) move(connection, 'waiting');
    });
  });

  const check = setInterval(() => {
    const now = performance.now();
    for (const connection of open.values()) {
      // Its last response is on its way.
      if (connection.socket.writableEnded) continue;
      if (isBodyLate(connection, now, times)) {
        onClosed('slow-body');
        onTimeout(connection.socket);
      } else if (isReaderLate(connection, now, times)) {
        onClosed('slow-reader');
        connection.socket.destroy();
      }
    }
  }, times.check);
  check.unref();

  return {
    count: () => open.size,
    allowUpload(request) {
      const connection = open.get(request.socket);
      if (connection === undefined || connection.request !== request) return;
      connection.isUpload = true;
      if (connection.responses > 0) move(connection, 'busy');
    },
    admit(request, response, client) {
      if (refused.has(request.socket)) return false;
      if (open.get(request.socket)?.peers !== null) return true;
      const caller = callerOf(client);
      const count = (inProgress.get(caller) ?? 0) + 1;
      if (count > limits.maxPerAddress) return false;
      inProgress.set(caller, count);
      response.once('close', () => {
        const left = (inProgress.get(caller) ?? 1) - 1;
        if (left === 0) inProgress.delete(caller);
        else inProgress.set(caller, left);
      });
      return true;
    },
    canRespond(socket) {
      const { request, response, responses = 0 } = open.get(socket) ?? {};
      if (request == null || request.complete) return responses === 0;
      return responses === 1 && response?.headersSent === false;
    },
    timeoutReason: (socket) => (open.get(socket)?.request?.complete === false ? 'slow-body' : 'slow-head'),
    stop: () => clearInterval(check),
  };
}

function connectionOf(socket: Socket, peers: Peers | null): Connection {
  return {
    socket,
    peers,
    responses: 0,
    request: null,
    response: null,
    isUpload: false,
    since: performance.now(),
    bytesRead: 0,
    bytesTaken: 0,
    stalledSince: 0,
  };
}

function peersOf(byAddress: Map<string, Peers>, address: string): Peers {
  const known = byAddress.get(address);
  if (known !== undefined) return known;
  const peers: Peers = { waiting: new Set(), busy: new Set() };
  byAddress.set(address, peers);
  return peers;
}

const sizeOf = ({ waiting, busy }: Peers): number => waiting.size + busy.size;

/** The connection to close for a new one; undefined: every other one is in use. */
function leastUseful({ waiting, busy }: Peers, fresh: Connection): Connection | undefined {
  for (const connection of waiting) if (connection !== fresh) return connection;
  let found: Connection | undefined;
  let compared = 0;
  for (const connection of busy) {
    if (compared++ === MAX_COMPARED) break;
    if (connection.stalledSince === 0) continue;
    if (found === undefined || connection.stalledSince < found.stalledSince) found = connection;
  }
  return found;
}

function isBodyLate(connection: Connection, now: number, times: ConnectionTimes): boolean {
  const { request, socket, isUpload, since } = connection;
  if (request === null || request.complete) return false;
  // Data that waits here shows that the server is slow, not the client.
  const isServerLate = request.readableLength > 0;
  if (!isUpload) return now - since > times.body && !isServerLate;
  if (now - since <= times.uploadWindow && !isServerLate) return false;
  const received = socket.bytesRead - connection.bytesRead;
  Object.assign(connection, { since: now, bytesRead: socket.bytesRead });
  return !isServerLate && (received / (now - since)) * 1000 < times.uploadRate;
}

function isReaderLate(connection: Connection, now: number, times: ConnectionTimes): boolean {
  const { socket } = connection;
  const taken = socket.bytesWritten - socket.writableLength;
  const isWaiting = socket.writableLength > 0 && taken === connection.bytesTaken;
  connection.bytesTaken = taken;
  if (!isWaiting) connection.stalledSince = 0;
  else if (connection.stalledSince === 0) connection.stalledSince = now;
  return isWaiting && now - connection.stalledSince > times.stall;
}

const REFUSAL = JSON.stringify({
  error: 'The server has the maximum number of connections. Try again in 5 s.',
  code: 'unavailable',
});

function refuse(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  endWith(
    socket,
    `HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\nRetry-After: 5\r\n` +
      `Content-Length: ${Buffer.byteLength(REFUSAL)}\r\nConnection: close\r\n\r\n${REFUSAL}`,
  );
}

/** Time for a client to read the last response before its connection is closed, although it may not close its end. */
const LAST_RESPONSE_MS = 1_000;

/** Sends the last response of a connection and closes it. */
export function endWith(socket: Socket, response: string): void {
  socket.end(response);
  const timer = setTimeout(() => socket.destroy(), LAST_RESPONSE_MS);
  socket.once('close', () => clearTimeout(timer));
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** IPv4 seen as `::ffff:a.b.c.d` counts as IPv4. */
function plainAddress({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

function matcherOf(networks: readonly string[]): (socket: Socket) => boolean {
  const list = new BlockList();
  for (const item of networks) {
    const [network = '', prefix] = item.split('/');
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(prefix), family);
  }
  return (socket) => {
    const address = plainAddress(socket);
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}
