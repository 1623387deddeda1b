import { createHash, createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { type UserData, userData } from './user-data.ts';

/** Why a token was not accepted, for the log and the page. */
export type TokenFault =
  | 'malformed'
  | 'algorithm'
  | 'signature'
  | 'expired'
  | 'not_yet_valid'
  | 'lasts_too_long'
  | 'host'
  | 'issuer'
  | 'audience';

export interface TokenRules {
  /** Ed25519, SPKI in DER. */
  publicKey: Buffer;
  host: string;
  issuer: string | null;
  audience: string | null;
  /** Milliseconds since 1970. */
  now: number;
}

export interface ReaderToken {
  subject: string;
  user: UserData;
  /** Digest of its `jti`, or of what was signed. */
  useDigest: Buffer;
  /** When it can no longer be used. */
  expiresAt: Date;
}

const MAX_LENGTH = 16_000;
const MAX_SECONDS = 10;
/** By which the clock of the login may be ahead of ours. */
const CLOCK_SECONDS = 1;

const header = z.object({ alg: z.unknown().optional(), crit: z.unknown().optional() });
const claims = userData.extend({
  exp: z.number(),
  iat: z.number().optional(),
  nbf: z.number().optional(),
  sub: z.string().max(300).optional(),
  jti: z.string().min(1).max(300).optional(),
  iss: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
});
type TokenClaims = z.output<typeof claims>;

/**
 * Reads a token (JWS, compact) that a login of the team has signed. The algorithm is ours and not what the token names:
 * only EdDSA with an Ed25519 key. `useOnce` decides about replays.
 */
export function readToken(text: string, rules: TokenRules): ReaderToken | TokenFault {
  if (text.length > MAX_LENGTH) return 'malformed';
  const [, head, body, signature] = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(text) ?? [];
  if (head === undefined || body === undefined || signature === undefined) return 'malformed';
  const parsedHead = header.safeParse(parseJson(head));
  if (!parsedHead.success) return 'malformed';
  // RFC 7515, section 4.1.11: extensions that are not known must be refused.
  if (parsedHead.data.alg !== 'EdDSA' || parsedHead.data.crit !== undefined) return 'algorithm';
  const key = createPublicKey({ key: rules.publicKey, format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'ed25519') return 'algorithm';
  const signed = `${head}.${body}`;
  if (!verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64url'))) return 'signature';
  const parsed = claims.safeParse(parseJson(body));
  if (!parsed.success) return 'malformed';
  const fault = faultOf(parsed.data, rules);
  if (fault !== null) return fault;
  const { jti, sub = 'reader', exp, ...user } = parsed.data;
  // What was signed is as unique as a `jti`, and unlike the signature has one spelling only.
  const unique = JSON.stringify(jti === undefined ? ['token', signed] : ['jti', jti]);
  return {
    subject: sub,
    user,
    useDigest: createHash('sha256').update(rules.publicKey).update(unique).digest(),
    expiresAt: new Date(exp * 1000),
  };
}

function faultOf(
  { exp, iat, nbf, host, iss, aud }: TokenClaims,
  { now, host: expected, issuer, audience }: TokenRules,
): TokenFault | null {
  const seconds = now / 1000;
  if (exp <= seconds) return 'expired';
  if (exp > seconds + MAX_SECONDS + CLOCK_SECONDS) return 'lasts_too_long';
  if (iat !== undefined && exp - iat > MAX_SECONDS) return 'lasts_too_long';
  const start = Math.max(nbf ?? 0, iat ?? 0);
  if (start > seconds + CLOCK_SECONDS) return 'not_yet_valid';
  if (host !== expected) return 'host';
  if (issuer !== null && iss !== issuer) return 'issuer';
  if (audience !== null && ![aud].flat().includes(audience)) return 'audience';
  return null;
}

function parseJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
