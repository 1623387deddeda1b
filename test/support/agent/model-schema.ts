import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Api } from './model-wire.ts';
import { messagesError, messagesEvent, messagesRequest } from './schema/anthropic.ts';
import {
  chatEvent,
  chatRequest,
  embeddingsRequest,
  embeddingsResponse,
  openaiError,
  responsesEvent,
  responsesRequest,
} from './schema/openai.ts';
import type { Schema } from './schema/words.ts';

/** What does not fit its description; null when it fits. */
export type Check = (value: unknown) => string | null;

export interface ApiSchema {
  request: Check;
  /** One event of a stream. */
  event: Check;
  error: Check;
}

let loaded: Record<Api, ApiSchema> | undefined;

/** The checks of the three APIs, both directions, compiled once. */
export function loadSchemas(): Record<Api, ApiSchema> {
  loaded ??= {
    chat: toChecks(chatRequest, chatEvent, openaiError),
    responses: toChecks(responsesRequest, responsesEvent, openaiError),
    anthropic: toChecks(messagesRequest, messagesEvent, messagesError),
  };
  return loaded;
}

/** The checks of the embeddings of OpenAI, both directions. */
export function loadEmbeddingSchemas(): Record<'request' | 'response' | 'error', Check> {
  return {
    request: toCheck(embeddingsRequest),
    response: toCheck(embeddingsResponse),
    error: toCheck(openaiError),
  };
}

function toChecks(request: Schema, event: Schema, error: Schema): ApiSchema {
  return { request: toCheck(request), event: toCheck(event), error: toCheck(error) };
}

function toCheck(schema: Schema): Check {
  const validate = new Ajv2020({ strict: false }).compile(schema);
  return (value) => {
    if (validate(value)) return null;
    // The deepest error is closest to the cause; the mismatch of the alternatives follows from it.
    const worst = [...(validate.errors ?? [])]
      .filter(({ keyword }) => keyword !== 'if' && keyword !== 'anyOf')
      .sort((a, b) => b.instancePath.length - a.instancePath.length)[0];
    return `${worst?.instancePath || '/'} ${worst?.message} ${JSON.stringify(worst?.params)}`;
  };
}
