import type { NetworkError } from '../net/error.ts';
import { ModelError, type ModelFault } from './port.ts';

/** The subject of an error: the host of the endpoint, the model, and the key that no message may quote. */
export interface Endpoint {
  host: string;
  model: string;
  apiKey: string | null;
}

const MAX_SENTENCE = 300;
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** How servers say that the input is too long; each line is one vendor's wording. */
const OVERFLOW = [
  /context[_ ]length[_ ]exceeded/i, // OpenAI's code
  /maximum (?:context|model|prompt) length/i, // OpenAI, vLLM, DeepSeek, OpenRouter, xAI
  /exceeds? the (?:available )?context (?:window|size|length|limit)/i, // OpenAI Responses, llama.cpp
  /exceed_context_size/i, // llama.cpp's type
  /exceeds? context (?:limit|length|window|size)/i, // Anthropic with max_tokens, LM Studio
  /prompt is too long/i, // Anthropic
  /input (?:is|length is) too long/i, // Bedrock
  /longer than the (?:maximum )?(?:model'?s? )?(?:maximum )?(?:context|model) length/i, // SGLang, vLLM
  /(?:greater|larger) than the context (?:length|window)/i, // LM Studio
  /too large for model with \d+ maximum context length/i, // Mistral
  /input token count .* exceeds the maximum/i, // Gemini
  /`?inputs`? tokens \+ `?max_new_tokens`? must be/i, // Text Generation Inference
];

/**
 * What a server sent instead of a valid response. `status` is null for an error inside a stream that had
 * started successfully.
 */
export interface Refusal {
  status: number | null;
  /** Machine-readable words of the error, such as its type and code. */
  codes: readonly string[];
  sentence: string;
  headers?: Headers;
}

/** Reads an error body or error event in any of the shapes that servers use. */
export function readRefusal(status: number | null, body: unknown, headers?: Headers): Refusal {
  const outer = asObject(typeof body === 'string' ? parse(body) : body);
  const response = asObject(outer.response);
  const inner = [outer.error, response.error, outer].map(asObject).find((one) => one.message !== undefined);
  const found = inner ?? asObject(outer.error);
  const codes = [found.type, found.code, outer.type].filter((code) => typeof code === 'string');
  const plain = [
    found.message,
    outer.error,
    outer.message,
    outer.detail,
    typeof body === 'string' ? body : '',
  ];
  const sentence = plain.find((text) => typeof text === 'string' && text !== '') ?? '';
  return { status, codes, sentence: String(sentence), ...(headers === undefined ? {} : { headers }) };
}

/** The error for a refusal, with the server's own sentence, cleaned. */
export function faultOf(refusal: Refusal, endpoint: Endpoint): ModelError {
  const fault = classify(refusal);
  const said = cleanSentence(refusal.sentence, endpoint.apiKey);
  const status = refusal.status === null ? '' : ` (${refusal.status})`;
  const { host, model } = endpoint;
  const messages: Record<ModelFault, string> = {
    auth: `${host} rejected the API key or its use for ${model}${status}`,
    'rate-limited': `${host} limits the rate of requests${status}`,
    overloaded: `${host} is overloaded${status}`,
    unavailable: `${host} failed${status}`,
    timeout: `${host} timed out${status}`,
    cut: `${host} interrupted its response${status}`,
    'context-overflow': `The conversation is longer than the context window of ${model} at ${host}${status}`,
    invalid: `${host} rejected the request for ${model}${status}`,
  };
  const retryAfterMs = refusal.headers === undefined ? null : readRetryAfter(refusal.headers, Date.now());
  return new ModelError(fault, said === '' ? `${messages[fault]}.` : `${messages[fault]}: ${said}`, {
    retryAfterMs,
  });
}

/** The error for a failed connection. `hasBegun`: the head of a successful response had arrived. */
export function networkFault(error: NetworkError, hasBegun: boolean): ModelError {
  const fault =
    error.code === 'timeout'
      ? 'timeout'
      : error.code !== 'unreachable'
        ? 'invalid'
        : hasBegun
          ? 'cut'
          : 'unavailable';
  return new ModelError(fault, error.message, { cause: error });
}

function classify({ status, codes, sentence }: Refusal): ModelFault {
  const code = codes.join(' ');
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (/insufficient_quota|authentication_error|permission_error|billing_error/.test(code)) return 'auth';
  if (status === 429 || /rate_limit|too_many_requests/.test(code)) return 'rate-limited';
  const words = `${code} ${sentence}`;
  if (status === 413 || OVERFLOW.some((wording) => wording.test(words))) return 'context-overflow';
  if (status === 529 || status === 503 || /overloaded/.test(code)) return 'overloaded';
  if (status === null) return /invalid_request|not_found/.test(code) ? 'invalid' : 'unavailable';
  return status >= 500 || status === 408 || status === 409 || status === 425 ? 'unavailable' : 'invalid';
}

/**
 * Milliseconds to wait: `retry-after-ms`, or `retry-after` as seconds or as a date; null if both are missing.
 */
export function readRetryAfter(headers: Headers, now: number): number | null {
  const exact = headers.get('retry-after-ms') ?? '';
  const text = headers.get('retry-after') ?? '';
  const wait = isNumber(exact) ? Number(exact) : isNumber(text) ? Number(text) * 1000 : dateOf(text) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(0, Math.ceil(wait)), LONGEST_WAIT_MS);
}

/** Dates of HTTP name a month; much else passes for a date with a lenient parser. */
const dateOf = (text: string): number => (/\b[A-Z][a-z]{2}\b/.test(text) ? Date.parse(text) : Number.NaN);

const isNumber = (text: string): boolean => /^\s*\d+(?:\.\d+)?\s*$/.test(text);

/**
 * A server's sentence for people: one line, without what cannot be seen, without the key, parts of a key and
 * what looks like one, at most 300 characters. A web page is not a sentence.
 */
export function cleanSentence(text: string, apiKey: string | null): string {
  if (/^\s*</.test(text)) return '';
  const line = text
    .slice(0, 20_000)
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\s]+/gu, ' ')
    .replaceAll(apiKey || '\0', '[key]')
    .replace(/\bBearer\s+[^\s"',;]+/gi, 'Bearer [key]')
    .replace(/\b(?:sk|pk|rk|gsk|xai)[-_][\w*.-]{6,}/gi, '[key]')
    .replace(/[^\s"'()]*\*{3,}[^\s"'()]*/g, '[key]')
    .trim();
  return line.length > MAX_SENTENCE ? `${line.slice(0, MAX_SENTENCE - 1).trimEnd()}…` : line;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  // Some servers wrap the object in a list.
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === 'object' && one !== null ? (one as Record<string, unknown>) : {};
}
