import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureOperator, type FirstOperator } from './accounts/service.ts';
import { type Adapters, checksOf, warningsOf } from './adapters.ts';
import { startApi } from './api.ts';
import { type Bootstrapped, type BootstrapRequest, bootstrap } from './bootstrap.ts';
import { CHILD_PROGRAMS } from './child-programs.ts';
import {
  type Config,
  ConfigError,
  misspelledSettings,
  readSecret,
  secretsInEnvironment,
  settings,
} from './config.ts';
import { registerGauges } from './gauges.ts';
import { type DatabaseUrls, openConnections } from './platform/db/connections.ts';
import { startEmbeddedPostgres } from './platform/db/embedded/embedded.ts';
import { databaseFailure, isDatabaseFailure } from './platform/db/failure.ts';
import { MigrationError, migrate } from './platform/db/migrate.ts';
import { isSecretOf, WRONG_SECRET } from './platform/db/secret-check.ts';
import { watchDisk } from './platform/disk.ts';
import { AppError } from './platform/http/error.ts';
import { readiness } from './platform/http/health.ts';
import { sandboxName } from './platform/jobs/folders.ts';
import { announce, newWorkerNumber } from './platform/jobs/leases.ts';
import { createLogger, type Logger } from './platform/log.ts';
import { createMetrics, serveMetrics } from './platform/metrics.ts';
import { requireFreePort } from './platform/net/free-port.ts';
import { createOutageLog, watchSandbox, watchStore } from './platform/outage-log.ts';
import { denyTracing } from './platform/sandbox/deny-tracing.ts';
import { setChildNiceness } from './platform/sandbox/isolation.ts';
import { createRemoteSandbox } from './platform/sandbox/remote/client.ts';
import { requireIsolation } from './platform/sandbox/report.ts';
import { createSandbox, type Sandbox } from './platform/sandbox/sandbox.ts';
import { type Phase, type PhaseFault, runPhases } from './platform/shutdown.ts';
import { StartError } from './platform/start-error.ts';
import { startTracing, traceSandbox } from './platform/tracing.ts';
import { renderLimits } from './render-limits.ts';
import { workDir } from './services.ts';
import { openStoredFiles } from './stored-files.ts';
import { VERSION } from './version.ts';
import { startWorker } from './worker.ts';

export interface Roles {
  api: boolean;
  worker: boolean;
}

export interface Platform {
  /** Address of the API; null without that role. */
  url: string | null;
  /** Port of the metrics; null when they are not served. */
  metricsPort: number | null;
  log: Logger;
  /** Creates an organization, a project and a key; needs the API role. */
  bootstrap(request: Omit<BootstrapRequest, 'operatorEmail' | 'dataDir'>): Promise<Bootstrapped>;
  /**
   * Stops in phases: no new work, what runs gets its time, then everything closes. `drain`: the API first serves for
   * OFFPRINT_DRAIN_SECONDS and lets load balancers know. Safe to call twice.
   */
  stop(options?: { drain: boolean }): Promise<PhaseFault[]>;
}

/** What a part may take to close, beyond the time that running exports are given. */
const CLOSE_MS = 15_000;

/**
 * Starts the roles in this process on one set of adapters: the embedded PostgreSQL or the one of
 * DATABASE_URL, brought to the newest schema, the queue and the blob store. Throws, with everything closed
 * again, when a part cannot be started. `tellOperator` receives the account that the first start of an API
 * creates, the only time that its password is known; by default it prints it.
 */
