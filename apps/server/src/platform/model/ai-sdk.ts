import { createHash } from 'node:crypto';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { readInput, type SentMessage, toSent } from './conversation.ts';
import { callFault, type ModelTimeouts, watchCall } from './endpoint.ts';
import type { Endpoint } from './fault.ts';
import {
  type AssistantPart,
  type Finish,
  ModelError,
  type ModelPort,
  type ModelSettings,
  type StepRequest,
  type StepResult,
} from './port.ts';
import { withPromptedTools } from './prompted-tools.ts';

/** A model of the provider packages: one request, one stream, no loop, no retry. */
type ProviderModel = ReturnType<ReturnType<typeof createAnthropic>['languageModel']>;
type ProviderStream = Awaited<ReturnType<ProviderModel['doStream']>>['stream'];
type ProviderPart = ProviderStream extends ReadableStream<infer Part> ? Part : never;
type ProviderRequest = Parameters<ProviderModel['doStream']>[0];

const TIMEOUTS: ModelTimeouts = { firstByteMs: 120_000, idleMs: 90_000, callMs: 600_000 };
/** Servers of one's own read a long input slowly. */
const LOCAL_FACTOR = 3;
/** Set always, so that no variable of the environment can point elsewhere. */
const ADDRESSES = { anthropic: 'https://api.anthropic.com/v1', openai: 'https://api.openai.com/v1' } as const;
/** Sent by nobody: the call takes the header away. Without a key a package would read the environment. */
const NO_KEY = 'none';
const COMPATIBLE = 'compatible';

/**
 * The model that settings name. Every call goes through `fetch`, and nothing else of the environment counts.
 * The provider packages implement the three wire formats; errors, timeouts and what is kept of a response are
 * decided here.
 *
 * Throws ModelError `invalid` when the settings name no address.
 */
export function createModel(
  settings: ModelSettings,
  options: { fetch: typeof fetch; timeouts?: ModelTimeouts },
): ModelPort {
  const baseUrl = addressOf(settings);
  const endpoint: Endpoint = { host: new URL(baseUrl).host, model: settings.model, apiKey: settings.apiKey };
  const timeouts = options.timeouts ?? defaultTimeouts(settings);
  const model: ModelPort = {
    async step(request) {
      request.signal.throwIfAborted();
      if (settings.apiKey !== null && !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
        const message = `The API key for ${endpoint.host} contains characters that are not valid in a key. Set it again.`;
        throw new ModelError('auth', message);
      }
      const call = watchCall(options.fetch, endpoint, timeouts, request.signal);
      try {
        const { stream } = await connectModel(settings, baseUrl, call.fetch).doStream(
          toRequest(settings, request, call.signal),
        );
        return await readStep(stream, request, endpoint);
      } catch (error) {
        throw callFault(error, endpoint, call, request.signal);
      } finally {
        call.end();
      }
    },
  };
  return settings.toolMode === 'prompted' ? withPromptedTools(model) : model;
}

function addressOf({ provider, baseUrl }: ModelSettings): string {
  const address = baseUrl ?? (provider === 'openai-compatible' ? null : ADDRESSES[provider]);
  if (address !== null && URL.canParse(address)) return address.replace(/\/+$/, '');
  throw new ModelError(
    'invalid',
    `The provider ${provider} needs a base URL, such as http://127.0.0.1:8000/v1.`,
  );
}

function defaultTimeouts({ provider }: ModelSettings): ModelTimeouts {
  if (provider !== 'openai-compatible') return TIMEOUTS;
  return {
    firstByteMs: TIMEOUTS.firstByteMs * LOCAL_FACTOR,
    idleMs: TIMEOUTS.idleMs * LOCAL_FACTOR,
    callMs: TIMEOUTS.callMs * LOCAL_FACTOR,
  };
}

function connectModel(settings: ModelSettings, baseURL: string, fetch: WatchedFetch): ProviderModel {
  const { provider, model } = settings;
  const apiKey = settings.apiKey ?? NO_KEY;
  if (provider === 'anthropic') return createAnthropic({ baseURL, apiKey, fetch }).languageModel(model);
  if (provider === 'openai') return createOpenAI({ baseURL, apiKey, fetch }).responses(model);
  return createOpenAICompatible({
    name: COMPATIBLE,
    baseURL,
    apiKey,
    fetch,
    includeUsage: true,
  }).languageModel(model);
}

type WatchedFetch = ReturnType<typeof watchCall>['fetch'];

function toRequest(settings: ModelSettings, request: StepRequest, abortSignal: AbortSignal): ProviderRequest {
  const { provider, effort } = settings;
  const prompt = toSent(request.system, request.messages);
  if (provider === 'anthropic') markForCache(prompt);
  return {
    prompt: prompt as ProviderRequest['prompt'],
    maxOutputTokens: request.maxOutputTokens,
    abortSignal,
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema: parameters,
            // Else OpenAI makes every parameter a required one.
            ...(provider === 'openai' ? { strict: false } : {}),
          })),
          toolChoice: { type: 'auto' as const },
        }),
    providerOptions: optionsOf(provider, effort, request),
  };
}

