/** The site server as operators run it: a process that follows a platform, without TLS. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));

export interface SiteProcess {
  port: number;
  child: ChildProcess;
  log(): string;
  stop(): Promise<void>;
}

export async function startSiteProcess(options: {
  url: string;
  token: string;
  dir: string;
  env?: Record<string, string>;
}): Promise<SiteProcess> {
  const child = spawn(process.execPath, [SITE], {
    env: {
      PATH: process.env.PATH ?? '',
      OFFPRINT_URL: options.url,
      OFFPRINT_HOSTING_TOKEN: options.token,
      OFFPRINT_SITE_DIR: options.dir,
      OFFPRINT_SITE_PORT: '0',
      OFFPRINT_SITE_MANAGEMENT_PORT: '0',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  for (;;) {
    const line = log.split('\n').find((one) => one.includes('"message":"listening"'));
    if (line !== undefined) {
      const { port }: { port: number } = JSON.parse(line);
      return {
        port,
        child,
        log: () => log,
        async stop() {
          const exited = once(child, 'exit');
          child.kill('SIGTERM');
          await exited;
        },
      };
    }
    if (child.exitCode !== null) throw new Error(log);
    await sleep(20);
  }
}
