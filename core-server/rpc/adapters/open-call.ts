import { setMaxListeners } from 'node:events';
import { Metadata, type ServerDuplexStream, type ServerUnaryCall } from '@grpc/grpc-js';
import { callerGone, deadlinePassed, type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import { createTurns } from '../../../runtime/limits/turns.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { logFault, readRequestId } from '../call-log.js';
import { stateOf } from '../call-state.js';
import { followDeadline } from '../follow-deadline.js';
import type { RpcSettings } from '../grpc-server.js';

export type OpenCall = ReturnType<typeof openCall>;

/**
 * Ends streams whose callers have left, one per turn of the event loop: with a connection, hundreds may go, each with all
 * its pictures that wait. A unary call ends at once, before a worker takes its picture.
 */
const endings = createTurns(({ clientAddress }: { readonly clientAddress: string }) => callerAddress(clientAddress));

/**
 * Opens a call: an abort signal that follows the caller and the deadline, ids, and a logger.
 *
 * @param limitMs how long a unary call may take; absent: a stream, of which only the caller's own deadline counts.
 */
export function openCall(
  grpcCall: ServerUnaryCall<unknown, unknown> | ServerDuplexStream<unknown, unknown>,
  settings: Pick<RpcSettings, 'log'>,
  limitMs?: number,
) {
  const startedAt = performance.now();
  const controller = new AbortController();
  // Each request of a stream listens.
  setMaxListeners(0, controller.signal);
  const { metadata } = grpcCall;
  const state = stateOf(metadata);
  const { keyId = '', clientAddress = '', admitRequest, trace } = state;
  const log = settings.log.child({ request_id: readRequestId(metadata), key_id: keyId });
  log.debug({ method: grpcCall.getPath() }, 'call received');
  const deadline = followDeadline(grpcCall.getDeadline());
  const abort = (reason: Refusal) => controller.abort(reason);

  const whyCancelled = () => state.refused ?? (deadline.isOver() ? deadlinePassed() : callerGone());
  const onCancelled = () => {
    const reason = whyCancelled();
    if (limitMs === undefined) endings.take({ clientAddress }, () => abort(reason));
    else abort(reason);
  };
  grpcCall.once('cancelled', onCancelled);
  const timer = limitMs === undefined ? undefined : setTimeout(() => abort(tookTooLong(limitMs)), limitMs);
  if (grpcCall.cancelled) abort(whyCancelled());

  return {
    admitRequest,
    signal: controller.signal,
    timeLeftMs: () => Math.min(deadline.leftMs(), startedAt + (limitMs ?? Infinity) - performance.now()),
    keyId,
    clientAddress,
    trace,
    reportStart: () => grpcCall.sendMetadata(new Metadata()),
    log,
    /** Ends its work with the reason for the caller to see. */
    abort,
    close(): void {
      clearTimeout(timer);
      grpcCall.removeListener('cancelled', onCancelled);
    },
    /** Writes the one log line of the call, once its response is on its way. @param subject what the call was about */
    logOutcome(error?: Refusal, subject: object = {}): void {
      // The refusal has its line already, unless it gets none; that of a response without room comes before this.
      if (state.refused && (!error || error === state.refused)) return;
      const line = {
        method: grpcCall.getPath(),
        client: clientAddress,
        ...subject,
        duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...(error && { reason: error.reason, field: error.details['field'] }),
      };
      // HTTP/2 sends the response at the end of this turn of the event loop, and writing a line takes as long.
      setImmediate(() => {
        if (error && logFault(log, error, line)) return;
        log.info(line, error ? 'call refused' : 'call answered');
      });
    },
  };
}

/**
 * A signal that follows another one and is aborted with DEADLINE after `limitMs`. Close it when the
 * work is done. (AbortSignal.any would do the same, but keeps its sources alive as long as a stream.)
 */
export function limitSignal(parent: AbortSignal, limitMs: number): { readonly signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  const timer = setTimeout(() => controller.abort(tookTooLong(limitMs)), limitMs);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    close() {
      clearTimeout(timer);
      parent.removeEventListener('abort', follow);
    },
  };
}

/** Settles like the work, or rejects with the signal's reason as soon as it is aborted. */
export function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The service's own limit, shorter than the caller's. */
function tookTooLong(limitMs: number): Refusal {
  const message = `the response was not ready within ${limitMs} ms, the maximum for a request, try again`;
  return refuse('DEADLINE', message, { limit: limitMs });
}
