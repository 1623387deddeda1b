/** A deployment in this process, on a volume of its own, with a server that only notes what it is to serve. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type DeploymentOptions, startDeployment } from '../../src/deployment/deployment.ts';
import type { Deployment, DeploymentStatus } from '../../src/deployment/status.ts';
import { createLog } from '../../src/log.ts';
import type { Pointer } from '../../src/releases/pointer.ts';
import { openRelease, type Release } from '../../src/releases/store.ts';
import type { Transport } from '../../src/source/request.ts';
import type { Source } from '../../src/source/source.ts';

/** Long enough for any machine: who waits longer hangs. */
const patience = 60_000;
/** A look comes once and then no more while a test runs. */
const never = 3_600_000;

export interface LabDeployment extends Deployment {
  /** Releases served, by version, in order. */
  shown: string[];
  /** The release served last. */
  served(): Release | null;
  inUse: Set<string>;
}

export interface Lab {
  root: string;
  volume: string;
  transport: Transport;
  /** Every line logged so far. */
  log(): string;
  start(source: Source, options?: Partial<DeploymentOptions>): LabDeployment;
  pointer(): Pointer;
  /** Names on the volume that are neither the pointer nor the note of an attempt nor a release nor the folder of a process that runs. */
  debris(): string[];
  releases(): string[];
  /** Throws if one of these texts is in the log, the status or the pointer. */
  expectNowhere(...secrets: string[]): void;
  close(): Promise<void>;
}

export function createLab(): Lab {
  const root = mkdtempSync(join(tmpdir(), 'offprint-lab-'));
  const volume = join(root, 'volume');
  const transport = { ca: null, stallMs: 20_000 };
  const running: LabDeployment[] = [];
  const told: string[] = [];
  const log = createLog('json', (line) => told.push(line));
  const names = () => (existsSync(volume) ? readdirSync(volume) : []);
  return {
    root,
    volume,
    transport,
    log: () => told.join(''),
    start(source, options = {}) {
      const shown: string[] = [];
      const inUse = new Set<string>();
      let served: Release | null = null;
      const deployment = startDeployment({
        source,
        dir: volume,
        version: null,
        domain: null,
        settings: source.kind,
        intervalMs: never,
        maxBundleBytes: 64 * 1024 * 1024,
        verify: 'digests',
        durable: false,
        transport,
        log,
        serving: {
          async onRelease(release) {
            // what is handed over is whole
            expect(await openRelease(release.folder, release.sha256, 'digests')).not.toBeNull();
            served = release;
            shown.push(release.manifest.version);
          },
          isInUse: (sha256) => inUse.has(sha256),
        },
        ...options,
      });
      const noting: LabDeployment = {
        ...deployment,
        status() {
          const status = deployment.status();
          told.push(JSON.stringify(status));
          return status;
        },
        shown,
        inUse,
        served: () => served,
      };
      running.push(noting);
      return noting;
    },
    pointer: () => JSON.parse(readFileSync(join(volume, 'current'), 'utf8')) as Pointer,
    debris: () =>
      names().filter(
        (name) =>
          !['attempt', 'current'].includes(name) &&
          !/^[0-9a-f]{64}$/.test(name) &&
          !name.startsWith(`.process-`),
      ),
    releases: () => names().filter((name) => /^[0-9a-f]{64}$/.test(name)),
    expectNowhere(...secrets) {
      const pointer = names().includes('current') ? readFileSync(join(volume, 'current'), 'utf8') : '';
      for (const secret of secrets) {
        expect(told.join('')).not.toContain(secret);
        expect(pointer).not.toContain(secret);
      }
    },
    async close() {
      for (const deployment of running) await deployment.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Waits until the status is as wanted, and gives it. */
export async function until(
  deployment: Deployment,
  isWanted: (status: DeploymentStatus) => boolean,
): Promise<DeploymentStatus> {
  const deadline = Date.now() + patience;
  for (;;) {
    const status = deployment.status();
    if (isWanted(status)) return status;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(status)}`);
    await sleep(10);
  }
}

export const serves = (version: string) => (status: DeploymentStatus) => status.release?.version === version;
/** Serves it, and the volume records it: nothing is in progress. */
export const settled = (version: string) => (status: DeploymentStatus) =>
  status.release?.version === version && status.step === null;
export const failed = (status: DeploymentStatus) => status.fault !== null && status.step === null;

/** The error that a promise is rejected with. */
export async function errorOf(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  return promise.then(
    () => {
      throw new Error('no error');
    },
    (error: unknown) => error as { code: string; message: string },
  );
}
