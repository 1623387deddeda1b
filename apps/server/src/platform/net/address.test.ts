import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPublicAddress } from './address.ts';
import { checkHost, normalizeHost } from './host.ts';

const PUBLIC_ONLY = { allowPrivate: false, allowedHosts: [] };

const PUBLIC = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
  140.82.121.4 151.101.1.6 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0
  192.0.1.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255
  2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001:830::200e 2001:200::1 2400:: 3ffe::1
  ::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::8.8.8.8 64:ff9b::808:808 0:0:0:0:0:ffff:1.1.1.1`;

const NOT_PUBLIC = `0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1
  127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1
  192.0.0.170 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255
  198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
  :: ::1 0:0:0:0:0:0:0:1 ::127.0.0.1 ::10.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe
  ::FFFF:192.168.0.1 0:0:0:0:0:ffff:7f00:0001 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1
  64:ff9b::a9fe:a9fe 64:ff9b:1::8.8.8.8 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1
  2001:20::1 2001:db8::1 2002::1 2002:7f00:1:: 2002:0808:0808:: 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254
  fd12:3456:789a::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1 1.1.1 1.1.1.1.1 256.1.1.1 0x7f.1 2130706433
  localhost [::1] 1.1.1.1%eth0 ::g`;

/** Spellings that the C library or a URL parser reads as an address, and what they mean. */
const SPELLINGS: readonly [string, string | null][] = [
  ['2130706433', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['017700000001', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['127.0.1', '127.0.0.1'],
  ['0177.0.0.1', '127.0.0.1'],
  ['0x7f.0.0.1', '127.0.0.1'],
  ['0x7F.1', '127.0.0.1'],
  ['0', '0.0.0.0'],
  ['127.0.0.1.', '127.0.0.1'],
  ['１２７.０.０.１', '127.0.0.1'],
  ['ⓛocalhost', 'localhost'],
  ['2852039166', '169.254.169.254'],
  ['0xA9FEA9FE', '169.254.169.254'],
  ['169.254.43518', '169.254.169.254'],
  ['[::1]', '::1'],
  ['[::ffff:127.0.0.1]', '::ffff:127.0.0.1'],
  ['4294967296', null],
  ['256.0.0.1', null],
  ['1.2.3.4.5', null],
  ['0x', '0.0.0.0'],
  ['', null],
  ['a b', null],
  ['a/b', null],
  ['a@b', null],
  ['a%2fb', null],
  ['-a.example', null],
  ['--upload-pack=x', null],
  ['a..b', null],
  ['[fe80::1%25eth0]', null],
  ['a\nb', null],
  ['a\0b', null],
  ['EXAMPLE.com.', 'example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
];

const words = (text: string): string[] => text.trim().split(/\s+/);

test.each(words(PUBLIC))('%s is public', (ip) => expect(isPublicAddress(ip)).toBe(true));
test.each(words(NOT_PUBLIC))('%s is not public', (ip) => expect(isPublicAddress(ip)).toBe(false));
test.each(SPELLINGS)('%j is read as %j', (host, meant) => expect(normalizeHost(host)).toBe(meant));

test('every numeric spelling of an address that is not public is refused', async () => {
  const spellings = SPELLINGS.filter(
    ([, meant]) => meant !== null && !meant.includes('example') && meant !== 'localhost',
  );
  for (const [host] of spellings) {
    await expect(checkHost(host, PUBLIC_ONLY), host).rejects.toMatchObject({ code: 'host-refused' });
  }
});

test('a host that resolves to any address that is not public is refused, whatever the mix', async () => {
  const address = fc.constantFrom(...words(NOT_PUBLIC).filter((ip) => /^[\d.]+$|^[\da-fA-F:]+$/.test(ip)));
  await fc.assert(
    fc.asyncProperty(address, fc.constantFrom(...words(PUBLIC)), fc.boolean(), async (bad, good, first) => {
      const answer = [bad, good].map((ip) => ({ address: ip, family: ip.includes(':') ? 6 : 4 }) as const);
      const lookup = async () => (first ? answer : answer.toReversed());
      await expect(checkHost('docs.example.com', PUBLIC_ONLY, lookup)).rejects.toMatchObject({
        code: 'host-refused',
      });
    }),
  );
});

test('an embedded IPv4 address is judged as itself', () => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      expect(isPublicAddress(`::ffff:${ip}`)).toBe(isPublicAddress(ip));
      expect(isPublicAddress(`64:ff9b::${ip}`)).toBe(isPublicAddress(ip));
    }),
  );
});

test('an operator can allow a host, all hosts below a name, or all private hosts', async () => {
  const lookup = async () => [{ address: '10.1.2.3', family: 4 }] as const;
  const ask = (host: string, policy: Parameters<typeof checkHost>[1]) => checkHost(host, policy, lookup);
  const allowing = (...allowedHosts: string[]) => ({ allowPrivate: false, allowedHosts });
  await expect(ask('git.corp.example', allowing('git.corp.example'))).resolves.toHaveLength(1);
  await expect(ask('git.corp.example', allowing('*.corp.example'))).resolves.toHaveLength(1);
  await expect(ask('git.corp.example', { allowPrivate: true, allowedHosts: [] })).resolves.toHaveLength(1);
  await expect(ask('corp.example', allowing('*.corp.example'))).rejects.toMatchObject({
    code: 'host-refused',
  });
  await expect(ask('evilcorp.example', allowing('*.corp.example', 'corp.example'))).rejects.toMatchObject({
    code: 'host-refused',
  });
  const airGapped = { allowPrivate: true, allowedHosts: ['git.corp.example'], onlyAllowedHosts: true };
  await expect(ask('git.corp.example', airGapped)).resolves.toHaveLength(1);
  await expect(ask('github.com', airGapped)).rejects.toMatchObject({ code: 'host-refused' });
});
