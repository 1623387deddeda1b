import type { Adapters } from './adapters.ts';
import { countCertificates } from './certificates/state-counts.ts';
import { countDomainStates } from './domains/state-counts.ts';
import { countLosses } from './exports/lost-artifact.ts';
import { type JobStates, readJobStates } from './job-state.ts';
import type { Connections } from './platform/db/connections.ts';

/** Registers what `/metrics` reads at each scrape: jobs, workers, database connections and the disk. */
export function registerGauges(
  { db, metrics, disk }: Pick<Adapters, 'db' | 'metrics' | 'disk'>,
  connections: Pick<Connections, 'open' | 'waiting'>,
  limits: { databaseConnections: number; minFreeBytes: number },
): void {
  // The gauges of one scrape are read at the same time, and share one query.
  let reading: Promise<JobStates> | null = null;
  const states = (): Promise<JobStates> => {
    reading ??= readJobStates(db).finally(() => {
      reading = null;
    });
    return reading;
  };
  metrics.readGauges({
    name: 'offprint_queue_jobs',
    help: 'Unfinished jobs of the installation, by kind and state; the same in every process.',
    labelNames: ['kind', 'state'],
    read: async () => {
      const { groups } = await states();
      return groups.map(({ kind, state, count }) => ({ labels: { kind, state }, value: count }));
    },
  });
  metrics.readGauges({
    name: 'offprint_queue_oldest_seconds',
    help: 'Age of the oldest unfinished job, by kind and state: since it was queued or started; 0 without a job.',
    labelNames: ['kind', 'state'],
    read: async () => {
      const { groups } = await states();
      return groups.map(({ kind, state, oldestSeconds }) => ({
        labels: { kind, state },
        value: oldestSeconds,
      }));
    },
  });
  metrics.readGauges({
    name: 'offprint_workers',
    help: 'Workers of the installation that live; the same in every process.',
    read: async () => [{ value: (await states()).workers }],
  });
  metrics.readGauges({
    name: 'offprint_lost_artifacts',
    help: 'Artifacts whose stored files are missing or damaged: restoring, or lost if they could not be rendered again; the same in every process.',
    labelNames: ['state'],
    read: async () => {
      const { restoring, lost } = await countLosses(db);
      return [
        { labels: { state: 'restoring' }, value: restoring },
        { labels: { state: 'lost' }, value: lost },
      ];
    },
  });
  const byState = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }));
  metrics.readGauges({
    name: 'offprint_domains',
    help: 'Claimed domains by state: pending, verified, failing if the last check did not find the proof, or expired; the same in every process.',
    labelNames: ['state'],
    read: async () => byState({ ...(await countDomainStates(db)) }),
  });
  metrics.readGauges({
    name: 'offprint_certificates',
    help: 'Certificates of verified domains by state: valid, expiring if half of the time for the renewal has passed, expired, or missing if the order failed; the same in every process.',
    labelNames: ['state'],
    read: async () => byState({ ...(await countCertificates(db)) }),
  });
  metrics.readGauges({
    name: 'offprint_database_connections',
    help: 'Database connections of this process: open, waiting for one, and the limit.',
    labelNames: ['state'],
    read: async () => [
      { labels: { state: 'open' }, value: connections.open() },
      { labels: { state: 'waiting' }, value: connections.waiting() },
      { labels: { state: 'limit' }, value: limits.databaseConnections },
    ],
  });
  metrics.readGauges({
    name: 'offprint_disk_free_bytes',
    help: 'Free space of the data folder.',
    read: async () => {
      const value = await disk.freeBytes();
      return value === null ? [] : [{ value }];
    },
  });
  metrics.readGauges({
    name: 'offprint_disk_min_free_bytes',
    help: 'Free space below which a worker starts no exports.',
    read: async () => [{ value: limits.minFreeBytes }],
  });
}
