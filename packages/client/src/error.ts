import { type ErrorCode, errorBody } from '@offprint/contract';

/** The API returned an error. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** Stable name of the kind of error; null if the response does not come from the API. */
  readonly code: ErrorCode | null;
  /** JSON pointer into the body, or the name of a parameter or header; null where nothing is named. */
  readonly param: string | null;
  /** The `X-Request-Id` of the response, for the logs of the server. */
  readonly requestId: string | null;
  /** Seconds after which to retry; null without a `Retry-After` header. */
  readonly retryAfter: number | null;
  constructor(
    message: string,
    details: {
      status: number;
      code?: ErrorCode | undefined;
      param?: string | undefined;
      requestId?: string | null | undefined;
      retryAfter?: number | null;
    },
  ) {
    super(message);
    this.status = details.status;
    this.code = details.code ?? null;
    this.param = details.param ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfter = details.retryAfter ?? null;
  }
}

/** No response: the server cannot be reached, or the connection was interrupted. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
}

/** Reads an error response. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const body = errorBody.safeParse(parseJson(text));
  const details = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfterOf(response),
  };
  if (!body.success) {
    const origin = new URL(response.url || 'http://unknown').origin;
    return new ApiError(
      `${origin} returned ${response.status} ${response.statusText}`.trimEnd() +
        ' without an error message; check that the URL is the one of an Offprint server',
      details,
    );
  }
  const { error, code, param, requestId } = body.data;
  return new ApiError(error, { ...details, code, param, requestId: requestId ?? details.requestId });
}

/** Seconds of `Retry-After`, which is a number or a date (RFC 9110, 10.2.3); null without one. */
export function retryAfterOf(response: Response): number | null {
  const value = response.headers.get('retry-after');
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
