import type { RequestHandler } from 'express';

/**
 * Answers belong to one caller, are JSON and are no pages; the pages for browsers say otherwise. A
 * draining process asks for new connections elsewhere.
 */
export function securityHeaders(isDraining: () => boolean): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    response.setHeader('cross-origin-resource-policy', 'same-origin');
    response.setHeader('referrer-policy', 'no-referrer');
    if (isDraining()) response.setHeader('connection', 'close');
    next();
  };
}
