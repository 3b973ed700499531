import type { RequestHandler } from 'express';
import { type Logger, pino } from 'pino';
import { noTracing, type Tracing } from '../../runtime/observe/tracing.js';
import { showPath } from '../request/no-such-route.js';
import type { Metrics } from './metrics.js';
import { contextOf, type Outcome, outcomeOf, type RequestContext } from './request-context.js';

/** Pages that an orchestrator asks for every few seconds. */
const probes: ReadonlySet<string | undefined> = new Set(['/livez', '/readyz']);

export interface Observers {
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'requestEnded'>;
  readonly tracing: Tracing;
}

/** Logs, counts and traces nothing. */
export const unobserved: Observers = {
  log: pino({ enabled: false }),
  metrics: { requestEnded: () => undefined },
  tracing: noTracing,
};

/** Traces a request that is no probe, and logs and counts it once its response is sent or its caller gone. */
export function observeRequest({ log, metrics, tracing }: Observers): RequestHandler {
  return (request, response, next) => {
    const { method, path, baseUrl } = request;
    const context = contextOf(response);
    const parent = request.get('traceparent');
    const span = probes.has(path) ? undefined : tracing.start(method, parent, 'server', context.arrivedAt);
    context.traceparent = span?.traceparent;
    response.once('close', () => {
      const { route, requestId } = context;
      const outcome = outcomeOf(response);
      const operation = route === undefined ? undefined : `${method} ${route}`;
      writeLine(log, method, baseUrl + path, context, outcome);
      metrics.requestEnded(operation ?? 'other', outcome);
      span?.end({
        name: operation ?? method,
        failed: outcome.status >= 500,
        attributes: {
          'http.request.method': method,
          'http.response.status_code': outcome.status,
          'http.route': route ?? 'other',
          'imageanalysis.reason': outcome.reason,
          'imageanalysis.request_id': requestId,
        },
      });
    });
    next();
  };
}

/** What a client made up may be a secret, or control a terminal. */
const ownFieldName = /^[a-z][a-z_-]{0,39}$/;

/**
 * One line per request. It contains only method and route, or for an unknown path the part that is safe to show:
 * query strings hold a password, headers the API key. Members are named as in the core's log, so that one request is
 * found in both by its `request_id`.
 */
function writeLine(log: Logger, method: string, path: string, context: RequestContext, outcome: Outcome): void {
  const { requestId, clientAddress, route, refusal } = context;
  const { status, reason, seconds } = outcome;
  const field = refusal?.details['field'] ?? '';
  const line = {
    request_id: requestId,
    method,
    route,
    path: route === undefined ? showPath(path) : undefined,
    status,
    reason: reason === 'OK' ? undefined : reason,
    field: ownFieldName.test(field) ? field : undefined,
    duration_ms: Math.round(seconds * 10_000) / 10,
    client: clientAddress,
  };
  if (reason === 'INTERNAL') log.error({ ...line, err: refusal?.cause }, 'request');
  else if (reason === 'CORE_UNAVAILABLE') log.warn({ ...line, err: refusal?.cause }, 'request');
  // While probes succeed, their lines say nothing.
  else if (status === 200 && probes.has(route)) log.debug(line, 'request');
  else log.info(line, 'request');
}
