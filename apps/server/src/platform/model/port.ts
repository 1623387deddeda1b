import type { modelEfforts } from '@offprint/contract';
import { NetworkError } from '../net/error.ts';

/** A part of what a model said. `meta` is opaque: what a provider wants to see again, such as a signature. */
export type AssistantPart =
  | { type: 'text'; text: string; meta?: unknown }
  | { type: 'reasoning'; text: string; meta?: unknown }
  | ToolCall;

/** A call of a tool. `input` is what the model sent, unchecked; text if it was not JSON. */
export interface ToolCall {
  type: 'tool-call';
  /** Unique within one message only: servers give the same ids again. */
  id: string;
  name: string;
  input: unknown;
  meta?: unknown;
}

/** The result of a tool for a call of the message before. */
export interface ToolResult {
  id: string;
  name: string;
  output: string;
  isError: boolean;
}

/** One message of a conversation, in the form that is kept: no library's and no provider's. */
export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; parts: AssistantPart[] }
  | { role: 'tool'; results: ToolResult[] };

/** A tool as it is described to a model. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>;
}

/** Tokens of one step; 0 where the provider does not tell. */
export interface ModelUsage {
  /** All input tokens, cached ones included. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of `output`. */
  reasoning: number;
}

export interface StepRequest {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolDefinition[];
  maxOutputTokens: number;
  signal: AbortSignal;
  /** Receives text as it arrives, for people who watch. Nothing of a step counts until it is whole. */
  onText?(delta: string): void;
}

/** `length`: cut at the limit of output; its last tool call may be damaged and is left out. */
export type Finish = 'stop' | 'tool-calls' | 'length' | 'content-filter';

export interface StepResult {
  parts: AssistantPart[];
  finish: Finish;
  usage: ModelUsage;
}

/**
 * - `auth`: the key is refused or may not use the model
 * - `rate-limited`, `overloaded`, `unavailable`: the server is temporarily unable to respond
 * - `timeout`: no first byte, a silent stream, or a call over its time
 * - `cut`: the stream ended before the message did; nothing of it is kept
 * - `context-overflow`: the input is longer than the model takes
 * - `invalid`: the server refuses the request, or its response is not a message
 */
export type ModelFault =
  | 'auth'
  | 'rate-limited'
  | 'overloaded'
  | 'unavailable'
  | 'timeout'
  | 'cut'
  | 'context-overflow'
  | 'invalid';

/** A step failed. The message is for people and holds no key. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly fault: ModelFault;
  /** Milliseconds that the server asks to wait; null when it does not say. */
  readonly retryAfterMs: number | null;
  constructor(
    fault: ModelFault,
    message: string,
    options: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
  /** Whether the same step may succeed later without a change by anybody. */
  get retryable(): boolean {
    return ['rate-limited', 'overloaded', 'unavailable', 'timeout', 'cut'].includes(this.fault);
  }
  /** Whether nothing responded: the host is unknown, or refused or interrupted the connection. */
  get isUnreachable(): boolean {
    return this.fault === 'unavailable' && this.cause instanceof NetworkError;
  }
}

/** A language model. One call returns one response; the caller handles its tool calls. */
export interface ModelPort {
  /** Throws ModelError, or the reason of `signal` when that aborts. Never retries by itself. */
  step(request: StepRequest): Promise<StepResult>;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export type ModelEffort = (typeof modelEfforts)[number];

/** What is known of a model and where it is. `apiKey` is opened from its seal for one process and one call. */
export interface ModelSettings {
  provider: 'anthropic' | 'openai' | 'openai-compatible';
  /** Name that the provider knows it by. */
  model: string;
  /** Null: the provider's own address. Always set for `openai-compatible`. */
  baseUrl: string | null;
  /** Null for servers that ask for none. */
  apiKey: string | null;
  /** Tokens of input and output together. */
  contextWindow: number;
  /** Maximum tokens of one response. */
  maxOutput: number;
  /** `prompted`: the server has no tool calls, so tools are described and called in text. */
  toolMode: 'native' | 'prompted';
  /** How much the model reasons before it responds. Null: the default of the provider. */
  effort: ModelEffort | null;
  /** Null: unknown, so nothing is said of cost. */
  price: ModelPrice | null;
}
