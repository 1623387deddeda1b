import { modelEfforts } from '@offprint/contract';
import { Checkbox, Field, Input, PasswordInput, Select } from '../ui/index.ts';
import type { AgentDraft, AgentFieldsProps } from './agent-draft.ts';

const EFFORT_NAMES: Readonly<Record<(typeof modelEfforts)[number], string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Extra high',
  max: 'Maximum',
};
const EXAMPLES: Readonly<Record<Exclude<AgentDraft['provider'], ''>, string>> = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5',
  'openai-compatible': 'qwen3-32b',
};

export function ModelFields({ draft, set, settings }: AgentFieldsProps) {
  const { model } = settings;
  const installed = settings.model === null && settings.usesModel !== null ? ` (${settings.usesModel})` : '';
  const isStoredFor =
    model !== null && model.provider === draft.provider && (model.baseUrl ?? '') === draft.baseUrl.trim();
  const hasStored = isStoredFor && model.hasApiKey;
  return (
    <div className="space-y-5">
      <Field
        label="Provider"
        param="/model/provider"
        help={
          draft.provider === ''
            ? settings.model === null && settings.usesModel === null
              ? 'The installation has no default model. Choose one for this project, or ask an operator to configure one.'
              : 'The operator configured this model and pays for it.'
            : 'The project uses its own model and API key.'
        }
      >
        {(control) => (
          <Select
            {...control}
            value={draft.provider}
            onChange={({ target }) =>
              set({ provider: target.value as AgentDraft['provider'], apiKey: '', dropsApiKey: false })
            }
          >
            <option value="">Installation default{installed}</option>
            <option value="anthropic">Anthropic</option>
            <option value="openai">OpenAI</option>
            <option value="openai-compatible">OpenAI-compatible (vLLM, Ollama and others)</option>
          </Select>
        )}
      </Field>
      {draft.provider !== '' && (
        <>
          <Field
            label="Model"
            param="/model/model"
            help={`The model name of the provider, such as ${EXAMPLES[draft.provider]}.`}
          >
            {(control) => (
              <Input
                {...control}
                required
                maxLength={200}
                value={draft.model}
                onChange={({ target }) => set({ model: target.value })}
                spellCheck={false}
                autoComplete="off"
              />
            )}
          </Field>
          <Field
            label="Base URL"
            optional={draft.provider !== 'openai-compatible'}
            param="/model/baseUrl"
            help={
              draft.provider === 'openai-compatible'
                ? 'For example, https://models.example.com/v1. An operator must allow hosts in private networks.'
                : 'Leave empty to use the URL of the provider.'
            }
          >
            {(control) => (
              <Input
                {...control}
                required={draft.provider === 'openai-compatible'}
                value={draft.baseUrl}
                onChange={({ target }) => set({ baseUrl: target.value })}
                inputMode="url"
                spellCheck={false}
                autoComplete="off"
              />
            )}
          </Field>
          <Field
            label="API key"
            optional={hasStored || draft.provider === 'openai-compatible'}
            param="/model/apiKey"
            help={
              hasStored
                ? 'Stored and never shown. Leave empty to keep it.'
                : 'Encrypted before it is stored, and never shown.'
            }
          >
            {(control) => (
              <PasswordInput
                {...control}
                value={draft.apiKey}
                disabled={draft.dropsApiKey}
                onChange={({ target }) => set({ apiKey: target.value })}
                autoComplete="off"
                data-1p-ignore
              />
            )}
          </Field>
          {hasStored && (
            <Checkbox
              label="Remove the stored key"
              checked={draft.dropsApiKey}
              onChange={({ target }) => set({ dropsApiKey: target.checked, apiKey: '' })}
            />
          )}
          <Limits draft={draft} set={set} settings={settings} />
        </>
      )}
    </div>
  );
}

function Limits({ draft, set }: AgentFieldsProps) {
  const number = (name: 'contextWindow' | 'maxOutput' | 'priceInput' | 'priceOutput', isPrice = false) => ({
    type: 'number',
    inputMode: isPrice ? ('decimal' as const) : ('numeric' as const),
    step: isPrice ? 'any' : 1,
    min: 0,
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  });
  return (
    <details className="rounded-card border">
      <summary className="rounded-card px-4 py-3 font-medium text-sm">
        Context window, effort, tool calls and price
      </summary>
      <div className="grid gap-5 border-t p-4 sm:grid-cols-2">
        <Field
          label="Context window"
          param="/model/contextWindow"
          help="Maximum number of input and output tokens together."
        >
          {(control) => <Input {...control} {...number('contextWindow')} required />}
        </Field>
        <Field
          label="Maximum output"
          param="/model/maxOutput"
          help="Maximum number of tokens in one response."
        >
          {(control) => <Input {...control} {...number('maxOutput')} required />}
        </Field>
        <Field label="Input price" optional param="/model/price/input" help="US dollars per million tokens.">
          {(control) => <Input {...control} {...number('priceInput', true)} />}
        </Field>
        <Field
          label="Output price"
          optional
          param="/model/price/output"
          help="If empty, the price that the operator configured for this model. Without a price, cost is neither reported nor limited."
        >
          {(control) => <Input {...control} {...number('priceOutput', true)} />}
        </Field>
        <Field
          label="Effort"
          param="/model/effort"
          help="How much the model reasons before it responds. Not every model supports every value."
        >
          {(control) => (
            <Select
              {...control}
              value={draft.effort}
              onChange={({ target }) => set({ effort: target.value as AgentDraft['effort'] })}
            >
              <option value="">Provider default</option>
              {modelEfforts.map((effort) => (
                <option key={effort} value={effort}>
                  {EFFORT_NAMES[effort]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field
          label="Tool calls"
          param="/model/toolMode"
          help="Choose “In text” for servers that do not support tool calls."
        >
          {(control) => (
            <Select
              {...control}
              value={draft.toolMode}
              onChange={({ target }) => set({ toolMode: target.value as AgentDraft['toolMode'] })}
            >
              <option value="native">Native</option>
              <option value="prompted">In text</option>
            </Select>
          )}
        </Field>
      </div>
    </details>
  );
}
