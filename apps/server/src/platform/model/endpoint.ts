import { NetworkError } from '../net/error.ts';
import { type Endpoint, faultOf, networkFault, readRefusal } from './fault.ts';
import { ModelError } from './port.ts';

/** Milliseconds: until the first byte of the response, between two pieces of it, and for all of it. */
export interface ModelTimeouts {
  firstByteMs: number;
  idleMs: number;
  callMs: number;
}

/** The `fetch` of one call, and the signal that ends it in time. */
export interface WatchedCall {
  fetch: typeof fetch;
  signal: AbortSignal;
  /** Call it when the response is complete or nobody waits any more. */
  end(): void;
}

const MAX_ERROR_BYTES = 64 * 1024;
/** Media types of web pages and error documents; a stream of events is none of them. */
const NO_STREAM = /html|json|xml/i;

/**
 * Monitors one call: its timeouts by bytes that arrive, and its errors, which become ModelErrors here, before
 * a library can retry, reword or lose them.
 */
export function watchCall(
  fetchWith: typeof fetch,
  endpoint: Endpoint,
  timeouts: ModelTimeouts,
  signal: AbortSignal,
): WatchedCall {
  const late = new AbortController();
  const expire = (ms: number, what: string): NodeJS.Timeout =>
    setTimeout(() => {
      const message = `${endpoint.host} ${what} within ${Math.ceil(ms / 1000)} s.`;
      late.abort(new ModelError('timeout', message));
    }, ms);
  const whole = expire(timeouts.callMs, 'did not finish its response');
  let next = expire(timeouts.firstByteMs, 'sent no response');
  const heard = (): void => {
    clearTimeout(next);
    next = expire(timeouts.idleMs, 'stopped sending in the middle of its response');
  };
  const call: WatchedCall = {
    signal: AbortSignal.any([signal, late.signal]),
    end() {
      clearTimeout(whole);
      clearTimeout(next);
    },
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      // Nothing of a beta is used, and gateways refuse names of betas that they do not know.
      for (const name of ['user-agent', 'anthropic-beta']) headers.delete(name);
      if (endpoint.apiKey === null) for (const name of ['authorization', 'x-api-key']) headers.delete(name);
      const response = await orFault(() => fetchWith(input, { ...init, headers }), false);
      if (!response.ok) {
        const text = await orFault(() => readText(response), false);
        throw faultOf(readRefusal(response.status, text, response.headers), endpoint);
      }
      const type = response.headers.get('content-type') ?? '';
      if (response.body === null || NO_STREAM.test(type)) {
        const text = await orFault(() => readText(response), false);
        const refusal = readRefusal(null, text);
        if (/json/.test(type) && refusal.sentence !== text && refusal.sentence !== '') {
          throw faultOf(refusal, endpoint);
        }
        throw new ModelError(
          'invalid',
          `${endpoint.host} returned ${type.split(';', 1)[0] || 'no content type'} instead of an event stream. Check the base URL.`,
        );
      }
      const watched = response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            heard();
            controller.enqueue(chunk);
          },
        }),
      );
      return new Response(watched, response);
    },
  };
  return call;
}

/** The error of a call: a ModelError, or the reason of `signal`. */
export function callFault(
  error: unknown,
  endpoint: Endpoint,
  call: WatchedCall,
  signal: AbortSignal,
): unknown {
  if (signal.aborted) return signal.reason;
  if (call.signal.aborted) return call.signal.reason;
  if (error instanceof ModelError) return error;
  if (error instanceof NetworkError) return networkFault(error, true);
  // A library's error is about what it read: an event that is an error, or a stream that is none or has no end.
  const { responseBody, name } = (error ?? {}) as { responseBody?: unknown; name?: unknown };
  if (responseBody === undefined && typeof name === 'string' && /^AI_/.test(name)) {
    return new ModelError('cut', `${endpoint.host} interrupted its response or sent invalid data.`);
  }
  return faultOf(readRefusal(null, responseBody ?? error), endpoint);
}

/** The result; an error of the connection as a ModelError. */
export async function orFault<T>(work: () => Promise<T>, hasBegun: boolean): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof NetworkError ? networkFault(error, hasBegun) : error;
  }
}

/** The beginning of a body as text. */
export async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ERROR_BYTES) break;
  }
  return text;
}
