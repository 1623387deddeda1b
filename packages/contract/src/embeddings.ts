import { z } from 'zod';
import { modelName, modelServer } from './endpoint.ts';

const provider = z
  .enum(['openai', 'openai-compatible'])
  .describe('`openai-compatible`: vLLM, Ollama and others.');
const dimensions = z.int().min(8).max(4_096).nullable();

/** The endpoint of a team for vectors of its pages, as it is sent. */
export const embeddingsInput = z
  .strictObject({
    provider,
    ...modelServer,
    dimensions: dimensions
      .optional()
      .describe(
        'Dimensions of the vectors, for models that can shorten them. Null: what the model returns. Each takes one byte for each section of the site.',
      ),
  })
  .refine(({ provider: name, baseUrl }) => name !== 'openai-compatible' || (baseUrl ?? null) !== null, {
    path: ['baseUrl'],
    message: 'must be set for openai-compatible',
  });

/** The same with its state, without the key. */
export const embeddings = z.object({
  provider,
  model: modelName,
  baseUrl: z.string().nullable(),
  dimensions,
  hasApiKey: z.boolean().describe('Whether a key is stored.'),
  state: z
    .enum(['ready', 'pending', 'failed'])
    .describe(
      'Vectors of the deployment that is live. `ready`: the search uses them. `pending`: they are being made. `failed`: they could not be made, or the model did not respond to the last query. Without vectors, the search is by words.',
    ),
  reason: z
    .string()
    .nullable()
    .describe('Why there are no vectors, or why the last attempt to make them or the last query failed.'),
  sections: z.int().nullable().describe('Sections of the live deployment with vectors; null without them.'),
});
export type Embeddings = z.output<typeof embeddings>;
