/** Reads the inputs of the action. No other file reads the environment. */
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../../../apps/cli/src/errors.ts';

/** The chart of this repository, relative to `dist`. */
const CHART = fileURLToPath(new URL('../../helm/offprint', import.meta.url));

export const places = ['none', 'file', 'helm', 'site'] as const;

export interface Inputs {
  server: string;
  key: string;
  domain: string | undefined;
  job: string | undefined;
  label: string | undefined;
  ref: string | undefined;
  paths: string[];
  unlisted: boolean;
  apply: (typeof places)[number];
  pin: boolean;
  reapply: boolean;
  valuesFile: string | undefined;
  valuesKey: string | undefined;
  helm: {
    release: string | undefined;
    namespace: string | undefined;
    chart: string;
    chartVersion: string | undefined;
    program: string;
    environment: string[];
    wait: boolean;
    atomic: boolean;
  };
  sites: string[];
  siteToken: string | undefined;
  ignoreUnreachable: boolean;
  output: string | undefined;
  expiresIn: number | undefined;
  timeout: number;
  applyTimeout: number;
  /** Folder of the docs in the repository, without leading and trailing slashes. */
  folder: string;
}

/** Secret inputs. They are masked before other inputs can cause an error. */
export function readSecrets(): string[] {
  return [text('key'), text('site-token')].filter((value) => value !== undefined);
}

/** Throws a CliError 2 that names the input. */
export function readInputs(): Inputs {
  const apply = text('apply') ?? 'none';
  if (!(places as readonly string[]).includes(apply))
    throw new CliError(2, `apply: ${JSON.stringify(apply)} is not valid. Use one of: ${places.join(', ')}`);
  const server = required('server');
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new CliError(2, `server: ${JSON.stringify(server)} is not an http or https URL`);
  return {
    server: server.replace(/\/+$/, ''),
    key: required('key'),
    domain: text('domain'),
    job: text('job'),
    label: text('label'),
    ref: text('ref'),
    paths: lines('paths'),
    unlisted: flag('unlisted', true),
    apply: apply as Inputs['apply'],
    pin: flag('pin', false),
    reapply: flag('reapply', false),
    valuesFile: ownFile('values-file'),
    valuesKey: text('values-key'),
    helm: {
      release: text('helm-release'),
      namespace: text('helm-namespace'),
      chart: text('helm-chart') ?? CHART,
      chartVersion: text('helm-chart-version'),
      program: text('helm-program') ?? 'helm',
      environment: lines('helm-environment'),
      wait: flag('helm-wait', false),
      atomic: flag('helm-atomic', false),
    },
    sites: lines('site'),
    siteToken: text('site-token'),
    ignoreUnreachable: flag('ignore-unreachable', false),
    output: text('output'),
    expiresIn: seconds('expires-in', undefined),
    timeout: seconds('timeout', 3600)!,
    applyTimeout: seconds('apply-timeout', 300)!,
    folder: (text('folder') ?? '').replace(/^(?:\.?\/)+|\/+$/g, '').replace(/^\.$/, ''),
  };
}

/** Files that the runner reads after the step. Undefined if no runner started the process. */
export interface RunnerFiles {
  output: string | undefined;
  summary: string | undefined;
}

export function runnerFiles(): RunnerFiles {
  return {
    output: process.env.GITHUB_OUTPUT || undefined,
    summary: process.env.GITHUB_STEP_SUMMARY || undefined,
  };
}

/** The environment without the inputs, because some are secrets. */
export function wholeEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('INPUT_')));
}

function text(name: string): string | undefined {
  const value = process.env[`INPUT_${name.toUpperCase()}`]?.trim();
  return value === '' ? undefined : value;
}

function required(name: string): string {
  const value = text(name);
  if (value === undefined) throw new CliError(2, `${name}: this input is required`);
  return value;
}

/** A file in the workspace, after symbolic links are resolved: a workflow must not write other files of the machine. */
function ownFile(name: string): string | undefined {
  const value = text(name);
  if (value === undefined) return undefined;
  const workspace = process.env.GITHUB_WORKSPACE || '.';
  const file = whole(resolve(workspace, value));
  const folders = [workspace, process.env.RUNNER_TEMP || workspace];
  const isOwn = folders.some((folder) => {
    const path = relative(whole(folder), file);
    return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  });
  if (isOwn) return value;
  throw new CliError(2, `${name}: ${JSON.stringify(value)} is outside of the workspace`);
}

/** The path with resolved symbolic links; for a missing file, with those of its folder resolved. */
function whole(path: string): string {
  for (const [known, rest] of [
    [path, ''],
    [dirname(path), basename(path)],
  ] as const) {
    try {
      return join(realpathSync(known), rest);
    } catch {}
  }
  return resolve(path);
}

function lines(name: string): string[] {
  return (text(name) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function flag(name: string, fallback: boolean): boolean {
  const value = text(name)?.toLowerCase();
  if (value === undefined) return fallback;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new CliError(2, `${name}: ${JSON.stringify(value)} is not valid. Use true or false`);
}

function seconds(name: string, fallback: number | undefined): number | undefined {
  const value = text(name);
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0)
    throw new CliError(
      2,
      `${name}: ${JSON.stringify(value)} is not valid. Use a number of seconds greater than 0`,
    );
  return number;
}
