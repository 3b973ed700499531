import {
  type CallOptions,
  type Client,
  type ClientDuplexStream,
  type ClientUnaryCall,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { Refusal } from '../../runtime/errors/refusal.js';
import { freeBuffer } from '../../runtime/node-patches/free-buffer.js';
import type { Rpc } from '../protos/rpcs.js';
import { type CallTime, createCoreConnection, keepaliveTimeoutMs } from './core-connection.js';
import { type CoreTrust, plainText } from './core-trust.js';
import { coreUnavailable, fromGrpcError, type LoadedStatus } from './grpc-error.js';

export interface CallContext extends CallTime {
  /** In the metadata that the RPC wants it in. */
  readonly apiKey: string;
  readonly requestId: string;
  /** W3C `traceparent` of the request; undefined if it is not traced. */
  readonly traceparent?: string | undefined;
  /** Address of the HTTP client, since the core sees only the facade's. */
  readonly clientAddress: string;
}

/** A request of a stream, and its answer, as proto-loader takes and gives them. */
interface StreamRequest {
  readonly id: string;
  readonly request: object;
}

interface StreamAnswer {
  readonly id: string;
  readonly response: object | null;
  readonly error: LoadedStatus | null;
}

export type CoreClient = ReturnType<typeof createCoreClient>;

/** `target` and `renewAfterMs` are those of {@link createCoreConnection}; plain text unless `trust` is given. */
export function createCoreClient(target: string, trust: CoreTrust = plainText, renewAfterMs?: number) {
  const connection = createCoreConnection(target, trust, renewAfterMs);

  /** Has a call sent, and once more if that may help. */
  const sendTwice = async <Answer>(
    rpc: Rpc,
    call: CallTime,
    send: (client: Client) => Promise<Answer>,
  ): Promise<Answer> => {
    const client = await connection.ready(call);
    const sentAt = performance.now();
    try {
      return await send(client);
    } catch (error) {
      if (!mayHelpElsewhere(rpc, error, performance.now() - sentAt)) throw error;
      return send(await connection.ready(call));
    }
  };
  const unary = (call: UnaryCall) =>
    sendTwice(call.rpc, call, (client) => sendOnce(client, connection.noteReset, call));

  return {
    /**
     * Calls a unary RPC, with a message that is serialized when this returns. Rejects with a Refusal; immediately with
     * CORE_UNAVAILABLE if nobody listens.
     */
    async call(rpc: Rpc, message: object, context: CallContext): Promise<object> {
      const bytes = rpc.requestSerialize(message);
      try {
        return await unary({ ...context, rpc, bytes, metadata: toMetadata(rpc, context) });
      } finally {
        // Node.js keeps an HTTP/2 stream, and so the call, until V8's next full collection.
        freeBuffer(bytes);
      }
    },
    /** Opens a stream of requests, whose answers go to `onAnswer`; what a leaving core has not taken goes to another. */
    stream(rpc: Rpc, context: CallContext, onAnswer: (answer: StreamAnswer) => void) {
      const { signal } = context;
      const { path, requestSerialize, responseDeserialize } = rpc;
      const metadata = toMetadata(rpc, context);
      const unanswered = new Map<string, StreamRequest>();
      let isComplete = false;
      let call: ClientDuplexStream<object, object> | undefined;
      const send = (client: Client) =>
        new Promise<void>((resolve, reject) => {
          signal.throwIfAborted();
          const options = toCallOptions(context);
          call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata, options);
          const failureOf = follow(call, rpc, signal, connection.noteReset);
          call.on('data', (answer: StreamAnswer) => {
            unanswered.delete(answer.id);
            onAnswer(answer);
          });
          call.on('error', (error: ServiceError) => reject(failureOf(error)));
          call.on('status', ({ code }) => {
            if (code === status.OK) resolve();
          });
          for (const request of unanswered.values()) call.write(request);
          if (isComplete) call.end();
        });
      return {
        send(request: StreamRequest): void {
          unanswered.set(request.id, request);
          call?.write(request);
        },
        /** Behind the last request. */
        end(): void {
          isComplete = true;
          call?.end();
        },
        /** Resolves when all are answered; rejects with a Refusal, CORE_UNAVAILABLE if nobody listens. */
        ended: sendTwice(rpc, context, send),
      };
    },
    /** Rejects with CORE_UNAVAILABLE unless the core's health service says SERVING in time. */
    async checkHealth(timeoutMs: number): Promise<void> {
      const rpc = healthService['Check'] as Rpc;
      const deadline = performance.now() + timeoutMs;
      const { signal } = new AbortController();
      const bytes = rpc.requestSerialize({ service: '' });
      const call = { rpc, bytes, metadata: new Metadata(), deadline, signal };
      const answer: { status?: string } = await unary(call).catch((error: unknown) => {
        throw coreUnavailable(error);
      });
      if (answer.status !== 'SERVING') throw coreUnavailable(`health is ${answer.status}`);
    },
    close: () => connection.close(),
  };
}

