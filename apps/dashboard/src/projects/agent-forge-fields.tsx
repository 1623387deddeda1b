import { Checkbox, Field, Input, PasswordInput, Select, Textarea } from '../ui/index.ts';
import type { AgentDraft, AgentFieldsProps } from './agent-draft.ts';

const RIGHTS: Partial<Record<AgentDraft['forge'], string>> = {
  github:
    'A fine-grained token for this repository with read and write access to Contents and Pull requests. Do not grant Workflows.',
  gitlab: 'A project access token with the role Developer and the scopes api and write_repository.',
  gitea: 'A token with read and write permission for repository, of an account that can write there.',
};

export function ForgeFields({ draft, set, settings }: AgentFieldsProps) {
  const { forge } = settings;
  const before =
    forge === null ? '' : forge.kind === 'github' && forge.appId !== null ? 'github-app' : forge.kind;
  const hasStored =
    forge?.hasSecret === true && before === draft.forge && (forge.apiUrl ?? '') === draft.apiUrl.trim();
  const kept = hasStored
    ? 'Stored and never shown. Leave empty to keep it.'
    : 'Encrypted before it is stored, and never shown.';
  const text = (name: 'apiUrl' | 'username' | 'appId' | 'installationId') => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
    spellCheck: false,
    autoCapitalize: 'off',
    autoComplete: 'off',
  });
  return (
    <div className="space-y-5">
      <Field
        label="Forge"
        param="/forge/kind"
        help={
          draft.forge === ''
            ? 'Detected for github.com, gitlab.com, codeberg.org and gitea.com. Pull requests are opened with the source credential if its permissions allow it.'
            : draft.forge === 'git'
              ? 'The agent pushes a branch with the source credential and opens no pull request.'
              : 'The forge software on the repository host.'
        }
      >
        {(control) => (
          <Select
            {...control}
            value={draft.forge}
            onChange={({ target }) =>
              set({
                forge: target.value as AgentDraft['forge'],
                token: '',
                privateKey: '',
                dropsToken: false,
              })
            }
          >
            <option value="">Detect from the repository host</option>
            <option value="github">GitHub, with a token</option>
            <option value="github-app">GitHub, with an App</option>
            <option value="gitlab">GitLab</option>
            <option value="gitea">Gitea or Forgejo</option>
            <option value="git">None: push a branch only</option>
          </Select>
        )}
      </Field>
      {draft.forge !== '' && draft.forge !== 'git' && (
        <Field
          label="API URL"
          optional
          param="/forge/apiUrl"
          help="Leave empty to derive it from the repository host. Required if the API has another URL, such as https://github.example.com/api/v3."
        >
          {(control) => <Input {...control} {...text('apiUrl')} inputMode="url" />}
        </Field>
      )}
      {draft.forge === 'gitea' && (
        <Field label="Account" param="/forge/username" help="The account that the token belongs to.">
          {(control) => <Input {...control} {...text('username')} required maxLength={255} />}
        </Field>
      )}
      {draft.forge === 'github-app' && (
        <>
          <div className="grid gap-5 sm:grid-cols-2">
            <Field label="App id" param="/forge/appId">
              {(control) => <Input {...control} {...text('appId')} required maxLength={64} />}
            </Field>
            <Field
              label="Installation id"
              param="/forge/installationId"
              help="The number at the end of the URL of the installation."
            >
              {(control) => <Input {...control} {...text('installationId')} required maxLength={64} />}
            </Field>
          </div>
          <Field
            label="Private key of the App"
            optional={hasStored}
            param="/forge/privateKey"
            help={`PEM format, from the settings of the App. ${kept}`}
          >
            {(control) => (
              <Textarea
                {...control}
                rows={4}
                required={!hasStored}
                value={draft.privateKey}
                onChange={({ target }) => set({ privateKey: target.value })}
                placeholder="-----BEGIN RSA PRIVATE KEY-----"
                spellCheck={false}
                autoComplete="off"
                className="font-mono text-[13px]"
              />
            )}
          </Field>
        </>
      )}
      {RIGHTS[draft.forge] !== undefined && (
        <>
          <Field
            label="Token for pull requests"
            optional
            param="/forge/token"
            help={`${RIGHTS[draft.forge]} ${kept}`}
          >
            {(control) => (
              <PasswordInput
                {...control}
                value={draft.token}
                disabled={draft.dropsToken}
                onChange={({ target }) => set({ token: target.value })}
                autoComplete="off"
                data-1p-ignore
              />
            )}
          </Field>
          {hasStored && (
            <Checkbox
              label="Remove the stored token"
              checked={draft.dropsToken}
              onChange={({ target }) => set({ dropsToken: target.checked, token: '' })}
            />
          )}
        </>
      )}
    </div>
  );
}
