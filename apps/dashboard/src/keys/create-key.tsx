import type { CreateApiKeyBody, CreatedApiKey } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  CopyButton,
  Day,
  Dialog,
  downloadText,
  Field,
  Form,
  FormActions,
  Input,
  SecretOnce,
  Select,
  Textarea,
} from '../ui/index.ts';
import { Code } from './code.tsx';
import {
  type Access,
  EXPIRIES,
  type Expiry,
  envLines,
  expiryDate,
  readAllowList,
  scopesOf,
  tryCommand,
} from './key-facts.ts';
import { ProjectChoice } from './project-choice.tsx';
import { ScopeChoice } from './scope-choice.tsx';

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

function expiryWords(days: Expiry): string {
  const date = expiryDate(days, new Date());
  return date === null ? 'Never' : `In ${days} days, on ${day.format(date)}`;
}

/** Creates a key and shows it this one time. */
export function CreateKeyDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const close = () => {
    setCreated(null);
    onClose();
  };
  if (created === null)
    return (
      <Dialog
        key="form"
        open={open}
        onClose={close}
        title="Create API key"
        description="A key lets a program access this organization. It is shown only once."
      >
        <CreateKeyForm onCreated={setCreated} onCancel={close} />
      </Dialog>
    );
  return (
    // a separate dialog, so that the focus starts again
    <Dialog
      key="secret"
      open={open}
      onClose={close}
      title={`Key “${created.name}” created`}
      dismissible={false}
    >
      <NewKey created={created} onSaved={close} />
    </Dialog>
  );
}

function CreateKeyForm({
  onCreated,
  onCancel,
}: {
  onCreated: (key: CreatedApiKey) => void;
  onCancel: () => void;
}) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const [ranges, setRanges] = useState('');
  const [showsFaults, setShowsFaults] = useState(false);
  const [days, setDays] = useState<Expiry>(90);
  const [access, setAccess] = useState<Access>({ exports: 'write' });
  const [projects, setProjects] = useState<readonly string[] | null>(null);
  const create = useMutation({
    mutationFn: (body: CreateApiKeyBody) => api.createApiKey(body),
    onSuccess: (key) => {
      onCreated(key);
      void queries.invalidateQueries({ queryKey: [organizationId, 'keys'] });
    },
  });
  const allowList = readAllowList(ranges);
  const faults = showsFaults ? allowList.faults : [];
  const scopes = scopesOf(access);
  const lacksScope = scopes.length === 0;
  const lacksProject = projects?.length === 0;

  function submit(values: FormData) {
    setShowsFaults(true);
    const wrong = lacksScope ? 'scope' : lacksProject ? 'project' : 'allowedCidrs';
    if (lacksScope || lacksProject || allowList.faults.length > 0)
      return document.getElementsByName(wrong)[0]?.focus();
    create.mutate({
      name: String(values.get('name')),
      scopes,
      projects: projects === null ? null : [...projects],
      expiresInDays: days,
      ...(allowList.ranges.length === 0 ? {} : { allowedCidrs: allowList.ranges }),
    });
  }

  return (
    <Form error={create.error} onSubmit={submit}>
      <Field label="Name" param="/name" help="Where the key is used. Create a separate key for each use.">
        {(control) => (
          <Input
            {...control}
            name="name"
            required
            maxLength={100}
            placeholder="release pipeline"
            autoComplete="off"
          />
        )}
      </Field>
      <ScopeChoice
        access={access}
        onChange={setAccess}
        error={showsFaults && lacksScope ? 'Choose at least one.' : null}
      />
      <ProjectChoice
        chosen={projects}
        onChange={setProjects}
        error={showsFaults && lacksProject ? 'Choose at least one project.' : null}
        note={
          access.organization === undefined
            ? null
            : 'A key that is limited to projects can manage only such keys and the webhook secrets of these projects. It cannot use members, invitations and usage.'
        }
      />
      <Field
        label="Expires"
        param="/expiresInDays"
        help={
          days === null
            ? 'The key is valid until it is revoked. We recommend an expiration date.'
            : 'The key stops working on this date. The list shows a warning 14 days before.'
        }
      >
        {(control) => (
          <Select
            {...control}
            value={String(days)}
            onChange={({ target }) => setDays(EXPIRIES.find((each) => String(each) === target.value) ?? null)}
          >
            {EXPIRIES.map((each) => (
              <option key={String(each)} value={String(each)}>
                {expiryWords(each)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Allowed IP addresses"
        optional
        param="/allowedCidrs"
        error={faults.length === 0 ? null : faults.join(' ')}
        help="IP addresses or networks that can use the key, one per line, such as 203.0.113.0/24 or 2001:db8::/32. Leave empty to allow all."
      >
        {(control) => (
          <Textarea
            {...control}
            name="allowedCidrs"
            rows={2}
            value={ranges}
            onChange={({ target }) => {
              setRanges(target.value);
              setShowsFaults(false);
            }}
            onBlur={() => setShowsFaults(true)}
            spellCheck={false}
            className="font-mono text-[13px]"
          />
        )}
      </Field>
      <FormActions>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" busy={create.isPending}>
          Create key
        </Button>
      </FormActions>
    </Form>
  );
}

function NewKey({ created, onSaved }: { created: CreatedApiKey; onSaved: () => void }) {
  const url = location.origin;
  return (
    <SecretOnce value={created.key} name="API key" onSaved={onSaved}>
      <p>
        {created.expiresAt === null ? (
          'It is valid until it is revoked.'
        ) : (
          <>
            It is valid until <Day at={created.expiresAt} />.
          </>
        )}{' '}
        Store it in a secret manager, never in a repository or a web page.
      </p>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium text-text">As an .env file</p>
        <Button
          look="quiet"
          size="small"
          onClick={() => downloadText('offprint.env', envLines(url, created.key))}
        >
          <Download aria-hidden="true" className="size-3.5" />
          Download .env
        </Button>
      </div>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium text-text">Test it in a shell</p>
        <CopyButton text={tryCommand(url, created.key, created.scopes)} label="Copy command" />
      </div>
      <Code
        label="Command that tests the key"
        text={tryCommand(url, `${created.key.slice(0, 9)}…${created.last4}`, created.scopes)}
      />
    </SecretOnce>
  );
}
