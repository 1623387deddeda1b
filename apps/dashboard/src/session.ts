/** The admin key of this tab. It is gone when the tab is closed and is never written to disk. */
import { createClient } from '@offprint/client';

const STORAGE = 'offprint.key';

export type Api = ReturnType<typeof createClient>;

export function createApi(key: string): Api {
  return createClient({ url: location.origin, key });
}

export function storedKey(): string | null {
  return sessionStorage.getItem(STORAGE);
}

export function storeKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(STORAGE);
  else sessionStorage.setItem(STORAGE, key);
}
