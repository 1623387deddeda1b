import { readFileSync } from 'node:fs';
import { cleanBasePath } from './base-path.ts';
import { type IsProxy, parseProxies } from './hosting/client-address.ts';
import type { LogFormat } from './log.ts';
import { suggestName } from './suggest-name.ts';
import type { CertificateFiles } from './tls/own-certificate.ts';

/** One setting: a row of the table in the documentation. */
export interface Setting {
  /** Environment variable. A secret can also be read from the file named by `<name>_FILE`. */
  name: string;
  /** Default for an unset or empty variable; null = no default. */
  default: string | null;
  meaning: string;
  secret?: boolean;
  /** Not a secret, but can also be read from the file named by `<name>_FILE`. */
  file?: boolean;
}

/** All settings. */
export const settings = [
  {
    name: 'OFFPRINT_SITE_BUNDLE_URL',
    default: null,
    secret: true,
    meaning: 'Source: link to a bundle. Its file is read again at each check.',
  },
  { name: 'OFFPRINT_URL', default: null, meaning: 'Source: URL of the platform to follow.' },
  {
    name: 'OFFPRINT_SITE_BUNDLE',
    default: null,
    meaning: 'Source: path of a bundle, or of a folder in which the newest `*.tar.gz` is used.',
  },
  {
    name: 'OFFPRINT_API_KEY',
    default: null,
    secret: true,
    meaning: 'Key with the scope `exports:read`, for `OFFPRINT_URL`. Its file is read again at each check.',
  },
  {
    name: 'OFFPRINT_HOSTING_TOKEN',
    default: null,
    secret: true,
    meaning:
      'With `OFFPRINT_URL` and without a domain: serve all sites of the platform. The token is the one of the platform. Its file is read again at each request.',
  },
  {
    name: 'OFFPRINT_SITE_DOMAIN',
    default: null,
    meaning: 'Domain to follow at `OFFPRINT_URL`. With any source, bundles of other domains are rejected.',
  },
  {
    name: 'OFFPRINT_SITE_VERSION',
    default: null,
    file: true,
    meaning: 'Version to serve. Bundles whose manifest names another version are rejected.',
  },
  {
    name: 'OFFPRINT_SITE_BUNDLE_SHA256',
    default: null,
    file: true,
    meaning: 'Required digest of the bundle of `OFFPRINT_SITE_BUNDLE_URL` or `OFFPRINT_SITE_BUNDLE`.',
  },
  {
    name: 'OFFPRINT_SITE_INTERVAL',
    default: '60',
    meaning: 'Seconds between two checks of the source.',
  },
  {
    name: 'OFFPRINT_SITE_DIR',
    default: '.offprint-site',
    meaning: 'Folder for releases, on a persistent volume.',
  },
  {
    name: 'OFFPRINT_SITE_MAX_BUNDLE_MB',
    default: '4096',
    meaning: 'Maximum size of a bundle, in MB.',
  },
  {
    name: 'OFFPRINT_SITE_EVENTS_MB',
    default: '256',
    meaning:
      'With OFFPRINT_HOSTING_TOKEN: maximum size in MB of events of readers that wait in the folder for the platform. More are dropped and counted.',
  },
  {
    name: 'OFFPRINT_SITE_VERIFY',
    default: 'digests',
    meaning:
      'How a release on the volume is verified at start: `digests` of all files, or only their `sizes`, which is faster for sites of many gigabytes.',
  },
  {
    name: 'OFFPRINT_CA_FILE',
    default: null,
    meaning: 'Additional trusted certificates (PEM) for the source. Read again at each request.',
  },
  { name: 'OFFPRINT_SITE_HOST', default: '127.0.0.1', meaning: 'IP address for readers.' },
  { name: 'OFFPRINT_SITE_PORT', default: '8080', meaning: 'Port for readers; 0 selects a free port.' },
  {
    name: 'OFFPRINT_SITE_BASE_PATH',
    default: null,
    meaning:
      'Public path of the site, such as `/docs`. A proxy must not remove it. Set the same path for the project.',
  },
  {
    name: 'OFFPRINT_SITE_HTTPS',
    default: 'false',
    meaning: '`true` if readers use https through a reverse proxy: the server sends HSTS.',
  },
  {
    name: 'OFFPRINT_SITE_TLS_PORT',
    default: null,
    meaning:
      'With `OFFPRINT_HOSTING_TOKEN`: port for https with the certificates of the platform; 0 selects a free port. Unset: no https.',
  },
  {
    name: 'OFFPRINT_SITE_TLS_CERT_FILE',
    default: null,
    meaning:
      'With `OFFPRINT_SITE_TLS_PORT`: certificate chain (PEM) for the hosts that it names and for which the platform has no certificate, such as a wildcard certificate for previews. Read again when it changes; an empty file names none.',
  },
  {
    name: 'OFFPRINT_SITE_TLS_KEY_FILE',
    default: null,
    meaning: 'Key (PEM) of this certificate.',
  },
  {
    name: 'OFFPRINT_SITE_TRUSTED_PROXIES',
    default: null,
    meaning:
      'With `OFFPRINT_HOSTING_TOKEN`: IP addresses or networks of reverse proxies, comma-separated, whose `X-Forwarded-For` header names the reader. The sign-in counts attempts by IP address.',
  },
  {
    name: 'OFFPRINT_SITE_MANAGEMENT_HOST',
    default: '127.0.0.1',
    meaning: 'IP address of the management port.',
  },
  {
    name: 'OFFPRINT_SITE_MANAGEMENT_PORT',
    default: '8081',
    meaning: 'Port for health, metrics and management requests; 0 selects a free port.',
  },
  {
    name: 'OFFPRINT_SITE_TOKEN',
    default: null,
    secret: true,
    meaning:
      'Token for requests that change the release, at least 16 characters. If unset, these requests get 403. Its file is read again at each request.',
  },
  { name: 'OFFPRINT_SITE_LOG_FORMAT', default: 'json', meaning: '`json` or `text`.' },
  {
    name: 'OFFPRINT_SITE_ACCESS_LOG',
    default: 'false',
    meaning: '`true`: one line of JSON per response on standard output, without query strings.',
  },
  {
    name: 'OFFPRINT_SITE_SHUTDOWN_SECONDS',
    default: '10',
    meaning: 'Time limit for open requests after SIGTERM or SIGINT.',
  },
] as const satisfies readonly Setting[];

