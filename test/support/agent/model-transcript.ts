import type { Api, ScriptedMessage, ScriptedRequest } from './model-wire.ts';

type Json = Record<string, unknown>;

/** Reads a request body, which fits its description. */
export function readRequest(api: Api, body: Json): ScriptedRequest {
  const { system, messages } = READERS[api](body);
  const tools = ((body.tools ?? []) as Json[]).map((tool) => {
    const { name, description, parameters, input_schema } = (tool.function ?? tool) as Json;
    return {
      name: String(name),
      description: String(description ?? ''),
      parameters: parameters ?? input_schema,
    };
  });
  const step = messages.filter(({ role }) => role === 'assistant').length;
  const { include_usage } = (body.stream_options ?? {}) as Json;
  return {
    api,
    model: String(body.model),
    system,
    messages,
    tools,
    step,
    wantsUsage: api !== 'chat' || include_usage === true,
  };
}

type Transcript = Pick<ScriptedRequest, 'system' | 'messages'>;

const READERS: Record<Api, (body: Json) => Transcript> = {
  chat(body) {
    const transcript: Transcript = { system: '', messages: [] };
    for (const item of body.messages as Json[]) {
      const text = textOf(item.content);
      if (item.role === 'system' || item.role === 'developer') transcript.system += text;
      else if (item.role === 'user') add(transcript, 'user').text = text;
      else if (item.role === 'tool')
        last(transcript, 'tool').results.push({ id: String(item.tool_call_id), text });
      else {
        const message = add(transcript, 'assistant');
        message.text = text;
        message.calls = ((item.tool_calls ?? []) as { id: string; function: Json }[]).map((call) => ({
          id: call.id,
          name: String(call.function.name),
          input: parse(call.function.arguments),
        }));
      }
    }
    return transcript;
  },

  responses(body) {
    const transcript: Transcript = { system: '', messages: [] };
    for (const item of body.input as Json[]) {
      const id = String(item.call_id);
      if (item.type === 'function_call') {
        const call = { id, name: String(item.name), input: parse(item.arguments) };
        last(transcript, 'assistant').calls.push(call);
      } else if (item.type === 'function_call_output') {
        last(transcript, 'tool').results.push({ id, text: textOf(item.output) });
      } else if (item.type === 'reasoning') last(transcript, 'assistant');
      else if (item.role === 'assistant') last(transcript, 'assistant').text += textOf(item.content);
      else if (item.role === 'user') add(transcript, 'user').text = textOf(item.content);
      else transcript.system += textOf(item.content);
    }
    return transcript;
  },

  anthropic(body) {
    const transcript: Transcript = { system: textOf(body.system), messages: [] };
    for (const { role, content } of body.messages as Json[]) {
      const text = textOf(content);
      if (role === 'assistant') {
        const message = add(transcript, 'assistant');
        message.text = text;
        message.calls = blocksOf(content, 'tool_use').map(({ id, name, input }) => {
          return { id: String(id), name: String(name), input };
        });
        continue;
      }
      for (const block of blocksOf(content, 'tool_result')) {
        const result = { id: String(block.tool_use_id), text: textOf(block.content) };
        last(transcript, 'tool').results.push(result);
      }
      if (text !== '') add(transcript, 'user').text = text;
    }
    return transcript;
  },
};

function add({ messages }: Transcript, role: ScriptedMessage['role']): ScriptedMessage {
  const message: ScriptedMessage = { role, text: '', calls: [], results: [] };
  messages.push(message);
  return message;
}

/** The last message when it is of that role, else a new one. */
function last(transcript: Transcript, role: ScriptedMessage['role']): ScriptedMessage {
  const message = transcript.messages.at(-1);
  return message?.role === role ? message : add(transcript, role);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(({ text }: Json) => (typeof text === 'string' ? text : '')).join('');
}

const blocksOf = (content: unknown, type: string): Json[] =>
  Array.isArray(content) ? content.filter((block: Json) => block.type === type) : [];

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
