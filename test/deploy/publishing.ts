/** What the tests of publishing share: a platform that exports a Git repository, site servers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createProject, siteFiles } from '../acceptance/api.ts';
import { makeCertificate } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { LINKED } from '../support/processes.ts';
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
  /** The output of all programs so far. */
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
  const child = spawn(process.execPath, [...LINKED, SITE], {
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
