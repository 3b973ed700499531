import type { Logger } from 'pino';
import type { Refusal } from '../../runtime/errors/refusal.js';

/**
 * Logs a refusal that is the service's fault and not the caller's, with its cause.
 *
 * @returns whether it was one.
 */
export function logFault(log: Logger, error: Refusal, line: object): boolean {
  const { reason, cause } = error;
  if (reason === 'INTERNAL') log.error({ ...line, reason, err: cause ?? error }, 'call failed');
  else if (reason === 'STORE_UNAVAILABLE')
    log.warn({ ...line, reason, err: cause }, 'call refused');
  else return false;
  return true;
}
