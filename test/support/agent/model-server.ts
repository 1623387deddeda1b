import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSchemas } from './model-schema.ts';
import { readRequest } from './model-transcript.ts';
import { type Answer, type Api, type Frame, type ScriptedRequest, toFrames } from './model-wire.ts';

export type { Answer, Api, ScriptedRequest } from './model-wire.ts';

/** The ways in which a model server misbehaves. */
export type Fault =
  /** An error response; message and code default to those of the vendor. */
  | { kind: 'status'; status: number; retryAfter?: string; message?: string; code?: string }
  /** The vendor says that the input is too long; chat servers say it in many ways. */
  | { kind: 'context-length'; message?: string }
  /** An error event after a good beginning. */
  | { kind: 'error-event'; code: string; message?: string }
  /** Nothing at all, not even a head. */
  | { kind: 'hang' }
  /** A head and some events, then silence. */
  | { kind: 'stall' }
  /** Some events, then a broken connection. */
  | { kind: 'reset' }
  /** Everything up to the middle of the first call (or of the text), then an end as if that were all. */
  | { kind: 'cut' }
  /** A web page, as a proxy or a wrong address gives. */
  | { kind: 'page' }
  /** A response that is well-formed and incorrect. */
  | { kind: 'bad-json' | 'unknown-tool' | 'duplicate-ids' | 'empty' | 'no-usage' | 'length' | 'filtered' };

/** Failures are defined by step and limited in number, so that a retry can succeed. */
export interface FaultRule {
  step: number;
  fault: Fault;
  /** Default once. */
  times?: number;
}

export interface ModelServerOptions {
  /** Returns the response of the model to a transcript; equal transcripts get equal responses, from any caller. */
  script: (request: ScriptedRequest) => Answer;
  faults?: readonly FaultRule[];
  /** Serves https: with this key and certificate (PEM). */
  tls?: { key: string; cert: string };
  /** Milliseconds before each response, like the latency of a model. */
  delayMs?: number;
  /** Only this key is let in. */
  apiKey?: string;
  /** Changes an event before it goes out, for tests of the checks themselves. */
  mutate?(frame: Frame): Frame;
}

export interface RecordedRequest extends ScriptedRequest {
  path: string;
  headers: IncomingMessage['headers'];
  /** Exact bytes, as text. */
  body: string;
  /** Kind of the injected failure; null for a normal response. */
  fault: Fault['kind'] | null;
}

export interface ModelServer {
  /** Base URL for `openai`, `openai-compatible` and `anthropic` alike. */
  url: string;
  requests: RecordedRequest[];
  /** May be added to while it runs. */
  faults: FaultRule[];
  /** What did not fit the description of its API, in either direction. */
  violations: string[];
  /** Stops it. Throws when there was any violation, so that no test can overlook one. */
  close(): Promise<void>;
}

const PATHS: Record<string, Api> = {
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
  '/v1/messages': 'anthropic',
};

const OVERFLOW: Record<Api, string> = {
  chat: "This model's maximum context length is 32768 tokens. However, you requested 40960 tokens (36864 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
  responses: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  anthropic: 'prompt is too long: 215340 tokens > 200000 maximum',
};

