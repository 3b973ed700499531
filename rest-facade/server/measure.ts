import type { Metrics } from './metrics.js';
import type { Middleware } from './middleware.js';
import { contextOf, outcomeOf } from './request-context.js';

/** Counts a request when its response is sent or its caller gone. */
export function measure(metrics: Pick<Metrics, 'requestEnded'>): Middleware {
  return (request, response) => {
    response.once('close', () => {
      const { route } = contextOf(response);
      metrics.requestEnded({
        operation: route === undefined ? 'other' : `${request.method} ${route}`,
        ...outcomeOf(response),
      });
    });
  };
}
