import { setTimeout } from 'node:timers/promises';
import type { Attributes, SpanContext } from '@opentelemetry/api';

const closeWithinMs = 2_000;

/** Spans of this process; inert unless it was loaded. */
export interface Tracing {
  /**
   * Begins a span.
   * @param parent W3C `traceparent` of what caused it; undefined, or not well formed: a new trace
   * @param startedAt monotonic, milliseconds; absent: now
   */
  start(
    name: string,
    parent: string | undefined,
    kind: 'server' | 'internal',
    startedAt?: number,
  ): Span;
  /** Sends what is left, and ends. */
  close(): Promise<void>;
}

export interface Span {
  /** W3C `traceparent` to hand on. */
  readonly traceparent: string | undefined;
  /**
   * Attributes hold names and numbers of ours: no key, company, address or picture.
   * @param outcome with a name where only the end tells it
   */
  end(outcome: {
    readonly name?: string;
    readonly failed: boolean;
    readonly attributes: Attributes;
  }): void;
}

/** Hands a caller's trace on, and costs nothing else. */
export const noTracing: Tracing = {
  start: (_name, parent) => ({
    traceparent: parent !== undefined && parse(parent) ? parent : undefined,
    end: () => {},
  }),
  close: () => Promise.resolve(),
};

/** Whether the standard variables name a collector for traces, and do not switch them off. */
export function isTraced(environment: Readonly<Record<string, string | undefined>>): boolean {
  const read = (name: string): string => environment[name]?.trim() ?? '';
  const isOff =
    read('OTEL_SDK_DISABLED').toLowerCase() === 'true' || read('OTEL_TRACES_EXPORTER') === 'none';
  const endpoint =
    read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || read('OTEL_EXPORTER_OTLP_ENDPOINT');
  return endpoint !== '' && !isOff;
}

/**
 * Loads the OpenTelemetry SDK, which is left out of memory otherwise. Spans go by OTLP over HTTP to where
 * the standard variables `OTEL_EXPORTER_OTLP_*` say.
 * @param url of the collector's traces, in place of the variables
 */
export async function loadTracing(serviceName: string, url?: string): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const named = resources.resourceFromAttributes({ 'service.name': serviceName });
  const told = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new sdk.BasicTracerProvider({
    resource: resources.defaultResource().merge(named).merge(told),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter(url ? { url } : {}))],
  });
  const tracer = provider.getTracer('image-analysis');
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  return {
    start(name, parent, kind, startTime = performance.now()) {
      const remote = parent === undefined ? undefined : parse(parent);
      const context = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
      const spanKind = kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL;
      const span = tracer.startSpan(name, { kind: spanKind, startTime }, context);
      return {
        traceparent: format(span.spanContext()),
        end({ name: finalName, failed, attributes }) {
          if (finalName !== undefined) span.updateName(finalName);
          span.setAttributes(attributes);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          // Else to the millisecond only, by a clock that may have been set meanwhile.
          span.end(performance.now());
        },
      };
    },
    // A collector that is away must not hold up a stop, and its absence is no fault of ours.
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => {}),
        setTimeout(closeWithinMs, undefined, { ref: false }),
      ]),
  };
}

/** @see https://www.w3.org/TR/trace-context/#traceparent-header */
function parse(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: parseInt(flags ?? '0', 16) & 1, isRemote: true };
}

function format({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
