import { isIP } from 'node:net';

/**
 * Whether a `Host` header names this machine: an IP address, `localhost`, or the configured host name. Prevents DNS
 * rebinding: a request for the host name of another site is rejected.
 */
export function isOwnHost(header: string | undefined, listening: string): boolean {
  if (header === undefined) return false;
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(header.trim().toLowerCase())?.[1];
  if (name === undefined || name === '') return false;
  const host = name.replace(/^\[|\]$/g, '');
  return (
    isIP(host) !== 0 ||
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === listening.toLowerCase()
  );
}
