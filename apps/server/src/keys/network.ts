import { BlockList, isIP } from 'node:net';

/** Whether one of the ranges contains the IP address. IPv4 seen as `::ffff:a.b.c.d` counts as IPv4. */
export function containsAddress(cidrs: readonly string[], address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  const family = familyOf(plain);
  if (family === null) return false;
  const list = new BlockList();
  for (const cidr of cidrs) {
    const { network, prefix } = parse(cidr);
    list.addSubnet(network, prefix, familyOf(network) ?? 'ipv4');
  }
  return list.check(plain, family);
}

/** Whether one of the ranges contains the whole other range. */
export function containsRange(cidrs: readonly string[], range: string): boolean {
  const { network, prefix } = parse(range);
  return cidrs.some(
    (cidr) =>
      familyOf(parse(cidr).network) === familyOf(network) &&
      parse(cidr).prefix <= prefix &&
      containsAddress([cidr], network),
  );
}

function parse(cidr: string): { network: string; prefix: number } {
  const [network = '', prefix = ''] = cidr.split('/');
  return { network, prefix: Number(prefix) };
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const family = isIP(address);
  return family === 0 ? null : family === 6 ? 'ipv6' : 'ipv4';
}