type SettingName = (typeof settings)[number]['name'];
type Env = Readonly<Record<string, string | undefined>>;

/** A secret: its value, or the file that holds it and is read at each use. */
export type Secret = { value: string } | { file: string };

/**
 * What a bundle must have: a fixed text, or the content of a file read at each check, where an empty file
 * requires nothing.
 */
export type Pin = string | { file: string } | null;

export type SourceConfig =
  /** `version` is null unless a file names it. */
  | { kind: 'link'; url: Secret; sha256: Pin; version: Pin }
  | { kind: 'platform'; url: URL; key: Secret; domain: string }
  | { kind: 'file'; path: string; sha256: string | null }
  /** Many sites. */
  | { kind: 'hosting'; url: URL; token: Secret };

export interface Config {
  source: SourceConfig;
  /** Domain that the manifest of every bundle must name; null also if a file names it. */
  version: string | null;
  domain: string | null;
  intervalMs: number;
  dir: string;
  maxBundleBytes: number;
  /** Of events of readers that wait for the platform. */
  maxEventBytes: number;
  verify: 'digests' | 'sizes';
  /** File with certificates in PEM format. */
  caFile: string | null;
  host: string;
  port: number;
  basePath: string;
  https: boolean;
  /** Null: no https. */
  tlsPort: number | null;
  /** For hosts without a certificate of the platform. */
  tlsFiles: CertificateFiles | null;
  isProxy: IsProxy;
  managementHost: string;
  managementPort: number;
  token: Secret | null;
  logFormat: LogFormat;
  accessLog: boolean;
  shutdownMs: number;
}

/** Invalid configuration. The message lists every error, one per line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly faults: readonly { name: string; message: string }[];
  constructor(faults: readonly { name: string; message: string }[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n` +
        faults.map(({ name, message }) => `  ${name}: ${message}`).join('\n'),
    );
    this.faults = faults;
  }
}

/**
 * Reads the configuration from an environment, by default the one of the process. Throws a ConfigError that
 * lists every error. No other module reads the environment.
 */
