import { Client, connectivityState, Metadata, type ServiceError } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { Refusal } from './errors.js';
import type { Rpc } from './protos.js';
import type { CoreTrust } from './tls.js';
import { coreUnavailable, fromGrpcError } from './transcode/grpc-error.js';

const MiB = 1024 * 1024;

/** How long a call waits for a connection that is being made; a refused one fails at once. */
const connectTimeoutMs = 2_000;

const channelOptions = {
  'grpc.max_receive_message_length': 64 * MiB,
  'grpc.max_send_message_length': 64 * MiB,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // A restarted core is found again within about a second.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // The addresses behind a name change when replicas come and go.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  // A core that vanished without closing its connections is noticed, with or without calls.
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  // One client a process needs no pool; without it a closed client leaves nothing behind.
  'grpc.use_local_subchannel_pool': 1,
};

/** What goes with a call beside its message. */
export interface CallContext {
  readonly apiKey: string;
  readonly requestId: string;
  /** W3C `traceparent` of the request; undefined: it is not traced. */
  readonly traceparent?: string | undefined;
  /** Address of the HTTP client, since the core sees the facade's only. */
  readonly clientAddress: string;
  /** Sent on as `grpc-timeout`. */
  readonly deadline: Date;
  /** Cancels the call; `signal.reason` is the Refusal to reject with. */
  readonly signal: AbortSignal;
}

/** The one connection to the core. */
export interface CoreClient {
  /** Calls a unary RPC. Rejects with a Refusal; CORE_UNAVAILABLE at once where nobody listens. */
  call(rpc: Rpc, message: object, context: CallContext): Promise<object>;
  /** Rejects with CORE_UNAVAILABLE unless the core's health service says SERVING in time. */
  checkHealth(timeoutMs: number): Promise<void>;
  close(): void;
}

/** @param target gRPC name such as `dns:///127.0.0.1:50051` */
export function createCoreClient(target: string, trust: CoreTrust): CoreClient {
  const client = new Client(target, trust.credentials, { ...channelOptions, ...trust.options });

  /**
   * grpc-js fails a call at once while the last attempt to connect has failed, but queues it while one
   * is under way, which takes 20 seconds where packets are dropped.
   */
  const waitForConnection = (signal: AbortSignal | undefined): Promise<void> => {
    const channel = client.getChannel();
    const deadline = Date.now() + connectTimeoutMs;
    return new Promise((resolve, reject) => {
      const check = () => {
        try {
          const state = channel.getConnectivityState(true);
          const isPending =
            state === connectivityState.IDLE || state === connectivityState.CONNECTING;
          if (!isPending || signal?.aborted) return resolve();
          channel.watchConnectivityState(state, deadline, (timeout) =>
            timeout ? reject(coreUnavailable(timeout)) : check(),
          );
        } catch (closed) {
          reject(coreUnavailable(closed));
        }
      };
      check();
    });
  };

  const unary = async (
    rpc: Pick<Rpc, 'path' | 'requestSerialize' | 'responseDeserialize'>,
    message: object,
    metadata: Metadata,
    deadline: Date,
    signal?: AbortSignal,
  ): Promise<object> => {
    await waitForConnection(signal);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = () => call.cancel();
      const done = (error: ServiceError | null, answer?: object) => {
        signal?.removeEventListener('abort', onAbort);
        if (error === null && answer !== undefined) return resolve(answer);
        if (signal?.aborted) return reject(signal.reason as Error);
        reject(error === null ? Refusal.from(error) : fromGrpcError(error));
      };
      const call = client.makeUnaryRequest(
        rpc.path,
        rpc.requestSerialize,
        rpc.responseDeserialize,
        message,
        metadata,
        { deadline },
        done,
      );
      signal?.addEventListener('abort', onAbort);
    });
  };

  return {
    call(rpc, message, { apiKey, requestId, traceparent, clientAddress, deadline, signal }) {
      const metadata = new Metadata();
      metadata.set('apikey', apiKey);
      metadata.set('x-request-id', requestId);
      metadata.set('x-forwarded-for', clientAddress);
      if (traceparent !== undefined) metadata.set('traceparent', traceparent);
      return unary(rpc, message, metadata, deadline, signal);
    },
    async checkHealth(timeoutMs) {
      const check = healthService['Check'] as Rpc;
      const deadline = new Date(Date.now() + timeoutMs);
      let answer: { status?: string };
      try {
        answer = await unary(check, { service: '' }, new Metadata(), deadline);
      } catch (error) {
        throw coreUnavailable(error);
      }
      if (answer.status !== 'SERVING') throw coreUnavailable(`health is ${answer.status}`);
    },
    close: () => client.close(),
  };
}
