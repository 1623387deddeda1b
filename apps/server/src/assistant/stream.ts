import type { AnswerEvent, AnswerSource } from './answer.ts';

/** Facts of an answer that clients keep with the message. */
export interface MessageFacts {
  threadId: string;
  resolution: 'answered' | 'unanswered';
}

/** What the stream of one message consists of, before it is written as events. */
export type MessageEvent =
  | Exclude<AnswerEvent, { type: 'end' }>
  | { type: 'results'; results: AnswerSource[] }
  | { type: 'deflection'; kind: 'email' | 'link'; target: string }
  | { type: 'sources'; sources: AnswerSource[] }
  | { type: 'error'; message: string }
  | { type: 'finish'; facts: MessageFacts };

/** Headers of a stream. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
};

/**
 * Events as the UI message stream of AI SDK 5: server-sent events, each with one JSON object, and `[DONE]`.
 * `messageId`: for ratings.
 */
export async function* uiMessageStream(
  messageId: string,
  threadId: string,
  events: AsyncIterable<MessageEvent>,
): AsyncGenerator<string, void, undefined> {
  const line = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;
  yield line({ type: 'start', messageId, messageMetadata: { threadId } });
  yield line({ type: 'start-step' });
  let texts = 0;
  for await (const event of events) {
    const id = `text-${texts}`;
    if (event.type === 'text-start') yield line({ type: 'text-start', id });
    else if (event.type === 'text') yield line({ type: 'text-delta', id, delta: event.text });
    else if (event.type === 'text-end') {
      texts++;
      yield line({ type: 'text-end', id });
    } else if (event.type === 'searching')
      yield line({ type: 'data-search', data: { query: event.query }, transient: true });
    else if (event.type === 'results') yield line({ type: 'data-results', data: event.results });
    else if (event.type === 'deflection')
      yield line({ type: 'data-deflection', data: { kind: event.kind, target: event.target } });
    else if (event.type === 'sources')
      for (const [at, source] of event.sources.entries())
        yield line({ type: 'source-url', sourceId: `source-${at}`, ...source });
    else if (event.type === 'error') yield line({ type: 'error', errorText: event.message });
    else {
      yield line({ type: 'finish-step' });
      // Clients of the reference product read `threadId` here; those of the AI SDK read the metadata.
      yield line({ type: 'finish', threadId: event.facts.threadId, messageMetadata: event.facts });
    }
  }
  yield 'data: [DONE]\n\n';
}
