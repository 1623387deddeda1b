import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { NetworkError } from '../net/error.ts';
import { orFault, readText } from './endpoint.ts';
import { type Endpoint, faultOf, networkFault, readRefusal } from './fault.ts';
import { ModelError } from './port.ts';

/** A model that turns texts into vectors, and where it is. */
export interface EmbeddingSettings {
  provider: 'openai' | 'openai-compatible';
  model: string;
  /** Null: the provider's own address. Always set for `openai-compatible`. */
  baseUrl: string | null;
  /** Null for servers that ask for none. */
  apiKey: string | null;
  /** Null: what the model returns. */
  dimensions: number | null;
}

export interface EmbeddingPort {
  /**
   * A vector for each text, in their order, all with the same number of finite dimensions. Throws ModelError, or the
   * reason of `signal` when that aborts. Never retries by itself.
   */
  embed(
    texts: readonly string[],
    options: { signal: AbortSignal; timeoutMs: number },
  ): Promise<readonly (readonly number[])[]>;
}

/** Bytes of a response: 32 vectors of 4,096 dimensions need 3 MB. */
export const MAX_EMBEDDING_RESPONSE = 16 * 1024 * 1024;

const OPENAI = 'https://api.openai.com/v1';
/** Sent by nobody: the call takes the header away. Without a key a package would read the environment. */
const NO_KEY = 'none';
const COMPATIBLE = 'compatible';

/** The model that settings name. Every call goes through `fetch`, and nothing else of the environment counts. */
export function createEmbeddingModel(
  settings: EmbeddingSettings,
  options: { fetch: typeof fetch },
): EmbeddingPort {
  const baseURL = settings.baseUrl ?? OPENAI;
  const { host } = new URL(baseURL);
  const endpoint: Endpoint = { host, model: settings.model, apiKey: settings.apiKey };
  const model = connect(settings, baseURL, guarded(options.fetch, endpoint));
  const { dimensions } = settings;
  return {
    async embed(texts, { signal, timeoutMs }) {
      signal.throwIfAborted();
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), timeoutMs);
      try {
        const { embeddings, response } = await model.doEmbed({
          values: [...texts],
          abortSignal: AbortSignal.any([signal, late.signal]),
          ...(dimensions === null
            ? {}
            : { providerOptions: { openai: { dimensions }, [COMPATIBLE]: { dimensions } } }),
        });
        return checked(inOrder(embeddings, response?.body), texts.length, settings, host);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (late.signal.aborted)
          throw new ModelError(
            'timeout',
            `${host} sent no vectors within ${Math.ceil(timeoutMs / 1_000)} s.`,
          );
        throw embeddingFault(error, host);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function connect({ provider, model, apiKey }: EmbeddingSettings, baseURL: string, fetchWith: typeof fetch) {
  const shared = { baseURL, apiKey: apiKey ?? NO_KEY, fetch: fetchWith };
  return provider === 'openai'
    ? createOpenAI(shared).embeddingModel(model)
    : createOpenAICompatible({ name: COMPATIBLE, ...shared }).embeddingModel(model);
}

/** The errors of a call as ModelErrors, before a library can reword or lose them. */
function guarded(fetchWith: typeof fetch, endpoint: Endpoint): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('user-agent');
    if (endpoint.apiKey === null) headers.delete('authorization');
    const response = await orFault(() => fetchWith(input, { ...init, headers }), false);
    if (response.ok) return response;
    const text = await orFault(() => readText(response), false);
    throw faultOf(readRefusal(response.status, text, response.headers), endpoint);
  };
}

function embeddingFault(error: unknown, host: string): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof NetworkError) return networkFault(error, true);
  const { cause } = error instanceof Error ? error : {};
  if (cause instanceof ModelError) return cause;
  if (cause instanceof NetworkError) return networkFault(cause, true);
  return new ModelError(
    'invalid',
    `The response of ${host} contains no vectors. Check the base URL and the model.`,
  );
}

/** Servers number their vectors; one that does not is taken at its word. */
function inOrder(vectors: readonly (readonly number[])[], body: unknown): readonly (readonly number[])[] {
  const numbers = indexesOf(body);
  const isPlace = (number: number): boolean =>
    Number.isInteger(number) && number >= 0 && number < vectors.length;
  if (!numbers.every(isPlace) || new Set(numbers).size !== vectors.length) return vectors;
  const ordered: (readonly number[] | undefined)[] = vectors.map(() => undefined);
  for (const [at, vector] of vectors.entries()) ordered[numbers[at] ?? at] = vector;
  return ordered.flatMap((vector) => (vector === undefined ? [] : [vector]));
}

function indexesOf(body: unknown): number[] {
  if (typeof body !== 'object' || body === null || !('data' in body) || !Array.isArray(body.data)) return [];
  return body.data.flatMap((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'index' in entry && typeof entry.index === 'number'
      ? [entry.index]
      : [],
  );
}

function checked(
  vectors: readonly (readonly number[])[],
  count: number,
  { dimensions, model }: EmbeddingSettings,
  host: string,
): readonly (readonly number[])[] {
  const wrong = (what: string): ModelError =>
    new ModelError('invalid', `${model} at ${host} returned ${what}.`);
  if (vectors.length !== count) throw wrong(`${vectors.length} vectors for ${count} texts`);
  const length = dimensions ?? vectors[0]?.length ?? 0;
  const other = vectors.find((vector) => vector.length !== length);
  if (other !== undefined)
    throw wrong(`a vector with ${other.length} dimensions instead of ${length}. Change \`dimensions\``);
  if (!vectors.every((vector) => vector.every(Number.isFinite))) throw wrong('a value that is not finite');
  return vectors;
}
