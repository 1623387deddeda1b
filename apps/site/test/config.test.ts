import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConfigError, readConfig, secretText, settings, unknownSettings } from '../src/config.ts';
import { deploymentErrorCodes } from '../src/error.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function faultsOf(env: Record<string, string>): Record<string, string> {
  try {
    readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { name, message } of error.faults) expect(error.message).toContain(`${name}: ${message}`);
    return Object.fromEntries(error.faults.map(({ name, message }) => [name, message]));
  }
  return {};
}
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const link = { OFFPRINT_SITE_BUNDLE_URL: 'https://example.com/docs.tar.gz?signature=abc' };
const pull = {
  OFFPRINT_URL: 'https://offprint.example.com',
  OFFPRINT_API_KEY: 'key',
  OFFPRINT_SITE_DOMAIN: 'docs.example.com',
};

it('a link is enough; everything else has a default', () => {
  expect(readConfig(link)).toEqual({
    source: { kind: 'link', url: { value: link.OFFPRINT_SITE_BUNDLE_URL }, sha256: null, version: null },
    version: null,
    domain: null,
    intervalMs: 60_000,
    dir: '.offprint-site',
    maxBundleBytes: 4096 * 1024 * 1024,
    maxEventBytes: 256 * 1024 * 1024,
    verify: 'digests',
    caFile: null,
    host: '127.0.0.1',
    port: 8080,
    basePath: '',
    https: false,
    tlsPort: null,
    tlsFiles: null,
    isProxy: expect.any(Function),
    managementHost: '127.0.0.1',
    managementPort: 8081,
    token: null,
    logFormat: 'json',
    accessLog: false,
    shutdownMs: 10_000,
  });
});

it('pull mode takes a URL with a path, a key from a file and a domain', () => {
  const key = file('key', 'the key\n');
  const { OFFPRINT_API_KEY: _, ...rest } = pull;
  const config = readConfig({
    ...rest,
    OFFPRINT_URL: 'https://example.com/offprint',
    OFFPRINT_API_KEY_FILE: key,
    OFFPRINT_SITE_INTERVAL: '5',
    OFFPRINT_SITE_BASE_PATH: 'docs/',
    OFFPRINT_SITE_HTTPS: 'true',
  });
  expect(config.source).toEqual({
    kind: 'platform',
    url: new URL('https://example.com/offprint/'),
    key: { file: key },
    domain: 'docs.example.com',
  });
  expect(config).toMatchObject({ intervalMs: 5000, basePath: '/docs', https: true });
});

