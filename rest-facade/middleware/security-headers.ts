import type { Middleware } from './middleware.js';

const yearSeconds = 365 * 24 * 60 * 60;

/**
 * Answers belong to one caller, are JSON and are no pages; the pages for browsers say otherwise. A
 * draining process asks for new connections elsewhere, and one with TLS to be asked by TLS only.
 */
export function securityHeaders(deps: {
  readonly isDraining: () => boolean;
  readonly isTls: boolean;
}): Middleware {
  return (_request, response) => {
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    response.setHeader('cross-origin-resource-policy', 'same-origin');
    response.setHeader('referrer-policy', 'no-referrer');
    if (deps.isTls) response.setHeader('strict-transport-security', `max-age=${yearSeconds}`);
    if (deps.isDraining()) response.setHeader('connection', 'close');
  };
}
