import { createHmac } from 'node:crypto';

/** What a domain must show to be verified for one organization. */
export interface Proof {
  token: string;
  /** Host without `*.`. */
  host: string;
  record: { name: string; value: string };
  /** Null: a wildcard, whose hosts cannot all serve a file. */
  file: { path: string; url: string; content: string } | null;
}

export const PROOF_PATH = '/.well-known/offprint-verification/';

/** The proof follows from the key, the organization and the host, so it is the same after a release and a new claim. */
export function proofOf(key: Buffer, organizationId: string, host: string): Proof {
  const isWildcard = host.startsWith('*.');
  const name = isWildcard ? host.slice(2) : host;
  const token = createHmac('sha256', key)
    .update(JSON.stringify([organizationId, host]))
    .digest('base64url')
    .slice(0, 32);
  const path = `${PROOF_PATH}${token}`;
  return {
    token,
    host: name,
    record: { name: `_offprint.${name}`, value: `offprint-verification=${token}` },
    file: isWildcard ? null : { path, url: `http://${name}${path}`, content: token },
  };
}
