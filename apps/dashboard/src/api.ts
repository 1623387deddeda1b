import { type Client, createClient } from '@offprint/client';
import { useOrganizationId } from './path-params.ts';

export type Api = Client;

/** Repeating is left to the queries: a person who waits sees why. */
const OPTIONS = { url: location.origin, retries: 0 };

/** Calls of the person who is signed in, and of anybody; no organization. */
export const accountApi: Api = createClient(OPTIONS);

const clients = new Map<string, Api>();

/** Calls in an organization. */
export function apiOf(organizationId: string): Api {
  let client = clients.get(organizationId);
  if (client === undefined) {
    client = createClient({ ...OPTIONS, organization: organizationId });
    clients.set(organizationId, client);
  }
  return client;
}

/** Calls in the organization of the address. */
export function useApi(): Api {
  return apiOf(useOrganizationId());
}
