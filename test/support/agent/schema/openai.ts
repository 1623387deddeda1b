/**
 * The parts of OpenAI's chat completions, Responses and embeddings that are used here: facts from the official description
 * (github.com/openai/openai-openapi, f85dbe2, version 2.3.0). Requests are closed, so that a property that the API does
 * not have is an error. A comment marks where the API requires less than the description.
 */
import {
  among,
  either,
  flag,
  is,
  list,
  map,
  object,
  orNull,
  type Schema,
  some,
  text,
  union,
  when,
  whole,
} from './words.ts';

// `max` is newer than this version of the description.
const effort = orNull(among('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'));
const name = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' };

export const chatRequest = object({
  model: text,
  messages: some(
    union(
      'role',
      object({ role: is('developer'), content: text }),
      object({ role: is('system'), content: text }),
      object({ role: is('user'), content: either(text, some(object({ type: is('text'), text }))) }),
      object({
        role: is('assistant'),
        'content?': orNull(text),
        'tool_calls?': some(
          object({
            id: text,
            type: is('function'),
            function: object({ name, arguments: text }),
          }),
        ),
        // Not OpenAI's: servers of models that think take their thoughts back in it.
        'reasoning_content?': text,
      }),
      object({ role: is('tool'), content: text, tool_call_id: text }),
    ),
  ),
  'tools?': some(
    object({
      type: is('function'),
      function: object({ name, 'description?': text, 'parameters?': map, 'strict?': orNull(flag) }),
    }),
  ),
  'tool_choice?': among('none', 'auto', 'required'),
  'max_tokens?': whole,
  'max_completion_tokens?': whole,
  'reasoning_effort?': effort,
  stream: is(true),
  'stream_options?': object({ 'include_usage?': flag, 'include_obfuscation?': flag }),
});

export const chatEvent = object({
  id: text,
  object: is('chat.completion.chunk'),
  created: whole,
  model: text,
  choices: list(
    object({
      index: whole,
      delta: object({
        'role?': among('developer', 'system', 'user', 'assistant', 'tool'),
        'content?': orNull(text),
        'refusal?': orNull(text),
        'tool_calls?': list(
          object({
            index: whole,
            'id?': text,
            'type?': is('function'),
            'function?': object({ 'name?': text, 'arguments?': text }),
          }),
        ),
        'reasoning_content?': text,
      }),
      finish_reason: orNull(among('stop', 'length', 'tool_calls', 'content_filter', 'function_call')),
      'logprobs?': orNull(map),
    }),
  ),
  'usage?': orNull(
    object({
      prompt_tokens: whole,
      completion_tokens: whole,
      total_tokens: whole,
      'prompt_tokens_details?': object({ 'cached_tokens?': whole, 'cache_write_tokens?': whole }),
      'completion_tokens_details?': object({ 'reasoning_tokens?': whole }),
    }),
  ),
  'system_fingerprint?': text,
  'service_tier?': orNull(text),
});

export const openaiError = object({
  error: object({ message: text, type: text, param: orNull(text), code: orNull(text) }),
});

const callId = { type: 'string', minLength: 1, maxLength: 64 };
const status = among('in_progress', 'completed', 'incomplete');
const summaryText = object({ type: is('summary_text'), text });
const reasoningItem = object({
  type: is('reasoning'),
  id: text,
  summary: list(summaryText),
  'encrypted_content?': orNull(text),
  'status?': status,
});
const functionCall = object({
  type: is('function_call'),
  'id?': text,
  call_id: callId,
  name,
  arguments: text,
  'status?': status,
});
const outputText = object({ type: is('output_text'), text, annotations: list(map), logprobs: list(map) });
const outputItem = union(
  'type',
  object({ type: is('message'), id: text, role: is('assistant'), content: list(outputText), status }),
  // A model can name a tool in any way.
  { ...functionCall, properties: { ...(functionCall.properties as Record<string, Schema>), name: text } },
  reasoningItem,
);

