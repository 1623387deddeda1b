import { expect, test } from 'vitest';
import { cleanSentence, faultOf, readRefusal, readRetryAfter } from './fault.ts';

const ENDPOINT = { host: 'models.example', model: 'm', apiKey: 'abcd1234' };
const fault = (status: number | null, body: unknown) => faultOf(readRefusal(status, body), ENDPOINT);

/** How vendors say that the input is too long. */
const OVERFLOWS: [string, number, string][] = [
  [
    'OpenAI',
    400,
    '{"error":{"message":"Too long.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}',
  ],
  [
    'OpenAI Responses',
    400,
    '{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again."}}',
  ],
  [
    'Anthropic',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 215340 tokens > 200000 maximum"}}',
  ],
  [
    'Anthropic with output',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again"}}',
  ],
  [
    'Anthropic by bytes',
    413,
    '{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
  ],
  [
    'vLLM',
    400,
    '{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":null,"code":400}',
  ],
  [
    'vLLM, newer',
    400,
    '{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError","code":400}}',
  ],
  [
    'llama.cpp',
    400,
    '{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size","type":"exceed_context_size_error"}}',
  ],
  [
    'LM Studio',
    400,
    '{"error":"Trying to keep the first 5000 tokens when context overflows. The number of tokens to keep from the initial prompt is greater than the context length."}',
  ],
  [
    'SGLang',
    400,
    '{"object":"error","message":"The input (5000 tokens) is longer than the model\'s context length (4096 tokens).","type":"BadRequestError"}',
  ],
  [
    'Mistral',
    400,
    '{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt"}',
  ],
  [
    'Gemini',
    400,
    '[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]',
  ],
  ['Bedrock', 400, '{"message":"Input is too long for requested model."}'],
  [
    'Text Generation Inference',
    422,
    '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens","error_type":"validation"}',
  ],
  [
    'xAI',
    400,
    '{"code":"Client specified an invalid argument","error":"This model\'s maximum prompt length is 131072 but the request contains 200000 tokens."}',
  ],
];
test.each(OVERFLOWS)('%s says that the input is too long', (_vendor, status, body) => {
  expect(fault(status, body).fault).toBe('context-overflow');
});

test.each([
  [400, '{"error":{"message":"Invalid schema for function: maximum length of name is 64"}}', 'invalid'],
  [400, '{"error":{"message":"Unsupported parameter: max_tokens"}}', 'invalid'],
  [422, '{"detail":"Unprocessable"}', 'invalid'],
  [
    429,
    '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
    'auth',
  ],
  [
    413,
    '{"error":{"message":"Request too large on tokens per minute","code":"rate_limit_exceeded"}}',
    'rate-limited',
  ],
  [502, '<html><body>Bad gateway</body></html>', 'unavailable'],
  [520, '', 'unavailable'],
  [
    null,
    { type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } },
    'unavailable',
  ],
  [null, { type: 'invalid_request_error', message: 'x' }, 'invalid'],
  [null, 'nothing known', 'unavailable'],
] as const)('%s %j is %s', (status, body, expected) => {
  expect(fault(status, body).fault).toBe(expected);
});

test('a message names host, model, status and the sentence of the server, and no web page', () => {
  expect(fault(404, '{"error":{"message":"The model does not exist"}}').message).toBe(
    'models.example rejected the request for m (404): The model does not exist',
  );
  expect(fault(502, '<html><body>Bad gateway</body></html>').message).toBe('models.example failed (502).');
});

test('a sentence is one clean line of at most 300 characters', () => {
  expect(cleanSentence('a\n\n\u202eb\u200bc\u0007', null)).toBe('a b c');
  expect(cleanSentence('x'.repeat(1000), null)).toHaveLength(300);
  expect(cleanSentence('for abcd1234, sk-proj-aaaa****bbbb, Bearer eyJh.x.y and ab***cd', 'abcd1234')).toBe(
    'for [key], [key], Bearer [key] and [key]',
  );
});

test('a wait is read as seconds, as milliseconds and as a date, and never as less than nothing', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const wait = (headers: Record<string, string>) => readRetryAfter(new Headers(headers), now);
  expect(wait({})).toBeNull();
  expect(wait({ 'retry-after': '120' })).toBe(120_000);
  expect(wait({ 'retry-after': '0.5' })).toBe(500);
  expect(wait({ 'retry-after': '120', 'retry-after-ms': '1500' })).toBe(1_500);
  expect(wait({ 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' })).toBe(120_000);
  expect(wait({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' })).toBe(0);
  expect(wait({ 'retry-after': 'soon' })).toBeNull();
  expect(wait({ 'retry-after': '-5' })).toBeNull();
  expect(wait({ 'retry-after': '9999999999' })).toBe(86_400_000);
});
