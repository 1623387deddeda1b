import type { Project, ReaderSite, SiteReaderAccess } from '@offprint/contract';
import { useState } from 'react';
import {
  Button,
  ConfirmDialog,
  Dialog,
  Fault,
  Field,
  Input,
  SecretOnce,
  Textarea,
  Time,
  useGate,
} from '../ui/index.ts';
import { type SiteAccessInput, useCreateTokenKey } from './access-data.ts';

interface TokenProps {
  project: Project;
  site: ReaderSite;
  access: SiteReaderAccess;
}

export function TokenFields({ site, access }: Pick<TokenProps, 'site' | 'access'>) {
  const { loginUrls, issuer, audience } = access.token;
  const param = (name: string) => `/${site}/token/${name}`;
  return (
    <>
      <Field
        label="Logins"
        optional
        param={param('loginUrls')}
        help="One per line: URL, a space, and a name. The name is shown if there are several."
      >
        {(control) => (
          <Textarea
            {...control}
            name="loginUrls"
            rows={3}
            spellCheck={false}
            placeholder="https://acme.example/docs-login Acme account"
            defaultValue={loginUrls.map(({ name, url }) => `${url} ${name}`).join('\n')}
          />
        )}
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Issuer" optional param={param('issuer')} help="Required value of `iss`.">
          {(control) => (
            <Input {...control} name="tokenIssuer" spellCheck={false} defaultValue={issuer ?? ''} />
          )}
        </Field>
        <Field label="Audience" optional param={param('audience')} help="Required value of `aud`.">
          {(control) => (
            <Input {...control} name="audience" spellCheck={false} defaultValue={audience ?? ''} />
          )}
        </Field>
      </div>
    </>
  );
}

/** The token settings of the fields. */
export function loginsOf(text: (name: string) => string): NonNullable<SiteAccessInput['token']> {
  const lines = text('loginUrls')
    .split('\n')
    .map((line) => line.trim());
  const orNull = (name: string) => (text(name) === '' ? null : text(name));
  return {
    loginUrls: lines
      .filter((line) => line !== '')
      .map((line) => {
        const [url = '', ...name] = line.split(/\s+/);
        return { url, name: name.join(' ') || 'Sign in' };
      }),
    issuer: orNull('tokenIssuer'),
    audience: orNull('audience'),
  };
}

/** Creates the key and shows it this one time. */
export function TokenKey({ project, site, access }: TokenProps) {
  const { keyCreatedAt } = access.token;
  const reason = useGate({ role: 'admin' });
  const [isAsking, setAsking] = useState(false);
  const make = useCreateTokenKey(project, site);
  const [isShown, setShown] = useState(false);
  const create = () =>
    make.mutate(undefined, {
      onSuccess: () => {
        setAsking(false);
        setShown(true);
      },
    });
  return (
    <div className="rounded-card border p-4 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-muted">
          {keyCreatedAt === null ? (
            'No key for tokens yet.'
          ) : (
            <>
              Key created <Time at={keyCreatedAt} />.
            </>
          )}
        </span>
        <Button
          look="quiet"
          size="small"
          reason={reason}
          busy={make.isPending && !isAsking}
          onClick={() => (keyCreatedAt === null ? create() : setAsking(true))}
        >
          {keyCreatedAt === null ? 'Create key' : 'Replace key'}
        </Button>
      </div>
      {make.error !== null && !isAsking && <Fault error={make.error} title="The key was not created" />}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Replace the key for tokens?"
        action="Replace key"
        busy={make.isPending}
        error={make.error}
        onConfirm={create}
      >
        <p>The current key stops working immediately, and all readers are signed out.</p>
      </ConfirmDialog>
      <Dialog open={isShown} onClose={() => setShown(false)} title="Key for tokens" dismissible={false}>
        <SecretOnce value={make.data?.privateKey ?? ''} name="private key" onSaved={() => setShown(false)}>
          Store it where your login signs tokens. The server keeps the public half only.
        </SecretOnce>
      </Dialog>
    </div>
  );
}
