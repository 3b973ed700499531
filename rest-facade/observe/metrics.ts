import { versions } from 'node:process';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What the facade counts. Labels are names of ours: no key, company, address or picture is among them. */
export interface Metrics {
  readonly registry: Registry;
  /** An HTTP request ended. */
  requestEnded(request: {
    /** Verb and template, `POST /face_detect_single`; `other` for what no route or page has. */
    readonly operation: string;
    readonly status: number;
    /** `OK` where it was answered. */
    readonly reason: string;
    readonly seconds: number;
  }): void;
}

export function createMetrics(options: {
  readonly version: string;
  /** Bytes of uploads that are held now. */
  readonly bufferedBytes: () => number;
}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'imageanalysis_rest_requests_total',
    help: 'Requests by operation, HTTP status and reason.',
    labelNames: ['operation', 'status', 'reason'],
    registers,
  });
  const latency = new Histogram({
    name: 'imageanalysis_rest_request_seconds',
    help: 'From the first byte of a request to its answer, the upload included.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  new Gauge({
    name: 'imageanalysis_rest_buffered_bytes',
    help: 'Bytes of uploads that are held.',
    registers,
    collect() {
      this.set(options.bufferedBytes());
    },
  });
  new Gauge({
    name: 'imageanalysis_build_info',
    help: '1, with the version in its labels.',
    labelNames: ['component', 'version', 'node'],
    registers,
  }).set({ component: 'facade', version: options.version, node: versions.node }, 1);

  return {
    registry,
    requestEnded({ operation, status, reason, seconds }) {
      requests.inc({ operation, status, reason });
      latency.observe({ operation }, seconds);
    },
  };
}
