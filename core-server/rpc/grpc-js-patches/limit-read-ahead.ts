import type { Readable } from 'node:stream';

/**
 * Has a stream of requests read one of them ahead, before any is read.
 *
 * - Gains: a stream holds a picture more than those in progress; by Node.js's default for objects, grpc-js reads 16.
 * - Costs: the private member `_readableState`, which readable-stream and Node.js have had since 0.10.
 * - Delete when grpc-js has an option for it.
 */
export function limitReadAhead(requests: Readable): void {
  (requests as unknown as { _readableState: { highWaterMark: number } })._readableState.highWaterMark = 1;
}