export const responsesRequest = object({
  model: text,
  input: some(
    when(
      { required: ['type'] },
      union(
        'type',
        reasoningItem,
        functionCall,
        object({
          type: is('function_call_output'),
          'id?': orNull(text),
          call_id: callId,
          output: text,
          'status?': orNull(status),
        }),
      ),
      union(
        'role',
        object({ role: is('system'), content: text }),
        object({ role: is('developer'), content: text }),
        object({ role: is('user'), content: either(text, some(object({ type: is('input_text'), text }))) }),
        // The description wants `type`, `id`, `status`, `annotations` and `logprobs` back; the API does not.
        object({
          role: is('assistant'),
          'id?': text,
          content: some(object({ type: is('output_text'), text })),
        }),
      ),
    ),
  ),
  'tools?': list(
    object({
      type: is('function'),
      name,
      'description?': orNull(text),
      parameters: orNull(map),
      strict: orNull(flag),
    }),
  ),
  'tool_choice?': among('none', 'auto', 'required'),
  'max_output_tokens?': { type: 'integer', minimum: 16 },
  'include?': list(among('reasoning.encrypted_content')),
  'prompt_cache_key?': text,
  'reasoning?': object({ 'effort?': effort }),
  'store?': flag,
  stream: is(true),
});

const response = object({
  id: text,
  object: is('response'),
  created_at: whole,
  status: among('completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete'),
  error: orNull(object({ code: text, message: text })),
  incomplete_details: orNull(object({ reason: among('max_output_tokens', 'content_filter') })),
  instructions: orNull(text),
  metadata: map,
  model: text,
  output: list(outputItem),
  parallel_tool_calls: flag,
  temperature: { type: 'number' },
  tool_choice: text,
  tools: list(map),
  top_p: { type: 'number' },
  'usage?': object({
    input_tokens: whole,
    input_tokens_details: object({ cached_tokens: whole, cache_write_tokens: whole }),
    output_tokens: whole,
    output_tokens_details: object({ reasoning_tokens: whole }),
    total_tokens: whole,
  }),
});

const event = (type: string, fields: Record<string, Schema>): Schema =>
  object({ type: is(type), sequence_number: whole, ...fields });
const place = { item_id: text, output_index: whole };
const content = { ...place, content_index: whole };
const summary = { ...place, summary_index: whole };

export const responsesEvent = union(
  'type',
  ...['created', 'in_progress', 'completed', 'incomplete', 'failed'].map((name) =>
    event(`response.${name}`, { response }),
  ),
  event('response.output_item.added', { output_index: whole, item: outputItem }),
  event('response.output_item.done', { output_index: whole, item: outputItem }),
  event('response.content_part.added', { ...content, part: outputText }),
  event('response.content_part.done', { ...content, part: outputText }),
  event('response.output_text.delta', { ...content, delta: text, logprobs: list(map) }),
  event('response.output_text.done', { ...content, text, logprobs: list(map) }),
  event('response.function_call_arguments.delta', { ...place, delta: text }),
  event('response.function_call_arguments.done', { ...place, name: text, arguments: text }),
  event('response.reasoning_summary_part.added', { ...summary, part: summaryText }),
  event('response.reasoning_summary_part.done', { ...summary, part: summaryText }),
  event('response.reasoning_summary_text.delta', { ...summary, delta: text }),
  event('response.reasoning_summary_text.done', { ...summary, text }),
  event('error', { code: orNull(text), message: text, param: orNull(text) }),
);

// The description says in words that an empty text is an error.
const filled = { ...text, minLength: 1 };

export const embeddingsRequest = object({
  model: text,
  input: either(filled, { ...some(filled), maxItems: 2048 }),
  'encoding_format?': among('float', 'base64'),
  'dimensions?': { type: 'integer', minimum: 1 },
  'user?': text,
});

export const embeddingsResponse = object({
  object: is('list'),
  model: text,
  data: list(object({ object: is('embedding'), index: whole, embedding: list({ type: 'number' }) })),
  usage: object({ prompt_tokens: whole, total_tokens: whole }),
});
