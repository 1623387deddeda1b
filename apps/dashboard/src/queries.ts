import { ApiError, ConnectionError } from '@offprint/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

const TRIES = 3;

/** First part of the keys of what anybody may read. */
export const PUBLIC = 'public';

/** Whether a retry may succeed: the error of the server, a proxy or the network is temporary. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && [429, 502, 503, 504].includes(error.status);
}

/** Whether nobody is signed in, or no more. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unauthorized';
}

let signedOut = () => {};

/** What happens when any call finds that nobody is signed in. */
export function onSignedOut(run: () => void): void {
  signedOut = run;
}

function watch(error: unknown): void {
  if (isSignedOut(error)) signedOut();
}

/** The cache of server data. Reads are retried after temporary errors, changes never. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: watch }),
  mutationCache: new MutationCache({ onError: watch }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < TRIES && isTemporary(error),
      retryDelay: (count, error) => {
        const asked = error instanceof ApiError ? error.retryAfter : null;
        return Math.min(30_000, asked === null ? 500 * 2 ** count : asked * 1000);
      },
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Forgets everything that was read in a session; what pages for strangers show stays. */
export function forget(): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== PUBLIC });
  queries.getMutationCache().clear();
}
