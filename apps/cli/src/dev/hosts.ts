import { isIP } from 'node:net';

/**
 * Whether a `Host` header names this machine: an address, `localhost`, or the name the server was told to listen on.
 * A page of another site whose name was made to lead here (DNS rebinding) comes with that name and reads nothing.
 */
export function isOwnHost(header: string | undefined, listening: string): boolean {
  if (header === undefined) return false;
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(header.trim().toLowerCase())?.[1];
  if (name === undefined || name === '') return false;
  const bare = name.replace(/^\[|\]$/g, '');
  return (
    isIP(bare) !== 0 ||
    bare === 'localhost' ||
    bare.endsWith('.localhost') ||
    bare === listening.toLowerCase()
  );
}
