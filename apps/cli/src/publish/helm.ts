/** `--apply helm`: the bundle into a release of a cluster, by the Helm that is installed. */
import { access } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { CliError } from '../errors.ts';
import { act, answerOf, checkProgram, type HelmProgram } from './helm-program.ts';
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
  /** Takes the release back when it does not become ready, or fails its tests. */
  atomic: boolean;
  /** Waits until what changed is ready, and runs the tests of the release. */
  wait: boolean;
  /** Seconds that Helm may wait for each of its operations. */
  timeout: number;
}

type Mask = (text: string) => string;

/** A release of Helm as it is. */
interface HelmRelease {
  /** Name and version of its chart, such as `offprint-0.1.0`. */
  chart: string;
  /** The newest revision is at work; false when the last upgrade failed or goes on. */
  isDeployed: boolean;
  /** The revision that is at work; the newest when none is. */
  revision: number;
  /** The values that were given to that revision. */
  given: unknown;
  /** `staticExport` among these and those of the chart; undefined when there is none. */
  staticExport: StaticExport | undefined;
  /** What is said when there is none. */
  why: string;
}

/**
 * Upgrades the release with the values that were given to it and those of the bundle. They go to Helm by its standard
 * input: arguments are seen by everybody on a machine. What was not given comes from the chart, so that a newer one
 * brings its own defaults.
 */
export function helmTarget(settings: HelmSettings, rules: ValuesRules): Target {
  const place = `${settings.namespace}/${settings.release}`;
  return {
    async check(context) {
      checkNames(settings);
      await checkProgram(settings);
      await checkChart(settings.chart);
      try {
        await look(settings, rules, context);
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof ApplyError || error instanceof CliError)) throw error;
        throw new CliError(2, `${error.message}\n  nothing was exported`);
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

/** Names that begin with a dash would be read as options. */
function checkNames({ release, namespace, chart, chartVersion }: HelmSettings): void {
  if (!/^[a-z0-9]([-a-z0-9.]{0,51}[a-z0-9])?$/.test(release))
    throw new CliError(2, `${JSON.stringify(release)} is not the name of a release`);
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new CliError(2, `${JSON.stringify(namespace)} is not the name of a namespace`);
  for (const text of [chart, chartVersion ?? 'x']) {
    if (text === '' || text.startsWith('-'))
      throw new CliError(2, `${JSON.stringify(text)} is not a chart or a version of one`);
  }
}

async function checkChart(chart: string): Promise<void> {
  if (!/^[./]/.test(chart) && !isAbsolute(chart)) return;
  await access(chart).catch(() => {
    throw new CliError(2, `no such chart: ${chart}. Name the folder, archive or reference of it`);
  });
}

/** Finds what would keep the bundle out of the release. Rejects with a CliError or an ApplyError. */
async function look(settings: HelmSettings, rules: ValuesRules, context: ApplyContext): Promise<void> {
  const { signal, talk } = context;
  const place = `release ${settings.namespace}/${settings.release}`;
  const [before, chart] = await Promise.all([
    readRelease(settings, rules, signal),
    readChart(settings, signal),
  ]);
  const isOfChart = before.chart.startsWith(`${chart.name}-`);
  if (!isOfChart || !/^v?\d+\.\d/.test(before.chart.slice(chart.name.length + 1))) {
    throw new ApplyError(
      `${place} is of the chart ${before.chart}, which ${chart.name} would replace. Name the release of the site, or the chart that the release is of`,
    );
  }
  if (before.staticExport === undefined) throw new ApplyError(`${place}: ${before.why}`);
  refuseUnfit(before.staticExport, () => place);
  const next = `${chart.name}-${chart.version}`;
  if (next !== before.chart) talk.say(`${place}: an upgrade takes its chart from ${before.chart} to ${next}`);
  // Helm refuses here what it would refuse after the export, such as values that the chart does not know.
  const values = JSON.stringify(valuesWith(SAMPLE, before, rules));
  const trial = [...upgradeArguments(settings), '--dry-run'];
  const mask = maskFor(settings, before, SAMPLE);
  await act(settings, trial, { input: values, signal, say: () => {}, mask });
}

/** Helm quotes the values that it refuses, and those of a release may hold any secret. */
function maskFor(settings: HelmSettings, { given, chart }: HelmRelease, bundle: WantedBundle): Mask {
  const words = [settings.release, settings.namespace, settings.chart, chart];
  return createMask([...secretsIn(given, words), ...secretsOf(bundle.bundleUrl)]);
}

/** The values for an upgrade: those that were given, with those of the bundle. */
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
    const text = await answerOf(settings, [...args, '--namespace', namespace, '--output', 'json'], signal);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ApplyError(`helm ${args[0]} gave no JSON`);
    }
  };
  const history = (await read('history', release)) as { revision: number; status: string; chart: string }[];
  const last = history.at(-1);
  // As Helm does it: after an upgrade that failed, the next one starts from what is at work.
  const base = history.findLast(({ status }) => status === 'deployed') ?? last;
  if (last === undefined || base === undefined) throw new ApplyError(`helm knows no revision of ${release}`);
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
    why: misplaced(all)?.message ?? `the values of ${base.chart} have no ${path.join('.')}`,
  };
}

async function readChart(
  settings: HelmSettings,
  signal: AbortSignal,
): Promise<{ name: string; version: string }> {
  const text = await answerOf(settings, ['show', 'chart', ...chartArguments(settings)], signal);
  // Older ones write of what they pull before the YAML.
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
  await act(settings, args, { input: JSON.stringify(values), signal, say: talk.say, mask });
}

/**
 * Runs the tests of the release: pods are ready with an older bundle, too. `before` is what was upgraded, if anything
 * was.
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
  const acting = { signal, say: talk.say, mask };
  try {
    await act(settings, ['test', release, ...place], acting);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApplyError)) throw error;
    const why = `${error.message}\n  the log of that pod says why; pods that cannot serve the bundle go on with what they have`;
    if (!settings.atomic || before === null) throw new ApplyError(why);
    const back = ['rollback', release, String(before.revision)];
    await act(settings, [...back, '--wait', ...place], acting).catch((fault: unknown) => {
      signal.throwIfAborted();
      if (!(fault instanceof ApplyError)) throw fault;
      throw new ApplyError(
        `${why}\n  and the release could not be taken back: ${fault.message}\n  once that is mended: helm ${back.join(' ')} --namespace ${namespace}`,
      );
    });
    throw new ApplyError(
      `${why}\n  release ${namespace}/${release} has the values of revision ${before.revision} again`,
    );
  }
}
