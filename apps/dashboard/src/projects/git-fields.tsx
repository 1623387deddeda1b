import { useState } from 'react';
import { Field, Input, PasswordInput, type RadioCard, RadioCards, Textarea } from '../ui/index.ts';
import { deployKeyHelp, tokenHelp } from './repository-address.ts';
import { type Access, cleanDraft, DRAFT_PARAMS, draftForge, type GitDraft } from './source-draft.ts';

interface GitFieldsProps {
  draft: GitDraft;
  onChange: (draft: GitDraft) => void;
  faults: Partial<Record<keyof GitDraft, string>>;
  /** A credential is stored, and may be kept. */
  hasStored?: boolean;
  /** The server can generate the key after the project is created. */
  makesKey?: boolean;
  /** Branches and folders that a connection test found. */
  branches?: readonly string[];
  folders?: readonly string[];
}

/** Where a Git source is and how to sign in there. */
export function GitFields({
  draft,
  onChange,
  faults,
  hasStored = false,
  makesKey = false,
  branches = [],
  folders = [],
}: GitFieldsProps) {
  const [notes, setNotes] = useState<string[]>([]);
  const set = (change: Partial<GitDraft>) => onChange({ ...draft, ...change });
  const clean = (text: string) => {
    const cleaned = cleanDraft({ ...draft, address: text });
    setNotes(cleaned.notes);
    onChange(cleaned.draft);
  };
  const { isSsh, forge } = draftForge(draft);
  const at = (field: keyof GitDraft) => ({ param: DRAFT_PARAMS[field], error: faults[field] ?? null });
  return (
    <div className="space-y-5">
      <Field
        label="Repository URL"
        {...at('address')}
        help={
          notes.length > 0 ? (
            <span role="status" className="text-text">
              {notes.join(' ')}
            </span>
          ) : (
            'The https or ssh URL, or the URL of the repository or docs folder in your browser.'
          )
        }
      >
        {(control) => (
          <Input
            {...control}
            value={draft.address}
            onChange={({ target }) => set({ address: target.value })}
            onBlur={({ target }) => clean(target.value)}
            onPaste={(event) => {
              const input = event.currentTarget;
              // what is pasted over everything is read at once, without waiting for the field to be left
              if (
                input.selectionEnd !== null &&
                input.selectionEnd - (input.selectionStart ?? 0) === input.value.length
              ) {
                event.preventDefault();
                clean(event.clipboardData.getData('text').trim());
              }
            }}
            placeholder="https://github.com/acme/docs"
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            inputMode="url"
          />
        )}
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Branch" optional {...at('branch')} help="Leave empty for the default branch.">
          {(control) => (
            <Choice
              control={control}
              value={draft.branch}
              found={branches}
              onChange={(branch) => set({ branch })}
            />
          )}
        </Field>
        <Field
          label="Docs folder"
          optional
          {...at('folder')}
          help="The folder that contains docs.json. Leave empty for the root."
        >
          {(control) => (
            <Choice
              control={control}
              value={draft.folder}
              found={folders}
              onChange={(folder) => set({ folder })}
            />
          )}
        </Field>
      </div>
      <RadioCards<Access>
        label="Sign-in"
        name="access"
        value={draft.access}
        onChange={(access) => set({ access })}
        columns={hasStored ? 2 : 3}
        options={accessOptions({ isSsh, isEmpty: draft.address.trim() === '', hasStored, makesKey })}
      />
      {draft.access === 'token' && (
        <>
          <Field
            label="Token"
            {...at('token')}
            help={`${tokenHelp(forge).text} It is encrypted before it is stored, and never shown.`}
          >
            {(control) => (
              <PasswordInput
                {...control}
                value={draft.token}
                onChange={({ target }) => set({ token: target.value })}
                autoComplete="off"
                data-1p-ignore
              />
            )}
          </Field>
          <Field label="User name" optional {...at('username')} help={tokenHelp(forge).username}>
            {(control) => (
              <Input
                {...control}
                value={draft.username}
                onChange={({ target }) => set({ username: target.value })}
                spellCheck={false}
                autoCapitalize="off"
                autoComplete="off"
              />
            )}
          </Field>
        </>
      )}
      {draft.access === 'ssh-key' && (
        <>
          <Field
            label="Private key"
            {...at('privateKey')}
            help={`${deployKeyHelp(forge)} It is encrypted before it is stored, and never shown.`}
          >
            {(control) => (
              <Textarea
                {...control}
                rows={5}
                value={draft.privateKey}
                onChange={({ target }) => set({ privateKey: target.value })}
                placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
                spellCheck={false}
                autoComplete="off"
                className="font-mono text-[13px]"
              />
            )}
          </Field>
          <Field
            label="Known hosts"
            optional
            {...at('knownHosts')}
            help="Lines of a known_hosts file for this server (ssh-keyscan). Leave empty to use the keys that the operator configured."
          >
            {(control) => (
              <Textarea
                {...control}
                rows={2}
                value={draft.knownHosts}
                onChange={({ target }) => set({ knownHosts: target.value })}
                spellCheck={false}
                className="font-mono text-[13px]"
              />
            )}
          </Field>
        </>
      )}
    </div>
  );
}

/** The ways to sign in that the address allows: a key over ssh, a token or nothing over https. */
function accessOptions({
  isSsh,
  isEmpty,
  hasStored,
  makesKey,
}: {
  isSsh: boolean;
  isEmpty: boolean;
  hasStored: boolean;
  makesKey: boolean;
}): RadioCard<Access>[] {
  const options: (RadioCard<Access> & { isFor: boolean })[] = [
    {
      value: 'stored',
      label: 'Stored credential',
      help: 'Keeps the stored credential. It is removed if you change the repository.',
      isFor: hasStored,
    },
    {
      value: 'none',
      label: 'Not needed',
      help: hasStored
        ? 'The repository is public. The stored credential is removed.'
        : 'The repository is public.',
      isFor: !isSsh,
    },
    { value: 'token', label: 'Token', help: 'For a private repository over https.', isFor: !isSsh },
    {
      value: 'ssh-key',
      label: 'SSH deploy key',
      help: 'For a private repository over ssh, with your own private key.',
      isFor: isSsh || isEmpty,
    },
    {
      value: 'made-key',
      label: 'Generated deploy key',
      help: 'The server generates a key in the next step. You add its public key on the forge.',
      isFor: isSsh && makesKey,
    },
  ];
  return options.filter(({ isFor }) => isFor);
}

/** A text with suggestions. */
function Choice({
  control,
  value,
  found,
  onChange,
}: {
  control: { id: string };
  value: string;
  found: readonly string[];
  onChange: (value: string) => void;
}) {
  const list = `${control.id}-found`;
  return (
    <>
      <Input
        {...control}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        list={found.length > 0 ? list : undefined}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
      />
      {found.length > 0 && (
        <datalist id={list}>
          {found.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  );
}
