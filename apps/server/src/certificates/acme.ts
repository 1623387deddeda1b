import { z } from 'zod';
import { bindExternally, jwkOf, signJws, thumbprintOf } from './jws.ts';

/** How to reach a certificate authority. */
export interface Authority {
  /** URL of its ACME directory. */
  directory: string;
  /** Contact of the account. */
  email: string | null;
  externalAccount: { keyId: string; macKey: string } | null;
  fetch: typeof fetch;
}

/** An error of a certificate authority. `type` without its prefix, such as `rateLimited`. */
export class AcmeError extends Error {
  override name = 'AcmeError';
  readonly type: string;
  readonly status: number;
  /** How long the authority asks to wait. */
  readonly retryAfterMs: number | undefined;
  constructor(problem: Problem, status: number, retryAfterMs?: number) {
    super(textOf(problem));
    this.type = typeOf(problem);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const problemSchema = z.object({
  type: z.string().catch('about:blank'),
  detail: z.string().catch(''),
  subproblems: z.array(z.object({ detail: z.string().catch('') })).catch([]),
});
export type Problem = z.output<typeof problemSchema>;

const directorySchema = z.object({ newNonce: z.url(), newAccount: z.url(), newOrder: z.url() });

const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: problemSchema.optional(),
});
export type Order = z.output<typeof orderSchema>;

const authorizationSchema = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  challenges: z.array(
    z.object({
      type: z.string(),
      url: z.url(),
      token: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,200}$/)
        .optional(),
      status: z.string(),
      error: problemSchema.optional(),
    }),
  ),
});
export type Authorization = z.output<typeof authorizationSchema>;

/** One account at one authority. Methods throw AcmeError, NetworkError, or the reason of the signal. */
export interface AcmeClient {
  /** Registers the key, or finds its account; the URL of the account. */
  register(): Promise<string>;
  newOrder(host: string): Promise<{ url: string; order: Order }>;
  order(url: string): Promise<Polled<Order>>;
  authorization(url: string): Promise<Polled<Authorization>>;
  /** Says that the response to a challenge is in place. */
  accept(challengeUrl: string): Promise<void>;
  finalize(url: string, request: Buffer): Promise<void>;
  /** The chain in PEM. */
  certificate(url: string): Promise<string>;
  keyAuthorization(token: string): string;
}

/** A resource that is polled. */
export interface Polled<Value> {
  value: Value;
  retryAfterMs: number | undefined;
}

const PREFIX = 'urn:ietf:params:acme:error:';
const MAX_NONCE_TRIES = 20;
const MAX_MESSAGE = 1_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** `key`: a P-256 key in PEM. `account`: the URL of its account, where it is registered. */
export function createAcmeClient(
  authority: Authority,
  { key, account, signal }: { key: string; account: string | null; signal: AbortSignal },
): AcmeClient {
  let accountUrl = account;
  let directory: z.output<typeof directorySchema> | undefined;
  const nonces: string[] = [];

  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = await authority.fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) });
    const nonce = response.headers.get('replay-nonce');
    if (nonce !== null) nonces.push(nonce);
    return response;
  };

  const readDirectory = async () => {
    if (directory !== undefined) return directory;
    const response = await ask(authority.directory);
    if (!response.ok) throw await errorOf(response);
    directory = await parse(directorySchema, response);
    return directory;
  };

  const takeNonce = async (): Promise<string> => {
    const kept = nonces.pop();
    if (kept !== undefined) return kept;
    const response = await ask((await readDirectory()).newNonce, { method: 'HEAD' });
    const nonce = nonces.pop();
    if (nonce === undefined) throw new AcmeError(missingNonce, response.status);
    return nonce;
  };

  const post = async (url: string, payload: object | ''): Promise<Response> => {
    for (let tries = 1; ; tries += 1) {
      const who = accountUrl === null ? { jwk: jwkOf(key) } : { kid: accountUrl };
      const body = signJws(key, { ...who, nonce: await takeNonce(), url }, payload);
      const response = await ask(url, {
        method: 'POST',
        headers: { 'content-type': 'application/jose+json' },
        body,
      });
      if (response.ok) return response;
      const error = await errorOf(response);
      if (error.type !== 'badNonce' || tries >= MAX_NONCE_TRIES) throw error;
    }
  };

  const poll = async <Schema extends z.ZodType>(
    schema: Schema,
    url: string,
  ): Promise<Polled<z.output<Schema>>> => {
    const response = await post(url, '');
    return { value: await parse(schema, response), retryAfterMs: retryAfterOf(response) };
  };

  return {
    async register() {
      if (accountUrl !== null) return accountUrl;
      const url = (await readDirectory()).newAccount;
      const { externalAccount, email } = authority;
      const response = await post(url, {
        termsOfServiceAgreed: true,
        ...(email === null ? {} : { contact: [`mailto:${email}`] }),
        ...(externalAccount === null
          ? {}
          : { externalAccountBinding: bindExternally(jwkOf(key), { url, ...externalAccount }) }),
      });
      await response.body?.cancel();
      accountUrl = locationOf(response);
      return accountUrl;
    },

    async newOrder(host) {
      const response = await post((await readDirectory()).newOrder, {
        identifiers: [{ type: 'dns', value: host }],
      });
      return { url: locationOf(response), order: await parse(orderSchema, response) };
    },

    order: (url) => poll(orderSchema, url),
    authorization: (url) => poll(authorizationSchema, url),

    async accept(challengeUrl) {
      await (await post(challengeUrl, {})).body?.cancel();
    },

    async finalize(url, request) {
      await (await post(url, { csr: request.toString('base64url') })).body?.cancel();
    },

    async certificate(url) {
      return (await post(url, '')).text();
    },

    keyAuthorization: (token) => `${token}.${thumbprintOf(key)}`,
  };
}

const missingNonce: Problem = {
  type: 'about:blank',
  detail: 'The certificate authority sent no nonce.',
  subproblems: [],
};

/** What an authority says of an error, in one text without control characters. */
export function textOf({ type, detail, subproblems }: Problem): string {
  const parts = [detail, ...subproblems.map((sub) => sub.detail)].filter((part) => part !== '');
  const text = parts.length === 0 ? `The certificate authority reported ${type}.` : parts.join(' ');
  return text.slice(0, MAX_MESSAGE).replace(/\p{Cc}/gu, ' ');
}

export const typeOf = ({ type }: Problem): string =>
  type.startsWith(PREFIX) ? type.slice(PREFIX.length) : type;

async function errorOf(response: Response): Promise<AcmeError> {
  const parsed = problemSchema.safeParse(await response.json().catch(() => null));
  const problem = parsed.success
    ? parsed.data
    : {
        type: 'about:blank',
        detail: `The certificate authority returned the status ${response.status}.`,
        subproblems: [],
      };
  return new AcmeError(problem, response.status, retryAfterOf(response));
}

async function parse<Schema extends z.ZodType>(
  schema: Schema,
  response: Response,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await response.json().catch(() => null));
  if (parsed.success) return parsed.data;
  const detail = 'The certificate authority sent a response that is not valid ACME.';
  throw new AcmeError({ type: 'about:blank', detail, subproblems: [] }, response.status);
}

function locationOf(response: Response): string {
  const location = response.headers.get('location');
  if (location !== null) return location;
  const detail = 'The certificate authority sent a response without Location.';
  throw new AcmeError({ type: 'about:blank', detail, subproblems: [] }, response.status);
}

/** `Retry-After` as seconds or a date. */
function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
