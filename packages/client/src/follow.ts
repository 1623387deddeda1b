import { type AgentJobEvent, agentJobEvent, routes } from '@offprint/contract';
import { ApiError, ConnectionError } from './error.ts';
import { readEvents } from './events.ts';
import { type Send, sleep } from './request.ts';

export interface FollowOptions {
  /** `seq` of the last event that is known: the stream begins after it. Default: the beginning. */
  after?: number;
  signal?: AbortSignal;
}

/** Streams in a row that end without a single event, after which the server is given up. */
const MAX_EMPTY = 5;
/** A stream is over when the job is, however long that takes. */
const STREAM_SECONDS = 7 * 86_400;

/**
 * The events of an agent job up to `done`. A stream that breaks is opened again after the last event that came whole;
 * one step can tell several events, and those of a step that was cut come again. Events that this version does not know
 * are left out.
 */
export async function* followAgentJob(
  send: Send,
  projectId: string,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<AgentJobEvent> {
  const { signal } = options;
  let lastEventId = options.after === undefined ? '' : String(options.after);
  for (let empty = 0; empty < MAX_EMPTY; empty++) {
    if (empty > 0) await sleep(2 ** empty / 8, signal);
    const response = await send(
      routes.streamAgentJobEvents,
      {
        params: { projectId, id },
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
        },
        wait: STREAM_SECONDS,
      },
      signal === undefined ? {} : { signal },
    );
    const { body } = response;
    if (body === null) throw new ApiError('The answer holds no events.', { status: response.status });
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
      const parsed = agentJobEvent.safeParse({ event, data: parseJson(data) });
      if (parsed.success) yield parsed.data;
      if (event === 'done') return;
    }
  }
  throw new ConnectionError(`The events of the job end before it does, ${MAX_EMPTY} times in a row.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
