import { createRegistry } from '../../runtime/observe/registry.js';
import { readVersion } from '../../runtime/process/version.js';
import type { Outcome } from './request-context.js';

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The facade's metrics. Labels are our own names: no key, company, address or picture.
 * @param bufferedBytes bytes of uploads, and of responses not sent yet, held at the moment
 */
export function createMetrics(bufferedBytes: () => number) {
  const { registry, counter, histogram, gauge } = createRegistry('facade', readVersion());
  const requests = counter('rest_requests_total', 'Requests by operation, HTTP status and reason.', [
    'operation',
    'status',
    'reason',
  ]);
  const latency = histogram(
    'rest_request_seconds',
    "From the arrival of a request's headers to its response, including the upload.",
    ['operation'],
  );
  const held = 'Bytes of uploads, and of responses not sent yet, held in memory.';
  gauge('rest_buffered_bytes', held, bufferedBytes);

  return {
    registry,
    /** @param operation verb and template, `POST /face_detect_single`; `other` if no route or page matches */
    requestEnded(operation: string, { status, reason, seconds }: Outcome): void {
      requests.inc({ operation, status, reason });
      latency.observe({ operation }, seconds);
    },
  };
}
