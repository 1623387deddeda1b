import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { standardSignature } from '../platform/webhook-signature.ts';

/** Reads a header of a request by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/** Every delivery is of these bytes with these headers. */
export interface Delivery {
  header: ReadHeader;
  body: Buffer;
}

/** Seconds that the time of a signed delivery may be away from ours. */
const TOLERANCE_SECONDS = 300;

/**
 * Whether one of the signatures that forges send is of this secret: GitHub and Gitea (`X-Hub-Signature-256`), Gitea and
 * Forgejo (`X-Gitea-Signature`, `X-Forgejo-Signature`), GitLab (`X-Gitlab-Token`, which is the secret itself) and
 * Standard Webhooks (`webhook-signature`). `now`: milliseconds since 1970. Takes as long whichever is wrong.
 */
export function isSigned({ header, body }: Delivery, secret: string, now: number): boolean {
  const ofBody = hmac(secret, body);
  const hex = ofBody.toString('hex');
  const id = header('webhook-id') ?? '';
  const time = header('webhook-timestamp') ?? '';
  const isRecent = /^\d{1,12}$/.test(time) && Math.abs(Number(time) - now / 1000) <= TOLERANCE_SECONDS;
  const standard = standardSignature(secret, { id, time, body });
  const found = [
    isSame(header('x-hub-signature-256'), `sha256=${hex}`),
    isSame(header('x-gitea-signature'), hex),
    isSame(header('x-forgejo-signature'), hex),
    isSame(header('x-gitlab-token'), secret),
    ...signaturesOf(header('webhook-signature')).map(
      (given) => isSame(given, standard) && isRecent && id !== '',
    ),
  ];
  return found.includes(true);
}

/** Signatures that one header may hold: more than one while a secret is replaced. */
const MAX_SIGNATURES = 4;

function signaturesOf(text: string | undefined): string[] {
  return (text ?? '').split(' ', MAX_SIGNATURES);
}

function hmac(key: string | Buffer, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).digest();
}

/** Compares digests of both, so that the time reveals neither length nor content. */
function isSame(given: string | undefined, expected: string): boolean {
  const key = randomBytes(32);
  const [left, right] = [hmac(key, Buffer.from(given ?? '')), hmac(key, Buffer.from(expected))];
  return timingSafeEqual(left, right) && given !== undefined;
}
