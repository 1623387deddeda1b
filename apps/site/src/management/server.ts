import type { IncomingMessage } from 'node:http';
import type { Deployment, DeploymentStatus } from '../deployment/status.ts';
import type { Log } from '../log.ts';
import type { SiteServer } from '../serving/server.ts';
import { CallError, createTokenCheck, isBearer, readWanted } from './calls.ts';
import { formatMetrics, metricsType } from './metrics.ts';
import { watchProcess } from './process-figures.ts';
import { type Call, type CallAnswer, type Calls, type ManagementServer, startCalls } from './serve-calls.ts';

export interface ManagementOptions {
  /** IP address to listen on: one that readers cannot reach. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Returns the token for requests that change what is served; null: they return 403. */
  token: (() => string) | null;
  deployment: Deployment;
  site: Pick<SiteServer, 'state' | 'traffic'>;
  log: Log;
}

/** Starts the server for health, metrics, and the requests that report and change what is served. */
export async function startManagement(options: ManagementOptions): Promise<ManagementServer> {
  const { deployment, site } = options;
  const requireToken = createTokenCheck(options.token);
  const figures = watchProcess();

  const changing =
    (change: (request: IncomingMessage) => Promise<unknown>): Call =>
    async (request) => {
      requireToken(request);
      return { status: 200, body: await change(request) };
    };
  const calls: Calls = {
    '/healthz': { GET: () => ({ status: 200, body: { status: 'ok' } }) },
    '/readyz': { GET: () => readiness(deployment.status(), site.state().isStopping) },
    '/metrics': {
      GET: () => ({
        status: 200,
        headers: { 'Content-Type': metricsType },
        body: formatMetrics({
          status: deployment.status(),
          state: site.state(),
          traffic: site.traffic.snapshot(),
          process: figures.read(),
        }),
      }),
    },
    '/release': {
      GET: (request) => {
        // a caller who sends a token needs to know whether it is valid before there is something to change
        if (isBearer(request)) requireToken(request);
        return { status: 200, body: deployment.status() };
      },
      POST: changing(async (request) => deployment.update((await readWanted(request)) ?? undefined)),
    },
    '/rollback': {
      POST: changing(async (request) => {
        if ((await readWanted(request)) !== null)
          throw new CallError(400, 'invalid_request', 'A rollback takes no parameters. Send no body, or {}.');
        return deployment.rollback();
      }),
    },
  };

  return startCalls({ ...options, calls }, figures.stop);
}

/**
 * Ready means that a complete release is served, even if it is not the wanted one; the body reports the
 * error.
 */
function readiness({ release, step, fault }: DeploymentStatus, isStopping: boolean): CallAnswer {
  if (release !== null && !isStopping) {
    const { sha256, version } = release;
    return { status: 200, body: { ready: true, release: { sha256, version }, fault } };
  }
  const doing =
    step === null
      ? ''
      : ` (${step.name}${step.total === null ? '' : `, ${step.bytes} of ${step.total} bytes`})`;
  const reason = isStopping
    ? 'The server is stopping.'
    : (fault?.message ?? `No release is served yet${doing}.`);
  return { status: 503, body: { ready: false, reason, fault, step } };
}