export async function startPlatform(
  config: Config,
  roles: Roles,
  tellOperator: (operator: FirstOperator) => void = printOperator,
): Promise<Platform> {
  denyTracing();
  setChildNiceness(config.exportNice);
  const role = roleName(roles);
  const log = createLogger({ level: config.logLevel, format: config.logFormat, role });
  const open: Phase[] = [];
  const closeAll = (first: Phase[]) => runPhases([...first, ...open.splice(0).reverse()]);
  try {
    if (roles.api) await requireFreePort(config.port, config.host);
    const exposed = secretsInEnvironment();
    if (exposed.length > 0)
      log.warn({ settings: exposed }, 'secrets are in the environment; set the variables that end in _FILE');
    for (const message of misspelledSettings()) log.warn(message);
    const { otlpEndpoint: endpoint, otlpHeaders: headers = {}, tracesRatio: ratio } = config;
    if (endpoint !== undefined) {
      const tracing = await startTracing({ endpoint, headers, ratio, service: role, version: VERSION, log });
      open.push({ name: 'traces', ms: CLOSE_MS, run: tracing.stop });
    }
    const adapters = await openAdapters(config, roles, log, open);
    warnOfStore(adapters, log);
    const metricsPort = await openMetrics(config, adapters, open);
    if (roles.api) {
      const operator = await firstOperator(config, adapters);
      if (operator !== null) tellOperator(operator);
    }
    const api = roles.api ? await startApi(config, adapters) : null;
    if (api !== null) open.push({ name: 'api', ms: CLOSE_MS, run: api.close });
    const worker = roles.worker ? await startWorker(config, adapters) : null;
    const graceMs = config.shutdownSeconds * 1_000;
    let stopping: Promise<PhaseFault[]> | undefined;
    return {
      url: api?.url ?? null,
      metricsPort,
      log,
      async bootstrap(request) {
        if (api === null) throw new Error('bootstrap requires the API role');
        return bootstrap(adapters.db, api.services, {
          ...request,
          operatorEmail: config.operatorEmail,
          dataDir: config.dataDir,
        });
      },
      stop({ drain } = { drain: false }) {
        const drainMs = drain && api !== null ? config.drainSeconds * 1_000 : 0;
        const closeApi = async () => {
          if (drainMs > 0) {
            api?.drain();
            log.info({ seconds: config.drainSeconds }, 'the API stops');
            await sleep(drainMs);
          }
          await api?.close();
        };
        stopping ??= closeAll([
          {
            name: 'running work',
            ms: Math.max(graceMs, drainMs) + CLOSE_MS,
            run: () => Promise.all([closeApi(), worker?.stop(graceMs)]),
          },
        ]).then((faults) => {
          for (const { phase, error } of faults)
            log.error({ err: error, phase }, 'could not close a component');
          log.info('stopped');
          return faults;
        });
        return stopping;
      },
    };
  } catch (error) {
    await closeAll([]);
    throw error;
  }
}

const roleName = ({ api, worker }: Roles): string => (api && worker ? 'all' : api ? 'api' : 'worker');

/** Throws ConfigError for a configured password that an account must not have. */
async function firstOperator(config: Config, { db, log }: Adapters): Promise<FirstOperator | null> {
  try {
    const wanted = { email: config.operatorEmail, password: config.operatorPassword };
    const operator = await ensureOperator(db, wanted);
    if (operator !== null) log.info({ email: operator.email }, 'created the account of the operator');
    return operator;
  } catch (error) {
    if (!(error instanceof AppError) || error.param !== '/password') throw error;
    throw new ConfigError([{ name: settings.operatorPassword.name, message: error.message }]);
  }
}

/** To standard output, never to the log: logs are kept and read by many. */
function printOperator({ email, madePassword }: FirstOperator): void {
  if (madePassword === null) return;
  process.stdout.write(
    `The operator signs in to the dashboard with\n  email     ${email}\n  password  ${madePassword}\nThe password is shown only once.\n`,
  );
}

/** Brings the database to the newest schema and returns the names of the migrations applied. */
export async function migrateDatabase(config: Config): Promise<string[]> {
  const log = createLogger({ level: config.logLevel, format: config.logFormat, role: 'migrate' });
  const open: Phase[] = [];
  try {
    return await migrateOrExplain(await databaseUrls(config, log, open), log);
  } finally {
    await runPhases(open.reverse());
  }
}

async function openMetrics(config: Config, adapters: Adapters, open: Phase[]): Promise<number | null> {
  if (config.metricsPort === undefined) return null;
  const { port, close } = await serveMetrics(
    adapters.metrics,
    { host: config.host, port: config.metricsPort },
    () => {
      const { sandbox, log } = adapters;
      const checks = { ...checksOf(adapters), renderer: () => sandbox.check() };
      return readiness({
        checks,
        warnings: () => warningsOf(adapters),
        sandbox: () => sandbox.report(),
        log,
      });
    },
  );
  open.push({ name: 'metrics', ms: CLOSE_MS, run: close });
  return port;
}

