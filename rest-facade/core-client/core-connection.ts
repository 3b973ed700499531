import { Client, connectivityState } from '@grpc/grpc-js';
import { maxMessageBytes } from '../../runtime/net/grpc-channel.js';
import { keepDrainingCalls } from '../grpc-js-patches/keep-draining-calls.js';
import type { CoreTrust } from './core-trust.js';
import { coreUnavailable } from './grpc-error.js';

/**
 * How long a call waits for a connection to be established, which takes seconds on an overloaded
 * machine; a refused connection fails at once.
 */
const connectTimeoutMs = 5_000;

/**
 * Calls that may be aborted on one connection. HTTP/2 servers treat a thousand at once, or a certain number
 * per second, as an attack (CVE-2023-44487), and close the connection with all other calls on it.
 */
const maxResets = 500;

/** How long a core may leave a ping unanswered until its connection counts as lost. */
export const keepaliveTimeoutMs = 5_000;

export interface CallTime {
  /** On the monotonic clock, milliseconds; sent as `grpc-timeout`. */
  readonly deadline: number;
  /** Cancels the call; `signal.reason` is the Refusal to reject with. */
  readonly signal: AbortSignal;
}

const channelOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // A restarted core is found again at once.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 200,
  // The addresses behind a name change when replicas come and go.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  // Detects a core that vanished without closing its connections, with or without calls, and before the
  // deadline of a request.
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': keepaliveTimeoutMs,
  'grpc.keepalive_permit_without_calls': 1,
  // By default, grpc-js goes through what `http_proxy` names, to this machine too: that proxy is for the Internet.
  'grpc.enable_http_proxy': 0,
  // With one client per process, no pool is needed; without it, a closed client leaves nothing behind.
  'grpc.use_local_subchannel_pool': 1,
};

/**
 * Connects to the core, or to all replicas that the target names.
 * @param target `host:port`, which is a name of DNS to grpc-js, or a gRPC name such as `dns:///core:50051`
 * @param renewAfterMs how often to resolve the name again and connect to what it names now; grpc-js does so
 * when a connection is lost, but not when a replica is added. Absent means never.
 */
export function createCoreConnection(target: string, trust: CoreTrust, renewAfterMs?: number) {
  keepDrainingCalls();
  const connect = () => new Client(target, trust.credentials, { ...channelOptions, ...trust.options });
  let current = connect();
  const open = new Set([current]);
  let resets = 0;

  const close = (client: Client) => {
    open.delete(client);
    client.close();
  };
  const renew = async () => {
    resets = 0;
    const next = connect();
    open.add(next);
    // The state says more than that the wait is over.
    await waitForConnection(next).catch(() => undefined);
    // For example if the name cannot be resolved for a moment: existing connections need not end for that.
    if (next.getChannel().getConnectivityState(false) !== connectivityState.READY) return close(next);
    const old = current;
    current = next;
    // Calls waiting for it are over by then; calls in flight on it continue after it is closed.
    setTimeout(() => close(old), connectTimeoutMs).unref();
  };
  const renewal = renewAfterMs && setInterval(() => void renew(), renewAfterMs).unref();

  return {
    /**
     * The client for the next call, once no connection is being made, or once the call is over, which it says itself;
     * CORE_UNAVAILABLE if that takes too long.
     */
    async ready(call: CallTime): Promise<Client> {
      const client = current;
      await waitForConnection(client, call);
      return client;
    },
    /** To be called for each aborted call. */
    noteReset: (): void => {
      resets += 1;
      if (resets >= maxResets) void renew();
    },
    close(): void {
      clearInterval(renewal);
      open.forEach(close);
    },
  };
}

/**
 * grpc-js fails a call at once if the last attempt to connect failed, but queues it during an attempt,
 * which takes 20 seconds if packets are dropped.
 */
function waitForConnection(client: Client, { deadline = Infinity, signal }: Partial<CallTime> = {}): Promise<void> {
  const channel = client.getChannel();
  const leftMs = deadline - performance.now();
  const giveUpAt = Date.now() + Math.min(leftMs, connectTimeoutMs);
  return new Promise((resolve, reject) => {
    const stop = () => resolve();
    const check = () => {
      const state = channel.getConnectivityState(true);
      const isSettled = state !== connectivityState.IDLE && state !== connectivityState.CONNECTING;
      if (isSettled || signal?.aborted) return resolve();
      signal?.addEventListener('abort', stop, { once: true });
      channel.watchConnectivityState(state, giveUpAt, (timeout) => {
        // Node.js would keep a signal made of others, as of a batch, and so the channel, for good.
        signal?.removeEventListener('abort', stop);
        if (!timeout) check();
        else if (leftMs < connectTimeoutMs) resolve();
        else reject(coreUnavailable(timeout));
      });
    };
    check();
  });
}
