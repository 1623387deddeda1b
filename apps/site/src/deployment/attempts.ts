import { DeploymentError } from '../error.ts';
import type { Offer } from '../source/source.ts';
import { type Attempt, endAttempt, readAttempt, writeAttempt } from './attempt.ts';
import { isRefusal } from './to-deployment-error.ts';

/** What is known about an offer once its bundle arrives. */
export interface BundleIdentity {
  /** ETag of the response; null if it has none. */
  etag: string | null;
  /** Digest of the bundle; null until it has arrived completely. */
  sha256: string | null;
}

/**
 * Results of offers. A refused bundle is not fetched again and again, and a bundle that was being deployed
 * when the process was killed is left alone for a while, because it may be the cause.
 */
export interface Trials {
  /**
   * The offer in the form in which it is tried; `unchanged` is the error to throw if its host says that the
   * bundle has not changed. Throws that error if the offer is not worth a request.
   */
  admit(offer: Offer, isServing: boolean): Promise<{ offer: Offer; unchanged: DeploymentError | null }>;
  /** The offer is about to be deployed; `newPath` returns a path on the volume for a temporary file. */
  begin(offer: Offer, newPath: () => string): Promise<Trial>;
  /** The source has nothing to try. */
  forget(): Promise<void>;
}

export interface Trial {
  /** A bundle arrives: the attempt is recorded on the volume from now on. */
  onIdentified(identity: BundleIdentity): Promise<void>;
  /** The attempt made progress, beyond a mere conditional request. */
  progressed(): Promise<void>;
  /**
   * The attempt ended, with this error or successfully. `isOwn`: the source made the offer and will name it
   * again.
   */
  end(error: DeploymentError | null, isOwn: boolean): Promise<void>;
}

/**
 * Number of unfinished attempts without a delay: a pod may be rescheduled in the middle of a download, even
 * twice.
 */
const freeAttempts = 2;
const firstWaitMilliseconds = 30_000;
const maxWaitMilliseconds = 3_600_000;
/** Delays while no release is served, where there is nothing to lose. */
const maxUnservedMilliseconds = 10_000;
/** Maximum delay before a refused bundle is fetched again if nothing shows whether it changed. */
const maxRefusedMilliseconds = 600_000;

interface Refused {
  id: string;
  error: DeploymentError;
  count: number;
  /** Earliest time of the next attempt. */
  until: number;
  identity: BundleIdentity;
  /** The same bytes would be refused again: the error is not one of the transfer. */
  isCertain: boolean;
}

/** `dir` is the volume. */
export function createTrials(dir: string): Trials {
  let refused: Refused | null = null;
  let mayHaveRecord = true;

  const refuse = (offer: Offer, error: DeploymentError, identity: BundleIdentity): void => {
    const before = refused?.id === offer.id ? refused : null;
    const count = before === null ? 0 : before.count + 1;
    const until = Date.now() + Math.min(maxRefusedMilliseconds, 1000 * 2 ** count);
    const { sha256 } = identity;
    const isSame = sha256 === offer.sha256 || sha256 === before?.identity.sha256;
    const isPin = error.code === 'version_mismatch' || error.code === 'domain_mismatch';
    const isCertain = sha256 !== null && error.code !== 'serving_failed' && (isPin || isSame);
    refused = { id: offer.id, error, count, until, identity, isCertain };
  };

  return {
    async admit(offer, isServing) {
      const attempt = await readAttempt(dir);
      if (attempt !== null && attempt.offer === offer.id) {
        const wait = waitAfter(attempt.count, isServing);
        const age = Date.now() - attempt.at;
        if (age >= 0 && age < wait) {
          // a digest identifies the bundle, whatever its host holds
          const etag = offer.sha256 === null ? attempt.etag : null;
          return unless(offer, etag, unfinishedError(attempt, wait, offer));
        }
      }
      if (refused?.id !== offer.id) return { offer, unchanged: null };
      const { error, identity, isCertain, until } = refused;
      if (isCertain && identity.sha256 === offer.sha256) throw error;
      if (isCertain && identity.etag !== null) return unless(offer, identity.etag, error);
      if (Date.now() < until) throw error;
      return { offer, unchanged: null };
    },
    async begin(offer, newPath) {
      const left = await readAttempt(dir);
      let attempt: Attempt =
        left?.offer === offer.id
          ? { ...left, count: left.count + 1, at: Date.now() }
          : { offer: offer.id, etag: null, count: 1, at: Date.now() };
      let seen: BundleIdentity = { etag: null, sha256: null };
      let isOver = false;
      let isRecorded = false;
      let writes: Promise<void> = Promise.resolve();
      const write = (): Promise<void> => {
        isRecorded = true;
        writes = writes.then(async () => {
          // a full or read-only volume is reported where it matters more
          if (!isOver) await writeAttempt(dir, `${newPath()}.note`, attempt).catch(() => {});
        });
        return writes;
      };
      mayHaveRecord = true;
      return {
        async onIdentified(identity) {
          seen = identity;
          const etag = identity.etag ?? attempt.etag;
          const isOther = attempt.etag !== null && etag !== attempt.etag;
          attempt = { ...attempt, etag, count: isOther ? 1 : attempt.count, at: Date.now() };
          await write();
        },
        progressed() {
          attempt = { ...attempt, at: Date.now() };
          return write();
        },
        async end(error, isOwn) {
          if (error !== null && isOwn && isRefusal(error)) refuse(offer, error, seen);
          isOver = true;
          await writes;
          // a "not changed" response says nothing about the previous attempt
          if (isRecorded) await endAttempt(dir).catch(() => {});
        },
      };
    },
    async forget() {
      refused = null;
      if (mayHaveRecord) await endAttempt(dir).catch(() => {});
      mayHaveRecord = false;
    },
  };
}

/** Milliseconds to wait after this number of unfinished attempts, counted from the last sign of progress. */
export function waitAfter(attempts: number, isServing: boolean): number {
  if (attempts <= freeAttempts) return 0;
  const wait = Math.min(maxWaitMilliseconds, firstWaitMilliseconds * 2 ** (attempts - freeAttempts - 1));
  return isServing ? wait : Math.min(wait, maxUnservedMilliseconds);
}

/** The offer, on condition that its host has another bundle than the one with this ETag. */
function unless(
  offer: Offer,
  etag: string | null,
  error: DeploymentError,
): { offer: Offer; unchanged: DeploymentError } {
  if (etag === null || 'file' in offer.from) throw error;
  return { offer: { ...offer, from: { ...offer.from, etag } }, unchanged: error };
}

function unfinishedError({ count, at }: Attempt, wait: number, { place }: Offer): DeploymentError {
  return new DeploymentError(
    'attempts_unfinished',
    `The process was killed ${count} times while it deployed the bundle from ${place}. The next attempt is at ${new Date(at + wait).toISOString()}. Find out why it was killed; if it ran out of memory, raise the limit. POST /release retries at once.`,
  );
}