async function openAdapters(config: Config, roles: Roles, log: Logger, open: Phase[]): Promise<Adapters> {
  const role = roleName(roles);
  const urls = await databaseUrls(config, log, open);
  const applied = await migrateOrExplain(urls, log);
  if (applied.length > 0) log.info({ applied }, 'the database was migrated');
  let isClosing = false;
  const onError = (error: Error) => {
    // A server that stops after us may cut a connection that is saying goodbye.
    if (!isClosing) log.warn({ err: error }, 'lost a database connection');
  };
  const max = config.databaseConnections;
  const connections = await openConnections({ ...urls, role, max, hasWorker: roles.worker, onError, log });
  open.push({
    name: 'database',
    ms: CLOSE_MS,
    run: () => {
      isClosing = true;
      return connections.close();
    },
  });
  const workerNumber = newWorkerNumber();
  if (roles.worker) connections.listener.onSession((client) => announce(client, workerNumber));
  if (config.databaseUrl !== undefined && config.secret === undefined) {
    log.warn(
      'OFFPRINT_SECRET is not set: processes with another data folder cannot read the keys and links of this one',
    );
  }
  const secret = readSecret(config);
  if (!(await isSecretOf(connections.db, secret))) throw new StartError(WRONG_SECRET);
  let publicUrl = config.publicUrl;
  const stored = await openStoredFiles(config, { secret, publicUrl: () => publicUrl ?? '' });
  open.push({ name: 'blob store', ms: CLOSE_MS, run: async () => stored.close() });
  const metrics = createMetrics();
  const outages = createOutageLog(metrics);
  const minFreeBytes = config.minFreeMb * 1_000_000;
  const disk = watchDisk(config.dataDir, minFreeBytes);
  registerGauges({ db: connections.db, metrics, disk }, connections, {
    databaseConnections: max,
    minFreeBytes,
  });
  return {
    db: connections.db,
    jobsDb: connections.jobs,
    workerNumber,
    blobs: watchStore(stored.blobs, outages, metrics),
    localBlobs: stored.localBlobs,
    listener: connections.listener,
    log,
    metrics,
    secret,
    disk,
    outages,
    sandbox: traceSandbox(watchSandbox(await openSandbox(config, roles, log, open), outages)),
    publicUrl: () => publicUrl ?? '/',
    setPublicUrl: (address) => {
      publicUrl = address;
    },
  };
}

async function openSandbox(config: Config, roles: Roles, log: Logger, open: Phase[]): Promise<Sandbox> {
  const folder = join(workDir(config), sandboxName());
  // A process that had this name is gone.
  await rm(folder, { recursive: true, force: true });
  const url = config.rendererUrl;
  if (url === undefined && config.sandbox === 'required') await requireIsolation();
  const sandbox =
    url === undefined
      ? createSandbox({
          programs: CHILD_PROGRAMS,
          folder,
          ...(roles.worker ? { spare: { program: 'render', limits: renderLimits(config) } } : {}),
          log,
        })
      : createRemoteSandbox({ url, version: VERSION, folder, log });
  if (url !== undefined) log.info({ url }, 'docs are processed by the renderer');
  open.push({
    name: 'sandbox',
    ms: CLOSE_MS,
    run: async () => {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
  return sandbox;
}

async function databaseUrls(config: Config, log: Logger, open: Phase[]): Promise<DatabaseUrls> {
  const { databaseUrl: url } = config;
  if (url !== undefined) return { url, directUrl: config.databaseDirectUrl ?? url };
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir, log: plainLog(log) });
  open.push({ name: 'embedded PostgreSQL', ms: 60_000, run: server.stop });
  return { url: server.url, directUrl: server.url };
}

/** Throws a StartError for a database that cannot be reached or used. */
async function migrateOrExplain({ directUrl }: DatabaseUrls, log: Logger): Promise<string[]> {
  try {
    return await migrate(directUrl, { log: plainLog(log), program: VERSION });
  } catch (error) {
    if (error instanceof MigrationError) throw new StartError(error.message, { cause: error });
    if (!isDatabaseFailure(error)) throw error;
    throw new StartError(databaseFailure(error), { cause: error });
  }
}

function plainLog(log: Logger): { info(message: string): void; error(message: string): void } {
  return { info: (message) => log.info(message), error: (message) => log.error(message) };
}

/** The platform starts while its store cannot be used, and waits for it; wrong settings are better known now. */
function warnOfStore({ blobs }: Adapters, log: Logger): void {
  blobs.check().catch((error: unknown) => {
    log.warn(
      { err: error },
      `the store cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}
