import type { Logger } from 'pino';
import { probes } from '../pages/probes.js';
import { splitTarget } from '../request/parse-target.js';
import { showPath } from '../request/show-path.js';
import type { Middleware } from './middleware.js';
import { contextOf, outcomeOf } from './request-context.js';

/**
 * One line per request, written when its response is sent or its caller gone. It contains only method and
 * route, or for an unknown path the part that is safe to show: query strings hold a password, headers the API
 * key. Members are named as in the core's log, so that one request is found in both by its `request_id`.
 */
export function accessLog(log: Logger): Middleware {
  return (request, response) => {
    response.once('close', () => {
      const { requestId, clientAddress, route, refusal } = contextOf(response);
      const { status, reason, seconds } = outcomeOf(response);
      const line = {
        request_id: requestId,
        method: request.method,
        route,
        path: route === undefined ? showPath(splitTarget(request.url ?? '/').path) : undefined,
        status,
        reason: reason === 'OK' ? undefined : reason,
        duration_ms: Math.round(seconds * 10_000) / 10,
        client: clientAddress,
      };
      if (line.reason === 'INTERNAL') log.error({ ...line, err: refusal?.cause }, 'request');
      else if (line.reason === 'CORE_UNAVAILABLE')
        log.warn({ ...line, err: refusal?.cause }, 'request');
      // While probes succeed, their lines say nothing.
      else if (status === 200 && probes.has(route)) log.debug(line, 'request');
      else log.info(line, 'request');
    });
  };
}
