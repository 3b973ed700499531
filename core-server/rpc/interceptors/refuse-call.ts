import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { Refusal } from '../../../runtime/errors/refusal.js';
import { logFault } from '../../common/log-fault.js';
import { stateOf } from '../call-state.js';
import { readRequestId } from '../request-id.js';
import { toStatusObject } from '../status.js';

/** Refuses a call before its handler, or that of a stream beside it, and writes its one log line. */
export function refuseCall(
  call: Pick<ServerInterceptingCallInterface, 'sendStatus' | 'getPeer'>,
  error: Refusal,
  { path, metadata, log }: { path: string; metadata: Metadata; log: Logger },
): void {
  const { reason } = error;
  const line = { request_id: readRequestId(metadata), method: path, peer: call.getPeer() };
  // A flood is counted but not logged: its lines would take the time that responses need.
  if (!logFault(log, error, line) && reason !== 'QUEUE_FULL')
    log.info({ ...line, reason }, 'call refused');
  // To a stream's handler, which may have started, grpc-js says only that the call is cancelled.
  stateOf(metadata).refused = error;
  call.sendStatus(toStatusObject(error));
}
