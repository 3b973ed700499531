import type { ServerUnaryCall } from '@grpc/grpc-js';
import { freeBuffer } from '../../../runtime/node-patches/free-buffer.js';
import { collectGarbage } from '../../../runtime/node-patches/v8-flags.js';
import { innermostOf } from './refuse-stream.js';

/** A message without bytes, uncompressed. */
const empty = Buffer.alloc(5);

const largeBytes = 2 ** 20;

/**
 * Drops the chunks in which the request of a call arrived, of which grpc-js has made one message. Those of a large one are
 * collected while they are young, which takes a millisecond; later only a full collection would.
 *
 * - Gains: grpc-js keeps them beside the message until the call ends, so that a picture that waits took its size twice:
 *   with 64 photos of 12 megapixels at once, the core took 831 MB at most, and 694 with this (Node.js 24: 793 and 590).
 *   The collection saves a twentieth to a seventh of what a picture of 12 megapixels takes the core (bench/TRIED.md).
 * - Costs: the private member `decoder` of grpc-js's innermost call.
 * - Delete when grpc-js drops the chunks of a whole message.
 */
export function forgetChunks(call: ServerUnaryCall<unknown, unknown>): void {
  const { decoder } = innermostOf(call);
  const isLarge = decoder.readMessageSize >= largeBytes;
  // The next message takes their place.
  decoder.write(empty);
  // Once a worker has the picture.
  if (isLarge) setImmediate(() => collectGarbage({ type: 'minor' }));
}

/**
 * Empties a request that has been answered, and frees its pictures. In Node.js 24 and 26 every writable stream, as grpc-js's
 * calls are, outlives its end until V8's next full collection: the `onwrite` of its state is a function that V8 makes among
 * old objects. Gain: of 20 calls with 200 KB each, all 20 were kept, and none now. Delete when the test of garbage passes
 * without it.
 */
export function forgetRequest(request: unknown): void {
  const fields = request as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    fields[name] = undefined;
    if (value instanceof Uint8Array) freeBuffer(value);
  }
}
