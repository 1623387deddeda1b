import { type AssistantMessageBody, routes } from '@offprint/contract';
import { ApiError } from './error.ts';
import { readEvents } from './events.ts';
import type { CallOptions, Send } from './request.ts';

/** One object of the UI message stream of AI SDK 5, such as `{ type: 'text-delta', id, delta }`. */
export interface AssistantEvent {
  type: string;
  [field: string]: unknown;
}

const ANSWER_SECONDS = 180;

/** The events of an answer as they arrive. Ends with the stream; a stream that breaks throws. */
export async function* askAssistant(
  send: Send,
  domain: string,
  body: Partial<AssistantMessageBody> & Pick<AssistantMessageBody, 'fp' | 'messages'>,
  options: CallOptions = {},
): AsyncGenerator<AssistantEvent> {
  const headers = { accept: 'text/event-stream' };
  const input = { params: { domain }, body, headers, wait: ANSWER_SECONDS };
  const response = await send(routes.createAssistantMessage, input, options);
  if (response.body === null)
    throw new ApiError('The response is not an event stream.', { status: response.status });
  for await (const { data } of readEvents(response.body)) {
    if (data === '[DONE]') return;
    const event: unknown = JSON.parse(data);
    if (isEvent(event)) yield event;
  }
}

function isEvent(value: unknown): value is AssistantEvent {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
