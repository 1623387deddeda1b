import { isAllowedHost } from '../net/host.ts';
import { AppError } from './error.ts';

/**
 * Normal form of the address of a server that a project has set; http only to hosts that the operator has named.
 * `param`: JSON pointer of the field.
 */
export function checkedUrl(
  text: string | null | undefined,
  allowedHosts: readonly string[],
  param: string,
): string | null {
  if (text === undefined || text === null) return null;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !isAllowedHost(url.hostname, { allowPrivate: false, allowedHosts })) {
    const field = param.slice(1).replaceAll('/', '.');
    throw new AppError(
      'invalid_request',
      `${field} must be an https URL. An operator can allow http to ${url.hostname} by naming it in OFFPRINT_ALLOW_PRIVATE_HOSTS.`,
      { param },
    );
  }
  return url.href.replace(/\/+$/, '');
}
