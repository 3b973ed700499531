import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createRegistry, secondsBuckets } from '../../runtime/observe/registry.js';
import type { PoolStats } from '../inference/pool/worker-pool.js';
import type { CallCounter } from '../rpc/interceptors/observe-calls.js';

/** The core's metrics. Labels are our own names: no key, company, address or picture. */
export interface Metrics extends CallCounter {
  readonly registry: Registry;
  /** A task left the queue for a worker. */
  taskStarted(task: string, waitedSeconds: number): void;
  /** A task ended; `OK` or the reason why it failed. Each picture of a stream counts. */
  taskEnded(task: string, reason: string): void;
  inferred(model: string, seconds: number): void;
  facesFound(count: number): void;
  /** `none` if there was no readable counter. */
  meterRead(status: string, confidence: number | undefined): void;
  /** Adds the pool's state to the metrics. */
  watchPool(stats: () => PoolStats): void;
}

export function createMetrics(version: string): Metrics {
  const registry = createRegistry('core', version);
  const registers = [registry];
  const requests = new Counter({
    name: 'imageanalysis_core_requests_total',
    help: 'Calls by method, gRPC code and reason.',
    labelNames: ['method', 'code', 'reason'],
    registers,
  });
  const latency = new Histogram({
    name: 'imageanalysis_core_request_seconds',
    help: "From the arrival of a call's headers to its status.",
    labelNames: ['method'],
    buckets: secondsBuckets,
    registers,
  });
  const waits = new Histogram({
    name: 'imageanalysis_queue_wait_seconds',
    help: 'Time spent waiting for a worker.',
    labelNames: ['task'],
    buckets: secondsBuckets,
    registers,
  });
  const tasks = new Counter({
    name: 'imageanalysis_tasks_total',
    help: 'Pictures by task and outcome, including those in streams.',
    labelNames: ['task', 'reason'],
    registers,
  });
  const inference = new Histogram({
    name: 'imageanalysis_inference_seconds',
    help: 'Time spent in a model per picture.',
    labelNames: ['model'],
    buckets: secondsBuckets,
    registers,
  });
  const faces = new Histogram({
    name: 'imageanalysis_faces_found',
    help: 'Faces returned per picture.',
    buckets: [0, 1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const readings = new Counter({
    name: 'imageanalysis_meter_readings_total',
    help: 'Meter photos by status: ok, check, none.',
    labelNames: ['status'],
    registers,
  });
  const confidences = new Histogram({
    name: 'imageanalysis_meter_confidence',
    help: 'Confidence of the readings.',
    buckets: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1],
    registers,
  });

  return {
    registry,
    callEnded({ method, code, reason, seconds: elapsed }) {
      requests.inc({ method, code, reason });
      latency.observe({ method }, elapsed);
    },
    taskStarted: (task, waited) => waits.observe({ task }, waited),
    taskEnded: (task, reason) => tasks.inc({ task, reason }),
    inferred: (model, elapsed) => inference.observe({ model }, elapsed),
    facesFound: (count) => faces.observe(count),
    meterRead(status, confidence) {
      readings.inc({ status });
      if (confidence !== undefined) confidences.observe(confidence);
    },
    watchPool(stats) {
      const gauge = (name: string, help: string, read: (stats: PoolStats) => number) =>
        new Gauge({
          name: `imageanalysis_${name}`,
          help,
          registers,
          collect() {
            this.set(read(stats()));
          },
        });
      gauge('queue_depth', 'Pictures waiting for a worker.', ({ queued }) => queued);
      gauge('workers', 'Workers that have loaded their models.', ({ workers }) => workers);
      gauge('workers_busy', 'Workers processing a picture.', ({ running }) => running);
      new Counter({
        name: 'imageanalysis_workers_lost_total',
        help: 'Workers lost since startup.',
        registers,
        collect() {
          this.reset();
          this.inc(stats().lost);
        },
      });
    },
  };
}
