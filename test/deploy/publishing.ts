/** What the tests of publishing share: a platform that exports a Git repository, site servers, a stand-in for Helm. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createProject, siteFiles } from '../acceptance/api.ts';
import { makeCertificate } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { noteSecrets } from '../support/secrets.ts';

const SITE = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));
const CLI = fileURLToPath(new URL('../../apps/cli/bin/offprint.mjs', import.meta.url));

export const TOKEN = 'token-of-the-site-for-tests';

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** A program that runs, and its end. */
export type Running = Promise<Ended> & { child: ChildProcess };

export interface Site {
  /** Address for readers, and that of the management port. */
  url: string;
  management: string;
  log(): string;
  stop(): Promise<void>;
}

export interface Lab {
  platform: TestPlatform;
  /** The process that renders. */
  worker: ChildProcess;
  tenant: Tenant;
  projectId: string;
  domain: string;
  /** A folder for the files of a test. */
  work: string;
  /** Replaces the home page of the docs in Git. */
  commit(text: string): Promise<void>;
  /** Replaces docs.json, so that the next export fails. */
  breakDocs(): Promise<void>;
  /** Runs `offprint publish` to its end. */
  publish(args: readonly string[], env?: Record<string, string>): Running;
  /** Runs any program of Node to its end; its output joins `said`. */
  run(file: string, args: readonly string[], env: Record<string, string>): Running;
  startSite(env: Record<string, string>): Promise<Site>;
  /** How many exports there are. */
  countExports(): Promise<number>;
  /** All that programs have said so far. */
  said(): string;
  stop(): Promise<void>;
}

