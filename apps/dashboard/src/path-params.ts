import { useParams } from '@tanstack/react-router';

/** A named part of the address, such as `projectId`. Throws where the page has none. */
export function usePathParam(name: string): string {
  const value = (useParams({ strict: false }) as Record<string, string | undefined>)[name];
  if (value === undefined) throw new Error(`The address has no ${name}.`);
  return value;
}

/** The organization id in the address. */
export function useOrganizationId(): string {
  return usePathParam('organizationId');
}
