/** Alerts and dashboard of the platform: they ask for metrics that exist, and fire when they should. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { registerGauges } from '../../apps/server/src/gauges.ts';
import { createMetrics } from '../../apps/server/src/platform/metrics.ts';
import { findProgram, missing } from '../support/system-program.ts';
import { parseObjects } from './helm-checks.ts';
import { chartFolder, render, whyNoHelm } from './helm-engine.ts';
import { examples } from './helm-values.ts';

interface Rule {
  alert: string;
  expr: string;
}

const promtool = findProgram('promtool');

const labels = (more: string, pod = 'docs-offprint-api-1') => `{namespace="web", pod="${pod}"${more}}`;
const queue = (name: string, state: string) =>
  `offprint_queue_${name}${labels(`, kind="export", state="${state}"`)}`;
const workers = `offprint_workers${labels('')}`;
const ended = (outcome: string) => `offprint_jobs_total${labels(`, kind="export", outcome="${outcome}"`)}`;
const requests = (status: string) => `offprint_http_request_seconds_count${labels(`, status="${status}"`)}`;
const connections = (state: string) => `offprint_database_connections${labels(`, state="${state}"`)}`;
const storeErrors = `offprint_store_errors_total${labels(', reason="unreachable"')}`;
const certificates = (state: string) => `offprint_certificates${labels(`, state="${state}"`)}`;
const domains = (state: string) => `offprint_domains${labels(`, state="${state}"`)}`;
const killed = `offprint_outages_total${labels(', code="renderer_killed"')}`;

/** Series, and the alerts that fire and that do not at a time. */
const cases = [
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '0x40' },
      { series: queue('jobs', 'queued'), values: '2000x40' },
    ],
    fires: [['2m', 'OffprintNoWorker']],
    quiet: [
      ['30s', 'OffprintNoWorker'],
      ['10m', 'OffprintDown'],
    ],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: queue('jobs', 'queued'), values: '2000x80' },
      { series: queue('oldest_seconds', 'queued'), values: '1000x80' },
    ],
    fires: [['10m', 'OffprintQueueOld']],
    quiet: [['10m', 'OffprintNoWorker']],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '0x80' },
      { series: queue('jobs', 'queued'), values: '0x80' },
      { series: `offprint_disk_free_bytes${labels('')}`, values: '700000000x80' },
      { series: `offprint_disk_min_free_bytes${labels('')}`, values: '500000000x80' },
    ],
    fires: [['10m', 'OffprintDiskLow']],
    quiet: [['10m', 'OffprintNoWorker']],
  },
  // The limit is 4 hours.
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: queue('oldest_seconds', 'running'), values: '15000x80' },
    ],
    fires: [['10m', 'OffprintJobStuck']],
    quiet: [['10m', 'OffprintQueueOld']],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: queue('oldest_seconds', 'running'), values: '14000x80' },
    ],
    fires: [],
    quiet: [['10m', 'OffprintJobStuck']],
  },
  // Eight of twelve fail in half an hour; then many do, but fewer than those that complete; then few at all.
  {
    interval: '1m',
    input_series: [
      { series: workers, values: '1x60' },
      { series: ended('failed'), values: '0+0.4x60' },
      { series: ended('completed'), values: '0+0.2x60' },
    ],
    fires: [['40m', 'OffprintJobsFailing']],
    quiet: [],
  },
  {
    interval: '1m',
    input_series: [
      { series: workers, values: '1x60' },
      { series: ended('failed'), values: '0+1x60' },
      { series: ended('completed'), values: '0+3x60' },
    ],
    fires: [],
    quiet: [['40m', 'OffprintJobsFailing']],
  },
  {
    interval: '1m',
    input_series: [
      { series: workers, values: '1x60' },
      { series: ended('failed'), values: '0+0.1x60' },
    ],
    fires: [],
    quiet: [['40m', 'OffprintJobsFailing']],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: requests('503'), values: '0+1x80' },
      { series: requests('200'), values: '0+10x80' },
    ],
    fires: [['12m', 'OffprintApiErrors']],
    quiet: [],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: requests('503'), values: '0+1x80' },
      { series: requests('404'), values: '0+10x80' },
      { series: requests('200'), values: '0+100x80' },
    ],
    fires: [],
    quiet: [['12m', 'OffprintApiErrors']],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: connections('waiting'), values: '3x80' },
      { series: connections('open'), values: '10x80' },
    ],
    fires: [['10m', 'OffprintDatabaseConnections']],
    quiet: [],
  },
  // Full now and then is how a pool is used.
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: connections('waiting'), values: '3x10 0x2 3x10 0x40' },
      { series: connections('open'), values: '10x80' },
    ],
    fires: [],
    quiet: [
      ['3m', 'OffprintDatabaseConnections'],
      ['6m', 'OffprintDatabaseConnections'],
    ],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: storeErrors, values: '0+2x80' },
    ],
    fires: [['12m', 'OffprintStoreErrors']],
    quiet: [],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: storeErrors, values: '0x20 1x60' },
    ],
    fires: [],
    quiet: [['12m', 'OffprintStoreErrors']],
  },
  {
    interval: '1m',
    input_series: [
      { series: workers, values: '1x40' },
      { series: killed, values: '0x5 4x40' },
    ],
    fires: [['8m', 'OffprintRenderersKilled']],
    quiet: [['30m', 'OffprintRenderersKilled']],
  },
  {
    interval: '1m',
    input_series: [
      { series: workers, values: '1x40' },
      { series: killed, values: '0x5 1x40' },
    ],
    fires: [],
    quiet: [['8m', 'OffprintRenderersKilled']],
  },
  {
    interval: '15s',
    input_series: [
      { series: workers, values: '1x80' },
      { series: `offprint_lost_artifacts${labels(', state="restoring"')}`, values: '3x80' },
      { series: `offprint_lost_artifacts${labels(', state="lost"')}`, values: '0x39 1x40' },
    ],
    fires: [['12m', 'OffprintArtifactsLost']],
    quiet: [['9m', 'OffprintArtifactsLost']],
  },
  {
    interval: '1m',
    input_series: [
      { series: workers, values: '1x80' },
      { series: certificates('valid'), values: '7x80' },
      { series: certificates('expiring'), values: '0x10 2x70' },
      { series: certificates('expired'), values: '0x80' },
    ],
    fires: [['40m', 'OffprintCertificatesExpiring']],
    quiet: [
      ['20m', 'OffprintCertificatesExpiring'],
      ['40m', 'OffprintCertificatesExpired'],
    ],
  },
  {
    interval: '1m',
    input_series: [
      { series: workers, values: '1x80' },
      { series: certificates('expired'), values: '0x10 1x70' },
    ],
    fires: [['20m', 'OffprintCertificatesExpired']],
    quiet: [['12m', 'OffprintCertificatesExpired']],
  },
  // One that fails for a while, and one that is removed; the one of another day raises nothing.
  {
    interval: '1m',
    input_series: [
      { series: workers, values: '1x200' },
      { series: domains('failing'), values: '0x10 1x60 0x130' },
      { series: domains('expired'), values: '3x70 4x130' },
    ],
    fires: [
      ['50m', 'OffprintDomainsFailing'],
      ['1h20m', 'OffprintDomainsRemoved'],
    ],
    quiet: [
      ['30m', 'OffprintDomainsFailing'],
      ['1h6m', 'OffprintDomainsRemoved'],
      ['2h30m', 'OffprintDomainsRemoved'],
    ],
  },
  { interval: '15s', input_series: [], fires: [['10m', 'OffprintDown']], quiet: [] },
] as const;

