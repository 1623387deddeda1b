import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenErrorText, systemErrorText } from '@offprint/bundle';
import {
  type Config,
  ConfigError,
  readConfig,
  type Secret,
  type Setting,
  type SourceConfig,
  secretText,
  settings,
  unknownSettings,
} from './config.ts';
import { startDeployment } from './deployment/deployment.ts';
import { startHostingManagement } from './hosting/management.ts';
import { startSecureHosting } from './hosting/secure.ts';
import { createLog, type Log } from './log.ts';
import { startManagement } from './management/server.ts';
import { memoryBytes } from './releases/limits.ts';
import { startSiteServer } from './serving/server.ts';
import { followAuthorities } from './source/certificates.ts';
import { createFileSource } from './source/file.ts';
import { createHostingPlatform } from './source/hosting.ts';
import { createCertificateSource } from './source/hosting-certificates.ts';
import { createLinkSource } from './source/link.ts';
import { createPlatformSource } from './source/platform.ts';
import type { Transport } from './source/request.ts';
import type { Source } from './source/source.ts';

const usage = `usage: offprint-site [--help] [--version]

Serves a documentation site from a bundle: fetches it, verifies it, unpacks it to a volume and switches to it.
All settings are environment variables. Exactly one of the first three names the source of the bundle.
OFFPRINT_URL with OFFPRINT_HOSTING_TOKEN serves all sites of a platform.

`;

const signals = `
Secrets, and OFFPRINT_SITE_VERSION and OFFPRINT_SITE_BUNDLE_SHA256 together with a link, can also be read from the
file named by <name>_FILE.
SIGHUP checks the source again, SIGUSR2 rolls back, SIGTERM and SIGINT stop the server.
`;

/** After this time with no data, or only a trickle, the source counts as unreachable. */
const stallMilliseconds = 30_000;

/** Runs the site server until it is stopped by a signal. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  const [first] = argv;
  if (first === '--help' || first === '-h') {
    process.stdout.write(usage + settings.map(settingLines).join('') + signals);
    return;
  }
  if (first === '--version') {
    process.stdout.write(`${packageVersion()}\n`);
    return;
  }
  if (first !== undefined) {
    process.stderr.write(
      `Unexpected argument ${JSON.stringify(first)}. offprint-site is configured by environment variables; see --help.\n`,
    );
    process.exitCode = 2;
    return;
  }
  let config: Config | null = null;
  try {
    config = readConfig();
    await run(config);
  } catch (error) {
    const isConfig = error instanceof ConfigError;
    process.stderr.write(`${isConfig ? error.message : startFailure(error, config)}\n`);
    process.exitCode = isConfig ? 2 : 1;
  }
}

async function run(config: Config): Promise<void> {
  const token = config.token === null ? null : followToken(config.token);
  const log = createLog(config.logFormat);
  for (const line of unknownSettings()) log.warn(line);
  const running: Running = { update: () => {}, rollback: () => {}, stop: async () => {} };
  // a signal without a listener would end the process, or, in a container, be ignored
  listenToSignals(running, log);
  const certificates = followAuthorities(config.caFile);
  const transport: Transport = {
    stallMs: stallMilliseconds,
    get ca() {
      return certificates();
    },
  };
  const started = { config, token, log, running, transport };
  if (config.source.kind === 'hosting') await runHosting({ ...started, source: config.source });
  else await runSite({ ...started, source: config.source });
}

/** What both modes start with. */
interface Started {
  config: Config;
  token: (() => string) | null;
  log: Log;
  running: Running;
  transport: Transport;
}

/** Serves one site. */
async function runSite({
  config,
  source,
  token,
  log,
  running,
  transport,
}: Started & { source: SiteSource }): Promise<void> {
  const site = await startSiteServer({
    host: config.host,
    port: config.port,
    basePath: config.basePath,
    https: config.https,
    ...(config.accessLog ? { accessLog: (lines: string) => void process.stdout.write(lines) } : {}),
    log,
  });
  const deployment = startDeployment({
    source: createSource(source, config.version, transport),
    dir: config.dir,
    version: config.version,
    domain: config.domain,
    settings: settingsOf(source, config),
    intervalMs: config.intervalMs,
    maxBundleBytes: config.maxBundleBytes,
    verify: config.verify,
    memory: memoryBytes(),
    transport,
    serving: site,
    log,
  });
  const management = await startManagement({
    host: config.managementHost,
    port: config.managementPort,
    token,
    deployment,
    site,
    log,
  }).catch(async (error: unknown) => {
    await Promise.all([site.stop(), deployment.stop()]);
    throw error;
  });
  running.update = () => void deployment.update().catch(() => {});
  running.rollback = () => void deployment.rollback().catch((error: Error) => log.error(error.message));
  running.stop = async () => {
    // readers first, because they wait; leftovers of an update are removed at the next start
    const isOver = new AbortController();
    const limit = sleep(config.shutdownMs, undefined, { signal: isOver.signal }).catch(() => {});
    await Promise.all([site.stop({ limitMs: config.shutdownMs }), Promise.race([deployment.stop(), limit])]);
    isOver.abort();
    await management.stop();
  };
  log.info('listening', { address: site.url, managementPort: management.port });
}

