import { createProvider, type Provider, type ProviderSettings } from '../accounts/service.ts';
import { clientSecretOf } from './settings.ts';
import type { AccessRow } from './store.ts';
import { groupsOf, type UserData, userData } from './user-data.ts';

/** Providers of sites, each with what it says of itself, which is expensive to ask for. */
export type Providers = (row: AccessRow) => Provider | undefined;

const MAX_PROVIDERS = 200;

export function createProviders(adapters: { key: Buffer; fetch: typeof fetch }): Providers {
  const known = new Map<string, Provider>();
  return (row) => {
    const { oidc } = row;
    if (oidc === null) return undefined;
    const name = JSON.stringify([row.project_id, row.site, row.updated_at]);
    const found = known.get(name);
    if (found !== undefined) return found;
    const settings: ProviderSettings = {
      issuer: oidc.issuer,
      clientId: oidc.clientId,
      clientSecret: clientSecretOf(adapters.key, row),
      scopes: oidc.scopes,
      fetch: adapters.fetch,
    };
    const provider = createProvider(settings);
    for (const oldest of known.keys()) if (known.size >= MAX_PROVIDERS) known.delete(oldest);
    known.set(name, provider);
    return provider;
  };
}

/** What the provider says of the reader. Claims that have other types than user data has are ignored. */
export function userOfClaims(
  claims: { name: string | null; email: string | null; all: Readonly<Record<string, unknown>> },
  oidc: NonNullable<AccessRow['oidc']>,
): UserData {
  const { expiresAt, content, apiPlaygroundInputs } = userData.shape;
  const { all, name, email } = claims;
  const known = { ...(name === null ? {} : { name }), ...(email === null ? {} : { email }) };
  return {
    groups: groupsOf(all[oidc.groupsClaim], oidc.groupsDelimiter),
    expiresAt: expiresAt.safeParse(all.expiresAt).data,
    content: content.safeParse(all.content).data ?? known,
    apiPlaygroundInputs: apiPlaygroundInputs.safeParse(all.apiPlaygroundInputs).data,
  };
}