/** Names of every series of a process, with those of the parts of histograms. */
async function metricNames(): Promise<Set<string>> {
  const metrics = createMetrics();
  const none = async () => {
    throw new Error('not read');
  };
  registerGauges(
    { db: null as never, metrics, disk: { freeBytes: none, hasRoom: none } },
    { open: () => 0, waiting: () => 0 },
    { databaseConnections: 4, minFreeBytes: 0 },
  );
  const list = await metrics.registry.getMetricsAsJSON();
  return new Set(list.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]));
}

function unknownMetrics(expressions: string[], names: Set<string>): string[] {
  return expressions
    .flatMap((text) => [...text.matchAll(/\boffprint_\w+/g)].map(([name]) => name))
    .filter((name) => !names.has(name));
}

function rulesOf(): { groups: { rules: Rule[] }[] } {
  const { files, error } = render(examples.get('platform-large')!);
  expect(error).toBeNull();
  const rule = parseObjects(files).find(({ kind }) => kind === 'PrometheusRule');
  return rule!.spec as { groups: { rules: Rule[] }[] };
}

test('the dashboard asks for metrics that the platform reports', async () => {
  const text = readFileSync(join(chartFolder, 'dashboards/platform.json'), 'utf8');
  const dashboard = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(10);
  expect(unknownMetrics(expressions, await metricNames())).toEqual([]);
});

describe.skipIf(whyNoHelm !== null)(`rendered${whyNoHelm === null ? '' : ` (not: ${whyNoHelm})`}`, () => {
  test('alerts ask for metrics that the platform reports, and each has a row in the runbook', async () => {
    const rules = rulesOf().groups.flatMap((group) => group.rules);
    expect(
      unknownMetrics(
        rules.map(({ expr }) => expr),
        await metricNames(),
      ),
    ).toEqual([]);
    const runbook = readFileSync(new URL('../../docs/operate/runbook.mdx', import.meta.url), 'utf8');
    expect(rules.filter(({ alert }) => !runbook.includes(`\`${alert}\``)).map(({ alert }) => alert)).toEqual(
      [],
    );
  });

  test.skipIf(promtool === null)(
    `alerts fire when they should, by the tests of promtool${missing(promtool, 'promtool')}`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'offprint-rules-'));
      writeFileSync(join(folder, 'rules.json'), JSON.stringify(rulesOf()));
      const seen = new Set<string>();
      const alertAt = (time: string, name: string, fires: boolean) => ({
        eval_time: time,
        alertname: name,
        ...(fires ? {} : { exp_alerts: [] }),
      });
      const output: string[] = [];
      for (const { fires, quiet, ...input } of cases) {
        const tests = {
          rule_files: ['rules.json'],
          tests: [
            {
              ...input,
              alert_rule_test: [...fires, ...quiet].map(([time, name]) => alertAt(time, name, false)),
            },
          ],
        };
        writeFileSync(join(folder, 'tests.json'), JSON.stringify(tests));
        const run = spawnSync(promtool!, ['test', 'rules', 'tests.json'], { cwd: folder, encoding: 'utf8' });
        const text = run.stdout + run.stderr;
        output.push(text);
        // Expecting no alert at all, promtool reports those that fire.
        for (const [time, name] of fires) {
          expect(text).toContain(`alertname: ${name}, time: ${time}`);
          seen.add(name);
        }
        for (const [time, name] of quiet) expect(text).not.toContain(`alertname: ${name}, time: ${time}`);
      }
      expect(
        rulesOf()
          .groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
          .filter((name) => !seen.has(name)),
      ).toEqual([]);
      execFileSync(promtool!, ['check', 'rules', 'rules.json'], { cwd: folder });
      rmSync(folder, { recursive: true });
    },
  );
});
