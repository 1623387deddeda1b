import { useSignInOptions } from './accounts/arrival.ts';

/** URL of a page of the documentation, such as `/roadmap`; null if the installation has none configured. */
export function useDocsUrl(path = ''): string | null {
  const base = useSignInOptions().data?.docsUrl ?? null;
  return base === null ? null : `${base}${path}`;
}
