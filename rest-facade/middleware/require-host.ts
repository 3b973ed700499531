import type { RequestHandler } from 'express';
import { refuse } from '../errors.js';

/** HTTP/1.1 wants a Host header (RFC 9112, 3.2). Node.js would refuse too, but without a body. */
export function requireHost(): RequestHandler {
  return (request, _response, next) => {
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      throw refuse('INVALID_FIELD', 'the header Host is missing, want the name of this server', {
        details: { field: 'host' },
      });
    next();
  };
}
