import { toDeploymentError } from '../deployment/to-deployment-error.ts';
import { DeploymentError } from '../error.ts';
import type { Log } from '../log.ts';
import { type Fault, faultOf } from './fault.ts';
import type { Installer, WantedRelease } from './install.ts';

/** A release that a host should serve, or serves. */
export interface Target extends WantedRelease {
  host: string;
  /** The host serves something meanwhile. */
  isServing: boolean;
  /** It is to be installed; otherwise it is installed again only if a file is damaged. */
  isMissing: boolean;
}

export interface WorkOptions {
  installer: Pick<Installer, 'install'>;
  /** The release is on the volume. */
  onInstalled(sha256: string, wasRepaired: boolean): void;
  onFailed(error: DeploymentError): void;
  /** Path of the volume, for messages. */
  dir: string;
  log: Log;
}

/** Installs releases, and retries what has failed after a delay that grows. */
export interface Work {
  /** Replaces the targets: removed ones are not tried again. */
  setTargets(targets: ReadonlyMap<string, Target>): void;
  /** A file of the release cannot be read. */
  repair(sha256: string): void;
  /** Retries everything now. */
  retry(): void;
  fault(sha256: string): Fault | null;
  /** Whether each release was installed or has failed at least once. */
  isSettled(): boolean;
  stop(): Promise<void>;
}

interface Item {
  sha256: string;
  isRunning: boolean;
  repair: boolean;
  failures: number;
  /** Earliest time of the next attempt. */
  until: number;
  fault: Fault | null;
}

/** Releases that are downloaded at a time. */
const downloadsAtATime = 3;
const [minRetryMs, maxRetryMs] = [2_000, 600_000];

export function createWork(options: WorkOptions): Work {
  const { installer, log } = options;
  const items = new Map<string, Item>();
  let targets: ReadonlyMap<string, Target> = new Map();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | null = null;

  const run = async (item: Item, target: Target): Promise<void> => {
    const { sha256, repair } = item;
    item.isRunning = true;
    try {
      await installer.install(target, { repair, isServing: target.isServing, signal });
      if (item.fault !== null)
        log.info('the error is resolved', { host: target.host, code: item.fault.code });
      items.delete(sha256);
      options.onInstalled(sha256, repair);
    } catch (error) {
      if (!signal.aborted) fail(item, target, toDeploymentError(error, options.dir, {}));
    } finally {
      item.isRunning = false;
    }
  };

  const fail = (item: Item, target: Target, wrong: DeploymentError): void => {
    item.failures += 1;
    const pause = Math.min(maxRetryMs, minRetryMs * 2 ** (item.failures - 1));
    item.until = Date.now() + Math.max(wrong.retryAfterMs ?? 0, pause);
    options.onFailed(wrong);
    if (item.fault?.message === wrong.message) return;
    item.fault = faultOf(wrong);
    log.warn(wrong.message, { code: wrong.code, host: target.host, deployment: target.deploymentId });
  };

  /** Starts what can be started, and plans the next call. */
  const pump = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (signal.aborted) return;
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [sha256, item] of items) {
      const target = targets.get(sha256);
      if (item.isRunning) continue;
      if (target === undefined) items.delete(sha256);
      else if (item.until > now) next = Math.min(next, item.until);
      else if (running.size < downloadsAtATime) start(item, target);
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(pump, next - now).unref();
  };

  const start = (item: Item, target: Target): void => {
    const done: Promise<void> = run(item, target).finally(() => {
      running.delete(done);
      pump();
    });
    running.add(done);
  };

  return {
    setTargets(all) {
      targets = all;
      for (const { sha256, isMissing } of all.values())
        if (isMissing && !items.has(sha256)) items.set(sha256, newItem(sha256));
      pump();
    },
    repair(sha256) {
      if (items.has(sha256) || !targets.has(sha256)) return;
      const message = `A file of the release ${sha256} is missing or damaged. The release is downloaded again.`;
      const fault = faultOf(new DeploymentError('release_damaged', message));
      items.set(sha256, { ...newItem(sha256), repair: true, fault });
      log.warn(message, { code: fault.code, host: targets.get(sha256)?.host });
      pump();
    },
    retry() {
      for (const item of items.values()) item.until = 0;
      pump();
    },
    fault: (sha256) => items.get(sha256)?.fault ?? null,
    isSettled: () => [...items.values()].every(({ failures, repair }) => failures > 0 || repair),
    async stop() {
      stopping.abort(new DeploymentError('stopped', 'The site server is stopping.'));
      if (timer !== null) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

function newItem(sha256: string): Item {
  return { sha256, isRunning: false, repair: false, failures: 0, until: 0, fault: null };
}
