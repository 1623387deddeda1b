import { createHash } from 'node:crypto';

/** How the double is spoken to. */
export type Api = 'chat' | 'responses' | 'anthropic';

export interface ScriptedCall {
  name: string;
  /** An object, or the invalid text in place of JSON. */
  input: unknown;
  /** Default: made of the step and the place. */
  id?: string;
}

/** The output of the model. Without any field: an empty response. */
export interface Answer {
  text?: string;
  calls?: readonly ScriptedCall[];
  reasoning?: string;
  /** Null: the server does not tell. Default: counted by characters. */
  usage?: {
    input: number;
    output: number;
    cacheRead?: number;
    cacheWrite?: number;
    reasoning?: number;
  } | null;
  /** Default: as the calls say. */
  finish?: 'stop' | 'tool-calls' | 'length' | 'content-filter';
}

export interface ScriptedMessage {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  calls: { id: string; name: string; input: unknown }[];
  results: { id: string; text: string }[];
}

/** A request of any of the APIs, in one form. */
export interface ScriptedRequest {
  api: Api;
  model: string;
  system: string;
  messages: ScriptedMessage[];
  tools: { name: string; description: string; parameters: unknown }[];
  /** Number of messages of the assistant so far: scripts select their response by it. */
  step: number;
  /** Chat completions tell usage in a stream only to those who ask for it. */
  wantsUsage: boolean;
}

/** One event of a stream. `isArgument`: it carries a piece of a call's input. */
export interface Frame {
  event?: string;
  data: Record<string, unknown> | string;
  isArgument?: boolean;
}

type Json = Record<string, unknown>;

const CREATED = 1_700_000_000;
export const SIGNATURE = 'c2lnbmF0dXJlIG9mIGEgdGhvdWdodA==';

/** The stream of a response. */
export function toFrames(request: ScriptedRequest, answer: Answer): Frame[] {
  const said = {
    ...answer,
    calls: (answer.calls ?? []).map((call, index) => ({
      id: call.id ?? `call_${request.step}_${index}`,
      name: call.name,
      pieces: inPieces(typeof call.input === 'string' ? call.input : JSON.stringify(call.input)),
    })),
    finish: answer.finish ?? (answer.calls?.length ? 'tool-calls' : 'stop'),
    id: createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 24),
    usage: answer.usage === undefined ? count(request, answer) : answer.usage,
  };
  if (request.api === 'chat') return chatFrames(request, said);
  return request.api === 'responses' ? responsesFrames(request, said) : anthropicFrames(request, said);
}

interface Said extends Omit<Answer, 'calls'> {
  calls: { id: string; name: string; pieces: string[] }[];
  finish: NonNullable<Answer['finish']>;
  id: string;
  usage: NonNullable<Answer['usage']> | null;
}

const count = (request: ScriptedRequest, answer: Answer): NonNullable<Answer['usage']> => ({
  input: Math.ceil(JSON.stringify(request).length / 4),
  output: Math.ceil(JSON.stringify(answer).length / 4),
});

/** Two or more pieces of any text of two characters or more, as servers send it. */
function inPieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return text === '' ? [] : (text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []);
}

function chatFrames({ model, wantsUsage }: ScriptedRequest, said: Said): Frame[] {
  const head = { id: `chatcmpl-${said.id}`, object: 'chat.completion.chunk', created: CREATED, model };
  const chunk = (delta: Json, finish: string | null = null, isArgument = false): Frame => ({
    data: { ...head, choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }], usage: null },
    isArgument,
  });
  const frames = [chunk({ role: 'assistant', content: '' })];
  for (const reasoning_content of inPieces(said.reasoning ?? '')) frames.push(chunk({ reasoning_content }));
  for (const content of inPieces(said.text ?? '')) frames.push(chunk({ content }));
  for (const [index, { id, name, pieces }] of said.calls.entries()) {
    frames.push(chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }));
    for (const piece of pieces)
      frames.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, null, true));
  }
  const reasons = {
    stop: 'stop',
    'tool-calls': 'tool_calls',
    length: 'length',
    'content-filter': 'content_filter',
  };
  frames.push(chunk({}, reasons[said.finish]));
  if (said.usage !== null && wantsUsage) {
    const { input, output, cacheRead = 0, reasoning = 0 } = said.usage;
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cacheRead },
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
    frames.push({ data: { ...head, choices: [], usage } });
  }
  return [...frames, { data: '[DONE]' }];
}

