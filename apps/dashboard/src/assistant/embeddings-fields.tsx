import type { AssistantSettings, UpdateAssistantSettingsBody } from '@offprint/contract';
import { useState } from 'react';
import { count, Field, Input, Notice, PasswordInput, Select } from '../ui/index.ts';

type Embeddings = AssistantSettings['embeddings'];

/** The endpoint for vectors as it was entered; an empty key keeps the stored one. */
export function embeddingsOf(values: FormData): UpdateAssistantSettingsBody['embeddings'] {
  const text = (name: string): string => String(values.get(name) ?? '').trim();
  const provider = text('embeddingsProvider');
  if (provider !== 'openai' && provider !== 'openai-compatible') return null;
  const apiKey = text('embeddingsKey');
  return {
    provider,
    model: text('embeddingsModel'),
    baseUrl: text('embeddingsUrl') || null,
    dimensions: Number(text('embeddingsDimensions')) || null,
    ...(apiKey === '' ? {} : { apiKey }),
  };
}

/** Where vectors of the pages come from. */
export function EmbeddingsFields({ embeddings }: { embeddings: Embeddings }) {
  const [provider, setProvider] = useState<string>(embeddings?.provider ?? '');
  return (
    <>
      <Field
        label="Search by meaning"
        optional
        param="/embeddings/provider"
        help="The search API and the assistant also find pages that share no word with the query. All texts of the site and the queries are sent to this provider."
      >
        {(control) => (
          <Select
            {...control}
            name="embeddingsProvider"
            value={provider}
            onChange={(event) => setProvider(event.currentTarget.value)}
          >
            <option value="">Off</option>
            <option value="openai">OpenAI</option>
            <option value="openai-compatible">OpenAI-compatible (vLLM, Ollama and others)</option>
          </Select>
        )}
      </Field>
      {provider !== '' && embeddings !== null && <State embeddings={embeddings} />}
      {provider !== '' && <Endpoint embeddings={embeddings} provider={provider} />}
    </>
  );
}

function State({ embeddings: { state, reason, sections } }: { embeddings: NonNullable<Embeddings> }) {
  if (state === 'ready')
    return <p className="text-muted text-sm">{count(sections ?? 0, 'section')} with vectors.</p>;
  return (
    <Notice title={state === 'failed' ? 'The embedding model fails' : 'Vectors are being made'}>
      {reason ?? 'Until then, the search is by words.'}
    </Notice>
  );
}

function Endpoint({ embeddings, provider }: { embeddings: Embeddings; provider: string }) {
  const isOwn = provider === 'openai-compatible';
  return (
    <>
      <Field
        label="Embedding model"
        param="/embeddings/model"
        help={`The model name of the provider, such as ${isOwn ? 'bge-m3' : 'text-embedding-3-small'}.`}
      >
        {(control) => (
          <Input
            {...control}
            name="embeddingsModel"
            required
            maxLength={200}
            defaultValue={embeddings?.model ?? ''}
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
      <Field
        label="Embedding base URL"
        optional={!isOwn}
        param="/embeddings/baseUrl"
        help={
          isOwn
            ? 'For example, https://models.example.com/v1. An operator must allow hosts in private networks.'
            : 'Leave empty to use the URL of the provider.'
        }
      >
        {(control) => (
          <Input
            {...control}
            name="embeddingsUrl"
            required={isOwn}
            defaultValue={embeddings?.baseUrl ?? ''}
            inputMode="url"
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
      <Field
        label="Embedding API key"
        optional
        param="/embeddings/apiKey"
        help={
          embeddings?.hasApiKey === true
            ? 'Stored and never shown. Leave empty to keep it.'
            : 'Encrypted before it is stored, and never shown.'
        }
      >
        {(control) => <PasswordInput {...control} name="embeddingsKey" autoComplete="off" data-1p-ignore />}
      </Field>
      <Field
        label="Dimensions"
        optional
        param="/embeddings/dimensions"
        help="For models that can shorten their vectors. Each takes one byte for each section."
      >
        {(control) => (
          <Input
            {...control}
            name="embeddingsDimensions"
            type="number"
            min={8}
            max={4_096}
            defaultValue={embeddings?.dimensions ?? ''}
          />
        )}
      </Field>
    </>
  );
}
