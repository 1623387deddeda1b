/** Judges signatures, version 4, with another implementation than the one that made them. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sign } from 'aws4';
import { Refusal } from './model.ts';

export interface Identity {
  accessKeyId: string;
  secretAccessKey: string;
  /** Temporary credentials have one; the store knows when they end. */
  session?: { token: string; endsAt: Date };
  /** Objects may be read only. */
  readOnly?: boolean;
}

export interface SignedRequest {
  method: string;
  /** Path and query as they came. */
  target: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const SKEW_MS = 15 * 60_000;
const LONGEST_LINK_SECONDS = 604_800;
const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Returns the signer of the request; throws the error of a store for an invalid signature. */
export function judge(
  request: SignedRequest,
  store: { identities: readonly Identity[]; region: string; now: Date },
): Identity {
  if (request.query.has('X-Amz-Signature')) return judgeLink(request, store);
  const header =
    /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (request.headers.authorization === undefined) throw new Refusal('AccessDenied', 'Nobody signed.');
  if (header === null) throw new Refusal('AuthorizationHeaderMalformed');
  const [, credential = '', signedHeaders = '', signature = ''] = header;
  const stamp = String(request.headers['x-amz-date']);
  const identity = identify(credential, stamp, store, 'AuthorizationHeaderMalformed');
  const asked = parseStamp(stamp);
  if (Math.abs(asked.getTime() - store.now.getTime()) > SKEW_MS) throw new Refusal('RequestTimeTooSkewed');
  requireToken(identity, request.headers['x-amz-security-token'], store.now);
  const headers = pick(request.headers, signedHeaders);
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith('x-amz-') && headers[name] === undefined) {
      throw new Refusal('AccessDenied', `The header ${name} is not signed.`);
    }
  }
  const signed = sign(
    {
      host: headers.host ?? '',
      method: request.method,
      path: request.target,
      headers,
      service: 's3',
      region: store.region,
      extraHeadersToInclude: Object.fromEntries(Object.keys(headers).map((name) => [name, true])),
    },
    identity,
  );
  const expected = /Signature=([0-9a-f]{64})$/.exec(signed.headers.Authorization ?? '')?.[1] ?? '';
  requireEqual(expected, signature);
  requireDigest(headers['x-amz-content-sha256'], request.body);
  return identity;
}

function judgeLink(
  request: SignedRequest,
  store: { identities: readonly Identity[]; region: string; now: Date },
): Identity {
  const { query } = request;
  const get = (name: string): string => {
    const values = query.getAll(`X-Amz-${name}`);
    if (values.length !== 1) throw new Refusal('AuthorizationQueryParametersError', name);
    return values[0]!;
  };
  if (get('Algorithm') !== ALGORITHM) throw new Refusal('AuthorizationQueryParametersError', 'Algorithm');
  const stamp = get('Date');
  const identity = identify(get('Credential'), stamp, store, 'AuthorizationQueryParametersError');
  const seconds = Number(get('Expires'));
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_LINK_SECONDS) {
    throw new Refusal('AuthorizationQueryParametersError', 'Expires');
  }
  const begins = parseStamp(stamp).getTime();
  if (begins > store.now.getTime() + SKEW_MS) throw new Refusal('AccessDenied', 'Request is not yet valid');
  if (store.now.getTime() >= begins + seconds * 1000) {
    throw new Refusal('AccessDenied', 'Request has expired');
  }
  requireToken(identity, query.get('X-Amz-Security-Token') ?? undefined, store.now);
  const [path = '', search = ''] = request.target.split('?');
  const unsigned = search.split('&').filter((pair) => !pair.startsWith('X-Amz-Signature='));
  const signed = sign(
    {
      host: request.headers.host ?? '',
      method: request.method,
      path: `${path}?${unsigned.join('&')}`,
      headers: pick(request.headers, get('SignedHeaders')),
      service: 's3',
      region: store.region,
      signQuery: true,
    },
    { accessKeyId: identity.accessKeyId, secretAccessKey: identity.secretAccessKey },
  );
  const expected = new URLSearchParams(signed.path.split('?')[1]).get('X-Amz-Signature') ?? '';
  requireEqual(expected, get('Signature'));
  return identity;
}

function identify(
  credential: string,
  stamp: string,
  store: { identities: readonly Identity[]; region: string },
  malformed: 'AuthorizationHeaderMalformed' | 'AuthorizationQueryParametersError',
): Identity {
  const [id, ...scope] = credential.split('/');
  if (scope.join('/') !== `${stamp.slice(0, 8)}/${store.region}/s3/aws4_request`) {
    throw new Refusal(malformed, `the region ${scope[1]} is wrong; expecting ${store.region}`);
  }
  const identity = store.identities.find(({ accessKeyId }) => accessKeyId === id);
  if (identity === undefined) throw new Refusal('InvalidAccessKeyId');
  return identity;
}

function requireToken(identity: Identity, given: string | string[] | undefined, now: Date): void {
  if (identity.session?.token !== given) throw new Refusal('InvalidToken');
  if (identity.session !== undefined && now >= identity.session.endsAt) throw new Refusal('ExpiredToken');
}

function pick(headers: IncomingHttpHeaders, names: string): Record<string, string> {
  const list = names.split(';');
  const isSorted = list.every((name, at) => at === 0 || list[at - 1]! < name);
  if (!isSorted || !list.includes('host')) throw new Refusal('SignatureDoesNotMatch', 'signed headers');
  return Object.fromEntries(
    list.map((name) => {
      const value = headers[name];
      if (typeof value !== 'string') throw new Refusal('SignatureDoesNotMatch', `no header ${name}`);
      return [name, value];
    }),
  );
}

function parseStamp(stamp: string): Date {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp);
  if (match === null) throw new Refusal('AccessDenied', 'no date');
  const [, year, month, day, hour, minute, second] = match;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function requireEqual(expected: string, given: string): void {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  if (a.length === 0 || a.length !== b.length || !timingSafeEqual(a, b)) {
    throw new Refusal('SignatureDoesNotMatch');
  }
}

function requireDigest(given: string | undefined, body: Buffer): void {
  if (given === 'UNSIGNED-PAYLOAD') return;
  if (given !== createHash('sha256').update(body).digest('hex')) {
    throw new Refusal('XAmzContentSHA256Mismatch');
  }
}
