import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '@offprint/bundle';
import { DeploymentError } from '../error.ts';
import type { Log } from '../log.ts';
import { limitsFor } from '../releases/limits.ts';
import { type PointerEntry, readPointer, type SourceMark } from '../releases/pointer.ts';
import { openRelease, openStore, pointerEntry, type Release, type Store } from '../releases/store.ts';
import { createLinkSource } from '../source/link.ts';
import type { Transport } from '../source/request.ts';
import type { AskReason, Offer, Source } from '../source/source.ts';
import { createTrials, type Trial } from './attempts.ts';
import { fetchOffer } from './fetch-offer.ts';
import { checkWanted, domainError, versionError } from './pins.ts';
import type { Deployment, DeploymentStatus, DeploymentStep, ReleaseStatus, Serving } from './status.ts';
import { toDeploymentError } from './to-deployment-error.ts';

export interface DeploymentOptions {
  source: Source;
  /** Folder of the releases. */
  dir: string;
  /** Version that every manifest must name; null accepts any version. */
  version: string | null;
  domain: string | null;
  /**
   * Identifies these settings: a bundle processed under other settings is processed again. Contains no
   * secrets.
   */
  settings: string;
  intervalMs: number;
  maxBundleBytes: number;
  verify: 'digests' | 'sizes';
  /** Memory limit of the process in bytes: manifests that need more are refused. Default: no limit. */
  memory?: number;
  /** Sync files to disk. Default true. */
  durable?: boolean;
  transport: Transport;
  serving: Serving;
  log: Log;
}

interface Served {
  entry: PointerEntry;
  release: Release;
  status: ReleaseStatus;
}

/**
 * Serves the release on the volume at once, then checks the source, now and at each interval. Never throws:
 * errors are reported in the status, and the step is retried.
 */
