/** `--apply helm`: upgrades a release in a cluster with the installed Helm. */
import { access } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { CliError } from '../errors.ts';
import { checkProgram, type HelmProgram, readHelm, runHelm } from './helm-program.ts';
import {
  type Applied,
  type ApplyContext,
  ApplyError,
  createMask,
  isInPlace,
  misplaced,
  refuseUnfit,
  SAMPLE,
  STATIC_EXPORT,
  type StaticExport,
  secretsIn,
  secretsOf,
  type Target,
  type ValuesRules,
  valueAt,
  valuesOf,
  type WantedBundle,
  withValueAt,
} from './target.ts';

export interface HelmSettings extends HelmProgram {
  release: string;
  namespace: string;
  /** Folder, archive or reference of the chart. */
  chart: string;
  chartVersion?: string | undefined;
  /** Rolls back the release if it does not become ready or fails its tests. */
  atomic: boolean;
  /** Waits until the release is ready, and runs its tests. */
  wait: boolean;
  /** Time limit for each Helm operation, in seconds. */
  timeout: number;
}

type Mask = (text: string) => string;

/** The current state of a Helm release. */
interface HelmRelease {
  /** Name and version of its chart, such as `offprint-0.1.0`. */
  chart: string;
  /** Whether the newest revision is deployed; false if the last upgrade failed or is in progress. */
  isDeployed: boolean;
  /** The deployed revision, or the newest one if none is deployed. */
  revision: number;
  /** The user-supplied values of that revision. */
  given: unknown;
  /** `staticExport` of these values merged with those of the chart; undefined if missing. */
  staticExport: StaticExport | undefined;
  /** The error message if `staticExport` is missing. */
  missingText: string;
}

/**
 * Upgrades the release with its user-supplied values and those of the bundle. Helm reads them from standard input,
 * because every user of a machine can see arguments. All other values are defaults of the chart, so that a newer chart
 * applies its own.
 */
export function helmTarget(settings: HelmSettings, rules: ValuesRules): Target {
  const place = `${settings.namespace}/${settings.release}`;
  return {
    async check(context) {
      checkNames(settings);
      await checkProgram(settings);
      await checkChart(settings.chart);
      try {
        await checkRelease(settings, rules, context);
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof ApplyError || error instanceof CliError)) throw error;
        throw new CliError(2, `${error.message}\n  Nothing was exported`);
      }
    },
    async apply(bundle, context): Promise<Applied[]> {
      const before = await readRelease(settings, rules, context.signal);
      const changed = !(before.isDeployed && isInPlace(bundle, before.staticExport ?? {}, rules));
      const mask = maskFor(settings, before, bundle);
      if (changed) await upgrade(settings, valuesWith(bundle, before, rules), mask, context);
      if (settings.wait || settings.atomic) await test(settings, changed ? before : null, mask, context);
      return [{ place, changed }];
    },
  };
}

/** Helm would parse names that start with a dash as options. */
function checkNames({ release, namespace, chart, chartVersion }: HelmSettings): void {
  if (!/^[a-z0-9]([-a-z0-9.]{0,51}[a-z0-9])?$/.test(release))
    throw new CliError(2, `Invalid release name: ${JSON.stringify(release)}`);
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new CliError(2, `Invalid namespace: ${JSON.stringify(namespace)}`);
  for (const text of [chart, chartVersion ?? 'x']) {
    if (text === '' || text.startsWith('-'))
      throw new CliError(2, `Invalid chart or chart version: ${JSON.stringify(text)}`);
  }
}

async function checkChart(chart: string): Promise<void> {
  if (!/^[./]/.test(chart) && !isAbsolute(chart)) return;
  await access(chart).catch(() => {
    throw new CliError(2, `Chart not found: ${chart}. Use the folder, archive or reference of a chart`);
  });
}

/** Checks that the release accepts a bundle. Rejects with a CliError or an ApplyError. */
async function checkRelease(
  settings: HelmSettings,
  rules: ValuesRules,
  context: ApplyContext,
): Promise<void> {
  const { signal, talk } = context;
  const place = `release ${settings.namespace}/${settings.release}`;
  const [before, chart] = await Promise.all([
    readRelease(settings, rules, signal),
    readChart(settings, signal),
  ]);
  const isOfChart = before.chart.startsWith(`${chart.name}-`);
  if (!isOfChart || !/^v?\d+\.\d/.test(before.chart.slice(chart.name.length + 1))) {
    throw new ApplyError(
      `${place} uses the chart ${before.chart}, which ${chart.name} would replace. Use the release of the site, or the chart of the release`,
    );
  }
  if (before.staticExport === undefined) throw new ApplyError(`${place}: ${before.missingText}`);
  refuseUnfit(before.staticExport, () => place);
  const next = `${chart.name}-${chart.version}`;
  if (next !== before.chart)
    talk.say(`${place}: the upgrade changes its chart from ${before.chart} to ${next}`);
  // Helm rejects here what it would reject after the export, such as values that the chart does not have.
  const values = JSON.stringify(valuesWith(SAMPLE, before, rules));
  const trial = [...upgradeArguments(settings), '--dry-run'];
  const mask = maskFor(settings, before, SAMPLE);
  await runHelm(settings, trial, { input: values, signal, say: () => {}, mask });
}

