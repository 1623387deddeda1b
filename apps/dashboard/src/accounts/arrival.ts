import type { Session } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { accountApi } from '../api.ts';
import { forget, PUBLIC, queries } from '../queries.ts';
import { sessionQuery } from '../session.tsx';
import { isOwnPath } from './own-path.ts';

/** What the installation offers to people who are not signed in. */
export function useSignInOptions() {
  return useQuery({
    queryKey: [PUBLIC, 'sign-in-options'],
    queryFn: ({ signal }) => accountApi.getSignInOptions({ signal }),
    staleTime: 300_000,
  });
}

/** Where to go after signing in: the page that was asked for. Never another site. */
export function useReturnTo(): string {
  const { returnTo } = useSearch({ strict: false }) as { returnTo?: string };
  return returnTo !== undefined && isOwnPath(returnTo) ? returnTo : '/';
}

/** Opens the dashboard after a sign-in. Data read before belongs to another session. */
export function useEnter(): (session: Session) => void {
  const router = useRouter();
  const returnTo = useReturnTo();
  return (session) => {
    forget();
    queries.setQueryData(sessionQuery.queryKey, session);
    router.history.push(returnTo);
  };
}

/** The token of a link, from the part of the address that no server sees. It is taken out of the address at once. */
export function useLinkToken(): string {
  const [token] = useState(readToken);
  return token;
}

/** Keeps the token in this tab while single sign-on leads away from the page and back. */
export function keepLinkToken(token: string): void {
  try {
    sessionStorage.setItem(STORAGE, token);
  } catch {
    // Without storage the link is opened again after signing in.
  }
}

const STORAGE = 'offprint.link-token';
let taken = '';

function readToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) {
    taken = token;
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return taken === '' ? takeKept() : taken;
}

function takeKept(): string {
  try {
    taken = sessionStorage.getItem(STORAGE) ?? '';
    sessionStorage.removeItem(STORAGE);
  } catch {
    taken = '';
  }
  return taken;
}
