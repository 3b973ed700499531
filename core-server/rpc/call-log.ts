import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { Refusal } from '../../runtime/errors/refusal.js';
import { requestIdOf } from '../../runtime/observe/request-id.js';
import { stateOf } from './call-state.js';
import { toStatusObject } from './status.js';

/**
 * Logs a refusal that is the service's fault and not the caller's, with its cause.
 *
 * @returns whether it was one.
 */
export function logFault(log: Logger, error: Refusal, line: object): boolean {
  const { reason, cause } = error;
  if (reason === 'INTERNAL') log.error({ ...line, reason, err: cause ?? error }, 'call failed');
  else if (reason === 'STORE_UNAVAILABLE') log.warn({ ...line, reason, err: cause }, 'call refused');
  else return false;
  return true;
}

/** The caller's request id if it is safe in a log line, otherwise a new one. */
export function readRequestId(metadata: Metadata): string {
  return requestIdOf(metadata.get('x-request-id')[0]);
}

/** Refuses a call before its handler, or that of a stream beside it, and writes its one log line. */
export function refuseCall(
  call: Pick<ServerInterceptingCallInterface, 'sendStatus' | 'getPeer'>,
  error: Refusal,
  { path, metadata, log }: { path: string; metadata: Metadata; log: Logger },
): void {
  const { reason } = error;
  const line = { request_id: readRequestId(metadata), method: path, peer: call.getPeer() };
  // A flood is counted but not logged: its lines would take the time that responses need.
  if (!logFault(log, error, line) && reason !== 'QUEUE_FULL') log.info({ ...line, reason }, 'call refused');
  // To a stream's handler, which may have started, grpc-js says only that the call is cancelled.
  stateOf(metadata).refused = error;
  call.sendStatus(toStatusObject(error));
}
