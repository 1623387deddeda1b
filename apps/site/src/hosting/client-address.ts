import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Whether an IP address is one of a proxy whose headers are trusted. */
export type IsProxy = (address: string) => boolean;

/** Reads IP addresses and networks, separated by commas. Null if one of them is not valid. */
export function parseProxies(text: string): IsProxy | null {
  const list = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const family = familyOf(address);
    const most = family === 'ipv4' ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    if (family === null || prefix > most) return null;
    list.addSubnet(address, prefix, family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== null && list.check(address, family);
  };
}

/**
 * The IP address of the reader: that of the connection or, behind trusted proxies, the last one of `X-Forwarded-For`
 * that is not a trusted proxy. Those before it may come from the reader.
 */
export function clientAddressOf({ socket, headers }: IncomingMessage, isProxy: IsProxy): string {
  let client = plainAddress(socket.remoteAddress ?? '');
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  for (const text of forwarded.reverse()) {
    if (!isProxy(client)) break;
    const next = plainAddress(text.trim());
    if (isIP(next) === 0) break;
    client = next;
  }
  return client;
}

/** An IPv4 address without the form in which sockets of IPv6 show it. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? 'ipv4' : 'ipv6';
}
