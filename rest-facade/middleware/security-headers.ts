import type { Middleware } from './middleware.js';

const yearSeconds = 365 * 24 * 60 * 60;

/** Responses are private JSON, not pages; the pages for browsers override these. */
export const answerHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

/** Sets these headers. A draining process makes clients reconnect; one with TLS sends HSTS. */
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
