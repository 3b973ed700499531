import { setTimeout as sleep } from 'node:timers/promises';
import { format as interpolate } from 'node:util';
import type { Attributes, SpanContext } from '@opentelemetry/api';
import type { Logger } from 'pino';
import * as z from 'zod';
import { readSettings, wholeNumber } from '../settings/read-settings.js';

/**
 * What one export may take with all its retries, and closing. No more, since a process that has been told to stop does
 * not end during an export.
 */
const exportWithinMs = 2_000;

/** Spans of this process; inert unless tracing was loaded. */
export interface Tracing {
  /**
   * Starts a span.
   * @param parent W3C `traceparent` of its cause; if undefined or malformed, a new trace starts
   * @param startedAt monotonic, milliseconds; absent: now
   */
  start(name: string, parent: string | undefined, kind: 'server' | 'internal', startedAt?: number): Span;
  /** Sends the remaining spans, and ends. */
  close(): Promise<void>;
}

export interface Span {
  /** W3C `traceparent` to pass on. */
  readonly traceparent: string | undefined;
  /**
   * Attributes are our own names and numbers: no key, company, address or picture.
   * @param outcome with a name if it is only known at the end
   */
  end(outcome: { readonly name?: string; readonly failed: boolean; readonly attributes: Attributes }): void;
}

/** Passes a caller's trace on, at no other cost. */
export const noTracing: Tracing = {
  start: (_name, parent) => {
    const remote = parse(parent);
    return { traceparent: remote && format(remote), end: () => {} };
  },
  close: () => Promise.resolve(),
};

const endpoint = z
  .string()
  .refine(
    (address) => /^https?:\/\//.test(address) && URL.canParse(address),
    'want an address such as http://collector:4318',
  )
  .optional()
  // It may contain a password.
  .meta({ secret: true });
const count = wholeNumber(1, 1_000_000).optional();

/** Values that would hang the process, or have every span dropped, are mistakes. */
const settings = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count,
  OTEL_BSP_MAX_QUEUE_SIZE: count,
});

/** Whether the standard variables name a collector for traces and do not disable them. @throws ConfigError */
export function isTraced(environment: Readonly<Record<string, string | undefined>>): boolean {
  const read = (name: string): string => environment[name]?.trim() ?? '';
  const isOff = read('OTEL_SDK_DISABLED').toLowerCase() === 'true' || read('OTEL_TRACES_EXPORTER') === 'none';
  const collector = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (collector === '' || isOff) return false;
  readSettings(settings, environment);
  return true;
}

/**
 * Loads the OpenTelemetry SDK, which otherwise takes no memory. Spans are sent by OTLP over HTTP to the
 * endpoint in the standard variables `OTEL_EXPORTER_OTLP_*`.
 * @param log told what is wrong with the variables or the collector
 */
export async function loadTracing(serviceName: string, log: Logger): Promise<Tracing> {
  const [api, core, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const tell = logTraceProblems(log);
  core.setGlobalErrorHandler(tell);
  const say = (...parts: unknown[]) => tell(interpolate(...parts));
  const sayAll = { error: say, warn: say, info: say, debug: say, verbose: say };
  api.diag.setLogger(sayAll, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
  const named = resources.resourceFromAttributes({ 'service.name': serviceName });
  const told = resources.detectResources({ detectors: [resources.envDetector] });
  const exporter = new OTLPTraceExporter({ timeoutMillis: exportWithinMs });
  const provider = new sdk.BasicTracerProvider({
    resource: resources.defaultResource().merge(named).merge(told),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('image-analysis');
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  return {
    start(name, parent, kind, startTime = performance.now()) {
      const remote = parse(parent);
      const context = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
      const spanKind = kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL;
      const span = tracer.startSpan(name, { kind: spanKind, startTime }, context);
      return {
        traceparent: format(span.spanContext()),
        end({ name: finalName, failed, attributes }) {
          if (finalName !== undefined) span.updateName(finalName);
          span.setAttributes(attributes);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          // Otherwise only to the millisecond, by a clock that may have been set meanwhile.
          span.end(performance.now());
        },
      };
    },
    // An unreachable collector must not delay shutdown, and is not our error.
    close: () => Promise.race([provider.shutdown().catch(tell), sleep(exportWithinMs, undefined, { ref: false })]),
  };
}

const problemPeriodMs = 60_000;

/** An error of the OpenTelemetry SDK, possibly from an export, or what it says without one. */
type TraceProblem = string | { readonly message?: string | undefined; readonly code?: string | number | undefined };

/** Logs what goes wrong with traces: once a minute, since every export of a few seconds may have it. */
function logTraceProblems(log: Logger): (problem: TraceProblem) => void {
  let loggedAt = -Infinity;
  return (caught) => {
    if (performance.now() - loggedAt < problemPeriodMs) return;
    loggedAt = performance.now();
    // Not the whole error, which has the collector's response.
    const { message, code } = typeof caught === 'string' ? { message: caught } : caught;
    log.warn({ problem: message, code }, 'problem with traces');
  };
}

/**
 * A later version may have more at its end.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
function parse(traceparent = ''): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/.exec(traceparent) ??
    [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: parseInt(flags ?? '0', 16) & 1, isRemote: true };
}

function format({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
