import { type Secret, secretText } from '../config.ts';
import { DeploymentError } from '../error.ts';
import type { SourceMark } from '../releases/pointer.ts';
import {
  type Answer,
  explainConnectionError,
  get,
  placeOf,
  retryAfterOf,
  type Transport,
} from './request.ts';
import type { Offer, Source } from './source.ts';

export interface PlatformOptions {
  /** URL of the platform, with a trailing slash. */
  url: URL;
  key: Secret;
  domain: string;
  /** Label that the export must have; null for the latest. */
  version: string | null;
  transport: Transport;
}

/** Maximum size of an API response, in bytes. */
const maxAnswerBytes = 64 * 1024;

/** The fields used from the response of `GET /v1/static-export/bundle`. */
export interface LinkedBundle {
  url: URL;
  sha256: string;
  bytes: number;
  /** Null from a platform of an earlier version. */
  indexUrl: URL | null;
}

/** A platform that is asked for the latest bundle of a domain. */
export function createPlatformSource(options: PlatformOptions): Source {
  return {
    kind: 'platform',
    async ask(known: SourceMark | null, _reason, signal): Promise<Offer | null> {
      const bundle = await askOnce(options, known?.sha256 ?? null, signal);
      if (bundle === null || bundle.sha256 === known?.sha256) return null;
      const { url, sha256, bytes, indexUrl } = bundle;
      const renew = async (inner: AbortSignal): Promise<URL> => {
        const fresh = await askOnce(options, null, inner);
        if (fresh?.sha256 === sha256) return fresh.url;
        throw new DeploymentError(
          'source_unreachable',
          'A newer bundle was published during the download. It is fetched at the next check.',
        );
      };
      const place = placeOf(url);
      return {
        id: sha256,
        place,
        sha256,
        bytes,
        tag: null,
        from: { url, etag: null, renew, indexUrl, tagOf: () => null },
      };
    },
  };
}

/** Null: the bundle with this digest is still the latest. */
async function askOnce(
  options: PlatformOptions,
  knownSha256: string | null,
  signal: AbortSignal,
): Promise<LinkedBundle | null> {
  const { domain, version, transport } = options;
  const url = new URL('v1/static-export/bundle', options.url);
  url.searchParams.set('domain', domain);
  if (version !== null) url.searchParams.set('version', version);
  const key = readKey(options.key);
  const answer = await get(
    url,
    {
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      ...(knownSha256 === null ? {} : { 'if-none-match': `"${knownSha256}"` }),
    },
    transport,
    signal,
  );
  if (answer.response.statusCode === 304 && knownSha256 !== null) {
    answer.end();
    return null;
  }
  const body = await readJson(answer, url, signal);
  if (answer.response.statusCode !== 200) throw refusal(answer, body, url, key, options);
  return readBundleLink(body, url);
}

/** The fields of a response with a link to a bundle. Throws a DeploymentError. */
export function readBundleLink(body: Record<string, unknown>, url: URL): LinkedBundle {
  const { bundleUrl, sha256, sizeBytes, indexUrl } = body;
  if (
    !isLink(bundleUrl) ||
    typeof sha256 !== 'string' ||
    !/^[0-9a-f]{64}$/.test(sha256) ||
    typeof sizeBytes !== 'number' ||
    !Number.isSafeInteger(sizeBytes)
  ) {
    throw new DeploymentError(
      'source_failed',
      `${placeOf(url)} did not respond like an Offprint server. Check OFFPRINT_URL.`,
    );
  }
  return {
    url: new URL(bundleUrl),
    sha256,
    bytes: sizeBytes,
    indexUrl: isLink(indexUrl) ? new URL(indexUrl) : null,
  };
}

function isLink(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);
}

/** The text of a key to send; `name` is what messages call it. Throws a DeploymentError. */
export function readKey(key: Secret, name = 'API key'): string {
  let text: string;
  try {
    text = secretText(key);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    throw new DeploymentError('key_refused', `Cannot read the ${name} from the file ${path} (${code}).`);
  }
  // a value that is invalid in a header would appear in the text of an error
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new DeploymentError(
    'key_refused',
    `The ${name} is empty, or contains spaces or other characters that are not valid in a key.`,
  );
}

/** The fields of a response; none if it is not a JSON object, or has more bytes. */
export async function readJson(
  { response, end }: Answer,
  url: URL,
  signal: AbortSignal,
  maxBytes = maxAnswerBytes,
): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) return {};
      pieces.push(piece);
    }
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) return {};
    throw explainConnectionError(error as Error, url.host);
  } finally {
    end();
  }
}

function refusal(
  { response }: Answer,
  body: Record<string, unknown>,
  url: URL,
  key: string,
  { domain, version }: PlatformOptions,
): DeploymentError {
  const status = response.statusCode ?? 0;
  const host = url.host;
  const said = sentence(body.error, key);
  if (status === 401) {
    return new DeploymentError(
      'key_refused',
      `${host} rejected the API key: it is unknown, expired or revoked. Create one with the scope exports:read.${said}`,
    );
  }
  if (status === 403) {
    return new DeploymentError(
      'not_allowed',
      `${host} does not allow this key to fetch the bundle of ${domain}.${said}`,
    );
  }
  if (status === 404 && body.code === 'not_found') {
    const what = version === null ? '' : ` with the version ${JSON.stringify(version)}`;
    return new DeploymentError('no_export', `${host} has no export of ${domain}${what} to serve.${said}`);
  }
  if (status === 429 || status >= 500) {
    return new DeploymentError(
      'source_unreachable',
      `${host} currently returns status ${status}. The request is retried.${said}`,
      {
        retryAfterMs: retryAfterOf(response),
      },
    );
  }
  return new DeploymentError(
    'source_failed',
    `${placeOf(url)} returned status ${status}. Check OFFPRINT_URL.${said}`,
  );
}

/** The message of the server, shortened and without secrets. */
export function sentence(text: unknown, key: string): string {
  if (typeof text !== 'string' || text === '') return '';
  const clean = text
    .replaceAll(key, '***')
    .replaceAll(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ')
    .slice(0, 300);
  return ` The server says: ${clean}`;
}
