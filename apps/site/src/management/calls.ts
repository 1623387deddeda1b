import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { minTokenLength } from '../config.ts';
import type { WantedBundle } from '../deployment/status.ts';
import { DeploymentError, type DeploymentErrorCode } from '../error.ts';

/** A management request was refused. The message is for people and contains no secret. */
export class CallError extends Error {
  override name = 'CallError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A link has some hundred characters; a signed link up to some thousand. */
const maxBodyBytes = 64 * 1024;
const fields = ['bundleUrl', 'sha256', 'version'] as const;

const statuses: Partial<Record<DeploymentErrorCode, number>> = {
  invalid_request: 400,
  no_previous: 409,
  bundle_refused: 422,
  bundle_too_large: 422,
  sha256_mismatch: 422,
  version_mismatch: 422,
  domain_mismatch: 422,
  link_expired: 502,
  link_refused: 502,
  source_unreachable: 502,
  source_failed: 502,
  key_refused: 502,
  not_allowed: 502,
  no_export: 502,
  bundle_missing: 502,
  stopped: 503,
  disk_full: 507,
};

/** Status and body of the response to a failed request. */
export function answerOf(error: unknown): { status: number; body: { error: string; code: string } } {
  if (error instanceof CallError)
    return { status: error.status, body: { error: error.message, code: error.code } };
  if (error instanceof DeploymentError)
    return { status: statuses[error.code] ?? 500, body: { error: error.message, code: error.code } };
  return {
    status: 500,
    body: { error: 'The request failed. See the log of the site server.', code: 'internal' },
  };
}

/** Whether a request has a bearer token, valid or not. */
export const isBearer = ({ headers }: IncomingMessage): boolean =>
  /^Bearer\b/i.test(headers.authorization ?? '');

/**
 * Checks `Authorization: Bearer <token>` in constant time. `token` returns the current token, and may throw;
 * null without a token.
 */
export function createTokenCheck(token: (() => string) | null): (request: IncomingMessage) => void {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return ({ headers }) => {
    if (token === null) {
      throw new CallError(
        403,
        'token_unset',
        'Requests that change what is served are disabled. Set OFFPRINT_SITE_TOKEN.',
      );
    }
    const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (given === undefined || !timingSafeEqual(digest(given), digest(readToken(token))))
      throw new CallError(401, 'token_refused', 'The token is missing or invalid.');
  };
}

/** A file that is missing or being written must not allow access, nor make a valid token look invalid. */
function readToken(token: () => string): string {
  let text: string;
  try {
    text = token();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unreadable(`cannot be read (${code})`);
  }
  if (text.length < minTokenLength) throw unreadable(`has fewer than ${minTokenLength} characters`);
  return text;
}

function unreadable(what: string): CallError {
  return new CallError(
    503,
    'token_unreadable',
    `The token of this site ${what}. Fix OFFPRINT_SITE_TOKEN_FILE.`,
  );
}

/** Reads the body of `POST /release`; null if it names no bundle. */
export async function readWanted(request: IncomingMessage): Promise<WantedBundle | null> {
  const text = await readBody(request);
  if (text.trim() === '') return null;
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new CallError(415, 'not_json', 'Send the body as application/json.');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new CallError(400, 'invalid_request', 'The body is not valid JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new CallError(400, 'invalid_request', 'The body must be a JSON object.');
  const wanted: WantedBundle = {};
  for (const [name, value] of Object.entries(body)) {
    const field = fields.find((known) => known === name);
    if (field === undefined) {
      const known = fields.join(', ');
      throw new CallError(
        400,
        'invalid_request',
        `Unknown field ${JSON.stringify(name.slice(0, 40))}. Known fields: ${known}.`,
      );
    }
    if (typeof value !== 'string' || value === '')
      throw new CallError(400, 'invalid_request', `${field} must be a string.`);
    wanted[field] = value;
  }
  return Object.keys(wanted).length === 0 ? null : wanted;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBodyBytes)
      throw new CallError(413, 'body_too_large', `The body is larger than ${maxBodyBytes} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