function toMetadata({ key }: Rpc, { apiKey, requestId, clientAddress, traceparent }: CallContext): Metadata {
  const metadata = new Metadata();
  metadata.set(key, apiKey);
  metadata.set('x-request-id', requestId);
  metadata.set('x-forwarded-for', clientAddress);
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  return metadata;
}

/** grpc-js takes a deadline by the system clock, which may be set between a request and its call: as late as it can be. */
const toCallOptions = ({ deadline }: Pick<CallTime, 'deadline'>): CallOptions => ({
  deadline: new Date(Date.now() + deadline - performance.now()),
});

/**
 * Cancels a call when the signal is aborted.
 * @param onReset called if the core is told that nobody waits any more
 * @returns what to reject with for an error of the call. UNAVAILABLE invites a retry: it says `begun` if a worker already
 *   had the picture, or one of the stream, which may be what broke the service, and which no program should send again
 */
function follow(
  call: ClientUnaryCall | ClientDuplexStream<object, object>,
  { requestStream }: Rpc,
  signal: AbortSignal,
  onReset: () => void,
): (error: ServiceError) => Error {
  const onAbort = () => call.cancel();
  signal.addEventListener('abort', onAbort);
  let hasBegun = false;
  // The core sends its metadata when a worker has the picture, or with the response.
  call.on('metadata', () => (hasBegun = true));
  call.on('status', ({ code }) => {
    signal.removeEventListener('abort', onAbort);
    if (signal.aborted || code === status.DEADLINE_EXCEEDED) onReset();
  });
  return (error) => {
    if (signal.aborted) return signal.reason as Error;
    const refusal = fromGrpcError(error);
    const { code, reason, message, details, cause } = refusal;
    // Of a stream, a core that leaves answers what it began while it may: what is left goes to another.
    const isLost = requestStream ? reason === 'CORE_UNAVAILABLE' : code === status.UNAVAILABLE;
    return hasBegun && isLost
      ? new Refusal(code, reason, message, { details: { ...details, begun: 'true' }, cause })
      : refusal;
  };
}

/** A call as it is sent, maybe twice. */
interface UnaryCall extends CallTime {
  readonly rpc: Rpc;
  readonly bytes: Buffer;
  readonly metadata: Metadata;
}

/**
 * Whether a call, or the rest of a stream, is repeated, once: only if it surely did not begin, and if another core, or the
 * same one restarted, can help. That is when the core's connection was lost, when it is leaving, or when it has no worker.
 * Whatever else a core refuses it has decided, a store that fails included: repeated, a password would be checked and a
 * rate limit counted twice.
 *
 * A picture that a worker had may be what killed its core. So may one whose call got no sign for as long as it takes to
 * notice a core that stands still. Neither is handed on to another core. What the administration changes may have been
 * stored before the connection was lost, or by a call that a core ended when it left: repeated, a company would seem to
 * be another's, and a key would be made twice.
 */
function mayHelpElsewhere({ key }: Rpc, error: unknown, afterMs: number): boolean {
  if (key === 'adminkey' || !(error instanceof Refusal) || error.details['begun']) return false;
  if (error.reason === 'CORE_UNAVAILABLE') return afterMs < keepaliveTimeoutMs;
  return error.reason === 'SHUTTING_DOWN' || error.reason === 'WORKER_LOST';
}

const asItIs = (bytes: Buffer): Buffer => bytes;

/**
 * Resolves with the answer itself, not with the status behind it: a unary call has either an answer or a refusal, and
 * the status of an answer comes one turn of the core's event loop later.
 */
function sendOnce(
  client: Client,
  onReset: () => void,
  { rpc, bytes, metadata, deadline, signal }: UnaryCall,
): Promise<object> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const onAnswer = (given: Buffer) => {
      const answer = rpc.responseDeserialize(given);
      resolve(answer);
      return answer;
    };
    const onStatus = (error: ServiceError | null) => {
      if (error !== null) reject(failureOf(error));
    };
    const options = toCallOptions({ deadline });
    const call = client.makeUnaryRequest(rpc.path, asItIs, onAnswer, bytes, metadata, options, onStatus);
    const failureOf = follow(call, rpc, signal, onReset);
  });
}
