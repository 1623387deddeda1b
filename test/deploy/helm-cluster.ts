/** Helm itself before a Kubernetes API in memory, with a record of how it is called. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type KubernetesApi, startKubernetesApi } from '../support/kubernetes-api.ts';
import { chartFolder, namespace } from './helm-engine.ts';
import { findHelm } from './helm-program.ts';

/** One call of Helm. */
export interface HelmCall {
  args: string[];
  input: string;
  env: Record<string, string>;
}

export interface HelmCluster {
  api: KubernetesApi;
  /** Helm itself, which records nothing. */
  program: string;
  /** What the program that calls Helm has to find in its environment. */
  env: Record<'PATH' | 'HOME' | 'KUBECONFIG' | 'HELM_RECORD', string>;
  /** Calls through that environment. */
  calls(): HelmCall[];
  /** Gives a release these values and no others; makes it when it is missing. Default: the chart of this checkout. */
  install(release: string, values: unknown, chart?: string): Promise<void>;
  /** The values that were given to a release. */
  values(release: string): Promise<Record<string, unknown>>;
  /** State, chart and revision of a release, the oldest first. */
  history(release: string): Promise<{ status: string; chart: string; revision: number }[]>;
  /**
   * The next upgrade prints this on standard error and exits with 1, before it does anything; `hang`: when it receives
   * SIGTERM.
   */
  fail(says: string): void;
  stop(): void;
}

/** Keeps its files in the folder. Only where there is Helm. */
export async function startHelmCluster(folder: string): Promise<HelmCluster> {
  const helm = findHelm();
  if (helm === null) throw new Error('there is no Helm');
  const api = await startKubernetesApi();
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'kubeconfig');
  writeFileSync(config, api.config, { mode: 0o600 });
  const record = join(folder, 'calls');
  writeFileSync(record, '');
  writeFileSync(`${record}.fail`, '');
  const program = join(folder, 'helm');
  writeFileSync(program, `#!/usr/bin/env node\n(${recorder.toString()})(${JSON.stringify(helm)});\n`);
  chmodSync(program, 0o755);
  const env = {
    PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
    ...{ HOME: folder, KUBECONFIG: config, HELM_RECORD: record },
  };

  const run = (args: string[], input = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(helm, [...args, '--namespace', namespace], { env });
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      child.stdin.end(input);
      child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(err))));
    });

  return {
    api,
    program: helm,
    env,
    calls: () =>
      readFileSync(record, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as HelmCall),
    async install(release, values, chart = chartFolder) {
      const args = ['upgrade', release, chart, '--install', '--reset-values', '-f', '-'];
      await run(args, JSON.stringify(values));
    },
    values: async (release) => JSON.parse(await run(['get', 'values', release, '--output', 'json'])) ?? {},
    history: async (release) => JSON.parse(await run(['history', release, '--output', 'json'])),
    fail: (says) => writeFileSync(`${record}.fail`, says),
    stop: () => api.stop(),
  };
}

/** The wrapper around Helm: it is written to a file as text, so it uses no variables of this module. */
function recorder(helm: string): void {
  const fs = process.getBuiltinModule('node:fs');
  const record = process.env.HELM_RECORD!;
  const args = process.argv.slice(2);
  const input = fs.readFileSync(0, 'utf8');
  fs.appendFileSync(record, `${JSON.stringify({ args, input, env: process.env })}\n`);
  const says = fs.readFileSync(`${record}.fail`, 'utf8');
  const isFailing = says !== '' && args[0] === 'upgrade' && !args.includes('--dry-run');
  if (!isFailing) {
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const { status } = spawnSync(helm, args, { input, stdio: ['pipe', 'inherit', 'inherit'] });
    process.exit(status ?? 1);
  }
  fs.writeFileSync(`${record}.fail`, '');
  const fail = (text: string) => {
    process.stderr.write(`Error: ${text}\n`);
    process.exit(1);
  };
  if (says !== 'hang') {
    process.stdout.write(`echo of ${input}\n`);
    fail(says);
  }
  process.on('SIGTERM', () => fail('release has been cancelled'));
  process.stdout.write('waiting\n');
  setInterval(() => {}, 1000);
}
