import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';

export interface Metrics {
  registry: Registry;
  /** Seconds of each request by method, route template and status. */
  requests: Histogram<'method' | 'route' | 'status'>;
  /** Finished jobs by kind and outcome. */
  jobs: Counter<'kind' | 'outcome'>;
  /** Seconds of each job by kind, from claim to end. */
  jobSeconds: Histogram<'kind'>;
  /** Jobs being worked on by kind. */
  activeJobs: Gauge<'kind'>;
  /** Connections that the API closed, by reason. */
  closedConnections: Counter<'reason'>;
  /** What happened to jobs on the way to their end, by kind. */
  jobEvents: Counter<'kind' | 'event'>;
  /** Runs of periodic tasks, by outcome. */
  sweeps: Counter<'task' | 'outcome'>;
  /** Failed operations of the store, by reason. */
  storeErrors: Counter<'reason'>;
  /** Searches of sites with vectors, by what became of them. */
  vectorSearches: Counter<'outcome'>;
  /** Errors caused by what the machine or a service lacks. */
  outages: Counter<'code'>;
  /** Reports the number of open connections of the API. */
  countConnections(count: () => number): void;
  /** Reports values that are read for each scrape. One that cannot be read is missing in that scrape. */
  readGauges(gauge: ReadGauge): void;
}

/**
 * `claimed`, `taken_over` from a worker that is gone, `given_back` by one that stops, `retried` after a failure, and
 * `abandoned` after too many attempts.
 */
export type JobEvent = 'claimed' | 'taken_over' | 'given_back' | 'retried' | 'abandoned';

export interface ReadGauge {
  name: string;
  help: string;
  labelNames?: string[];
  read(): Promise<{ labels?: Record<string, string>; value: number }[]>;
}

/** The counters of one process. Nothing is global, so that roles and tests do not share them. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Histogram({
      name: 'offprint_http_request_seconds',
      help: 'Response time of requests.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    jobs: new Counter({
      name: 'offprint_jobs_total',
      help: 'Finished jobs, by outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'offprint_job_seconds',
      help: 'Time from the claim of a job to its end.',
      labelNames: ['kind'],
      buckets: [0.5, 1, 2, 5, 10, 20, 60, 120, 300, 900],
      registers,
    }),
    activeJobs: new Gauge({
      name: 'offprint_jobs_active',
      help: 'Jobs in progress.',
      labelNames: ['kind'],
      registers,
    }),
    closedConnections: new Counter({
      name: 'offprint_http_connections_closed_total',
      help: 'Connections that the API closed: above a limit (limit, address-limit, refused), or slow (slow-head, slow-body, slow-reader).',
      labelNames: ['reason'],
      registers,
    }),
    jobEvents: new Counter({
      name: 'offprint_job_events_total',
      help: 'Jobs that were claimed, taken_over, given_back, retried or abandoned.',
      labelNames: ['kind', 'event'],
      registers,
    }),
    sweeps: new Counter({
      name: 'offprint_sweeps_total',
      help: 'Runs of periodic tasks, by outcome.',
      labelNames: ['task', 'outcome'],
      registers,
    }),
    storeErrors: new Counter({
      name: 'offprint_store_errors_total',
      help: 'Failed operations of the store of artifacts, bundles and uploads.',
      labelNames: ['reason'],
      registers,
    }),
    vectorSearches: new Counter({
      name: 'offprint_vector_searches_total',
      help: 'Searches of sites with vectors: merged, or by words only (slow, failed, busy, paused).',
      labelNames: ['outcome'],
      registers,
    }),
    outages: new Counter({
      name: 'offprint_outages_total',
      help: 'Errors because of a full disk, an unavailable store or database, or killed render processes.',
      labelNames: ['code'],
      registers,
    }),
    readGauges({ name, help, labelNames = [], read }) {
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          const samples = await read().catch(() => []);
          this.reset();
          for (const { labels = {}, value } of samples) this.set(labels, value);
        },
      });
    },
    countConnections(count) {
      new Gauge({
        name: 'offprint_http_connections',
        help: 'Open connections of the API.',
        registers,
        collect() {
          this.set(count());
        },
      });
    },
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/**
 * Serves `/metrics`, `/healthz` and, with `ready`, `/readyz` on a port of its own, which is not to be public.
 */
export async function serveMetrics(
  metrics: Metrics,
  address: { host: string; port: number },
  ready?: () => Promise<{ status: string }>,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    if (request.url === '/healthz') {
      response.writeHead(200, JSON_TYPE).end('{"status":"ok"}');
      return;
    }
    if (request.url === '/readyz' && ready !== undefined) {
      ready().then(
        (body) =>
          response.writeHead(body.status === 'ready' ? 200 : 503, JSON_TYPE).end(JSON.stringify(body)),
        () => response.writeHead(500).end(),
      );
      return;
    }
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
