import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';

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

/** Whether a dialog is open. A link opens it with `?name=yes`, which is then removed from the address. */
export function useOpenParam(name: string): [boolean, (isOpen: boolean) => void] {
  const [asked, setAsked] = useSearchParam(name);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (asked === '') return;
    setOpen(true);
    setAsked('');
  }, [asked, setAsked]);
  return [isOpen, setOpen];
}
