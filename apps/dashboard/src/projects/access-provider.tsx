import type { Project, ReaderSite, SiteReaderAccess } from '@offprint/contract';
import { Field, Id, Input } from '../ui/index.ts';
import type { SiteAccessInput } from './access-data.ts';

interface ProviderFieldsProps {
  project: Project;
  site: ReaderSite;
  access: SiteReaderAccess;
}

const PLAIN = { spellCheck: false, autoCapitalize: 'off', autoComplete: 'off' } as const;

export function ProviderFields({ project, site, access }: ProviderFieldsProps) {
  const { oidc } = access;
  const domain = site === 'production' ? project.domains[0] : undefined;
  const param = (name: string) => `/${site}/oidc/${name}`;
  return (
    <>
      {domain !== undefined && (
        <p className="text-sm">
          Redirect URI for the provider:{' '}
          <Id value={`https://${domain}${project.basePath}/login/callback`} name="redirect URI" />
        </p>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Issuer" param={param('issuer')} help="URL of the provider.">
          {(control) => (
            <Input
              {...control}
              {...PLAIN}
              name="issuer"
              type="url"
              required
              defaultValue={oidc?.issuer ?? ''}
            />
          )}
        </Field>
        <Field label="Client id" param={param('clientId')}>
          {(control) => (
            <Input {...control} {...PLAIN} name="clientId" required defaultValue={oidc?.clientId ?? ''} />
          )}
        </Field>
        <Field
          label="Client secret"
          optional
          param={param('clientSecret')}
          help={oidc?.hasClientSecret === true ? 'Stored. Leave empty to keep it.' : 'Empty: PKCE only.'}
        >
          {(control) => <Input {...control} {...PLAIN} name="clientSecret" type="password" />}
        </Field>
        <Field label="Scopes" param={param('scopes')}>
          {(control) => (
            <Input
              {...control}
              {...PLAIN}
              name="scopes"
              required
              defaultValue={oidc?.scopes ?? 'openid email profile'}
            />
          )}
        </Field>
        <Field label="Claim with groups" param={param('groupsClaim')}>
          {(control) => (
            <Input
              {...control}
              {...PLAIN}
              name="groupsClaim"
              required
              defaultValue={oidc?.groupsClaim ?? 'groups'}
            />
          )}
        </Field>
        <Field
          label="Logout URL"
          optional
          param={param('logoutUrl')}
          help="Where readers go after they sign out."
        >
          {(control) => (
            <Input {...control} {...PLAIN} name="logoutUrl" type="url" defaultValue={oidc?.logoutUrl ?? ''} />
          )}
        </Field>
      </div>
      <input type="hidden" name="groupsDelimiter" value={oidc?.groupsDelimiter ?? ''} />
    </>
  );
}

/** The provider of the fields. */
export function providerOf(text: (name: string) => string): NonNullable<SiteAccessInput['oidc']> {
  const secret = text('clientSecret');
  const orNull = (name: string) => (text(name) === '' ? null : text(name));
  return {
    issuer: text('issuer'),
    clientId: text('clientId'),
    scopes: text('scopes'),
    groupsClaim: text('groupsClaim'),
    groupsDelimiter: orNull('groupsDelimiter'),
    logoutUrl: orNull('logoutUrl'),
    ...(secret === '' ? {} : { clientSecret: secret }),
  };
}