it.each([
  ['no source', {}, { source: /no source is set/ }],
  ['two sources', { ...link, ...pull }, { source: /more than one source is set/ }],
  [
    'a link and a file',
    { ...link, OFFPRINT_SITE_BUNDLE: '/bundles' },
    { source: /more than one source is set/ },
  ],
  [
    'pull mode without key and domain',
    { OFFPRINT_URL: pull.OFFPRINT_URL },
    { OFFPRINT_API_KEY: /is required/, OFFPRINT_SITE_DOMAIN: /is required/ },
  ],
  [
    'a digest in pull mode',
    { ...pull, OFFPRINT_SITE_BUNDLE_SHA256: 'a'.repeat(64) },
    { OFFPRINT_SITE_BUNDLE_SHA256: /cannot be combined with/ },
  ],
  [
    'an invalid link',
    { OFFPRINT_SITE_BUNDLE_URL: 'docs.tar.gz' },
    { OFFPRINT_SITE_BUNDLE_URL: /http or https URL/ },
  ],
  [
    'a URL with a key in it',
    { ...pull, OFFPRINT_URL: 'https://a:b@example.com' },
    { OFFPRINT_URL: /without a query or credentials/ },
  ],
  [
    'one port for both',
    { ...link, OFFPRINT_SITE_MANAGEMENT_PORT: '8080' },
    { OFFPRINT_SITE_MANAGEMENT_PORT: /already used/ },
  ],
  [
    'a secret given twice',
    { ...link, OFFPRINT_SITE_BUNDLE_URL_FILE: '/nowhere' },
    {
      OFFPRINT_SITE_BUNDLE_URL: /set only one of the two/,
      OFFPRINT_SITE_BUNDLE_URL_FILE: /cannot read the file \/nowhere \(ENOENT\)/,
    },
  ],
  ...['a b', 'v1/2', '-'.repeat(65), 'ü'].map(
    (label): [string, Record<string, string>, Record<string, RegExp>] => [
      `the version ${label}, which no export has`,
      { ...link, OFFPRINT_SITE_VERSION: label },
      { OFFPRINT_SITE_VERSION: /label of an export: 1 to 64 characters/ },
    ],
  ),
  [
    'a pin given twice, and one whose file is missing',
    {
      ...link,
      OFFPRINT_SITE_VERSION: 'v1',
      OFFPRINT_SITE_VERSION_FILE: '/dev/null',
      OFFPRINT_SITE_BUNDLE_SHA256_FILE: '/nowhere',
    },
    { OFFPRINT_SITE_VERSION: /set only one of the two/, OFFPRINT_SITE_BUNDLE_SHA256_FILE: /ENOENT/ },
  ],
  [
    'a pin in a file without a link',
    { ...pull, OFFPRINT_SITE_VERSION_FILE: '/dev/null' },
    { OFFPRINT_SITE_VERSION_FILE: /requires OFFPRINT_SITE_BUNDLE_URL/ },
  ],
  [
    'every error at once',
    {
      ...link,
      OFFPRINT_SITE_PORT: '99999',
      OFFPRINT_SITE_MANAGEMENT_PORT: 'x',
      OFFPRINT_SITE_INTERVAL: '0',
      OFFPRINT_SITE_HTTPS: 'yes',
      OFFPRINT_SITE_LOG_FORMAT: 'xml',
      OFFPRINT_SITE_VERIFY: 'nothing',
      OFFPRINT_SITE_BASE_PATH: '/a b',
      OFFPRINT_SITE_DOMAIN: 'https://docs.example.com',
      OFFPRINT_SITE_BUNDLE_SHA256: 'ABC',
      OFFPRINT_SITE_TOKEN: 'short',
      OFFPRINT_SITE_MAX_BUNDLE_MB: '-1',
      OFFPRINT_SITE_SHUTDOWN_SECONDS: '1.5',
      OFFPRINT_CA_FILE: '/nowhere',
    },
    {
      OFFPRINT_SITE_PORT: /from 0 to 65535/,
      OFFPRINT_SITE_MANAGEMENT_PORT: /whole number/,
      OFFPRINT_SITE_INTERVAL: /from 1 to/,
      OFFPRINT_SITE_HTTPS: /true/,
      OFFPRINT_SITE_LOG_FORMAT: /json or text/,
      OFFPRINT_SITE_VERIFY: /digests or sizes/,
      OFFPRINT_SITE_BASE_PATH: /such as/,
      OFFPRINT_SITE_DOMAIN: /host name/,
      OFFPRINT_SITE_BUNDLE_SHA256: /64 hexadecimal/,
      OFFPRINT_SITE_TOKEN: /16 characters/,
      OFFPRINT_SITE_MAX_BUNDLE_MB: /whole number/,
      OFFPRINT_SITE_SHUTDOWN_SECONDS: /whole number/,
      OFFPRINT_CA_FILE: /cannot read/,
    },
  ],
] as [string, Record<string, string>, Record<string, RegExp>][])('reports %s', (_name, env, expected) => {
  const faults = faultsOf(env);
  expect(Object.keys(faults).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, pattern] of Object.entries(expected)) expect(faults[name]).toMatch(pattern);
  // what is secret is not repeated
  expect(JSON.stringify(faults)).not.toMatch(/signature=|short/);
});

it('an empty variable is an unset one; files of secrets are read, empty ones refused', () => {
  expect(readConfig({ ...link, OFFPRINT_URL: '', OFFPRINT_SITE_PORT: '' })).toMatchObject({ port: 8080 });
  const token = file('token', 'a token of some length\n');
  const config = readConfig({ ...link, OFFPRINT_SITE_TOKEN_FILE: token });
  expect(secretText(config.token!)).toBe('a token of some length');
  file('token', 'another token of some length');
  expect(secretText(config.token!)).toBe('another token of some length');
  expect(faultsOf({ ...link, OFFPRINT_SITE_TOKEN_FILE: file('empty', '\n') })).toEqual({
    OFFPRINT_SITE_TOKEN_FILE: `the file ${join(folder, 'empty')} is empty`,
  });
  expect(faultsOf({ ...link, OFFPRINT_CA_FILE: token })).toEqual({
    OFFPRINT_CA_FILE: `the file ${token} contains no PEM certificate`,
  });
});

it('files of pins are followed, and may be empty', () => {
  const pins = {
    OFFPRINT_SITE_VERSION_FILE: file('version', ''),
    OFFPRINT_SITE_BUNDLE_SHA256_FILE: file('sha256', '\n'),
  };
  const config = readConfig({ ...link, ...pins });
  expect(config.source).toMatchObject({
    version: { file: pins.OFFPRINT_SITE_VERSION_FILE },
    sha256: { file: pins.OFFPRINT_SITE_BUNDLE_SHA256_FILE },
  });
  expect(config.version).toBeNull();
});

