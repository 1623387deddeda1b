import {
  type AgentJobEvent,
  agentJobEvent,
  type ExportEvent,
  exportEvent,
  type Route,
  routes,
} from '@offprint/contract';
import { ApiError, ConnectionError } from './error.ts';
import { readEvents } from './events.ts';
import { type Send, sleep } from './request.ts';

export interface FollowOptions {
  /** `seq` of the last known event: the stream starts after it. Default: the start. */
  after?: number;
  signal?: AbortSignal;
}

/** Maximum number of consecutive streams without an event, after which the client stops with an error. */
const MAX_EMPTY = 5;
/** A stream is over when the job is, however long that takes. */
const STREAM_SECONDS = 7 * 86_400;

/**
 * The events of an agent job up to `done`. A stream that breaks is opened again after the last event that came whole;
 * one step can tell several events, and those of a step that was cut come again. Events that this version does not know
 * are left out.
 */
export function followAgentJob(
  send: Send,
  projectId: string,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<AgentJobEvent> {
  return follow(send, {
    route: routes.streamAgentJobEvents,
    params: { projectId, id },
    after: options.after === undefined ? '' : String(options.after),
    signal: options.signal,
    parse: (event) => agentJobEvent.safeParse(event).data,
  });
}

/**
 * The events of an export, from its current state to `done`. An interrupted stream is opened again, without
 * repeating the last state.
 */
export function followExport(
  send: Send,
  jobId: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<ExportEvent> {
  return follow(send, {
    route: routes.streamExportEvents,
    params: { jobId },
    after: '',
    signal: options.signal,
    parse: (event) => exportEvent.safeParse(event).data,
  });
}

async function* follow<Event>(
  send: Send,
  stream: {
    route: Route;
    params: Record<string, string>;
    /** Id of the last event that is known. */
    after: string;
    signal: AbortSignal | undefined;
    /** Undefined for events that are not known. */
    parse(event: { event: string; data: unknown }): Event | undefined;
  },
): AsyncGenerator<Event> {
  const { route, params, signal } = stream;
  let lastEventId = stream.after;
  for (let empty = 0; empty < MAX_EMPTY; empty++) {
    if (empty > 0) await sleep(2 ** empty / 8, signal);
    const response = await send(
      route,
      {
        params,
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
        },
        wait: STREAM_SECONDS,
      },
      signal === undefined ? {} : { signal },
    );
    const { body } = response;
    if (body === null)
      throw new ApiError('The response is not an event stream.', { status: response.status });
    const events = readEvents(body);
    for (;;) {
      const next = await events.next().catch(() => {
        signal?.throwIfAborted();
        return null;
      });
      if (next === null || next.done === true) break;
      empty = 0;
      const { event, data } = next.value;
      if (next.value.lastEventId !== '') ({ lastEventId } = next.value);
      const parsed = stream.parse({ event, data: parseJson(data) });
      if (parsed !== undefined) yield parsed;
      if (event === 'done') return;
    }
  }
  throw new ConnectionError(`The event stream ended before the job, ${MAX_EMPTY} times in a row.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
