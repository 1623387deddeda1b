import { DeploymentError } from '../error.ts';
import type { Offer } from '../source/source.ts';
import { type Attempt, endAttempt, readAttempt, writeAttempt } from './attempt.ts';
import { isRefusal } from './fault.ts';

/** What is known of an offer once a bundle came. */
export interface Sighting {
  /** Tag of the answer; null where it has none. */
  etag: string | null;
  /** Digest of the bundle; null before it is here whole. */
  sha256: string | null;
}

/**
 * What came of offers: one that was refused is not fetched again and again, and one at which the process was killed
 * is left alone for a while, since its bundle may be what kills it.
 */
export interface Trials {
  /**
   * The offer as it is to be tried; `unchanged` is the error to throw when its host says that it holds the same bundle
   * still. Throws the error where it is not worth a request.
   */
  admit(offer: Offer, isServing: boolean): Promise<{ offer: Offer; unchanged: DeploymentError | null }>;
  /** The offer is to be taken; `newPath` gives a path on the volume for a temporary file. */
  begin(offer: Offer, newPath: () => string): Promise<Trial>;
  /** The source has nothing to be tried. */
  forget(): Promise<void>;
}

export interface Trial {
  /** A bundle comes: the volume notes it from now on. */
  sighted(sighting: Sighting): Promise<void>;
  /** It goes on, past what may have been a question only. */
  alive(): Promise<void>;
  /** It has ended, with this error or well. `isOwn`: the offer is one of the source, which will name it again. */
  end(error: DeploymentError | null, isOwn: boolean): Promise<void>;
}

/** Attempts that may be left unfinished without a wait: a pod may be moved in the middle of a download, and again. */
const freeAttempts = 2;
const firstWaitMilliseconds = 30_000;
const mostWaitMilliseconds = 3_600_000;
/** While nothing is served there is nothing to lose. */
const mostUnservedMilliseconds = 10_000;
/** Longest wait before a refused bundle is fetched again where nothing tells whether it changed. */
const mostRefusedMilliseconds = 600_000;

interface Refused {
  id: string;
  error: DeploymentError;
  count: number;
  /** When it is worth another try. */
  until: number;
  sighting: Sighting;
  /** These bytes would be refused again: no fault of the way that they came. */
  isCertain: boolean;
}

/** `dir` is the volume. */
export function createTrials(dir: string): Trials {
  let refused: Refused | null = null;
  let mayBeNoted = true;

  const refuse = (offer: Offer, error: DeploymentError, sighting: Sighting): void => {
    const before = refused?.id === offer.id ? refused : null;
    const count = before === null ? 0 : before.count + 1;
    const until = Date.now() + Math.min(mostRefusedMilliseconds, 1000 * 2 ** count);
    const { sha256 } = sighting;
    const isSame = sha256 === offer.sha256 || sha256 === before?.sighting.sha256;
    const isPin = error.code === 'version_mismatch' || error.code === 'domain_mismatch';
    const isCertain = sha256 !== null && error.code !== 'serving_failed' && (isPin || isSame);
    refused = { id: offer.id, error, count, until, sighting, isCertain };
  };

  return {
    async admit(offer, isServing) {
      const attempt = await readAttempt(dir);
      if (attempt !== null && attempt.offer === offer.id) {
        const wait = waitAfter(attempt.count, isServing);
        const age = Date.now() - attempt.at;
        if (age >= 0 && age < wait) {
          // a digest names the bundle whatever its host holds
          const etag = offer.sha256 === null ? attempt.etag : null;
          return unless(offer, etag, unfinished(attempt, wait, offer));
        }
      }
      if (refused?.id !== offer.id) return { offer, unchanged: null };
      const { error, sighting, isCertain, until } = refused;
      if (isCertain && sighting.sha256 === offer.sha256) throw error;
      if (isCertain && sighting.etag !== null) return unless(offer, sighting.etag, error);
      if (Date.now() < until) throw error;
      return { offer, unchanged: null };
    },
    async begin(offer, newPath) {
      const left = await readAttempt(dir);
      let attempt: Attempt =
        left?.offer === offer.id
          ? { ...left, count: left.count + 1, at: Date.now() }
          : { offer: offer.id, etag: null, count: 1, at: Date.now() };
      let seen: Sighting = { etag: null, sha256: null };
      let isOver = false;
      let isNoted = false;
      let writes: Promise<void> = Promise.resolve();
      const write = (): Promise<void> => {
        isNoted = true;
        writes = writes.then(async () => {
          // a volume that is full or read-only says so where it matters more
          if (!isOver) await writeAttempt(dir, `${newPath()}.note`, attempt).catch(() => {});
        });
        return writes;
      };
      mayBeNoted = true;
      return {
        async sighted(sighting) {
          seen = sighting;
          const etag = sighting.etag ?? attempt.etag;
          const isOther = attempt.etag !== null && etag !== attempt.etag;
          attempt = { ...attempt, etag, count: isOther ? 1 : attempt.count, at: Date.now() };
          await write();
        },
        alive() {
          attempt = { ...attempt, at: Date.now() };
          return write();
        },
        async end(error, isOwn) {
          if (error !== null && isOwn && isRefusal(error)) refuse(offer, error, seen);
          isOver = true;
          await writes;
          // an answer that nothing changed says nothing of an attempt before
          if (isNoted) await endAttempt(dir).catch(() => {});
        },
      };
    },
    async forget() {
      refused = null;
      if (mayBeNoted) await endAttempt(dir).catch(() => {});
      mayBeNoted = false;
    },
  };
}

/** Milliseconds to wait after so many unfinished attempts, from the last sign of the last one. */
export function waitAfter(attempts: number, isServing: boolean): number {
  if (attempts <= freeAttempts) return 0;
  const wait = Math.min(mostWaitMilliseconds, firstWaitMilliseconds * 2 ** (attempts - freeAttempts - 1));
  return isServing ? wait : Math.min(wait, mostUnservedMilliseconds);
}

/** The offer, on condition that its host has another bundle than the one with this tag. */
function unless(
  offer: Offer,
  etag: string | null,
  error: DeploymentError,
): { offer: Offer; unchanged: DeploymentError } {
  if (etag === null || 'file' in offer.from) throw error;
  return { offer: { ...offer, from: { ...offer.from, etag } }, unchanged: error };
}

function unfinished({ count, at }: Attempt, wait: number, { place }: Offer): DeploymentError {
  return new DeploymentError(
    'attempts_unfinished',
    `The process was ended ${count} times while it took the bundle of ${place}, which is tried again at ${new Date(at + wait).toISOString()}. Look why it was ended: where memory ran out, give it more. POST /release tries at once.`,
  );
}