/** Helm quotes rejected values in its errors, and the values of a release may contain secrets. */
function maskFor(settings: HelmSettings, { given, chart }: HelmRelease, bundle: WantedBundle): Mask {
  const words = [settings.release, settings.namespace, settings.chart, chart];
  return createMask([...secretsIn(given, words), ...secretsOf(bundle.bundleUrl)]);
}

/** The values for an upgrade: the user-supplied values with those of the bundle. */
function valuesWith(bundle: WantedBundle, before: HelmRelease, rules: ValuesRules): unknown {
  const path = [...rules.below, STATIC_EXPORT];
  const own = valueAt(before.given, path) as StaticExport | null | undefined;
  return withValueAt(before.given, path, { ...own, ...valuesOf(bundle, before.staticExport ?? {}, rules) });
}

async function readRelease(
  settings: HelmSettings,
  { below }: ValuesRules,
  signal: AbortSignal,
): Promise<HelmRelease> {
  const { release, namespace } = settings;
  const read = async (...args: string[]): Promise<unknown> => {
    const text = await readHelm(settings, [...args, '--namespace', namespace, '--output', 'json'], signal);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ApplyError(`The output of helm ${args[0]} is not valid JSON`);
    }
  };
  const history = (await read('history', release)) as { revision: number; status: string; chart: string }[];
  const last = history.at(-1);
  // As Helm does: after a failed upgrade, the next one is based on the deployed revision.
  const base = history.findLast(({ status }) => status === 'deployed') ?? last;
  if (last === undefined || base === undefined) throw new ApplyError(`Helm has no revision of ${release}`);
  const revision = ['--revision', String(base.revision)];
  const values = ['get', 'values', release, ...revision];
  const [given, all] = await Promise.all([read(...values), read(...values, '--all')]);
  const path = [...below, STATIC_EXPORT];
  const found = valueAt(all, path);
  return {
    chart: base.chart,
    isDeployed: last.status === 'deployed',
    revision: base.revision,
    given,
    staticExport: found === undefined ? undefined : ((found ?? {}) as StaticExport),
    missingText: misplaced(all)?.message ?? `the values of ${base.chart} have no ${path.join('.')}`,
  };
}

async function readChart(
  settings: HelmSettings,
  signal: AbortSignal,
): Promise<{ name: string; version: string }> {
  const text = await readHelm(settings, ['show', 'chart', ...chartArguments(settings)], signal);
  // Older versions of Helm print progress of the download before the YAML.
  const field = (name: string) => new RegExp(`^${name}: ["']?(.+?)["']?$`, 'm').exec(text)?.[1] ?? '';
  return { name: field('name'), version: field('version') };
}

function chartArguments({ chart, chartVersion }: HelmSettings): string[] {
  return [chart, ...(chartVersion === undefined ? [] : ['--version', chartVersion])];
}

function upgradeArguments(settings: HelmSettings): string[] {
  return [
    ...['upgrade', settings.release, ...chartArguments(settings), '--namespace', settings.namespace],
    ...['--reset-values', '-f', '-'],
  ];
}

const timeoutArguments = ({ timeout }: HelmSettings): string[] => ['--timeout', `${Math.ceil(timeout)}s`];

async function upgrade(
  settings: HelmSettings,
  values: unknown,
  mask: Mask,
  { signal, talk }: ApplyContext,
): Promise<void> {
  const args = [
    ...upgradeArguments(settings),
    ...timeoutArguments(settings),
    ...(settings.wait ? ['--wait'] : []),
    ...(settings.atomic ? ['--atomic'] : []),
  ];
  await runHelm(settings, args, { input: JSON.stringify(values), signal, say: talk.say, mask });
}

/**
 * Runs the tests of the release, because pods are also ready with an older bundle. `before` is the release before the
 * upgrade; null if it was not upgraded.
 */
async function test(
  settings: HelmSettings,
  before: HelmRelease | null,
  mask: Mask,
  context: ApplyContext,
): Promise<void> {
  const { release, namespace } = settings;
  const { signal, talk } = context;
  const place = ['--namespace', namespace, ...timeoutArguments(settings)];
  const running = { signal, say: talk.say, mask };
  try {
    await runHelm(settings, ['test', release, ...place], running);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApplyError)) throw error;
    const message = `${error.message}\n  The log of that pod contains the reason. Pods that cannot serve the bundle keep serving the previous one`;
    if (!settings.atomic || before === null) throw new ApplyError(message);
    const rollback = ['rollback', release, String(before.revision)];
    await runHelm(settings, [...rollback, '--wait', ...place], running).catch((rollbackError: unknown) => {
      signal.throwIfAborted();
      if (!(rollbackError instanceof ApplyError)) throw rollbackError;
      throw new ApplyError(
        `${message}\n  The rollback also failed: ${rollbackError.message}\n  After fixing the cause, run: helm ${rollback.join(' ')} --namespace ${namespace}`,
      );
    });
    throw new ApplyError(
      `${message}\n  Rolled back release ${namespace}/${release} to revision ${before.revision}`,
    );
  }
}