it('a mistyped setting is reported with a suggestion', () => {
  expect(
    unknownSettings({
      ...link,
      OFFPRINT_SITE_PROT: '1',
      OFFPRINT_SITE_VERISON: 'v1',
      OFFPRINT_SITE_PORT_FILE: '/port',
      OFFPRINT_SITE_QUITE_ANOTHER_THING: '1',
      OFFPRINT_SITE_TOKEN_FILE: '/token',
      OFFPRINT_SITE_TOKNE_FILE: '/token',
      OFFPRINT_SITE_EMPTY: '',
      OFFPRINT_PORT: '1',
    }),
  ).toEqual([
    'Unknown setting OFFPRINT_SITE_PORT_FILE; it has no effect. Did you mean OFFPRINT_SITE_PORT?',
    'Unknown setting OFFPRINT_SITE_PROT; it has no effect. Did you mean OFFPRINT_SITE_PORT?',
    'Unknown setting OFFPRINT_SITE_QUITE_ANOTHER_THING; it has no effect.',
    'Unknown setting OFFPRINT_SITE_TOKNE_FILE; it has no effect. Did you mean OFFPRINT_SITE_TOKEN_FILE?',
    'Unknown setting OFFPRINT_SITE_VERISON; it has no effect. Did you mean OFFPRINT_SITE_VERSION?',
  ]);
});

it('the documentation lists every setting with its default', () => {
  const page = readFileSync(new URL('../../../docs/deploy/site-server.mdx', import.meta.url), 'utf8');
  for (const setting of settings) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${setting.name}\` |`));
    expect(row, setting.name).toBeDefined();
    expect(row).toContain(`| ${setting.default === null ? '' : `\`${setting.default}\` `}|`);
  }
});

it('the documentation explains every error code, and no other', () => {
  const page = readFileSync(new URL('../../../docs/deploy/site-server.mdx', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('| code | cause |'));
  const codes = [...table.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map((match) => match[1]);
  expect(codes.sort()).toEqual([...deploymentErrorCodes].sort());
});

it('a URL and a hosting token without a domain serve all sites; what belongs to one site is refused', () => {
  const hosting = {
    OFFPRINT_URL: 'https://offprint.example.com',
    OFFPRINT_HOSTING_TOKEN_FILE: file('hosting', 'the token\n'),
  };
  expect(readConfig(hosting).source).toEqual({
    kind: 'hosting',
    url: new URL('https://offprint.example.com/'),
    token: { file: hosting.OFFPRINT_HOSTING_TOKEN_FILE },
  });
  const others = {
    OFFPRINT_API_KEY: 'key',
    OFFPRINT_SITE_DOMAIN: 'docs.example.com',
    OFFPRINT_SITE_VERSION: '1',
    OFFPRINT_SITE_BUNDLE_SHA256: 'a'.repeat(64),
    OFFPRINT_SITE_BASE_PATH: '/docs',
  };
  expect(Object.keys(faultsOf({ ...hosting, ...others })).sort()).toEqual(Object.keys(others).sort());
  expect(Object.keys(faultsOf({ ...hosting, OFFPRINT_URL: 'https://a.example/?x' }))).toEqual([
    'OFFPRINT_URL',
  ]);
  expect(
    faultsOf({ OFFPRINT_URL: 'https://a.example', OFFPRINT_API_KEY: 'key' }).OFFPRINT_SITE_DOMAIN,
  ).toContain('OFFPRINT_HOSTING_TOKEN');
});

it('https with certificates of the platform, and trusted proxies, are for many sites', () => {
  const hosting = { OFFPRINT_URL: 'https://offprint.example.com', OFFPRINT_HOSTING_TOKEN: 'the token' };
  const tls = { OFFPRINT_SITE_TLS_PORT: '8443', OFFPRINT_SITE_TRUSTED_PROXIES: '10.0.0.1, fd00::/8' };
  expect(readConfig(hosting).tlsPort).toBeNull();
  const config = readConfig({ ...hosting, ...tls });
  expect([config.tlsPort, config.isProxy('10.0.0.1'), config.isProxy('10.0.0.2')]).toEqual([
    8443,
    true,
    false,
  ]);
  const refused = (settings: Record<string, string>) => Object.keys(faultsOf(settings)).sort();
  expect(refused({ OFFPRINT_SITE_BUNDLE: '/a.tar.gz', ...tls })).toEqual(Object.keys(tls));
  expect(refused({ ...hosting, ...tls, OFFPRINT_SITE_HTTPS: 'true' })).toEqual(['OFFPRINT_SITE_TLS_PORT']);
  for (const port of ['8080', '8081', '65536', 'x'])
    expect(refused({ ...hosting, OFFPRINT_SITE_TLS_PORT: port })).toEqual(['OFFPRINT_SITE_TLS_PORT']);
  expect(refused({ ...hosting, OFFPRINT_SITE_TRUSTED_PROXIES: 'proxy' })).toEqual([
    'OFFPRINT_SITE_TRUSTED_PROXIES',
  ]);
});
