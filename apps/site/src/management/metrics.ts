import type { DeploymentStatus } from '../deployment/status.ts';
import { deploymentErrorCodes } from '../error.ts';
import type { ServerState } from '../serving/server.ts';
import type { TrafficSnapshot } from '../serving/traffic.ts';
import type { ProcessFigures } from './process-figures.ts';

/** The input of the metrics. */
export interface MetricSources {
  status: DeploymentStatus;
  state: ServerState;
  traffic: TrafficSnapshot;
  process: ProcessFigures;
}

type Labels = Readonly<Record<string, string>>;

/** Labels also come from bundles: a long one would be stored at every scrape. */
const longestLabel = 128;

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Adds the samples of a metric. */
export type AddMetric = (
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly (readonly [value: number, labels?: Labels, suffix?: string])[],
) => void;

/** Metrics in the text format of Prometheus. */
export function metricsText(add: (metric: AddMetric) => void): string {
  const lines: string[] = [];
  add((name, type, help, samples) => {
    if (samples.length === 0) return;
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [value, labels = {}, suffix = ''] of samples)
      lines.push(`${name}${suffix}${formatLabels(labels)} ${value}`);
  });
  return `${lines.join('\n')}\n`;
}

/** The metrics of one site. Their number does not depend on what readers request. */
export function formatMetrics({ status, state, traffic, process }: MetricSources): string {
  return metricsText((metric) => {
    addRelease(metric, status, state);
    addTraffic(metric, traffic, state);
    addProcess(metric, process);
  });
}

function addRelease(metric: AddMetric, status: DeploymentStatus, state: ServerState): void {
  const { release, fault } = status;

  metric(
    'offprint_site_ready',
    'gauge',
    'Whether a complete release is served and the server is not stopping.',
    [[release !== null && !state.isStopping ? 1 : 0]],
  );
  if (release !== null) {
    const { sha256, version, domain, commit } = release;
    metric('offprint_site_release_info', 'gauge', 'The release that is served.', [
      [1, { sha256, version, domain, commit: commit ?? '' }],
    ]);
    metric('offprint_site_release_files', 'gauge', 'Number of files in the release.', [[release.files]]);
    metric('offprint_site_release_bytes', 'gauge', 'Total size of the files in the release.', [
      [release.bytes],
    ]);
    metric(
      'offprint_site_release_activated_timestamp_seconds',
      'gauge',
      'Time at which the release was activated.',
      [[Date.parse(release.activatedAt) / 1000]],
    );
  }
  metric('offprint_site_switches_total', 'counter', 'Number of times a release replaced another one.', [
    [state.switches],
  ]);
  metric(
    'offprint_site_fault',
    'gauge',
    'Why the wanted release is not served.',
    deploymentErrorCodes.map((code) => [fault?.code === code ? 1 : 0, { code }]),
  );
  if (status.checkedAt !== null) {
    metric(
      'offprint_site_last_check_timestamp_seconds',
      'gauge',
      'Time of the last response of the source.',
      [[Date.parse(status.checkedAt) / 1000]],
    );
  }
  metric(
    'offprint_site_compressed_files',
    'gauge',
    'Text files of the release, counted once per content encoding.',
    [
      [state.encoding.settled, { state: 'made' }],
      [state.encoding.wanted - state.encoding.settled, { state: 'missing' }],
    ],
  );
  metric('offprint_site_compressed_bytes', 'gauge', 'Size of the compressed files.', [
    [state.encoding.bytes],
  ]);
}

/** Requests and connections of this process. */
export function addTraffic(
  metric: AddMetric,
  traffic: TrafficSnapshot,
  { inFlight, connections }: Pick<ServerState, 'inFlight' | 'connections'>,
): void {
  const labelled = traffic.answers.map(({ kind, coding, statusClass, count, bytes }) => ({
    labels: { class: statusClass, encoding: coding, kind },
    count,
    bytes,
  }));
  metric(
    'offprint_site_requests_total',
    'counter',
    'Number of requests.',
    labelled.map(({ count, labels }) => [count, labels]),
  );
  metric(
    'offprint_site_sent_bytes_total',
    'counter',
    'Bytes sent in responses, headers included.',
    labelled.map(({ bytes, labels }) => [bytes, labels]),
  );
  const { buckets, count, sum } = traffic.seconds;
  metric('offprint_site_request_seconds', 'histogram', 'Time from a request to the end of its response.', [
    ...buckets.map(({ atMost, count }) => [count, { le: String(atMost) }, '_bucket'] as const),
    [count, { le: '+Inf' }, '_bucket'],
    [sum, {}, '_sum'],
    [count, {}, '_count'],
  ]);
  metric('offprint_site_requests_in_flight', 'gauge', 'Requests in progress.', [[inFlight]]);
  metric('offprint_site_connections', 'gauge', 'Open connections of readers.', [[connections]]);
  metric(
    'offprint_site_connections_dropped_total',
    'counter',
    'Connections closed because the maximum was reached.',
    [[traffic.dropped]],
  );
  metric(
    'offprint_site_broken_requests_total',
    'counter',
    'Input that was not a valid request: malformed, too large or too slow.',
    traffic.broken.map(({ status, count }) => [count, { status }]),
  );
}

export function addProcess(metric: AddMetric, process: ProcessFigures): void {
  const { delay } = process;
  metric(
    'offprint_site_event_loop_delay_seconds',
    'gauge',
    'Delay of the event loop since the last scrape.',
    [
      [delay.p50, { quantile: '0.5' }],
      [delay.p99, { quantile: '0.99' }],
      [delay.max, { quantile: '1' }],
    ],
  );
  metric('process_resident_memory_bytes', 'gauge', 'Resident memory.', [[process.residentBytes]]);
  metric('process_heap_bytes', 'gauge', 'Size of the JavaScript heap.', [[process.heapBytes]]);
  metric('process_cpu_seconds_total', 'counter', 'CPU time, user and system.', [[process.cpuSeconds]]);
  metric('process_start_time_seconds', 'gauge', 'Start time of the process, in seconds since 1970.', [
    [process.started],
  ]);
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const text = value.slice(0, longestLabel).replace(/[\\"\n]/g, (character) => escapes[character] ?? '');
    return `${name}="${text}"`;
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
