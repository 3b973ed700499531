import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { fromGrpcError } from './grpc-refusal.js';
import { toError } from './retry.js';
import type { CallOptions } from './time-limit.js';

/** A stream has no time limit. */
export type StreamOptions = Pick<CallOptions, 'signal'>;

/**
 * A bulk stream that takes its requests one by one, each after the previous one has been sent, and is read
 * only as fast as its responses are consumed: few pictures are held, however many there are.
 */
export async function* boundedStream<Partial, Request, Response>(
  open: () => ClientDuplexStream<Request, Response>,
  codec: { fromPartial(request: Partial): Request },
  requests: Iterable<Partial> | AsyncIterable<Partial>,
  { signal }: StreamOptions = {},
): AsyncGenerator<Response> {
  signal?.throwIfAborted();
  const stream = open();
  const cancel = () => stream.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  // In an object, because it is set from elsewhere while the loop below waits.
  const sending: { failure?: unknown; over?: true } = {};
  const closed = new Promise<Error>((resolve) => stream.once('close', () => resolve(new Error('the call is over'))));

  const sendAll = async () => {
    try {
      for await (const request of requests) {
        const sent = new Promise<unknown>((resolve) => stream.write(codec.fromPartial(request), resolve));
        const failed = await Promise.race([sent, closed]);
        if (failed || sending.over) return;
      }
      stream.end();
    } catch (error) {
      sending.failure = error;
      stream.cancel();
    }
  };
  void sendAll();

  try {
    yield* stream as AsyncIterable<Response>;
  } catch (error) {
    if (signal?.aborted) throw toError(signal.reason);
    if (sending.failure !== undefined) throw toError(sending.failure);
    throw fromGrpcError(error as ServiceError);
  } finally {
    sending.over = true;
    signal?.removeEventListener('abort', cancel);
    // A caller that leaves the loop early ends the call.
    stream.cancel();
  }
}