export function readConfig(env: Env = process.env): Config {
  const faults: { name: string; message: string }[] = [];
  const refuse = (name: string, message: string) => faults.push({ name, message });
  const text = (name: SettingName): string | null =>
    (env[name] || null) ?? settings.find((setting) => setting.name === name)?.default ?? null;
  const integer = (name: SettingName, min: number, max: number): number => {
    const value = text(name) ?? '';
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) refuse(name, `must be a whole number from ${min} to ${max}`);
    return number;
  };
  const choice = <Choice extends string>(name: SettingName, choices: readonly Choice[]): Choice => {
    const found = choices.find((one) => one === text(name));
    if (found === undefined) refuse(name, `must be ${choices.join(' or ')}`);
    return found ?? (choices[0] as Choice);
  };
  const flag = (name: SettingName): boolean =>
    ['true', '1'].includes(choice(name, ['false', 'true', '0', '1']));
  const matching = (name: SettingName, pattern: RegExp, what: string): string | null => {
    const value = text(name);
    if (value !== null && !pattern.test(value)) refuse(name, `must be ${what}`);
    return value;
  };
  const secret = (name: SettingName): Secret | null => {
    const file = env[`${name}_FILE`] || null;
    const value = text(name);
    if (file !== null && value !== null)
      refuse(name, `is set together with ${name}_FILE; set only one of the two`);
    if (file === null) return value === null ? null : { value: value.trim() };
    const refuseFile = (reason: string) => refuse(`${name}_FILE`, reason);
    if (readOr(file, refuseFile) === '') refuseFile(`the file ${file} is empty`);
    return { file };
  };
  /** The file may be empty: it can be filled later, when there is something to require. */
  const pin = (name: 'OFFPRINT_SITE_VERSION' | 'OFFPRINT_SITE_BUNDLE_SHA256'): Pin => {
    const file = env[`${name}_FILE`] || null;
    const value = matching(name, pinRules[name].pattern, pinRules[name].what);
    if (file === null) return value;
    if (value !== null) refuse(name, `is set together with ${name}_FILE; set only one of the two`);
    readOr(file, (reason) => refuse(`${name}_FILE`, reason));
    return { file };
  };
  const version = pin('OFFPRINT_SITE_VERSION');
  const domain = matching(
    'OFFPRINT_SITE_DOMAIN',
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
    'a host name in lower case, such as docs.example.com',
  );
  const sha256 = pin('OFFPRINT_SITE_BUNDLE_SHA256');
  const token = secret('OFFPRINT_SITE_TOKEN');
  const tokenText =
    token === null || 'value' in token ? (token?.value ?? null) : readOr(token.file, () => {}) || null;
  if (tokenText !== null && tokenText.length < minTokenLength)
    refuse('OFFPRINT_SITE_TOKEN', `must have at least ${minTokenLength} characters`);
  const caFile = text('OFFPRINT_CA_FILE');
  const ca = caFile === null ? null : readOr(caFile, (reason) => refuse('OFFPRINT_CA_FILE', reason));
  if (ca !== null && !isCertificate(ca))
    refuse('OFFPRINT_CA_FILE', `the file ${caFile} contains no PEM certificate`);
  let basePath = '';
  try {
    basePath = cleanBasePath(text('OFFPRINT_SITE_BASE_PATH') ?? '');
  } catch {
    refuse('OFFPRINT_SITE_BASE_PATH', 'must be a path such as /docs, of at most 200 characters');
  }
  const isProxy = parseProxies(text('OFFPRINT_SITE_TRUSTED_PROXIES') ?? '');
  if (isProxy === null)
    refuse(
      'OFFPRINT_SITE_TRUSTED_PROXIES',
      'must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
    );
  const config = {
    source: readSource({ text, secret, refuse, domain, sha256, version }),
    version: isFile(version) ? null : version,
    domain,
    intervalMs: integer('OFFPRINT_SITE_INTERVAL', 1, 86_400) * 1000,
    dir: text('OFFPRINT_SITE_DIR') ?? '',
    maxBundleBytes: integer('OFFPRINT_SITE_MAX_BUNDLE_MB', 1, 16_384) * 1024 * 1024,
    maxEventBytes: integer('OFFPRINT_SITE_EVENTS_MB', 1, 65_536) * 1024 * 1024,
    verify: choice('OFFPRINT_SITE_VERIFY', ['digests', 'sizes']),
    caFile,
    host: text('OFFPRINT_SITE_HOST') ?? '',
    port: integer('OFFPRINT_SITE_PORT', 0, 65_535),
    basePath,
    https: flag('OFFPRINT_SITE_HTTPS'),
    tlsPort: text('OFFPRINT_SITE_TLS_PORT') === null ? null : integer('OFFPRINT_SITE_TLS_PORT', 0, 65_535),
    tlsFiles: readCertificateFiles(text, refuse),
    isProxy,
    managementHost: text('OFFPRINT_SITE_MANAGEMENT_HOST') ?? '',
    managementPort: integer('OFFPRINT_SITE_MANAGEMENT_PORT', 0, 65_535),
    token,
    logFormat: choice('OFFPRINT_SITE_LOG_FORMAT', ['json', 'text']),
    accessLog: flag('OFFPRINT_SITE_ACCESS_LOG'),
    shutdownMs: integer('OFFPRINT_SITE_SHUTDOWN_SECONDS', 0, 3600) * 1000,
  };
  if (config.port !== 0 && config.port === config.managementPort && config.host === config.managementHost)
    refuse('OFFPRINT_SITE_MANAGEMENT_PORT', 'is already used as the port for readers; choose another port');
  checkHosting(config, text, refuse);
  if (faults.length > 0 || config.source === null || isProxy === null) throw new ConfigError(faults);
  return Object.freeze({ ...config, source: config.source, isProxy });
}

