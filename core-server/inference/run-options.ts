import type { Call } from '../common/call.js';
import type { RunOptions } from './pool/worker-pool.js';

/** How a handler treats a full queue: unary calls are refused, requests in a stream wait. */
export type HandlerOptions = Pick<RunOptions, 'wait'>;

/** The properties of a call that matter for its work. */
export type WorkCall = Pick<Call, 'signal' | 'timeLeftMs' | 'trace' | 'reportStart' | 'keyId'>;

/** How the pool runs a picture for this call. */
export function toRunOptions(call: WorkCall, options: HandlerOptions): RunOptions {
  return {
    signal: call.signal,
    ...(call.trace !== undefined && { trace: call.trace }),
    owner: call.keyId,
    timeLeftMs: call.timeLeftMs(),
    onStart: call.reportStart,
    ...options,
  };
}
