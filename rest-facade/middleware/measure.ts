import { contextOf, outcomeOf } from '../http/request-context.js';
import type { Metrics } from '../observe/metrics.js';
import type { Middleware } from './middleware.js';

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
