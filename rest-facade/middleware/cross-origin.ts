import cors from 'cors';
import type { RequestHandler } from 'express';

const preflightSeconds = 600;

/**
 * Lets pages of other origins call the operations (CORS). Keys are headers, so no cookie is allowed along.
 * A preflight goes on to be answered as every OPTIONS is, with the methods of its path.
 *
 * @param origins `*` for all; none: browsers keep pages of other origins out
 */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  return cors({
    origin: origins.length > 0 && (origins.includes('*') ? '*' : [...origins]),
    methods: ['GET', 'PUT', 'POST'],
    allowedHeaders: ['apikey', 'content-type', 'traceparent', 'x-company-password', 'x-request-id'],
    exposedHeaders: ['retry-after', 'x-request-id'],
    maxAge: preflightSeconds,
    preflightContinue: true,
  });
}