export async function startLab(): Promise<Lab> {
  const work = mkdtempSync(join(tmpdir(), 'offprint-publish-'));
  const { key, cert, certFile } = makeCertificate(work);
  const git: GitServer = await startGitServer({ tls: { key, cert } });
  const files = siteFiles(1);
  let commits = 0;
  const write = async (changed: Record<string, string>) => {
    commits += 1;
    const entries = Object.entries({ ...files, ...changed }).map(([path, content]) => ({
      path: `docs/${path}`,
      content,
    }));
    await git.commit('docs.git', entries, { at: 1_700_000_000 + commits });
  };
  await write({});
  const platform = await startTestPlatform({
    roles: ['api'],
    env: { OFFPRINT_CA_FILE: certFile, OFFPRINT_ALLOW_PRIVATE_HOSTS: 'localhost' },
  });
  const worker = platform.start(['worker']);
  const tenant = await platform.createTenant();
  const { projectId, domain } = await createProject(platform.url, tenant.key, {
    kind: 'git',
    repository: `${git.url.replace('127.0.0.1', 'localhost')}/docs.git`,
    folder: 'docs',
  });
  noteSecrets(TOKEN);
  let said = '';
  const sites: Site[] = [];

  const run: Lab['run'] = (file, args, env) => {
    const child = spawn(process.execPath, [file, ...args], {
      cwd: work,
      env: { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`, HOME: work, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      said += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      said += text;
    });
    const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
    return Object.assign(ended, { child });
  };

  return {
    platform,
    worker,
    tenant,
    projectId,
    domain,
    work,
    run,
    commit: (text) => write({ 'index.mdx': `---\ntitle: Home\n---\n\n${text}\n` }),
    breakDocs: () => write({ 'docs.json': '{ "name": ' }),
    publish: (args, env = {}) =>
      run(CLI, ['publish', ...args], { OFFPRINT_URL: platform.url, OFFPRINT_API_KEY: tenant.key, ...env }),
    async startSite(env) {
      const site = await startSite(work, env);
      sites.push(site);
      return site;
    },
    async countExports() {
      const { count } = await platform.database.db
        .selectFrom('exports')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    said: () => said,
    async stop() {
      for (const site of sites) await site.stop();
      await platform.stop();
      await git.close();
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/** A site server in a process of its own; resolves when it serves a release. */
async function startSite(work: string, env: Record<string, string>): Promise<Site> {
  const [port, managementPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [SITE], {
    env: {
      PATH: process.env.PATH ?? '',
      OFFPRINT_SITE_DIR: mkdtempSync(join(work, 'releases-')),
      OFFPRINT_SITE_PORT: String(port),
      OFFPRINT_SITE_MANAGEMENT_PORT: String(managementPort),
      OFFPRINT_SITE_TOKEN: TOKEN,
      OFFPRINT_SITE_SHUTDOWN_SECONDS: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  const exit = new Promise((resolve) => child.once('close', resolve));
  const management = `http://127.0.0.1:${managementPort}`;
  const deadline = Date.now() + 120_000;
  while ((await fetch(`${management}/readyz`).catch(() => null))?.status !== 200) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the site does not start:\n${log}`);
    await sleep(50);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    management,
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/** One call of the stand-in for Helm. */
export interface HelmCall {
  args: string[];
  input: string;
  env: Record<string, string>;
}

export interface HelmDouble {
  /** Folder of the program, for PATH. */
  folder: string;
  /** Has to be in the environment of the program that calls it. */
  env: Record<string, string>;
  calls(): HelmCall[];
  /** Values of the release, as `helm get values` tells them. */
  values(): Record<string, unknown>;
  setValues(values: Record<string, unknown> | null): void;
  /** The next upgrade says this on standard error and ends with 1; `hang`: when it is told to end. */
  fail(says: string): void;
}

/** Flags of `helm upgrade` and `helm get values`, by the documentation of Helm 3 and 4, that take a value or none. */
const FLAGS = {
  upgrade: {
    value: ['--namespace', '-n', '-f', '--values', '--timeout', '--version', '--set', '--kube-context'],
    none: ['--reuse-values', '--reset-values', '--wait', '--atomic', '--install', '-i'],
  },
  'get values': { value: ['--namespace', '-n', '--output', '-o', '--revision'], none: ['--all', '-a'] },
};

/** A program `helm` that records how it is called, refuses flags that Helm does not know, and keeps values. */
export function makeHelm(folder: string): HelmDouble {
  const state = join(folder, 'state');
  mkdirSync(state, { recursive: true });
  const program = join(folder, 'helm');
  writeFileSync(
    program,
    `#!/usr/bin/env node\n(${double.toString()})(require('node:fs'), ${JSON.stringify(FLAGS)});\n`,
  );
  chmodSync(program, 0o755);
  const read = (name: string) => JSON.parse(readFileSync(join(state, name), 'utf8')) as never;
  const write = (name: string, value: unknown) => writeFileSync(join(state, name), JSON.stringify(value));
  write('calls', []);
  write('values', {});
  write('failure', '');
  return {
    folder,
    env: { HELM_DOUBLE: state },
    calls: () => read('calls'),
    values: () => read('values'),
    setValues: (values) => write('values', values),
    fail: (says) => write('failure', says),
  };
}

/** The program itself: it is written to a file as text, so it uses nothing from outside. */
function double(fs: typeof import('node:fs'), flags: typeof FLAGS): void {
  const state = process.env.HELM_DOUBLE;
  const file = (name: string) => `${state}/${name}`;
  const load = (name: string) => JSON.parse(fs.readFileSync(file(name), 'utf8'));
  const args = process.argv.slice(2);
  const command = args[0] === 'get' ? 'get values' : 'upgrade';
  const input = args.includes('-') ? fs.readFileSync(0, 'utf8') : '';
  fs.writeFileSync(file('calls'), JSON.stringify([...load('calls'), { args, input, env: process.env }]));
  const fail = (text: string) => {
    process.stderr.write(`Error: ${text}\n`);
    process.exit(1);
  };
  const known = flags[command];
  const rest: string[] = [];
  for (let at = command === 'get values' ? 2 : 1; at < args.length; at++) {
    const arg = args[at] as string;
    if (known.value.includes(arg)) at += 1;
    else if (known.none.includes(arg)) continue;
    else if (arg.startsWith('-')) fail(`unknown flag: ${arg}`);
    else rest.push(arg);
  }
  const values = load('values');
  if (values === null) fail('release: not found');
  if (command === 'get values') {
    process.stdout.write(JSON.stringify(values));
    return;
  }
  if (rest.length !== 2) fail(`"helm upgrade" requires 2 arguments`);
  if (load('failure') !== '') {
    const says = load('failure');
    fs.writeFileSync(file('failure'), '""');
    if (says === 'hang') {
      process.on('SIGTERM', () => fail('release has been cancelled'));
      process.stdout.write('waiting\n');
      setInterval(() => {}, 1000);
      return;
    }
    process.stdout.write(`echo of ${input}\n`);
    fail(says);
  }
  const merge = (old: Record<string, unknown>, fresh: Record<string, unknown>): Record<string, unknown> => {
    const merged = { ...old };
    for (const [name, value] of Object.entries(fresh)) {
      const both = [old[name], value].every((one) => typeof one === 'object' && one !== null);
      merged[name] = both ? merge(old[name] as never, value as never) : value;
    }
    return merged;
  };
  fs.writeFileSync(file('values'), JSON.stringify(merge(values, JSON.parse(input))));
  process.stdout.write(`Release "${rest[0]}" has been upgraded. Happy Helming!\n${input}\n`);
}
