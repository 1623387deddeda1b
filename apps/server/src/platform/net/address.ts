import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 ranges that are not public destinations: the IANA special-purpose registry, multicast, reserved space,
 * and the one public IP address that serves as a cloud's metadata and wire service.
 */
const NOT_PUBLIC_IPV4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Special ranges inside 2000::/3; all of IPv6 outside that block is refused as a whole. */
const NOT_PUBLIC_IPV6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const notPublic = new BlockList();
for (const [address, prefix] of NOT_PUBLIC_IPV4) notPublic.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of NOT_PUBLIC_IPV6) notPublic.addSubnet(address, prefix, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** `::ffff:0:0/96` (mapped) and `64:ff9b::/96` (NAT64) carry an IPv4 address in their last 32 bits. */
const embedsIpv4 = new BlockList();
embedsIpv4.addSubnet('::ffff:0:0', 96, 'ipv6');
embedsIpv4.addSubnet('64:ff9b::', 96, 'ipv6');

/**
 * Whether an address literal is reachable on the public internet and nowhere else. Mapped and NAT64 addresses
 * are judged by the IPv4 address they carry; 6to4, Teredo, scoped and malformed addresses are never public.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !notPublic.check(ip, 'ipv4');
  if (!isIPv6(ip) || ip.includes('%')) return false;
  const words = expandIpv6(ip);
  if (words === null) return false;
  // `::ffff:a.b.c.d` matches IPv4 rules of a BlockList only in some spellings, so the words are judged instead.
  const canonical = words.map((word) => word.toString(16)).join(':');
  const mapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  if (mapped || embedsIpv4.check(canonical, 'ipv6')) return isPublicAddress(lastIpv4(words));
  return globalUnicast.check(canonical, 'ipv6') && !notPublic.check(canonical, 'ipv6');
}

function expandIpv6(ip: string): number[] | null {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(ip);
  let text = ip;
  if (dotted !== null) {
    const [a, b, c, d] = dotted.slice(1).map(Number) as [number, number, number, number];
    text = `${ip.slice(0, dotted.index)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  }
  const [head = '', tail] = text.split('::');
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const left = parse(head);
  if (tail === undefined) return left.length === 8 ? left : null;
  const right = parse(tail);
  const gap = 8 - left.length - right.length;
  return gap < 0 ? null : [...left, ...new Array<number>(gap).fill(0), ...right];
}

function lastIpv4(words: readonly number[]): string {
  const [high = 0, low = 0] = words.slice(6);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
