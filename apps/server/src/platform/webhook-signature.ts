import { createHmac, randomBytes } from 'node:crypto';

/** `whsec_` and 32 random bytes in base64: forges that take any text take it whole, Standard Webhooks the bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The signature of a request by Standard Webhooks, as in `webhook-signature`. `time`: seconds since 1970. */
export function standardSignature(
  secret: string,
  { id, time, body }: { id: string; time: string; body: Buffer },
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = Buffer.concat([Buffer.from(`${id}.${time}.`), body]);
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
