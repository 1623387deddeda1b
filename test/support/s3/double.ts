/**
 * An in-memory store with the S3 protocol: it recomputes every signature, does
 * what the table of the protocol defines and nothing else, and fails on request in the ways that stores fail.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ErrorCode, errorStatus, type OperationName, operations, Refusal } from './model.ts';
import { type Answer, perform, type Store } from './objects.ts';
import { type Identity, judge, type SignedRequest } from './signature.ts';
import { faultsOfAnswer, faultsOfRequest, operationOf, writeError } from './wire.ts';

/** The failure of a request. */
export type Trouble =
  /** It is refused so, and nothing is done. */
  | ErrorCode
  /** The connection ends before anything is done. */
  | 'dropped'
  /** The request is executed, but the connection ends before the response. */
  | 'answer lost'
  /** Half of the response arrives. */
  | 'answer cut'
  /** A byte of the body changes on the way. */
  | 'body changed'
  /** Nothing is done, and the response with status 200 contains the error. */
  | 'error in the answer'
  /** No response arrives. */
  | 'silence';

export interface PlannedTrouble {
  operation: OperationName;
  trouble: Trouble;
  /** Number of requests that fail; later ones succeed. */
  times: number;
  /** Calls of the operation that go well before. */
  after?: number;
}

export interface Seen {
  operation: OperationName;
  key: string;
  status: number;
  /** Body bytes of the request. */
  bytes: number;
}

export interface S3Double {
  url: string;
  bucket: string;
  region: string;
  identity: Identity;
  /** Those whose requests are believed; the first is `identity`. */
  identities: Identity[];
  store: Store;
  /** Milliseconds that its clock is ahead. */
  clockOffsetMs: number;
  planned: PlannedTrouble[];
  /** Handled requests, including refused ones, in order. */
  seen: Seen[];
  /** Parts of requests and responses that the table of the protocol does not allow. Must stay empty. */
  violations: string[];
  /** Waits with every call of the operation until `release` is called. */
  hold(operation: OperationName): { isReached(): boolean; release(): void };
  close(): Promise<void>;
}

export async function startS3Double(options: { pageSize?: number } = {}): Promise<S3Double> {
  const bucket = 'offprint-test';
  const identity = {
    accessKeyId: `AK${randomBytes(9).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
  };
  const store: Store = {
    bucket,
    objects: new Map(),
    uploads: new Map(),
    pageSize: options.pageSize ?? 1000,
  };
  const holds = new Map<OperationName, { reach(): void; released: Promise<void> }>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      double.violations.push(`the double failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const double: S3Double = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    region: 'eu-test-1',
    identity,
    identities: [identity],
    store,
    clockOffsetMs: 0,
    planned: [],
    seen: [],
    violations: [],
    hold(operation) {
      let isReached = false;
      const released = Promise.withResolvers<void>();
      holds.set(operation, {
        reach: () => {
          isReached = true;
        },
        released: released.promise,
      });
      const release = () => {
        holds.delete(operation);
        released.resolve();
      };
      return { isReached: () => isReached, release };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return double;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => null);
    // The client went away in the middle.
    if (body === null) return;
    const asked = readRequest(request, body);
    const now = new Date(Date.now() + double.clockOffsetMs);
    const requestId = randomBytes(8).toString('hex').toUpperCase();
    const send = (answer: Answer, half = false) =>
      sendAnswer(response, answer, { asked, now, requestId, half });
    const sendError = (status: number, code: ErrorCode, message: string) => {
      const text = writeError(code, message, asked.path, requestId);
      send({ status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) });
    };
    let name: OperationName | null = null;
    const note = (status: number) => {
      if (name !== null) double.seen.push({ operation: name, key: asked.key, status, bytes: body.length });
    };
    try {
      name = operationOf(
        asked.method,
        asked.key === '' ? 'bucket' : 'object',
        asked.query,
        asked.headers,
      ).name;
      const trouble = troubleOf(name);
      if (trouble === 'dropped') return void response.destroy();
      if (trouble === 'silence') return;
      if (trouble === 'error in the answer') return sendError(200, 'InternalError', 'We have a fault.');
      if (trouble === 'body changed' && body.length > 0) body[body.length >> 1]! ^= 1;
      const held = holds.get(name);
      held?.reach();
      await held?.released;
      const answer = doCall(name, asked, now, trouble);
      note(answer.status);
      if (trouble === 'answer lost') return void response.destroy();
      send(answer, trouble === 'answer cut');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const status = errorStatus[error.code];
      if (name === null) double.violations.push(error.message);
      note(status);
      sendError(status, error.code, error.message);
    }
  }

  /** Judges a call and does it; throws the refusal. */
  function doCall(name: OperationName, asked: Asked, now: Date, trouble: Trouble | null): Answer {
    const operation = operations[name];
    const who = judge(asked, { identities: double.identities, region: double.region, now });
    if (asked.bucket !== bucket) throw new Refusal('NoSuchBucket', `no bucket ${asked.bucket}`);
    if (who.readOnly === true && operation.method !== 'GET' && operation.method !== 'HEAD') {
      throw new Refusal('AccessDenied');
    }
    const report = (fault: string) => double.violations.push(`${name} ${asked.key}: ${fault}`);
    const faults = faultsOfRequest(operation, asked.query, asked.headers);
    faults.forEach(report);
    if (faults.length > 0) throw new Refusal('InvalidArgument', faults.join(', '));
    if (trouble !== null && trouble in errorStatus) throw new Refusal(trouble as ErrorCode);
    const headers = asked.headers as Record<string, string | undefined>;
    const answer = perform(store, name, { ...asked, headers, now });
    faultsOfAnswer(operation, answer.status, answer.headers).forEach(report);
    return answer;
  }

  function troubleOf(name: OperationName): Trouble | null {
    const plan = double.planned.find(({ operation, times }) => operation === name && times > 0);
    if (plan === undefined) return null;
    if ((plan.after ?? 0) > 0) {
      plan.after = plan.after! - 1;
      return null;
    }
    plan.times -= 1;
    return plan.trouble;
  }
}

interface Asked extends SignedRequest {
  path: string;
  bucket: string;
  /** Empty: the call is for the bucket. */
  key: string;
}

/** The bucket is part of the path. */
function readRequest(request: IncomingMessage, body: Buffer): Asked {
  const target = request.url ?? '/';
  const [path = '', search = ''] = target.split('?');
  const [, bucket = '', ...rest] = path.split('/');
  return {
    method: request.method ?? '',
    target,
    path,
    bucket,
    key: rest.map(decodeURIComponent).join('/'),
    query: new URLSearchParams(search),
    headers: request.headers,
    body,
  };
}

function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
  context: { asked: Asked; now: Date; requestId: string; half: boolean },
): void {
  response.writeHead(status, {
    ...(status === 204 ? {} : { 'content-length': String(body.length) }),
    ...headers,
    date: context.now.toUTCString(),
    'x-amz-request-id': context.requestId,
  });
  if (context.half) response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  else response.end(context.asked.method === 'HEAD' ? undefined : body);
}
