import { getPublicSuffix } from 'tldts';

/** Names that never belong to one owner (RFC 6761, RFC 7686, RFC 9476). */
const SPECIAL = ['localhost', 'invalid', 'onion', 'arpa', 'alt'];

/**
 * Why a host cannot be the domain of a site; null: it can. `host` is canonical. `ownHosts`: hosts of the platform, and
 * domains below which it names hosts itself.
 */
export function refusalOf(host: string, ownHosts: readonly string[]): string | null {
  const name = host.replace(/^\*\./, '');
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (SPECIAL.includes(last)) return `${name} is a special-use name. Use a domain that you own.`;
  const own = ownHosts.find((each) => name === each || name.endsWith(`.${each}`));
  if (own !== undefined) return `${name} belongs to this installation. Use a domain that you own.`;
  if (getPublicSuffix(name, { allowPrivateDomains: true }) === name)
    return `${name} is a public suffix, below which anyone can register names. Use a domain that you own.`;
  return null;
}