/** A model over the wire: OpenAI chat completions, OpenAI Responses and Anthropic Messages on a free loopback port. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const schemas = loadSchemas();
  const requests: RecordedRequest[] = [];
  const violations: string[] = [];
  const faults = [...(options.faults ?? [])];
  const met = new Map<FaultRule, number>();

  const nextFault = (step: number): Fault | null => {
    for (const rule of faults) {
      const times = met.get(rule) ?? 0;
      if (rule.step !== step || times >= (rule.times ?? 1)) continue;
      met.set(rule, times + 1);
      return rule.fault;
    }
    return null;
  };
  const verify = (what: string, fault: string | null): boolean => {
    if (fault !== null) violations.push(`${what}: ${fault}`);
    return fault === null;
  };

  const think = async (): Promise<void> => {
    if (options.delayMs !== undefined) await sleep(options.delayMs);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const body = await readText(request);
    const api = PATHS[path];
    if (api === undefined || request.method !== 'POST') {
      violations.push(`${request.method} ${path} is no call of a model`);
      return void response.writeHead(404).end();
    }
    const schema = schemas[api];
    const refuse = (status: number, headers: Record<string, string>, message: string, code: string): void => {
      const error = errorBody(api, message, code);
      verify(`error of ${api}`, schema.error(error));
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(error));
    };
    if (options.apiKey !== undefined && keyOf(api, request) !== options.apiKey) {
      return refuse(401, {}, `Incorrect API key provided: ${keyOf(api, request)}.`, 'authentication_error');
    }
    const parsed = JSON.parse(body) as Record<string, unknown>;
    if (!verify(`request of ${api}`, schema.request(parsed))) {
      return refuse(400, {}, violations.at(-1) ?? '', 'invalid_request_error');
    }
    await think();
    const asked = readRequest(api, parsed);
    const fault = nextFault(asked.step);
    requests.push({ ...asked, path, headers: request.headers, body, fault: fault?.kind ?? null });
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'page') {
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html><title>Sign in</title>');
    }
    if (fault?.kind === 'status' || fault?.kind === 'context-length') {
      const { status, headers, message, code } = refusalOf(api, fault);
      return refuse(status, headers, message, code);
    }
    const frames = toFrames(asked, wrong(options.script(asked), fault)).map(
      (frame) => options.mutate?.(frame) ?? frame,
    );
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const write = ({ event, data }: Frame): void => {
      if (typeof data !== 'string') {
        // An error where a chunk of a chat is due is what servers do and nobody describes.
        const check = api === 'chat' && 'error' in data ? schema.error : schema.event;
        verify(`event of ${api}`, check(data));
      }
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
    };
    for (const frame of beginning(api, frames, fault)) write(frame);
    if (fault?.kind === 'stall') return;
    // What was written arrives first.
    if (fault?.kind === 'reset') setTimeout(() => request.socket.destroy(), 20);
    else response.end();
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((error: Error) => {
      violations.push(`The script failed: ${error.message}`);
      response.destroy();
    });
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/v1`,
    requests,
    faults,
    violations,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (violations.length > 0) throw new Error(`The model server was misused:\n${violations.join('\n')}`);
    },
  };
}

/** All events, or as many as go out before the fault. */
function beginning(api: Api, frames: readonly Frame[], fault: Fault | null): readonly Frame[] {
  const middle = frames.findIndex(({ isArgument }) => isArgument === true) + 2;
  const begun = frames.slice(0, Math.max(3, middle));
  if (fault?.kind === 'error-event') return [...begun, errorEvent(api, fault, begun.length)];
  return fault?.kind === 'stall' || fault?.kind === 'cut' || fault?.kind === 'reset' ? begun : frames;
}

type StatusFault = Extract<Fault, { kind: 'status' | 'context-length' }>;

function refusalOf(api: Api, fault: StatusFault) {
  if (fault.kind === 'context-length') {
    const code = api === 'anthropic' || fault.message !== undefined ? CODES[400] : 'context_length_exceeded';
    return { status: 400, headers: {}, message: fault.message ?? OVERFLOW[api], code: String(code) };
  }
  const { status, retryAfter, message = `Fault ${status} of the test.` } = fault;
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { status, headers, message, code: fault.code ?? CODES[status] ?? 'api_error' };
}

/** A response with an error in it. */
function wrong(answer: Answer, fault: Fault | null): Answer {
  const [first, ...rest] = answer.calls ?? [];
  switch (fault?.kind) {
    case 'bad-json':
      return {
        ...answer,
        calls: [{ name: first?.name ?? 'read_file', input: '{"path": "index.mdx' }, ...rest],
      };
    case 'unknown-tool':
      return { ...answer, calls: [{ name: 'run_shell', input: { command: 'ls' } }, ...rest] };
    case 'duplicate-ids':
      return { ...answer, calls: answer.calls?.map((call) => ({ ...call, id: 'call_same' })) ?? [] };
    case 'empty':
      return {};
    case 'no-usage':
      return { ...answer, usage: null };
    case 'length':
      return { ...answer, finish: 'length' };
    case 'filtered':
      return { finish: 'content-filter' };
    default:
      return answer;
  }
}

function errorBody(api: Api, message: string, code: string): Record<string, unknown> {
  if (api === 'anthropic') return { type: 'error', error: { type: code, message }, request_id: null };
  return { error: { message, type: code, param: null, code } };
}

function errorEvent(
  api: Api,
  { code, message = 'Fault of the test.' }: Fault & { kind: 'error-event' },
  at: number,
): Frame {
  if (api === 'anthropic') return { event: 'error', data: { type: 'error', error: { type: code, message } } };
  if (api === 'responses') {
    return { event: 'error', data: { type: 'error', code, message, param: null, sequence_number: at } };
  }
  // Chat has no event for it; servers send an error where a chunk is due.
  return { data: JSON.stringify(errorBody(api, message, code)) };
}

const CODES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function keyOf(api: Api, { headers }: IncomingMessage): string {
  if (api === 'anthropic') return String(headers['x-api-key'] ?? '');
  return (headers.authorization ?? '').replace(/^Bearer /, '');
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