/** Serves many sites. */
async function runHosting({
  config,
  source,
  token,
  log,
  running,
  transport,
}: Started & { source: Extract<SourceConfig, { kind: 'hosting' }> }): Promise<void> {
  const hosting = await startSecureHosting({
    platform: createHostingPlatform({ ...source, transport }),
    transport,
    dir: config.dir,
    maxBundleBytes: config.maxBundleBytes,
    memory: memoryBytes(),
    host: config.host,
    port: config.port,
    https: config.https,
    isProxy: config.isProxy,
    events: { maxBytes: config.maxEventBytes },
    source: createCertificateSource({ ...source, transport }),
    tls:
      config.tlsPort === null
        ? null
        : { port: config.tlsPort, token: secretText(source.token), files: config.tlsFiles },
    ...(config.accessLog ? { accessLog: (lines: string) => void process.stdout.write(lines) } : {}),
    log,
  });
  const { managementHost: host, managementPort: port } = config;
  const management = await startHostingManagement({ host, port, token, hosting, log }).catch(
    async (error: unknown) => {
      await hosting.stop();
      throw error;
    },
  );
  running.update = hosting.refresh;
  running.rollback = () => log.warn('Roll back a deployment on the platform; this process follows it.');
  running.stop = async () => {
    await hosting.stop({ limitMs: config.shutdownMs });
    await management.stop();
  };
  log.info('listening', { port: hosting.port, tlsPort: hosting.tlsPort, managementPort: management.port });
}

/** What signals do; nothing before the server has started. */
interface Running {
  update(): void;
  rollback(): void;
  stop(): Promise<void>;
}

/** A source of one site. */
type SiteSource = Exclude<SourceConfig, { kind: 'hosting' }>;

function createSource(source: SiteSource, version: string | null, transport: Transport): Source {
  if (source.kind === 'link') return createLinkSource(source.url, source.sha256, source.version);
  if (source.kind === 'file') return createFileSource({ path: source.path, sha256: source.sha256 });
  return createPlatformSource({ ...source, version, transport });
}

/**
 * Identifies the settings under which a bundle was processed: other settings process it again. Contains no
 * secret.
 */
function settingsOf(source: SiteSource, { version, domain }: Config): string {
  const pin = source.kind === 'link' && typeof source.sha256 === 'string' ? source.sha256 : null;
  const place = source.kind === 'platform' ? source.url.href : source.kind === 'file' ? source.path : pin;
  return JSON.stringify([source.kind, place, version, domain]);
}

/** The current token: a replaced token is no longer valid. */
function followToken(token: Secret): () => string {
  const read = () => secretText(token);
  read();
  return read;
}

function listenToSignals(running: Running, log: Log): void {
  // the result is in the log
  process.on('SIGHUP', () => {
    log.info('SIGHUP: checking the source again');
    running.update();
  });
  process.on('SIGUSR2', () => {
    log.info('SIGUSR2: rolling back');
    running.rollback();
  });
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // the second signal ends the process at once
      if (isStopping) process.exit(1);
      isStopping = true;
      log.info(`${signal}: stopping`);
      running.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error(`stopping failed: ${error instanceof Error ? error.message : String(error)}`);
          process.exit(1);
        },
      );
    });
  }
}

function startFailure(error: unknown, config: Config | null): string {
  const isManagement = error instanceof Error && 'port' in error && error.port === config?.managementPort;
  const choice = isManagement
    ? { port: 'OFFPRINT_SITE_MANAGEMENT_PORT', host: 'OFFPRINT_SITE_MANAGEMENT_HOST' }
    : { port: 'OFFPRINT_SITE_PORT', host: 'OFFPRINT_SITE_HOST' };
  return (
    listenErrorText(error, choice) ??
    systemErrorText(error) ??
    (error instanceof Error ? (error.stack ?? error.message) : String(error))
  );
}

function settingLines(setting: Setting): string {
  const meaning = setting.meaning.replaceAll('`', '');
  return `  ${setting.name}${setting.default === null ? '' : ` (${setting.default})`}\n      ${meaning}\n`;
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
