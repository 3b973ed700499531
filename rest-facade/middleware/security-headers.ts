import type { RequestHandler } from 'express';

/** Answers belong to one caller and are JSON; a draining process asks for new connections elsewhere. */
export function securityHeaders(isDraining: () => boolean): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    if (isDraining()) response.setHeader('connection', 'close');
    next();
  };
}
