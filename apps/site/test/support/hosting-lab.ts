/** Many sites in this process, on a volume of its own, following a double of the platform. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostStatus } from '../../src/hosting/follow.ts';
import {
  type SecureHosting,
  type SecureHostingOptions,
  startSecureHosting,
} from '../../src/hosting/secure.ts';
import { createLog } from '../../src/log.ts';
import { createHostingPlatform } from '../../src/source/hosting.ts';
import { createCertificateSource } from '../../src/source/hosting-certificates.ts';
import { type HostingDouble, hostingToken, startHostingPlatform } from './hosting-platform.ts';
import { type Answer, ask } from './reader.ts';

export interface HostingLab {
  root: string;
  volume: string;
  platform: HostingDouble;
  log(): string;
  start(options?: Partial<SecureHostingOptions>): Promise<SecureHosting>;
  get(hosting: SecureHosting, host: string, path: string, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export async function createHostingLab(): Promise<HostingLab> {
  const root = mkdtempSync(join(tmpdir(), 'offprint-hosting-'));
  const volume = join(root, 'volume');
  const platform = await startHostingPlatform();
  const told: string[] = [];
  const log = createLog('json', (line) => told.push(line));
  const running: SecureHosting[] = [];
  return {
    root,
    volume,
    platform,
    log: () => told.join(''),
    async start(options = {}) {
      const token = { value: hostingToken };
      const transport = { ca: null, stallMs: 30_000 };
      const hosting = await startSecureHosting({
        platform: createHostingPlatform({
          url: new URL(platform.url),
          token,
          transport,
        }),
        transport,
        source: createCertificateSource({ url: new URL(platform.url), token, transport }),
        tls: null,
        dir: volume,
        maxBundleBytes: 64 * 1024 * 1024,
        memory: 1e9,
        host: '127.0.0.1',
        port: 0,
        https: false,
        durable: false,
        events: { maxBytes: 1024 * 1024 },
        log,
        ...options,
      });
      running.push(hosting);
      return hosting;
    },
    get: (hosting, host, path, headers = {}) => ask(hosting.port, path, { headers: { host, ...headers } }),
    async close() {
      for (const hosting of running) await hosting.stop({ limitMs: 0 });
      await platform.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Waits until a host is as wanted, and gives its status. */
export async function untilHost(
  hosting: SecureHosting,
  host: string,
  isWanted: (status: HostStatus | undefined) => boolean,
): Promise<HostStatus | undefined> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const status = hosting.status().hosts.find((one) => one.host === host);
    if (isWanted(status)) return status;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(status)}`);
    await sleep(10);
  }
}

export const servesDeployment = (deploymentId: string) => (status: HostStatus | undefined) =>
  status?.served?.deploymentId === deploymentId;

/** Names in a folder; none if it does not exist. */
export function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
