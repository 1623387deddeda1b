import type { AnalyticsFigures } from '../analytics/analytics.ts';
import type { Log } from '../log.ts';
import { CallError, createTokenCheck } from '../management/calls.ts';
import { type AddMetric, addProcess, addTraffic, metricsText, metricsType } from '../management/metrics.ts';
import { watchProcess } from '../management/process-figures.ts';
import { type CallAnswer, type ManagementServer, startCalls } from '../management/serve-calls.ts';
import type { CertificateStatus } from '../tls/follow.ts';
import type { FollowerStatus, HostStatus } from './follow.ts';
import type { SecureHosting } from './secure.ts';

export interface HostingManagementOptions {
  /** IP address to listen on: one that readers cannot reach. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Returns the token for requests that change something; null: they return 403. */
  token: (() => string) | null;
  hosting: SecureHosting;
  log: Log;
}

/** Hosts that one response lists. */
const maxListed = 1000;

/** Starts the server for health, metrics and the status of each site. */
export function startHostingManagement(options: HostingManagementOptions): Promise<ManagementServer> {
  const { hosting, host, port, log } = options;
  const requireToken = createTokenCheck(options.token);
  const figures = watchProcess();
  const metrics = (): string =>
    metricsText((metric) => {
      const state = hosting.state();
      addSites(metric, hosting, hosting.status());
      addEvents(metric, hosting.events());
      if (hosting.certificates !== null) addCertificates(metric, hosting.certificates());
      addTraffic(metric, hosting.traffic.snapshot(), state);
      addProcess(metric, figures.read());
    });
  const calls = {
    '/healthz': { GET: () => ({ status: 200, body: { status: 'ok' } }) },
    '/readyz': { GET: () => readiness(hosting) },
    '/metrics': { GET: () => ({ status: 200, headers: { 'Content-Type': metricsType }, body: metrics() }) },
    '/sites': {
      GET: ({ url = '' }: { url?: string | undefined }) =>
        listSites(hosting.status(), hosting.certificates?.() ?? null, url),
      POST: (request: Parameters<typeof requireToken>[0]) => {
        requireToken(request);
        hosting.refresh();
        return { status: 202, body: { status: 'checking' } };
      },
    },
  };
  return startCalls({ host, port, log, calls }, figures.stop);
}

/** The sites in the order of their hosts, from `?after=<host>` on, or one site with `?host=<host>`. */
function listSites(
  { fault, checkedAt, hosts }: FollowerStatus,
  certificates: CertificateStatus | null,
  url: string,
): CallAnswer {
  const query = URL.parse(url, 'http://management.invalid')?.searchParams;
  const one = query?.get('host') ?? null;
  const after = query?.get('after') ?? '';
  const sorted = hosts.toSorted((a, b) => (a.host < b.host ? -1 : 1));
  if (one !== null) {
    const site = sorted.find(({ host }) => host === one);
    if (site === undefined) throw new CallError(404, 'not_found', 'No site has this host.');
    return { status: 200, body: site };
  }
  const sites = sorted.filter(({ host }) => host > after);
  const listed = sites.slice(0, maxListed);
  const next = sites.length > listed.length ? (listed.at(-1)?.host ?? null) : null;
  return { status: 200, body: { fault, checkedAt, certificates, count: hosts.length, sites: listed, next } };
}

/** Ready means that every site was installed or has failed once since the start. */
function readiness(hosting: SecureHosting): CallAnswer {
  const { isReady, fault, hosts } = hosting.status();
  const { isStopping } = hosting.state();
  if (isReady && !isStopping)
    return {
      status: 200,
      body: { ready: true, sites: hosts.length, failing: hosts.filter(isFailing).length, fault },
    };
  const reason = isStopping
    ? 'The server is stopping.'
    : (fault?.message ?? 'The sites are being installed.');
  return { status: 503, body: { ready: false, reason, fault } };
}

const isFailing = ({ fault }: HostStatus): boolean => fault !== null;

function stateOf({ redirectTo, served, fault }: HostStatus): (typeof siteStates)[number] {
  if (redirectTo !== null) return 'redirect';
  if (fault !== null) return served === null ? 'failed' : 'outdated';
  return served === null ? 'installing' : 'served';
}

/** `outdated`: an earlier release is served, because the wanted one cannot be installed. */
const siteStates = ['served', 'outdated', 'installing', 'failed', 'redirect'] as const;

function addSites(metric: AddMetric, hosting: SecureHosting, status: FollowerStatus): void {
  const { fault, hosts, checkedAt, isReady, switches } = status;
  const states = hosts.map(stateOf);
  metric('offprint_site_ready', 'gauge', 'Whether the sites are served and the server is not stopping.', [
    [isReady && !hosting.state().isStopping ? 1 : 0],
  ]);
  metric(
    'offprint_site_hosts',
    'gauge',
    'Number of hosts by state.',
    siteStates.map((state) => [states.filter((one) => one === state).length, { state }]),
  );
  metric('offprint_site_switches_total', 'counter', 'Number of times a release replaced another one.', [
    [switches],
  ]);
  metric('offprint_site_platform_fault', 'gauge', 'Whether the platform cannot be followed.', [
    [fault === null ? 0 : 1],
  ]);
  if (checkedAt !== null)
    metric(
      'offprint_site_last_check_timestamp_seconds',
      'gauge',
      'Time of the last response of the platform.',
      [[Date.parse(checkedAt) / 1000]],
    );
  metric('offprint_site_encoding_releases', 'gauge', 'Releases whose compressed copies are not complete.', [
    [hosting.state().encoding],
  ]);
  const counts = hosting.hosts();
  metric(
    'offprint_site_host_requests_total',
    'counter',
    'Requests by host; at most 500 hosts have a series of their own.',
    counts.map(({ host, requests }) => [requests, { host }]),
  );
  metric(
    'offprint_site_host_failures_total',
    'counter',
    'Responses with status 5xx by host.',
    counts.map(({ host, failures }) => [failures, { host }]),
  );
  metric(
    'offprint_site_host_sent_bytes_total',
    'counter',
    'Bytes sent by host, headers included.',
    counts.map(({ host, bytes }) => [bytes, { host }]),
  );
}

function addEvents(metric: AddMetric, { recorded, sent, dropped, waitingBytes }: AnalyticsFigures): void {
  metric(
    'offprint_site_events_recorded_total',
    'counter',
    'Events of readers that were written to the volume.',
    [[recorded]],
  );
  metric('offprint_site_events_sent_total', 'counter', 'Events of readers that the platform has stored.', [
    [sent],
  ]);
  metric(
    'offprint_site_events_dropped_total',
    'counter',
    'Events of readers that were dropped, because the limit is reached or the volume failed.',
    [[dropped]],
  );
  metric('offprint_site_events_waiting_bytes', 'gauge', 'Size of events that wait for the platform.', [
    [waitingBytes],
  ]);
}

function addCertificates(metric: AddMetric, { hosts, nextExpiry, fault }: CertificateStatus): void {
  metric('offprint_site_certificate_hosts', 'gauge', 'Number of hosts with a certificate.', [[hosts]]);
  metric('offprint_site_certificates_fault', 'gauge', 'Whether the certificates cannot be followed.', [
    [fault === null ? 0 : 1],
  ]);
  if (nextExpiry !== null)
    metric(
      'offprint_site_certificate_expiry_timestamp_seconds',
      'gauge',
      'Earliest expiry of a certificate.',
      [[Date.parse(nextExpiry) / 1000]],
    );
}
