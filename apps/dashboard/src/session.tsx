import type { Plan, Role, Session } from '@offprint/contract';
import { queryOptions, useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import { accountApi } from './api.ts';
import { forget } from './queries.ts';
import { readStored, writeStored } from './theme.ts';

/** The organization that `/` opens: the one seen last in this browser. */
const LAST = 'offprint.organization';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => accountApi.getSession({ signal }),
  staleTime: 30_000,
  refetchOnWindowFocus: true,
});

/** The session of the signed-in user. Only for pages that require one. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** An organization with the role of the person who is signed in. */
export interface Membership {
  id: string;
  name: string;
  plan: Plan;
  role: Role;
}

/** The organization of the address, null on pages outside of any. */
export function useCurrentOrganization(): Membership | null {
  const { organizationId } = useParams({ strict: false }) as { organizationId?: string };
  const { organizations } = useSession();
  return organizations.find(({ id }) => id === organizationId) ?? null;
}

/** The organization of the address. */
export function useOrganization(): Membership {
  const organization = useCurrentOrganization();
  if (organization === null) throw new Error('The page belongs to an organization.');
  return organization;
}

/** The organization to open first: the one opened last, else any; null without a membership. */
export function firstOrganization({ organizations }: Session): Membership | null {
  return organizations.find(({ id }) => id === readStored(LAST)) ?? organizations[0] ?? null;
}

export function rememberOrganization(id: string): void {
  writeStored(LAST, id);
}

/** Ends the session and forgets everything that was read in it. */
export function useSignOut() {
  const router = useRouter();
  return useMutation({
    mutationFn: () => accountApi.signOut(),
    onSuccess: async () => {
      await router.navigate({ to: '/sign-in' });
      forget();
    },
  });
}
