/** One server-sent event. */
export interface ServerSentEvent {
  event: string;
  data: string;
  /** The id of this event, or of the last one before it that had one; '' before the first. */
  lastEventId: string;
}

/** The events of a `text/event-stream` body (HTML standard, section 9.2.6). */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = '';
  let data: string[] = [];
  let lastEventId = '';
  for await (const line of readLines(body)) {
    if (line === '') {
      if (data.length > 0)
        yield { event: event === '' ? 'message' : event, data: data.join('\n'), lastEventId };
      event = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
    if (field === 'id' && !value.includes('\0')) lastEventId = value;
  }
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // a CR at the end may be the first half of a CRLF
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
