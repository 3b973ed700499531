import type { Metadata } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { Refusal } from '../../runtime/errors/refusal.js';
import { requestIdOf } from '../../runtime/observe/request-id.js';
import { stateOf } from './call-state.js';

/** Logs a refusal that is the service's fault and not the caller's, with its cause. @returns whether it was one. */
export function logFault(log: Logger, error: Refusal, line: object): boolean {
  const { reason, cause } = error;
  if (reason === 'INTERNAL') log.error({ ...line, reason, err: cause ?? error }, 'call failed');
  else if (reason === 'STORE_UNAVAILABLE') log.warn({ ...line, reason, err: cause }, 'call refused');
  else return false;
  return true;
}

/** The caller's request id if it is safe in a log line, otherwise a new one, which the call keeps. */
export function readRequestId(metadata: Metadata): string {
  return (stateOf(metadata).requestId ??= requestIdOf(metadata.get('x-request-id')[0]));
}
