import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** A text that the address keeps as `?name=`; the default is left out of the address. */
export function useSearchParam(name: string, byDefault = ''): [string, (value: string) => void] {
  const search = useSearch({ strict: false }) as Partial<Record<string, string>>;
  const navigate = useNavigate();
  const set = useCallback(
    (value: string) =>
      void navigate({
        to: '.',
        search: (before) => ({ ...before, [name]: value === byDefault ? undefined : value }) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate, name, byDefault],
  );
  return [search[name] ?? byDefault, set];
}
