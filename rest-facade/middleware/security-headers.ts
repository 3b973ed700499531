import type { Middleware } from './middleware.js';

const yearSeconds = 365 * 24 * 60 * 60;

/** Answers belong to one caller, are JSON and are no pages; the pages for browsers say otherwise. */
export const answerHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/**
 * Sets these headers. A draining process asks for new connections elsewhere, and one with TLS to be asked
 * by TLS only.
 */
export function securityHeaders(deps: {
  readonly isDraining: () => boolean;
  readonly isTls: boolean;
}): Middleware {
  return (_request, response) => {
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    if (deps.isTls) response.setHeader('strict-transport-security', `max-age=${yearSeconds}`);
    if (deps.isDraining()) response.setHeader('connection', 'close');
  };
}
