import { Counter, Gauge, Histogram } from 'prom-client';
import { createRegistry, secondsBuckets } from '../../runtime/observe/registry.js';
import type { Outcome } from './request-context.js';

export type Metrics = ReturnType<typeof createMetrics>;

/** The facade's metrics. Labels are our own names: no key, company, address or picture. */
export function createMetrics(options: {
  readonly version: string;
  /** Bytes of uploads, and of responses not sent yet, held at the moment. */
  readonly bufferedBytes: () => number;
}) {
  const registry = createRegistry('facade', options.version);
  const registers = [registry];
  const requests = new Counter({
    name: 'imageanalysis_rest_requests_total',
    help: 'Requests by operation, HTTP status and reason.',
    labelNames: ['operation', 'status', 'reason'],
    registers,
  });
  const latency = new Histogram({
    name: 'imageanalysis_rest_request_seconds',
    help: "From the arrival of a request's headers to its response, including the upload.",
    labelNames: ['operation'],
    buckets: secondsBuckets,
    registers,
  });
  new Gauge({
    name: 'imageanalysis_rest_buffered_bytes',
    help: 'Bytes of uploads, and of responses not sent yet, held in memory.',
    registers,
    collect() {
      this.set(options.bufferedBytes());
    },
  });

  return {
    registry,
    /** @param operation verb and template, `POST /face_detect_single`; `other` if no route or page matches */
    requestEnded(operation: string, { status, reason, seconds }: Outcome): void {
      requests.inc({ operation, status, reason });
      latency.observe({ operation }, seconds);
    },
  };
}
