import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { fromGrpcError } from './grpc-refusal.js';
import { toError } from './retry.js';

/**
 * A bulk stream that takes its requests one by one, each after the previous one has been sent, and is read
 * only as fast as its responses are consumed: few pictures are held, however many there are.
 */
export async function* boundedStream<Partial, Request, Response>(
  open: () => ClientDuplexStream<Request, Response>,
  requests: Iterable<Partial> | AsyncIterable<Partial>,
  toRequest: (request: Partial) => Request,
  signal: AbortSignal | undefined,
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
        const sent = new Promise<unknown>((resolve) => stream.write(toRequest(request), resolve));
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
