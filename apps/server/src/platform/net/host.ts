import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isPublicAddress } from './address.ts';
import { NetworkError } from './error.ts';

/** Which hosts this installation may speak to. */
export interface NetworkPolicy {
  /** Hosts with private, loopback or other non-public addresses too (development, self-hosted forges). */
  allowPrivate: boolean;
  /** Host names that are allowed whatever their address: `forge.example.com`, or `*.example.com` for all below it. */
  allowedHosts: readonly string[];
  /** Nothing but `allowedHosts` (air-gapped installations). */
  onlyAllowedHosts?: boolean;
}

export interface HostAddress {
  address: string;
  family: 4 | 6;
}

export type Lookup = (host: string) => Promise<readonly HostAddress[]>;

const LOOKUP_TIMEOUT_MS = 10_000;

/**
 * The addresses of a host that policy allows, resolved once. Connect to these and to nothing resolved later,
 * or a name that changes its records bypasses the check. Numeric spellings that the C library accepts
 * (decimal, octal, hexadecimal, short) are read as the address they mean.
 *
 * Throws NetworkError: `invalid`, `host-refused`, `unreachable`.
 */
export async function checkHost(
  host: string,
  policy: NetworkPolicy,
  lookup: Lookup = lookupAll,
): Promise<HostAddress[]> {
  const name = normalizeHost(host);
  if (name === null) throw new NetworkError('invalid', `"${printable(host)}" is not a host name.`);
  const allowed = isAllowedHost(name, policy);
  if (policy.onlyAllowedHosts === true && !allowed) {
    throw new NetworkError(
      'host-refused',
      `This installation connects to allowed hosts only, and ${name} is not one of them. An operator can add it to the allowed hosts.`,
    );
  }
  const family = isIP(name);
  const addresses = family === 0 ? await resolve(name, lookup) : [{ address: name, family: family as 4 | 6 }];
  if (!allowed && !policy.allowPrivate && addresses.some(({ address }) => !isPublicAddress(address))) {
    throw new NetworkError(
      'host-refused',
      `${name} is not a public host. If it should be reachable, an operator can add it to the allowed hosts (OFFPRINT_ALLOW_PRIVATE_HOSTS).`,
    );
  }
  return addresses;
}

/** Whether an operator has named the host, in any spelling of it. */
export function isAllowedHost(host: string, policy: NetworkPolicy): boolean {
  const name = normalizeHost(host);
  return name !== null && policy.allowedHosts.some((pattern) => matchesHost(name, pattern));
}

/** Lower case, punycode, no brackets, no dot at the end, IPv4 in dotted decimal; null if it is not a host. */
export function normalizeHost(host: string): string | null {
  if (host.length === 0 || host.length > 255 || /[\s\0-\x1f\x7f/\\?#@<>^|%[\]]/.test(unbracket(host)))
    return null;
  const bare = unbracket(host);
  if (bare.includes(':')) return isIP(bare) === 6 ? bare.toLowerCase() : null;
  const ascii = domainToASCII(bare).replace(/\.$/, '');
  if (ascii === '' || ascii.length > 253) return null;
  // The URL parser turns every numeric spelling into dotted decimal and refuses impossible ones.
  const parsed = URL.parse(`http://${ascii}/`);
  if (parsed === null || parsed.port !== '' || parsed.username !== '') return null;
  const name = parsed.hostname.replace(/\.$/, '');
  if (isIP(name) === 4) return name;
  return name.split('.').every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
    ? name
    : null;
}

function unbracket(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function matchesHost(name: string, pattern: string): boolean {
  const lower = pattern.toLowerCase();
  if (lower.startsWith('*.')) return name.endsWith(lower.slice(1));
  return name === (normalizeHost(lower) ?? lower);
}

async function resolve(name: string, lookup: Lookup): Promise<HostAddress[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `The name ${name} could not be resolved within ${LOOKUP_TIMEOUT_MS / 1000} s.`;
    timer = setTimeout(() => reject(new NetworkError('unreachable', message)), LOOKUP_TIMEOUT_MS);
  });
  try {
    const addresses = await Promise.race([lookup(name), late]);
    if (addresses.length === 0) throw new NetworkError('unreachable', `The name ${name} has no IP address.`);
    return [...addresses];
  } catch (error) {
    if (error instanceof NetworkError) throw error;
    throw new NetworkError(
      'unreachable',
      `The name ${name} could not be resolved. Check its spelling and DNS.`,
    );
  } finally {
    clearTimeout(timer);
  }
}

async function lookupAll(host: string): Promise<HostAddress[]> {
  const answers = await systemLookup(host, { all: true, verbatim: true });
  return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

function printable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
}
