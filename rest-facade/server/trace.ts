import type { Tracing } from '../../runtime/observe/tracing.js';
import { probes } from '../pages/probes.js';
import { splitTarget } from '../request/parse-target.js';
import type { Middleware } from './middleware.js';
import { contextOf, outcomeOf } from './request-context.js';

/** Traces a request, unless it is a probe, until its response is sent or its caller gone; continues the caller's trace. */
export function trace(tracing: Tracing): Middleware {
  return (request, response) => {
    if (probes.has(splitTarget(request.url ?? '/').path)) return;
    const given = request.headers['traceparent'];
    const parent = typeof given === 'string' ? given : undefined;
    const { method = 'GET' } = request;
    const context = contextOf(response);
    const span = tracing.start(method, parent, 'server', context.arrivedAt);
    context.traceparent = span.traceparent;
    response.once('close', () => {
      const { status, reason } = outcomeOf(response);
      span.end({
        name: context.route === undefined ? method : `${method} ${context.route}`,
        failed: status >= 500,
        attributes: {
          'http.request.method': method,
          'http.response.status_code': status,
          'http.route': context.route ?? 'other',
          'imageanalysis.reason': reason,
          'imageanalysis.request_id': context.requestId,
        },
      });
    });
  };
}
