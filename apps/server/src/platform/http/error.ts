import { type ErrorBody, type ErrorCode, errorCodes } from '@offprint/contract';
import { type OutageCode, outageOf } from '../outage.ts';

/**
 * A failure that is reported to the caller: the code gives the status, the message is the public sentence.
 * `param` is a JSON pointer into the body or the name of a parameter or header; `cause` goes to the log only.
 */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: ErrorCode,
    message: string,
    options: { param?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = errorCodes[code];
    this.param = options.param;
    this.headers = options.headers ?? {};
  }
}

/**
 * Missing resources and those of another organization: one response, so that the two cannot be distinguished.
 */
export function notFound(thing: string): AppError {
  return new AppError('not_found', `${thing[0]?.toUpperCase()}${thing.slice(1)} not found.`);
}

export interface ErrorAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: ErrorBody;
}

/**
 * The response for anything that was thrown. Anything other than an AppError or an error of the request is a
 * 500 without detail.
 */
export function answerError(error: unknown, requestId: string): ErrorAnswer {
  const known = error instanceof AppError ? error : translate(error);
  return {
    status: known.status,
    headers: known.headers,
    body: {
      error: known.message,
      code: known.code,
      ...(known.param === undefined ? {} : { param: known.param }),
      requestId,
    },
  };
}

const SENTENCES: Readonly<Record<OutageCode, string>> = {
  storage_full: 'The disk of the server is full; ask its operator to free space.',
  storage_unavailable: 'Stored files are currently unavailable; see the log of the server.',
  database_unavailable: 'The database is busy or unavailable.',
  renderer_killed: 'The system of the server killed a render process; see the log of the server.',
};

function translate(error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('body_too_large', 'The body is larger than the limit of this endpoint.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', 'This endpoint does not support the Content-Type.', {
        param: 'Content-Type',
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('invalid_request', 'The length of the body does not match Content-Length.', {
        param: 'Content-Length',
      });
    case 'FST_ERR_BAD_URL':
      return new AppError('invalid_request', 'The URL contains an invalid percent-encoding.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return notFound('route');
    default:
      break;
  }
  const outage = outageOf(error);
  if (outage !== null) {
    return new AppError('unavailable', `${SENTENCES[outage.code]} Try again in a few seconds.`, {
      headers: { 'Retry-After': '5' },
      cause: error,
    });
  }
  return new AppError(
    'internal',
    'An internal error occurred. The log of the server has the reason under this request id.',
    {
      cause: error,
    },
  );
}
