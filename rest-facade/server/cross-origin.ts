import cors from 'cors';
import type { Middleware } from './middleware.js';

const preflightSeconds = 600;

/**
 * Lets pages from other origins call the operations (CORS). Keys are headers, so cookies are not allowed.
 * A preflight is answered like every OPTIONS request, with the methods of its path.
 *
 * @param origins at least one; `*` for all
 */
export function crossOrigin(origins: readonly string[]): Middleware {
  const allow = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'PUT', 'POST'],
    allowedHeaders: ['apikey', 'content-type', 'traceparent', 'x-company-password', 'x-request-id'],
    exposedHeaders: ['retry-after', 'x-request-id'],
    maxAge: preflightSeconds,
    preflightContinue: true,
  });
  return (request, response) => allow(request, response, () => undefined);
}