function optionsOf(
  provider: ModelSettings['provider'],
  effort: ModelSettings['effort'],
  request: StepRequest,
): NonNullable<ProviderRequest['providerOptions']> {
  switch (provider) {
    case 'anthropic':
      // Inputs of calls are checked to be JSON by the server before they are streamed.
      return { anthropic: { toolStreaming: false, ...(effort === null ? {} : { effort }) } };
    case 'openai': {
      // The package knows models that reason by name, and a gateway gives them other names.
      const reasoning = effort === null ? {} : { reasoningEffort: effort, forceReasoning: true };
      // The provider stores nothing of a conversation; data that it needs again is returned encrypted.
      return { openai: { store: false, promptCacheKey: cacheKeyOf(request), ...reasoning } };
    }
    case 'openai-compatible':
      return effort === null ? {} : { [COMPATIBLE]: { reasoningEffort: effort } };
  }
}

/** The same for each step of a conversation, so that its requests reach the server that has cached the step before. */
function cacheKeyOf({ system, messages }: StepRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([system, messages[0]]))
    .digest('hex')
    .slice(0, 32);
}

/**
 * Lets the provider keep what every step repeats: all up to the system text, all up to the last message, and all up to
 * the message before the last response, which was the last message of the step before. A provider searches only 20
 * blocks before a mark, and a step with many parallel calls has more.
 */
function markForCache(prompt: SentMessage[]): void {
  const response = prompt.findLastIndex(({ role }) => role === 'assistant');
  const before = response < 1 ? undefined : prompt[response - 1];
  for (const message of new Set([prompt.find(({ role }) => role === 'system'), before, prompt.at(-1)])) {
    if (message !== undefined) {
      message.providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } as never } };
    }
  }
}

type TextPart = Extract<AssistantPart, { type: 'text' | 'reasoning' }>;

/** Reads a response to its end. An incomplete response is an error, also when the stream ends without one. */
async function readStep(
  stream: ProviderStream,
  request: StepRequest,
  endpoint: Endpoint,
): Promise<StepResult> {
  const parts: AssistantPart[] = [];
  const open = new Map<string, TextPart>();
  let end: Extract<ProviderPart, { type: 'finish' }> | undefined;
  const partOf = (type: TextPart['type'], id: string): TextPart => {
    const key = `${type} ${id}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    const part: TextPart = { type, text: '' };
    open.set(key, part);
    parts.push(part);
    return part;
  };
  for await (const event of stream as ReadableStream<ProviderPart>) {
    switch (event.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end': {
        const [type, at] = event.type.split('-') as [TextPart['type'], string];
        const part = partOf(type, event.id);
        if ('delta' in event) part.text += event.delta;
        if (event.providerMetadata !== undefined) part.meta = event.providerMetadata;
        if (event.type === 'text-delta' && event.delta !== '') request.onText?.(event.delta);
        // Ids repeat after a restart.
        if (at === 'end') open.delete(`${type} ${event.id}`);
        break;
      }
      case 'tool-call':
        parts.push({
          type: 'tool-call',
          id: event.toolCallId,
          name: event.toolName,
          input: readInput(event.input),
          ...(event.providerMetadata === undefined ? {} : { meta: event.providerMetadata }),
        });
        break;
      case 'error':
        throw event.error;
      case 'finish':
        end = event;
        break;
    }
  }
  return toResult(parts, end, endpoint, request.maxOutputTokens);
}

function toResult(
  all: AssistantPart[],
  end: Extract<ProviderPart, { type: 'finish' }> | undefined,
  endpoint: Endpoint,
  maxOutput: number,
): StepResult {
  const finish = end?.finishReason.unified;
  if (end === undefined || !isFinish(finish)) {
    throw new ModelError('cut', `${endpoint.host} ended its response before it was complete.`);
  }
  const parts = all.filter(
    (part) => part.type === 'tool-call' || part.text !== '' || part.meta !== undefined,
  );
  // The limit of output may have fallen into the input of the last call.
  if (finish === 'length' && parts.at(-1)?.type === 'tool-call') parts.pop();
  const hasCalls = parts.some(({ type }) => type === 'tool-call');
  if (finish === 'tool-calls' && !hasCalls) {
    throw new ModelError('cut', `${endpoint.host} announced tool calls but sent none.`);
  }
  const { inputTokens, outputTokens } = end.usage;
  // Servers that cut the input to their window instead of refusing it, such as Ollama, stop for want of room.
  const written = outputTokens.total ?? maxOutput;
  if (finish === 'length' && all.length === 0 && written < maxOutput / 2) {
    throw new ModelError(
      'context-overflow',
      `${endpoint.model} at ${endpoint.host} stopped after ${written} of ${maxOutput} tokens without text: the context window of the server is full at ${(inputTokens.total ?? 0) + written} tokens. Enlarge the window of the server, or set the context window to this size.`,
    );
  }
  return {
    parts,
    finish: finish === 'stop' && hasCalls ? 'tool-calls' : finish,
    usage: {
      input: inputTokens.total ?? 0,
      output: outputTokens.total ?? 0,
      cacheRead: inputTokens.cacheRead ?? 0,
      cacheWrite: inputTokens.cacheWrite ?? 0,
      reasoning: outputTokens.reasoning ?? 0,
    },
  };
}

const isFinish = (reason: string | undefined): reason is Finish =>
  reason === 'stop' || reason === 'tool-calls' || reason === 'length' || reason === 'content-filter';
