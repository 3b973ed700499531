import type { CallOptions as GrpcOptions, Client, ClientDuplexStream, Metadata, ServiceError } from '@grpc/grpc-js';
import type { DeepPartial } from '../../generated/imageanalysis/v1/admin.js';
import { fromGrpcError } from './grpc-refusal.js';
import { retried, type RetryOptions, toError } from './retry.js';
import { type CallOptions, type TimeLimit, withinTime } from './time-limit.js';

/** A stream has no time limit. */
export type StreamOptions = Omit<CallOptions, 'timeoutMs'>;

export type Requests<Partial> = Iterable<Partial> | AsyncIterable<Partial>;

/** A method of a generated service. */
interface Method<Request, Response> {
  readonly path: string;
  readonly requestSerialize: (request: Request) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

/** A generated message, which fills what is left out of it. */
interface Codec<Partial, Request> {
  fromPartial(request: Partial): Request;
}

/** A call for each method of a generated service, whose comments it has. */
export type Calls<Service> = {
  [Name in keyof Service]: Service[Name] extends Method<infer Request, infer Response> & {
    readonly requestStream: infer IsStream;
  }
    ? IsStream extends true
      ? (requests: Requests<DeepPartial<Request>>, options?: StreamOptions) => AsyncGenerator<Response>
      : (request?: DeepPartial<Request>, options?: CallOptions) => Promise<Response>
    : never;
};

/**
 * Makes calls of methods. They reject with a RefusedError, or with `signal.reason` once aborted.
 *
 * @param metadata sent with every call: the key
 * @param timeoutMs for a unary call including all its attempts
 */
export function createCalls(client: Client, metadata: Metadata, timeoutMs: number, retry: RetryOptions) {
  const unary =
    <Partial, Request, Response>(method: Method<Request, Response>, codec: Codec<Partial, Request>) =>
    async (partial = {} as Partial, options: CallOptions = {}): Promise<Response> => {
      const request = codec.fromPartial(partial);
      const own = withRequestId(metadata, options);
      return withinTime(options, timeoutMs, (limit) =>
        retried(() => callOnce(client, method, request, own, limit), retry, limit),
      );
    };
  const stream =
    <Partial, Request, Response>(method: Method<Request, Response>, codec: Codec<Partial, Request>) =>
    (requests: Requests<Partial>, options: StreamOptions = {}): AsyncGenerator<Response> => {
      const { path, requestSerialize, responseDeserialize } = method;
      const own = withRequestId(metadata, options);
      const open = () => client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, own);
      return boundedStream(open, codec, requests, options);
    };
  /** @param messages the generated module of the service, which has a codec for each request */
  return <Service extends object>(service: Service, messages: object): Calls<Service> => {
    const calls = Object.entries(service).map(([name, method]) => {
      const { path, requestStream } = method as Method<unknown, unknown> & { readonly requestStream: boolean };
      const request = `${path.split('/').at(-1)}Request`;
      const codec = (messages as Record<string, Codec<unknown, unknown>>)[request] as Codec<unknown, unknown>;
      return [name, (requestStream ? stream : unary)(method as Method<unknown, unknown>, codec)];
    });
    return Object.fromEntries(calls) as Calls<Service>;
  };
}

function withRequestId(metadata: Metadata, { requestId }: StreamOptions): Metadata {
  if (requestId === undefined) return metadata;
  const own = metadata.clone();
  own.set('x-request-id', requestId);
  return own;
}

function callOnce<Request, Response>(
  client: Client,
  { path, requestSerialize, responseDeserialize }: Method<Request, Response>,
  request: Request,
  metadata: Metadata,
  { signal, deadline }: TimeLimit,
): Promise<Response> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let isBegun = false;
    // By the system clock, which may have been set since the call began.
    const options: GrpcOptions = { deadline: Date.now() + deadline - performance.now() };
    const done = (error: ServiceError | null, response?: Response) => {
      signal.removeEventListener('abort', cancel);
      if (!error) resolve(response as Response);
      else reject(signal.aborted ? toError(signal.reason) : fromGrpcError(error, isBegun));
    };
    const call = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, options, done);
    // The service sends its metadata when a worker has the picture, or with the response.
    call.on('metadata', () => (isBegun = true));
    const cancel = () => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
  });
}

/**
 * A bulk stream that takes its requests one by one, each after the previous one has been sent, and is read
 * only as fast as its responses are consumed: few pictures are held, however many there are.
 */
async function* boundedStream<Partial, Request, Response>(
  open: () => ClientDuplexStream<Request, Response>,
  codec: Codec<Partial, Request>,
  requests: Requests<Partial>,
  { signal }: StreamOptions,
): AsyncGenerator<Response> {
  signal?.throwIfAborted();
  const stream = open();
  const cancel = () => stream.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  // In an object, because it is set from elsewhere while the loop below waits.
  const sending: { failure?: unknown; over?: true } = {};
  // One write at a time waits. A promise of the end would keep something of each.
  let giveUp: ((error: Error) => void) | undefined;
  stream.once('close', () => giveUp?.(new Error('the call is over')));

  const sendAll = async () => {
    try {
      for await (const request of requests) {
        const failed = await new Promise<unknown>((resolve) => {
          giveUp = resolve;
          stream.write(codec.fromPartial(request), resolve);
        });
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