export function startDeployment(options: DeploymentOptions): Deployment {
  const { source, dir, serving, log } = options;
  let store: Store | null = null;
  let served: Served | null = null;
  let before: PointerEntry | null = null;
  let mark: SourceMark | null = null;
  /** The pointer names an intact release: false if that release is damaged. */
  let isPointerIntact = false;
  let step: DeploymentStep | null = null;
  let fault: DeploymentStatus['fault'] = null;
  let checkedAt: string | null = null;
  const trials = createTrials(dir);
  /** Why the loop checks next: kept until a check succeeds. */
  let reason: AskReason = 'start';
  let failures = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const stopping = new AbortController();
  /** Aborts the check of the loop when a request asks for something else. */
  let look = new AbortController();
  /** Ends the pause of the loop. */
  let wake = new AbortController();

  const setStep = (name: DeploymentStep['name'], bytes = 0, total: number | null = null): void => {
    step = { name, bytes, total };
  };
  const setFault = (error: DeploymentError): void => {
    const { code, message } = error;
    if (fault?.code === code && fault.message === message) return;
    fault = { code, message, at: new Date().toISOString() };
    log.warn(message, { code, served: served?.release.sha256 ?? null });
  };

  const endFault = (): void => {
    if (fault === null) return;
    log.info('the error is resolved', { code: fault.code, since: fault.at });
    fault = null;
  };

  const limits = options.memory === undefined ? {} : limitsFor(options.memory);
  const toError = (error: unknown): DeploymentError => toDeploymentError(error, dir, limits);

  /** Runs checks, updates and rollbacks one after the other. */
  const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const turn = queue.then(async () => {
      if (stopping.signal.aborted) throw stopped();
      try {
        return await run();
      } catch (error) {
        throw stopping.signal.aborted ? stopped() : toError(error);
      } finally {
        step = null;
      }
    });
    queue = turn.catch(() => {});
    return turn;
  };

  const openVolume = async (): Promise<Store> => {
    store ??= await openStore(dir, {
      verify: options.verify,
      durable: options.durable !== false,
      limits,
      isInUse: (sha256) => sha256 === served?.release.sha256 || serving.isInUse(sha256),
    });
    return store;
  };

  /** Serves a release. If that fails, the previous release keeps serving. */
  const serveRelease = async (release: Release, earlier: Release | null = null): Promise<void> => {
    setStep('preparing');
    await serving.onRelease(release, earlier).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new DeploymentError('serving_failed', `Cannot serve the release: ${why}`, { cause: error });
    });
  };

  /** A release named by the pointer; it needs no lease and no write access. */
  const openKept = ({ sha256, manifestSha256 }: PointerEntry, verify: 'digests' | 'sizes') =>
    openRelease(join(dir, sha256), sha256, verify, manifestSha256);

  /** Serves the release that the pointer names, or else the previous one. */
  const serveKept = async (): Promise<void> => {
    setStep('verifying');
    const volume = await openVolume().catch((error: unknown) => {
      setFault(toError(error));
      return null;
    });
    const pointer = await readPointer(dir);
    if (pointer === null) return;
    for (const entry of [pointer.current, pointer.previous]) {
      if (entry === null) continue;
      const release = await (volume === null
        ? openKept(entry, options.verify)
        : volume.open(entry.sha256, entry.manifestSha256));
      if (release === null) {
        setFault(
          new DeploymentError(
            'release_damaged',
            `The release ${entry.version} on the volume (${entry.sha256}) is damaged. It will be fetched again.`,
          ),
        );
        continue;
      }
      const other = domainError(release.manifest, options.domain);
      if (other !== null) {
        setFault(other);
        continue;
      }
      const earlier = entry === pointer.current ? pointer.previous : null;
      await serveRelease(release, earlier === null ? null : await openKept(earlier, 'sizes'));
      isPointerIntact = entry === pointer.current;
      served = { entry, release, status: statusOf(entry, release) };
      before = isPointerIntact ? pointer.previous : null;
      mark = pointer.source;
      log.info('serving the release from the volume', releaseFields(release));
      return;
    }
  };

  /** Serves a release and makes it the one that is served after a restart. */
  const activate = async (release: Release, newMark: SourceMark | null): Promise<void> => {
    const volume = await openVolume();
    const isSame = isPointerIntact && served?.release.sha256 === release.sha256;
    const entry = isSame && served !== null ? served.entry : pointerEntry(release);
    const last = served?.entry.sha256 === release.sha256 ? null : (served?.entry ?? null);
    const previous = last ?? (before?.sha256 === release.sha256 ? null : before);
    const flip = await volume.preparePointer({ current: entry, previous, source: newMark });
    if (!isSame) await serveRelease(release);
    served = { entry, release, status: statusOf(entry, release) };
    before = previous;
    mark = newMark;
    isPointerIntact = true;
    endFault();
    await flip();
    if (!isSame) log.info('serving', releaseFields(release));
  };

  const sweep = async (): Promise<void> => {
    await store?.sweep().catch((error: unknown) => {
      log.warn('could not remove old releases', { why: toError(error).message });
    });
  };

  /**
   * Deploys an offer. `why` is null if the offer does not come from the source. Returns false if the release
   * was already there.
   */
  const deploy = async (
    offer: Offer,
    version: string | null,
    why: AskReason | null,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const volume = await openVolume();
    const trial = await trials.begin(offer, () => volume.newPath());
    try {
      const isNew = await deployTrial(offer, trial, { version, why, signal });
      await trial.end(null, why !== null);
      return isNew;
    } catch (error) {
      const wrong = toError(error);
      await trial.end(wrong, why !== null && !signal.aborted);
      throw wrong;
    }
  };

  const deployTrial = async (
    offer: Offer,
    trial: Trial,
    { version, why, signal }: { version: string | null; why: AskReason | null; signal: AbortSignal },
  ): Promise<boolean> => {
    const accept = (manifest: Manifest): void => {
      const wrong = domainError(manifest, options.domain) ?? versionError(manifest, version);
      if (wrong !== null) throw wrong;
    };
    const processed = why === null ? null : known(why);
    const fetched = await fetchOffer(offer, {
      store: await openVolume(),
      accept,
      maxBytes: options.maxBundleBytes,
      transport: options.transport,
      signal,
      onStep(name, bytes, total) {
        if (step?.name !== name && name !== 'downloading') void trial.progressed();
        setStep(name, bytes, total);
      },
      onSight: trial.onIdentified,
      log,
    });
    checkedAt = new Date().toISOString();
    if (fetched === null) return false;
    const { release, tag } = fetched;
    const own = { sha256: release.sha256, tag, settings: options.settings };
    if (why === null) {
      await activate(release, mark);
      return true;
    }
    // the same bundle under another name: a rollback stays in effect
    const isCurrent = processed?.sha256 === release.sha256 && served !== null;
    await activate(isCurrent && served !== null ? served.release : release, own);
    return true;
  };

  /** The mark of a bundle that need not be processed again. */
  const known = (why: AskReason): SourceMark | null => {
    if (served === null || mark === null || mark.settings !== options.settings || !isPointerIntact)
      return null;
    // a request asks for what the source has, also after a rollback
    return why === 'request' && mark.sha256 !== served.release.sha256 ? null : mark;
  };

  const checkSource = async (why: AskReason, signal: AbortSignal, isRequested = false): Promise<void> => {
    if (served === null) await serveKept();
    setStep('asking');
    const offer = await source.ask(known(why), why, signal);
    if (source.kind !== 'link') checkedAt = new Date().toISOString();
    if (offer !== null) {
      // a request is tried now, without waiting
      const admitted = isRequested ? { offer, unchanged: null } : await trials.admit(offer, served !== null);
      const isNew = await deploy(admitted.offer, offer.version ?? options.version, why, signal);
      if (!isNew && admitted.unchanged !== null) throw admitted.unchanged;
    }
    await trials.forget();
    endFault();
    await sweep();
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      look = new AbortController();
      const signal = AbortSignal.any([look.signal, stopping.signal]);
      let retryAfterMs = 0;
      await inTurn(() => checkSource(reason, signal)).then(
        () => {
          reason = 'interval';
          failures = 0;
        },
        (error: DeploymentError) => {
          if (signal.aborted) return;
          setFault(error);
          failures += 1;
          retryAfterMs = error.retryAfterMs ?? 0;
        },
      );
      await pause(() => Math.max(retryAfterMs, pauseOf(options.intervalMs, failures)));
    }
  };

  /** Waits. Starts over if a request came in between. */
  const pause = async (milliseconds: () => number): Promise<void> => {
    let isOver = false;
    while (!isOver && !stopping.signal.aborted) {
      wake = new AbortController();
      const signal = AbortSignal.any([wake.signal, stopping.signal]);
      isOver = await sleep(milliseconds(), true, { signal }).catch(() => false);
    }
  };

  const interrupt = (): void => {
    look.abort(new DeploymentError('stopped', 'Another request replaced this one.'));
  };

  const now = (): ReleaseStatus => {
    if (served === null) throw new DeploymentError('serving_failed', 'No release is served.');
    return served.status;
  };

  const running = loop();

  return {
    status: () => ({
      source: source.kind,
      release: served?.status ?? null,
      previous: before === null ? null : { sha256: before.sha256, version: before.version },
      step,
      fault,
      checkedAt,
    }),
    async update(wanted = {}) {
      const { bundleUrl, sha256 = null, version } = wanted;
      checkWanted(wanted);
      interrupt();
      return inTurn(async () => {
        try {
          if (bundleUrl === undefined) {
            await checkSource('request', stopping.signal, true);
            reason = 'interval';
            failures = 0;
          } else {
            setStep('asking');
            const other = createLinkSource({ value: bundleUrl }, sha256);
            const offer = await other.ask(null, 'request', stopping.signal);
            const pin = version ?? source.version?.() ?? options.version;
            if (offer !== null) await deploy(offer, pin, null, stopping.signal);
            endFault();
            await sweep();
          }
          return now();
        } catch (error) {
          const wrong = toError(error);
          if (!stopping.signal.aborted) setFault(wrong);
          // a requested bundle stays wanted: the loop retries it
          if (bundleUrl === undefined) {
            reason = 'request';
            failures = 1;
          }
          throw wrong;
        } finally {
          wake.abort();
        }
      });
    },
    async rollback() {
      interrupt();
      return inTurn(async () => {
        if (before === null) {
          throw new DeploymentError('no_previous', 'There is no previous release to roll back to.');
        }
        const release = await (await openVolume()).open(before.sha256, before.manifestSha256);
        if (release === null) {
          throw new DeploymentError(
            'release_damaged',
            `The previous release (${before.version}) is damaged or missing. Deploy its bundle again.`,
          );
        }
        await activate(release, mark);
        endFault();
        reason = 'interval';
        log.info('rolled back', releaseFields(release));
        return now();
      });
    },
    async stop() {
      stopping.abort(stopped());
      await running;
      await queue;
      await store?.close().catch(() => {});
    },
  };
}

/**
 * Milliseconds until the next check, with a random jitter of 10 % so that many sites do not send requests at
 * the same moment.
 */
function pauseOf(intervalMs: number, failures: number): number {
  const pause = failures === 0 ? intervalMs : Math.min(intervalMs, 1000 * 2 ** (failures - 1));
  return pause * (0.9 + 0.2 * Math.random());
}

function stopped(): DeploymentError {
  return new DeploymentError('stopped', 'The site server is stopping.');
}

function statusOf(entry: PointerEntry, release: Release): ReleaseStatus {
  const { site, version, commit, files } = release.manifest;
  return {
    sha256: release.sha256,
    version,
    commit,
    domain: site.domain,
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    activatedAt: entry.activatedAt,
  };
}

function releaseFields({ sha256, manifest }: Release): Record<string, string> {
  return { version: manifest.version, domain: manifest.site.domain, sha256 };
}
