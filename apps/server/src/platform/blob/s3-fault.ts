import { type BlobFault, BlobStoreError } from './error.ts';

/** Where a request went, for people: never more of an address than its host. */
export interface Place {
  bucket: string;
  host: string;
}

/** Error codes of stores, and names of errors of the SDK, by what they mean to an operator. */
const FAULTS: Readonly<Record<string, BlobFault>> = {
  NoSuchBucket: 'no-bucket',
  AccessDenied: 'denied',
  AllAccessDisabled: 'denied',
  AccountProblem: 'denied',
  MethodNotAllowed: 'denied',
  InvalidAccessKeyId: 'credentials',
  SignatureDoesNotMatch: 'credentials',
  ExpiredToken: 'credentials',
  InvalidToken: 'credentials',
  InvalidClientTokenId: 'credentials',
  TokenRefreshRequired: 'credentials',
  CredentialsProviderError: 'credentials',
  TokenProviderError: 'credentials',
  RequestTimeTooSkewed: 'clock',
  RequestExpired: 'clock',
  PermanentRedirect: 'wrong-region',
  TemporaryRedirect: 'wrong-region',
  AuthorizationHeaderMalformed: 'wrong-region',
  IllegalLocationConstraintException: 'wrong-region',
  SlowDown: 'busy',
  ServiceUnavailable: 'busy',
  InternalError: 'busy',
  RequestTimeout: 'busy',
  OperationAborted: 'busy',
  TimeoutError: 'unreachable',
  AbortError: 'unreachable',
};

const NETWORK =
  /^(?:E[A-Z_]+|CERT_\w+|DEPTH_\w+|UNABLE_TO_\w+|SELF_SIGNED_\w+|ERR_TLS_\w+|ERR_SSL_\w+|HPE_\w+)$/;

const SAID: Readonly<Record<BlobFault, (place: Place) => string>> = {
  'no-bucket': ({ bucket, host }) =>
    `The bucket ${bucket} does not exist at ${host}. Create it, or correct OFFPRINT_S3_BUCKET`,
  denied: ({ bucket, host }) =>
    `The credentials are not allowed to do this in the bucket ${bucket} at ${host}, or are wrong. See the documentation page on storage for the permissions`,
  credentials: ({ host }) =>
    `${host} rejected the credentials. Check OFFPRINT_S3_ACCESS_KEY_ID and OFFPRINT_S3_SECRET_ACCESS_KEY, or the credentials source of the process`,
  clock: ({ host }) => `The clock of this machine differs too much from that of ${host}. Correct the clock`,
  'wrong-region': ({ bucket, host }) =>
    `The bucket ${bucket} at ${host} is in another region. Correct OFFPRINT_S3_REGION`,
  unreachable: ({ host }) => `${host} does not respond. Check OFFPRINT_S3_ENDPOINT and the network`,
  busy: ({ host }) => `${host} is overloaded or has an internal error. Several attempts failed`,
  refused: ({ bucket, host }) => `${host} rejected a request for the bucket ${bucket}`,
  incomplete: ({ bucket, host }) => `${host} sent a part of an object of the bucket ${bucket}`,
};

/** The error in words of ours: what a store says of a refused signature repeats much of the request. */
export function explain(error: unknown, place: Place): unknown {
  if (!isObject(error) || error instanceof BlobStoreError || error instanceof RangeError) return error;
  const status = statusOf(error);
  const name = clean(error.name);
  const code = clean(error.code);
  const fault = faultOf(name, code, status);
  if (fault === null) return error;
  const detail = [
    code !== '' && NETWORK.test(code) ? code : name,
    status === undefined ? '' : `status ${status}`,
    request(error),
  ].filter((text) => text !== '');
  return new BlobStoreError(fault, `${SAID[fault](place)} (${detail.join(', ')}).`);
}

function faultOf(name: string, code: string, status: number | undefined): BlobFault | null {
  const known = FAULTS[name] ?? FAULTS[code];
  if (known !== undefined) return known;
  if (status === undefined) return NETWORK.test(code) ? 'unreachable' : null;
  // Responses to HEAD have no body with details.
  if (status === 301 || status === 307) return 'wrong-region';
  if (status === 401 || status === 403) return 'denied';
  return status >= 500 || status === 429 ? 'busy' : 'refused';
}

/** Status of the response that an error of the SDK represents; undefined without a response. */
export function statusOf(error: unknown): number | undefined {
  const metadata = isObject(error) && isObject(error.$metadata) ? error.$metadata : {};
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** The code of the store, or the name that the SDK gives a response without one. */
export function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return isObject(error) && names.includes(String(error.name));
}

function request(error: Record<string, unknown>): string {
  const id = clean(isObject(error.$metadata) ? error.$metadata.requestId : '');
  return id === '' ? '' : `request ${id}`;
}

/** What comes from the store goes into logs. */
function clean(text: unknown): string {
  return typeof text === 'string' && /^[A-Za-z0-9_.-]{1,80}$/.test(text) ? text : '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
