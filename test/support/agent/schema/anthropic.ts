/**
 * The part of Anthropic's Messages API that is spoken here: facts from the types of the official SDK 0.120.0
 * (github.com/anthropics/anthropic-sdk-typescript, bfa9197, src/resources/messages/messages.ts), with patterns, least
 * lengths and the events `ping` and `error` from the API reference.
 */
import {
  among,
  anything,
  either,
  flag,
  is,
  list,
  map,
  nothing,
  object,
  orNull,
  some,
  text,
  union,
  whole,
  words,
} from './words.ts';

const id = { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' };
const toolName = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' };
const cache = { 'cache_control?': orNull(object({ type: is('ephemeral'), 'ttl?': among('5m', '1h') })) };
const caller = object({ type: is('direct') });

const textParam = object({ type: is('text'), text: words, ...cache, 'citations?': orNull(list(map)) });
const toolResultParam = object({
  type: is('tool_result'),
  tool_use_id: id,
  'content?': either(text, list(textParam)),
  'is_error?': flag,
  ...cache,
});
const toolUseParam = object({
  type: is('tool_use'),
  id,
  name: toolName,
  input: map,
  'caller?': caller,
  ...cache,
});
const thinking = object({ type: is('thinking'), thinking: text, signature: text });
const redactedThinking = object({ type: is('redacted_thinking'), data: text });

const userParam = object({
  role: is('user'),
  content: either(words, some(union('type', textParam, toolResultParam))),
});
const assistantParam = object({
  role: is('assistant'),
  content: either(words, some(union('type', textParam, thinking, redactedThinking, toolUseParam))),
});
const tool = object({
  name: toolName,
  'description?': text,
  input_schema: { type: 'object', properties: { type: is('object') }, required: ['type'] },
  'type?': orNull(is('custom')),
  'strict?': flag,
  'eager_input_streaming?': orNull(flag),
  ...cache,
});

export const messagesRequest = object({
  model: text,
  max_tokens: { type: 'integer', minimum: 1 },
  messages: some(union('role', userParam, assistantParam)),
  'system?': either(text, list(textParam)),
  stream: is(true),
  'output_config?': object({ 'effort?': orNull(among('low', 'medium', 'high', 'xhigh', 'max')) }),
  'tools?': list(tool),
  'tool_choice?': union(
    'type',
    object({ type: is('auto'), 'disable_parallel_tool_use?': flag }),
    object({ type: is('none') }),
  ),
});

const block = union(
  'type',
  object({ type: is('text'), text, citations: orNull(list(map)) }),
  thinking,
  redactedThinking,
  object({ type: is('tool_use'), id, name: text, input: anything, caller, 'toolset_name?': orNull(text) }),
);
const stopReason = orNull(
  among(
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'pause_turn',
    'refusal',
    'model_context_window_exceeded',
  ),
);
const tokens = {
  cache_creation_input_tokens: orNull(whole),
  cache_read_input_tokens: orNull(whole),
  output_tokens: whole,
  output_tokens_details: orNull(object({ thinking_tokens: whole })),
  server_tool_use: nothing,
};
const ending = {
  container: nothing,
  stop_details: nothing,
  stop_reason: stopReason,
  stop_sequence: orNull(text),
};
const message = object({
  id: text,
  type: is('message'),
  role: is('assistant'),
  model: text,
  content: list(block),
  ...ending,
  usage: object({
    ...tokens,
    input_tokens: whole,
    cache_creation: orNull(object({ ephemeral_1h_input_tokens: whole, ephemeral_5m_input_tokens: whole })),
    inference_geo: orNull(text),
    service_tier: orNull(among('standard', 'priority', 'batch')),
  }),
});
const error = object({
  type: among(
    'invalid_request_error',
    'authentication_error',
    'permission_error',
    'not_found_error',
    'rate_limit_error',
    'timeout_error',
    'overloaded_error',
    'api_error',
    'billing_error',
  ),
  message: text,
});

export const messagesEvent = union(
  'type',
  object({ type: is('message_start'), message }),
  object({ type: is('content_block_start'), index: whole, content_block: block }),
  object({
    type: is('content_block_delta'),
    index: whole,
    delta: union(
      'type',
      object({ type: is('text_delta'), text }),
      object({ type: is('input_json_delta'), partial_json: text }),
      object({ type: is('thinking_delta'), thinking: text }),
      object({ type: is('signature_delta'), signature: text }),
    ),
  }),
  object({ type: is('content_block_stop'), index: whole }),
  object({
    type: is('message_delta'),
    delta: object(ending),
    usage: object({ ...tokens, input_tokens: orNull(whole) }),
  }),
  object({ type: is('message_stop') }),
  object({ type: is('ping') }),
  object({ type: is('error'), error }),
);

export const messagesError = object({ type: is('error'), error, 'request_id?': orNull(text) });