/** The files of a certificate of the operator, both or none. */
function readCertificateFiles(
  text: (name: SettingName) => string | null,
  refuse: (name: string, message: string) => void,
): CertificateFiles | null {
  const names = ['OFFPRINT_SITE_TLS_CERT_FILE', 'OFFPRINT_SITE_TLS_KEY_FILE'] as const;
  const [certFile, keyFile] = names.map(text);
  if ((certFile ?? null) === null && (keyFile ?? null) === null) return null;
  for (const name of names) {
    const file = text(name);
    if (file === null) refuse(name, 'is missing; set both files of the certificate');
    else readOr(file, (reason) => refuse(name, reason));
  }
  return { certFile: certFile ?? '', keyFile: keyFile ?? '' };
}

/** Refuses settings of many sites for one site, and those that contradict each other. */
function checkHosting(
  config: Omit<Config, 'source' | 'isProxy'> & { source: SourceConfig | null },
  text: (name: SettingName) => string | null,
  refuse: (name: string, message: string) => void,
): void {
  const { source, tlsPort, port, managementPort } = config;
  for (const name of ['OFFPRINT_SITE_TLS_PORT', 'OFFPRINT_SITE_TRUSTED_PROXIES'] as const)
    if (source !== null && source.kind !== 'hosting' && text(name) !== null)
      refuse(name, 'requires OFFPRINT_HOSTING_TOKEN');
  if (tlsPort === null) return;
  if (config.https)
    refuse(
      'OFFPRINT_SITE_TLS_PORT',
      'cannot be combined with OFFPRINT_SITE_HTTPS, for which a proxy ends TLS',
    );
  if (tlsPort !== 0 && (tlsPort === port || tlsPort === managementPort))
    refuse('OFFPRINT_SITE_TLS_PORT', 'is already used as another port; choose another port');
}

/** Minimum length of a token. */
export const minTokenLength = 16;

/** Formats of the pins. A label has the format that the platform accepts. */
export const pinRules = {
  OFFPRINT_SITE_VERSION: {
    pattern: /^[A-Za-z0-9._-]{1,64}$/,
    what: 'the label of an export: 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen',
  },
  OFFPRINT_SITE_BUNDLE_SHA256: { pattern: /^[0-9a-f]{64}$/, what: '64 hexadecimal digits in lower case' },
} as const;

/** Whether a text contains a PEM certificate. */
export const isCertificate = (text: string): boolean => text.includes('-----BEGIN CERTIFICATE-----');

export const isFile = (pin: Pin): pin is { file: string } => typeof pin === 'object' && pin !== null;

/** One line for each variable that looks like a setting but is unknown, with a suggestion. */
export function unknownSettings(env: Env = process.env): string[] {
  const files = settings.flatMap((one: Setting) => (one.secret || one.file ? [`${one.name}_FILE`] : []));
  const names: string[] = settings.map(({ name }) => name);
  return Object.keys(env)
    .filter((name) => name.startsWith('OFFPRINT_SITE_') && env[name] !== '')
    .filter((name) => !names.includes(name) && !files.includes(name))
    .sort()
    .map((name) => {
      const suggestion = suggestName(name.replace(/_FILE$/, ''), names);
      const file = name.endsWith('_FILE') && files.includes(`${suggestion}_FILE`) ? '_FILE' : '';
      return `Unknown setting ${name}; it has no effect.${suggestion === null ? '' : ` Did you mean ${suggestion}${file}?`}`;
    });
}

