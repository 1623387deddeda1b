import type { Project, ReaderAccessKind, ReaderSite, SiteReaderAccess } from '@offprint/contract';
import { useState } from 'react';
import {
  Button,
  ConfirmDialog,
  Field,
  Form,
  FormActions,
  Input,
  Loaded,
  PasswordInput,
  type RadioCard,
  RadioCards,
  RoleGate,
  Section,
  Skeleton,
  useGate,
} from '../ui/index.ts';
import { type SiteAccessInput, useReaderAccess, useSignReadersOut, useUpdateAccess } from './access-data.ts';
import { ProviderFields, providerOf } from './access-provider.tsx';
import { loginsOf, TokenFields, TokenKey } from './access-token.tsx';
import { VariantsSection } from './access-variants.tsx';

const KINDS: readonly RadioCard<ReaderAccessKind>[] = [
  { value: 'public', label: 'Everyone', help: 'No sign-in.' },
  { value: 'password', label: 'Password', help: 'Anyone with the password of the site.' },
  { value: 'members', label: 'Members', help: 'Members of this organization, with their account here.' },
  { value: 'oidc', label: 'OpenID Connect', help: 'Users of your provider, with their groups.' },
  { value: 'token', label: 'Your own login', help: 'Your login signs a token for each reader.' },
];

export function AccessTab({ project }: { project: Project }) {
  const query = useReaderAccess(project);
  return (
    <>
      <RoleGate role="admin" act="Changing who can read the sites" />
      <Loaded query={query} fault="The access did not load" skeleton={<Skeleton shape="card" count={2} />}>
        {({ production, preview }) => (
          <>
            <Section title="Site" description="Readers of the site on the domains of the project.">
              <SiteAccess
                key={JSON.stringify(production)}
                project={project}
                site="production"
                access={production}
              />
            </Section>
            <VariantsSection project={project} />
            <Section title="Previews" description="Readers of the previews of the project.">
              <SiteAccess key={JSON.stringify(preview)} project={project} site="preview" access={preview} />
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}

interface SiteAccessProps {
  project: Project;
  site: ReaderSite;
  access: SiteReaderAccess;
}

function SiteAccess({ project, site, access }: SiteAccessProps) {
  const reason = useGate({ role: 'admin' });
  const update = useUpdateAccess(project, site);
  const [kind, setKind] = useState(access.kind);
  return (
    <div className="max-w-180 space-y-5">
      <Form error={update.error} onSubmit={(values) => update.mutate(inputOf(kind, values))}>
        <fieldset disabled={reason !== null} className="space-y-5">
          <RadioCards
            label="Who can read it"
            name={`kind-${site}`}
            options={KINDS}
            value={kind}
            onChange={setKind}
            columns={2}
          />
          {kind === 'password' && <PasswordField site={site} access={access} />}
          {kind === 'oidc' && <ProviderFields site={site} project={project} access={access} />}
          {kind === 'token' && <TokenFields site={site} access={access} />}
          {kind !== 'public' && (
            <Field
              label="Hours until readers sign in again"
              param={`/${site}/sessionHours`}
              help={kind === 'members' ? 'At most 8 for members.' : 'At most 2,160, which is 90 days.'}
            >
              {(control) => (
                <Input
                  {...control}
                  name="sessionHours"
                  type="number"
                  min={1}
                  max={2160}
                  required
                  defaultValue={access.sessionHours}
                  className="max-w-40"
                />
              )}
            </Field>
          )}
        </fieldset>
        <FormActions>
          <Button type="submit" reason={reason} busy={update.isPending}>
            Save access
          </Button>
        </FormActions>
      </Form>
      {access.kind === 'token' && <TokenKey project={project} site={site} access={access} />}
      {access.kind !== 'public' && <SignOut project={project} site={site} />}
    </div>
  );
}

function PasswordField({ site, access }: Pick<SiteAccessProps, 'site' | 'access'>) {
  const isSet = access.passwordSetAt !== null;
  return (
    <Field
      label={isSet ? 'New password' : 'Password'}
      optional={isSet}
      param={`/${site}/password`}
      help={
        isSet
          ? 'A new password signs all readers out. Leave empty to keep the current one.'
          : 'At least 8 characters. All readers use the same password.'
      }
    >
      {(control) => (
        <PasswordInput
          {...control}
          name="password"
          minLength={8}
          maxLength={200}
          required={!isSet}
          autoComplete="new-password"
        />
      )}
    </Field>
  );
}

function SignOut({ project, site }: Pick<SiteAccessProps, 'project' | 'site'>) {
  const reason = useGate({ role: 'admin' });
  const [isAsking, setAsking] = useState(false);
  const out = useSignReadersOut(project, site);
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-card border p-4 text-sm">
      <span className="text-muted">Ends the sessions of all readers, within seconds.</span>
      <Button look="quiet" size="small" reason={reason} onClick={() => setAsking(true)}>
        Sign all readers out
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Sign all readers out?"
        action="Sign out"
        busy={out.isPending}
        error={out.error}
        onConfirm={() => out.mutate(undefined, { onSuccess: () => setAsking(false) })}
      >
        <p>Readers must sign in again at their next request.</p>
      </ConfirmDialog>
    </div>
  );
}

/** The fields that are shown for the kind; the settings of other kinds are kept. */
function inputOf(kind: ReaderAccessKind, values: FormData): SiteAccessInput {
  const text = (name: string) => String(values.get(name) ?? '').trim();
  const hours = text('sessionHours');
  const password = String(values.get('password') ?? '');
  return {
    kind,
    ...(hours === '' ? {} : { sessionHours: Number(hours) }),
    ...(password === '' ? {} : { password }),
    ...(kind === 'oidc' ? { oidc: providerOf(text) } : {}),
    ...(kind === 'token' ? { token: loginsOf(text) } : {}),
  };
}
