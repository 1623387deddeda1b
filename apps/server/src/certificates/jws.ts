import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from 'node:crypto';

/** The public part of a P-256 key, members in the order of its thumbprint (RFC 7638). */
export interface Jwk {
  crv: string;
  kty: string;
  x: string;
  y: string;
}

/** A new P-256 key in PEM. */
export function newKey(): string {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}

export function jwkOf(key: string): Jwk {
  const {
    crv = '',
    kty = '',
    x = '',
    y = '',
  } = createPublicKey(createPrivateKey(key)).export({ format: 'jwk' });
  return { crv, kty, x, y };
}

export function thumbprintOf(key: string): string {
  return createHash('sha256')
    .update(JSON.stringify(jwkOf(key)))
    .digest('base64url');
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A flattened JWS with ES256. An empty text as payload: POST-as-GET. */
export function signJws(key: string, header: object, payload: object | ''): string {
  const protectedPart = encode({ alg: 'ES256', ...header });
  const payloadPart = payload === '' ? '' : encode(payload);
  const signature = sign('sha256', Buffer.from(`${protectedPart}.${payloadPart}`), {
    key: createPrivateKey(key),
    dsaEncoding: 'ieee-p1363',
  }).toString('base64url');
  return JSON.stringify({ protected: protectedPart, payload: payloadPart, signature });
}

/** The binding of a new account to an account that exists outside of ACME (RFC 8555, 7.3.4). */
export function bindExternally(
  jwk: Jwk,
  { url, keyId, macKey }: { url: string; keyId: string; macKey: string },
): object {
  const protectedPart = encode({ alg: 'HS256', kid: keyId, url });
  const payload = encode(jwk);
  const signature = createHmac('sha256', Buffer.from(macKey, 'base64url'))
    .update(`${protectedPart}.${payload}`)
    .digest('base64url');
  return { protected: protectedPart, payload, signature };
}