function responsesFrames({ model }: ScriptedRequest, said: Said): Frame[] {
  const frames: Frame[] = [];
  const emit = (type: string, fields: Json, isArgument = false): void => {
    frames.push({ event: type, data: { type, sequence_number: frames.length, ...fields }, isArgument });
  };
  const output: Json[] = [];
  const response = (status: string, more: Json = {}): Json => ({
    response: {
      id: `resp_${said.id}`,
      object: 'response',
      created_at: CREATED,
      status,
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      model,
      output: [...output],
      parallel_tool_calls: true,
      temperature: 1,
      tool_choice: 'auto',
      tools: [],
      top_p: 1,
      ...more,
    },
  });
  emit('response.created', response('in_progress'));
  emit('response.in_progress', response('in_progress'));
  const item = (
    begun: Json,
    whole: Json,
    body: (at: { item_id: unknown; output_index: number }) => void,
  ): void => {
    const output_index = output.length;
    emit('response.output_item.added', { output_index, item: begun });
    body({ item_id: begun.id, output_index });
    emit('response.output_item.done', { output_index, item: whole });
    output.push(whole);
  };
  if (said.reasoning !== undefined) {
    const base = { type: 'reasoning', id: `rs_${said.id}`, encrypted_content: `${SIGNATURE}${said.id}` };
    const part = { type: 'summary_text', text: said.reasoning };
    item({ ...base, summary: [] }, { ...base, summary: [part] }, (at) => {
      const place = { ...at, summary_index: 0 };
      emit('response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } });
      for (const delta of inPieces(part.text))
        emit('response.reasoning_summary_text.delta', { ...place, delta });
      emit('response.reasoning_summary_text.done', { ...place, text: part.text });
      emit('response.reasoning_summary_part.done', { ...place, part });
    });
  }
  if (said.text !== undefined) {
    const base = { type: 'message', id: `msg_${said.id}`, role: 'assistant' };
    const part = { type: 'output_text', text: said.text, annotations: [], logprobs: [] };
    const whole = { ...base, status: 'completed', content: [part] };
    item({ ...base, status: 'in_progress', content: [] }, whole, (at) => {
      const place = { ...at, content_index: 0 };
      emit('response.content_part.added', { ...place, part: { ...part, text: '' } });
      for (const delta of inPieces(part.text))
        emit('response.output_text.delta', { ...place, delta, logprobs: [] });
      emit('response.output_text.done', { ...place, text: part.text, logprobs: [] });
      emit('response.content_part.done', { ...place, part });
    });
  }
  for (const [index, { id, name, pieces }] of said.calls.entries()) {
    const base = { type: 'function_call', id: `fc_${index}_${said.id}`, call_id: id, name };
    const whole = { ...base, arguments: pieces.join(''), status: 'completed' };
    item({ ...base, arguments: '', status: 'in_progress' }, whole, (at) => {
      for (const delta of pieces) emit('response.function_call_arguments.delta', { ...at, delta }, true);
      emit('response.function_call_arguments.done', { ...at, name, arguments: whole.arguments });
    });
  }
  const { input = 0, output: out = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = said.usage ?? {};
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: out,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + out,
  };
  const told = said.usage === null ? {} : { usage };
  const reason = { length: 'max_output_tokens', 'content-filter': 'content_filter' }[said.finish as 'length'];
  if (reason === undefined) emit('response.completed', response('completed', told));
  else emit('response.incomplete', response('incomplete', { ...told, incomplete_details: { reason } }));
  return frames;
}

function anthropicFrames({ model }: ScriptedRequest, said: Said): Frame[] {
  const frames: Frame[] = [];
  const emit = (type: string, fields: Json, isArgument = false): void => {
    frames.push({ event: type, data: { type, ...fields }, isArgument });
  };
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = said.usage ?? {};
  const tokens = {
    // What the cache gave and took is counted beside the input.
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: null,
  };
  const ending = { container: null, stop_details: null, stop_sequence: null };
  const usage = {
    ...tokens,
    output_tokens: 1,
    cache_creation: null,
    inference_geo: null,
    service_tier: 'standard',
  };
  const message = { id: `msg_${said.id}`, type: 'message', role: 'assistant', model, content: [], usage };
  emit('message_start', { message: { ...message, ...ending, stop_reason: null } });
  emit('ping', {});
  let index = 0;
  const block = (content_block: Json, deltas: Json[], isArgument = false): void => {
    emit('content_block_start', { index, content_block });
    for (const delta of deltas) emit('content_block_delta', { index, delta }, isArgument);
    emit('content_block_stop', { index });
    index += 1;
  };
  if (said.reasoning !== undefined) {
    const deltas: Json[] = inPieces(said.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = `${SIGNATURE}${said.id}`;
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...deltas,
      { type: 'signature_delta', signature },
    ]);
  }
  if (said.text !== undefined) {
    const deltas = inPieces(said.text).map((text) => ({ type: 'text_delta', text }));
    block({ type: 'text', text: '', citations: null }, deltas);
  }
  for (const { id, name, pieces } of said.calls) {
    const deltas = ['', ...pieces].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    block({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } }, deltas, true);
  }
  const reasons = {
    stop: 'end_turn',
    'tool-calls': 'tool_use',
    length: 'max_tokens',
    'content-filter': 'refusal',
  };
  emit('message_delta', {
    delta: { ...ending, stop_reason: reasons[said.finish] },
    usage: { ...tokens, output_tokens: output },
  });
  emit('message_stop', {});
  return frames;
}
