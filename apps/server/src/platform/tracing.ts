import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
// Types only: the packages are loaded by startTracing.
import type { Span, Tracer } from '@opentelemetry/api';
import type { TraceContext } from './http/trace-context.ts';
import { TRACE_PARENT } from './http/trace-context.ts';
import type { Logger } from './log.ts';
import type { Sandbox, SandboxRun } from './sandbox/sandbox.ts';

/** Values that say what a span worked on: names and ids, no content and no secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  kind?: 'server' | 'consumer' | 'internal';
  attributes?: SpanAttributes;
  /** `traceparent` of the span before it in another process; default: the span that is running here. */
  parent?: string | null | undefined;
}

export interface OpenSpan extends TraceContext {
  /** Runs a step whose spans and jobs belong to this one. */
  run<Value>(step: () => Value): Value;
  end(end?: { attributes?: SpanAttributes; error?: string | undefined }): void;
}

interface Tracing {
  tracer: Tracer;
  api: typeof import('@opentelemetry/api');
}

const KINDS = { internal: 0, server: 1, consumer: 4 } as const;
/** How long spans are collected before they are sent. */
const SEND_MS = 1_000;
const STOP_MS = 3_000;

/** One for the process, as the loggers of libraries are: everything that queues a job may be in a trace. */
let tracing: Tracing | null = null;
const running = new AsyncLocalStorage<Span>();

/**
 * Sends spans to an OTLP/HTTP endpoint from now on. Without this, spans cost nothing and the packages are not loaded.
 * The stop sends what is left.
 */
export async function startTracing(options: {
  /** URL without `/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** Share of traces that start here and are sent, 0 to 1; a request with a trace decides for itself. */
  ratio: number;
  service: string;
  version: string;
  log: Logger;
}): Promise<{ stop(): Promise<void> }> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const warn = (message: string) => options.log.warn({ reason: message }, 'traces could not be sent');
  const ignore = () => undefined;
  api.diag.setLogger(
    { error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    api.DiagLogLevel.ERROR,
  );
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    headers: { ...options.headers },
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service,
      'service.version': options.version,
      'service.instance.id': `${hostname()}-${process.pid}`,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(options.ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_MS })],
  });
  tracing = { tracer: provider.getTracer('offprint', options.version), api };
  return {
    async stop() {
      tracing = null;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_MS);
      });
      await Promise.race([provider.shutdown().catch((error: unknown) => warn(String(error))), late]);
      clearTimeout(timer);
    },
  };
}

/** Starts a span; undefined without tracing. */
export function openSpan(
  name: string,
  { kind = 'internal', attributes = {}, parent }: SpanOptions = {},
): OpenSpan | undefined {
  if (tracing === null) return undefined;
  const { tracer, api } = tracing;
  const remote = parent === undefined || parent === null ? undefined : contextOf(parent);
  const own = running.getStore();
  const context =
    remote !== undefined
      ? api.trace.setSpanContext(api.ROOT_CONTEXT, remote)
      : own === undefined || parent !== undefined
        ? api.ROOT_CONTEXT
        : api.trace.setSpan(api.ROOT_CONTEXT, own);
  const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, context);
  return {
    traceId: span.spanContext().traceId,
    traceParent: parentOf(span),
    run: (step) => running.run(span, step),
    end({ attributes: last, error } = {}) {
      if (last !== undefined) span.setAttributes(last);
      if (error !== undefined)
        span.setAttribute('error.type', error).setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Runs a step in a span of its own. An error is named in it by its class only, since messages can contain content. */
export async function inSpan<Value>(
  name: string,
  options: SpanOptions,
  step: () => Promise<Value>,
): Promise<Value> {
  const span = openSpan(name, options);
  if (span === undefined) return step();
  try {
    const value = await span.run(step);
    span.end();
    return value;
  } catch (error) {
    span.end({ error: error instanceof Error ? error.name : 'unknown' });
    throw error;
  }
}

/** `traceparent` of the span that runs here; null without one. */
export function currentTraceParent(): string | null {
  const span = running.getStore();
  return span === undefined ? null : parentOf(span);
}

/** The same sandbox, with a span for each child process, from its parent: a child has no network. */
export function traceSandbox(sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    run: <Input>(run: SandboxRun<Input>) =>
      inSpan(`child ${run.program}`, { attributes: { 'offprint.program': run.program } }, () =>
        sandbox.run(run),
      ),
  };
}

function parentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function contextOf(parent: string) {
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(parent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