/** Returns the current value of a secret. Throws file system errors. */
export function secretText(secret: Secret): string {
  return 'value' in secret ? secret.value : readFileSync(secret.file, 'utf8').trim();
}

function readSource(read: {
  text(name: SettingName): string | null;
  secret(name: SettingName): Secret | null;
  refuse(name: string, message: string): void;
  domain: string | null;
  sha256: Pin;
  version: Pin;
}): SourceConfig | null {
  const { refuse, domain, sha256, version } = read;
  const link = read.secret('OFFPRINT_SITE_BUNDLE_URL');
  const platform = read.text('OFFPRINT_URL');
  const key = read.secret('OFFPRINT_API_KEY');
  const token = read.secret('OFFPRINT_HOSTING_TOKEN');
  const path = read.text('OFFPRINT_SITE_BUNDLE');
  const given = [link !== null, platform !== null, path !== null].filter(Boolean).length;
  const all = 'OFFPRINT_SITE_BUNDLE_URL, OFFPRINT_URL or OFFPRINT_SITE_BUNDLE';
  if (given !== 1) {
    refuse(
      'source',
      given === 0 ? `no source is set; set ${all}` : `more than one source is set; set only one of ${all}`,
    );
    return null;
  }
  if (link !== null) {
    if ('value' in link && !isAddress(link.value))
      refuse('OFFPRINT_SITE_BUNDLE_URL', 'must be an http or https URL');
    return { kind: 'link', url: link, sha256, version: isFile(version) ? version : null };
  }
  for (const [name, pin] of [
    ['OFFPRINT_SITE_VERSION', version],
    ['OFFPRINT_SITE_BUNDLE_SHA256', sha256],
  ] as const) {
    if (isFile(pin)) refuse(`${name}_FILE`, `requires OFFPRINT_SITE_BUNDLE_URL; set ${name}`);
  }
  if (path !== null) return { kind: 'file', path, sha256: isFile(sha256) ? null : sha256 };
  if (platform === null) return null;
  if (token !== null) return readHosting({ ...read, platform, key, token });
  if (sha256 !== null)
    refuse(
      'OFFPRINT_SITE_BUNDLE_SHA256',
      'cannot be combined with OFFPRINT_URL, which provides the digest itself',
    );
  if (key === null) refuse('OFFPRINT_API_KEY', 'is required with OFFPRINT_URL');
  if (domain === null)
    refuse(
      'OFFPRINT_SITE_DOMAIN',
      'is required with OFFPRINT_URL; to serve all its sites, set OFFPRINT_HOSTING_TOKEN',
    );
  const url = platformUrl(platform, refuse);
  if (url === null || key === null || domain === null) return null;
  return { kind: 'platform', url, key, domain };
}

function readHosting(read: {
  text(name: SettingName): string | null;
  refuse(name: string, message: string): void;
  platform: string;
  key: Secret | null;
  domain: string | null;
  sha256: Pin;
  version: Pin;
  token: Secret;
}): SourceConfig | null {
  const others = [
    ['OFFPRINT_API_KEY', read.key],
    ['OFFPRINT_SITE_DOMAIN', read.domain],
    ['OFFPRINT_SITE_VERSION', read.version],
    ['OFFPRINT_SITE_BUNDLE_SHA256', read.sha256],
    ['OFFPRINT_SITE_BASE_PATH', read.text('OFFPRINT_SITE_BASE_PATH')],
  ] as const;
  for (const [name, value] of others)
    if (value !== null)
      read.refuse(
        name,
        'cannot be combined with OFFPRINT_HOSTING_TOKEN, which serves all sites of the platform',
      );
  const url = platformUrl(read.platform, read.refuse);
  return url === null ? null : { kind: 'hosting', url, token: read.token };
}

/** The URL of a platform, with a trailing slash. */
function platformUrl(text: string, refuse: (name: string, message: string) => void): URL | null {
  if (isAddress(text) && !/[?#@]/.test(text)) return new URL(text.endsWith('/') ? text : `${text}/`);
  refuse('OFFPRINT_URL', 'must be an http or https URL without a query or credentials');
  return null;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

/** The text of a file, which may be empty. Returns null and calls `refuse` if the file cannot be read. */
function readOr(file: string, refuse: (reason: string) => void): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    refuse(`cannot read the file ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
    return null;
  }
}
