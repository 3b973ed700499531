import type { RequestHandler } from 'express';
import type { Metrics } from '../observe/metrics.js';
import { contextOf } from '../request-context.js';

/** Counts a request when its answer is out or its caller gone. */
export function measure(metrics: Pick<Metrics, 'requestEnded'>): RequestHandler {
  return (request, response, next) => {
    response.once('close', () => {
      const { route, refusal, startedAt } = contextOf(response);
      const isAnswered = response.writableFinished;
      metrics.requestEnded({
        operation: route === undefined ? 'other' : `${request.method} ${route}`,
        status: isAnswered ? response.statusCode : 499,
        reason: isAnswered ? (refusal?.reason ?? 'OK') : 'CLIENT_CLOSED',
        seconds: (performance.now() - startedAt) / 1000,
      });
    });
    next();
  };
}
