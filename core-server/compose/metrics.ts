import { Counter } from 'prom-client';
import { createRegistry } from '../../runtime/observe/registry.js';
import { readVersion } from '../../runtime/process/version.js';
import type { PoolStats } from '../inference/pool/worker-pool.js';
import type { EndedCall } from '../rpc/interceptors/observe-calls.js';

/** The core's metrics. Labels are our own names: no key, company, address or picture. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const { registry, common, counter, histogram, gauge } = createRegistry('core', readVersion());
  const requests = counter('core_requests_total', 'Calls by method, gRPC code and reason.', [
    'method',
    'code',
    'reason',
  ]);
  const latency = histogram('core_request_seconds', "From the arrival of a call's headers to its status.", ['method']);
  const waits = histogram('queue_wait_seconds', 'Time spent waiting for a worker.', ['task']);
  const tasks = counter(
    'tasks_total',
    'Pictures that reached the queue, including those in streams, and fusings of photos, by task and outcome.',
    ['task', 'reason'],
  );
  const inference = histogram(
    'inference_seconds',
    'Time spent in a model per picture, those that read print left out.',
    ['model'],
  );
  const faceBuckets = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500];
  const faces = histogram('faces_found', 'Faces returned per picture.', [], faceBuckets);
  const readings = counter('meter_readings_total', 'Meter photos by status: ok, check, none.', ['status']);
  const confidenceBuckets = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1];
  const confidences = histogram('meter_confidence', 'Confidence of the readings.', [], confidenceBuckets);

  return {
    registry,
    callEnded({ method, code, reason, seconds }: EndedCall): void {
      requests.inc({ method, code, reason });
      latency.observe({ method }, seconds);
    },
    /** A task left the queue for a worker. */
    taskStarted: (task: string, waitedSeconds: number): void => waits.observe({ task }, waitedSeconds),
    /** A task ended; `OK` or the reason why it failed. Each picture of a stream counts. */
    taskEnded: (task: string, reason: string): void => tasks.inc({ task, reason }),
    inferred: (model: string, seconds: number): void => inference.observe({ model }, seconds),
    facesFound: (count: number): void => faces.observe(count),
    /** `none` if there was no readable counter. */
    meterRead(status: string, confidence: number | undefined): void {
      readings.inc({ status });
      if (confidence !== undefined) confidences.observe(confidence);
    },
    watchPool(stats: () => PoolStats): void {
      gauge('queue_depth', 'Pictures waiting for a worker.', () => stats().queued);
      gauge('workers', 'Workers that have loaded their models.', () => stats().workers);
      gauge('workers_busy', 'Workers processing a picture.', () => stats().running);
      new Counter({
        ...common('workers_lost_total', 'Workers lost since startup.'),
        collect() {
          this.reset();
          this.inc(stats().lost);
        },
      });
    },
  };
}
