import { Checkbox, Field, Input, PasswordInput, Select } from '../ui/index.ts';
import type { AgentDraft } from './agent-draft.ts';
import type { AgentFieldsProps } from './agent-tab.tsx';

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
              ? 'The installation has no model. Choose one for this project, or ask the operator to set one.'
              : 'The operator of the installation chose the model and pays for it.'
            : 'The project has a model of its own, with its own key.'
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
            <option value="">As installed{installed}</option>
            <option value="anthropic">Anthropic</option>
            <option value="openai">OpenAI</option>
            <option value="openai-compatible">Compatible with OpenAI (vLLM, Ollama and others)</option>
          </Select>
        )}
      </Field>
      {draft.provider !== '' && (
        <>
          <Field
            label="Model"
            param="/model/model"
            help={`As its provider names it, such as ${EXAMPLES[draft.provider]}.`}
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
            label="Address of the server"
            optional={draft.provider !== 'openai-compatible'}
            param="/model/baseUrl"
            help={
              draft.provider === 'openai-compatible'
                ? 'Such as https://models.example.com/v1. Hosts of private networks are for the operator to allow.'
                : 'Empty: the address of the provider.'
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
            label="Key"
            optional={hasStored || draft.provider === 'openai-compatible'}
            param="/model/apiKey"
            help={
              hasStored
                ? 'One is stored and never shown. Empty: it is kept.'
                : 'Sealed before it is stored, and never shown.'
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
      <summary className="rounded-card px-4 py-3 font-medium text-sm">Window, tool calls and price</summary>
      <div className="grid gap-5 border-t p-4 sm:grid-cols-2">
        <Field
          label="Context window"
          param="/model/contextWindow"
          help="Tokens of input and output together."
        >
          {(control) => <Input {...control} {...number('contextWindow')} required />}
        </Field>
        <Field label="Longest answer" param="/model/maxOutput" help="Tokens of one answer.">
          {(control) => <Input {...control} {...number('maxOutput')} required />}
        </Field>
        <Field
          label="Price of input"
          optional
          param="/model/price/input"
          help="US dollars for a million tokens."
        >
          {(control) => <Input {...control} {...number('priceInput', true)} />}
        </Field>
        <Field
          label="Price of output"
          optional
          param="/model/price/output"
          help="Without prices, costs are neither told nor limited."
        >
          {(control) => <Input {...control} {...number('priceOutput', true)} />}
        </Field>
        <Field
          label="Tool calls"
          param="/model/toolMode"
          help="In text for servers without tool calls of their own."
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
