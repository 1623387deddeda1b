import type { AgentSettings, UpdateAgentSettingsBody } from '@offprint/contract';

type Model = NonNullable<AgentSettings['model']>;
type Forge = NonNullable<AgentSettings['forge']>;

/** The agent settings of a project as entered in the form. An empty secret keeps the stored one. */
export interface AgentDraft {
  /** Empty: the model of the installation. */
  provider: '' | Model['provider'];
  model: string;
  baseUrl: string;
  apiKey: string;
  dropsApiKey: boolean;
  contextWindow: string;
  maxOutput: string;
  toolMode: Model['toolMode'];
  /** Empty: the default of the provider. */
  effort: '' | NonNullable<Model['effort']>;
  priceInput: string;
  priceOutput: string;
  /** Empty: derived from the host of the repository. `github-app`: GitHub, signed in as an App. */
  forge: '' | Forge['kind'] | 'github-app';
  apiUrl: string;
  token: string;
  dropsToken: boolean;
  username: string;
  appId: string;
  installationId: string;
  privateKey: string;
  instructions: string;
  /** One glob a line. */
  writeAllow: string;
  branchPrefix: string;
}

/** What the fields of a part of the form are given. */
export interface AgentFieldsProps {
  draft: AgentDraft;
  set: (change: Partial<AgentDraft>) => void;
  settings: AgentSettings;
}

/** The form as the settings are. */
export function agentDraftOf({ model, forge, ...rest }: AgentSettings): AgentDraft {
  return {
    provider: model?.provider ?? '',
    model: model?.model ?? '',
    baseUrl: model?.baseUrl ?? '',
    apiKey: '',
    dropsApiKey: false,
    contextWindow: String(model?.contextWindow ?? 200_000),
    maxOutput: String(model?.maxOutput ?? 16_000),
    toolMode: model?.toolMode ?? 'native',
    effort: model?.effort ?? '',
    priceInput: model?.price == null ? '' : String(model.price.input),
    priceOutput: model?.price == null ? '' : String(model.price.output),
    forge: forge === null ? '' : forge.kind === 'github' && forge.appId !== null ? 'github-app' : forge.kind,
    apiUrl: forge?.apiUrl ?? '',
    token: '',
    dropsToken: false,
    username: forge?.username ?? '',
    appId: forge?.appId ?? '',
    installationId: forge?.installationId ?? '',
    privateKey: '',
    instructions: rest.instructions,
    writeAllow: rest.writeAllow.join('\n'),
    branchPrefix: rest.branchPrefix,
  };
}

/** The settings that the form asks for. What the form does not show of `before` is sent as it was. */
export function agentBody(draft: AgentDraft, before: AgentSettings): UpdateAgentSettingsBody {
  return {
    model: modelOf(draft, before.model),
    forge: forgeInput(draft),
    instructions: draft.instructions,
    writeAllow: draft.writeAllow
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    branchPrefix: draft.branchPrefix.trim(),
  };
}

function modelOf(draft: AgentDraft, before: Model | null): UpdateAgentSettingsBody['model'] {
  if (draft.provider === '') return null;
  return {
    provider: draft.provider,
    model: draft.model.trim(),
    baseUrl: orNull(draft.baseUrl),
    ...secret('apiKey', draft.apiKey, draft.dropsApiKey),
    contextWindow: Number(draft.contextWindow),
    maxOutput: Number(draft.maxOutput),
    toolMode: draft.toolMode,
    effort: draft.effort === '' ? null : draft.effort,
    price: priceOf(draft, before),
  };
}

function priceOf(draft: AgentDraft, before: Model | null) {
  if (draft.priceInput.trim() === '' && draft.priceOutput.trim() === '') return null;
  const input = Number(draft.priceInput);
  const output = Number(draft.priceOutput);
  const price = before?.price ?? null;
  return price !== null && price.input === input && price.output === output ? price : { input, output };
}

function forgeInput(draft: AgentDraft): UpdateAgentSettingsBody['forge'] {
  const apiUrl = orNull(draft.apiUrl);
  const token = secret('token', draft.token, draft.dropsToken);
  switch (draft.forge) {
    case '':
      return null;
    case 'git':
      return { kind: 'git' };
    case 'github':
    case 'gitlab':
      return { kind: draft.forge, apiUrl, ...token };
    case 'gitea':
      return { kind: 'gitea', apiUrl, ...token, username: draft.username.trim() };
    case 'github-app':
      return {
        kind: 'github',
        apiUrl,
        appId: draft.appId.trim(),
        installationId: draft.installationId.trim(),
        ...(draft.privateKey.trim() === '' ? {} : { privateKey: `${draft.privateKey.trim()}\n` }),
      };
  }
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** Left out: kept. Null: removed. */
function secret<Name extends string>(
  name: Name,
  text: string,
  drops: boolean,
): { [name in Name]?: string | null } {
  const value = text.trim();
  if (value !== '') return { [name]: value } as { [name in Name]: string };
  return drops ? ({ [name]: null } as { [name in Name]: null }) : {};
}
