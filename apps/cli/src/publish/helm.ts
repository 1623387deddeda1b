/** `--apply helm`: the bundle into a release of a cluster, by the Helm that is installed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { CliError } from '../errors.ts';
import { printable } from '../printable.ts';
import {
  type Applied,
  type ApplyContext,
  ApplyError,
  type ApplyRules,
  createMask,
  isInPlace,
  refuseOtherSource,
  type StaticExport,
  secretsOf,
  type Target,
  valuesOf,
  type WantedBundle,
} from './target.ts';

export interface HelmSettings {
  release: string;
  namespace: string;
  /** Folder, archive or reference of the chart. */
  chart: string;
  chartVersion?: string | undefined;
  /** Path or name of the program. */
  helm: string;
  /** Takes the release back when it does not become ready. */
  atomic: boolean;
  /** Waits until what changed is ready. */
  wait: boolean;
  /** Seconds that Helm may wait for each of its operations. */
  timeout: number;
  /** All that Helm finds in its environment. */
  environment: Readonly<Record<string, string>>;
}

/** Lines of what Helm says that are kept for the message of a failure, and bytes of values that are read. */
const KEPT_LINES = 20;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Upgrades the release with the values that it has and those of the bundle. The link goes to Helm by its standard input:
 * arguments are seen by everybody on a machine.
 */
export function helmTarget(settings: HelmSettings, rules: ApplyRules): Target {
  const { release, namespace } = settings;
  const place = `${namespace}/${release}`;
  return {
    async check(signal) {
      checkNames(settings);
      await checkProgram(settings);
      if (/^[./]/.test(settings.chart) || isAbsolute(settings.chart)) {
        await access(settings.chart).catch(() => {
          throw new CliError(
            2,
            `no such chart: ${settings.chart}. Name the folder, archive or reference of it`,
          );
        });
      }
      const before = await currentValues(settings, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error instanceof ApplyError
          ? new CliError(2, `${error.message}\n  nothing was exported`)
          : error;
      });
      refuseOtherSource(before, () => `release ${place}`);
    },
    async apply(bundle, context): Promise<Applied[]> {
      const before = await currentValues(settings, context.signal);
      if (isInPlace(bundle, before, rules)) return [{ place, changed: false }];
      await upgrade(settings, bundle, { staticExport: valuesOf(bundle, before, rules) }, context);
      return [{ place, changed: true }];
    },
  };
}

/** What Helm and the programs that sign in to clusters for it need, and nothing that is meant for others. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|TERM|NO_COLOR|KUBECONFIG|KUBERNETES_SERVICE_\w+|HELM_\w+|XDG_\w+|SSL_CERT_(?:FILE|DIR)|(?:https?|no|all)_proxy|SystemRoot|USERPROFILE|APPDATA|LOCALAPPDATA|PATHEXT|ComSpec|(?:AWS|AZURE|AAD|CLOUDSDK|GOOGLE|OCI)_\w+)$/i;

/** The part of an environment that Helm gets: what it needs, and what is named besides. */
export function helmEnvironment(
  whole: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(whole)) {
    if (value !== undefined && (PASSED.test(name) || named.includes(name))) passed[name] = value;
  }
  return passed;
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

async function checkProgram({ helm, environment }: HelmSettings): Promise<void> {
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter).filter((one) => one !== '');
  const files = /[\\/]/.test(helm)
    ? [helm]
    : folders.flatMap((one) => [join(one, helm), join(one, `${helm}.exe`)]);
  for (const file of files) if (await isProgram(file)) return;
  throw new CliError(
    2,
    `no program ${helm}: install Helm 3 or 4, or name it with its path. Without it, apply to a values file and hand that to whoever runs Helm. Nothing was exported`,
  );
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** `staticExport` of the values that were given to the release. */
async function currentValues(settings: HelmSettings, signal: AbortSignal): Promise<StaticExport> {
  const { release, namespace } = settings;
  const args = ['get', 'values', release, '--namespace', namespace, '--output', 'json'];
  let json = '';
  await run(settings, args, '', {
    signal,
    onOutput: (text) => {
      json += text;
      if (json.length > MOST_BYTES) throw new ApplyError('the values of the release are too large');
    },
    onLine: () => {},
  });
  try {
    const values = JSON.parse(json) as { staticExport?: StaticExport } | null;
    return values?.staticExport ?? {};
  } catch {
    throw new ApplyError('helm get values gave no JSON');
  }
}

async function upgrade(
  settings: HelmSettings,
  bundle: WantedBundle,
  values: unknown,
  context: ApplyContext,
): Promise<void> {
  const mask = createMask(secretsOf(bundle.bundleUrl));
  const args = [
    ...['upgrade', settings.release, settings.chart, '--namespace', settings.namespace],
    ...['--reuse-values', '-f', '-', '--timeout', `${Math.ceil(settings.timeout)}s`],
    ...(settings.chartVersion === undefined ? [] : ['--version', settings.chartVersion]),
    ...(settings.wait ? ['--wait'] : []),
    ...(settings.atomic ? ['--atomic'] : []),
  ];
  const say = (line: string) => context.talk.say(`helm: ${printable(mask(line))}`);
  const output = lineReader(say);
  await run(settings, args, JSON.stringify(values), {
    signal: context.signal,
    onOutput: output.add,
    onLine: say,
    mask,
  });
  output.end();
}

interface Reading {
  signal: AbortSignal;
  onOutput: (text: string) => void;
  /** A line of standard error. */
  onLine: (line: string) => void;
  mask?: (text: string) => string;
}

/** Runs Helm to its end. Rejects with an ApplyError that tells its exit code and what it said last. */
function run(
  settings: HelmSettings,
  args: readonly string[],
  input: string,
  reading: Reading,
): Promise<void> {
  const { helm, environment } = settings;
  const command = `helm ${args.slice(0, args[0] === 'get' ? 3 : 2).join(' ')}`;
  return new Promise((resolve, reject) => {
    const kept: string[] = [];
    const child: ChildProcess = spawn(helm, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    const errors = lineReader((line) => {
      kept.push(line);
      if (kept.length > KEPT_LINES) kept.shift();
      reading.onLine(line);
    });
    let fault: unknown = null;
    // Helm ends what it does, and takes it back where it was told to, when it is asked to stop.
    const stop = () => child.kill('SIGTERM');
    reading.signal.addEventListener('abort', stop, { once: true });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      try {
        reading.onOutput(text);
      } catch (error) {
        fault ??= error;
        stop();
      }
    });
    child.stderr?.setEncoding('utf8').on('data', errors.add);
    // Helm that ends before it reads says why itself.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.on('error', (error) => reject(new ApplyError(`${helm} cannot be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      reading.signal.removeEventListener('abort', stop);
      errors.end();
      if (fault !== null) return reject(fault);
      if (code === 0) return resolve();
      const how = code === null ? `was ended by ${signal}` : `ended with ${code}`;
      const said = kept.map((line) => printable((reading.mask ?? String)(line))).join('\n    ');
      reject(new ApplyError(`${command} ${how}${said === '' ? '' : `:\n    ${said}`}`));
    });
  });
}

/** Cuts a stream of text into lines. */
function lineReader(onLine: (line: string) => void): { add(text: string): void; end(): void } {
  let rest = '';
  return {
    add(text) {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    end() {
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
