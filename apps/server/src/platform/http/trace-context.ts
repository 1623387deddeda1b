import { randomBytes } from 'node:crypto';

/** A `traceparent` (W3C Trace Context): trace, parent and flags. */
export const TRACE_PARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/;

/** The trace that a request belongs to (W3C Trace Context). */
export interface TraceContext {
  traceId: string;
  /** `traceparent` of this request, for the response. */
  traceParent: string;
}

/** Continues the trace of a `traceparent` header; undefined without a valid one. */
export function continueTrace(header: string | string[] | undefined): TraceContext | undefined {
  const [, traceId, , flags] = (typeof header === 'string' && TRACE_PARENT.exec(header)) || [];
  if (traceId === undefined || flags === undefined) return undefined;
  // Of the flags, version 00 defines `sampled` and `random`.
  const known = (Number.parseInt(flags, 16) & 3).toString(16).padStart(2, '0');
  return { traceId, traceParent: `00-${traceId}-${randomBytes(8).toString('hex')}-${known}` };
}
