import { refuse } from '../../runtime/errors/refusal.js';
import type { Middleware } from './middleware.js';

/**
 * HTTP/1.1 requires exactly one Host header (RFC 9112, 3.2). Node.js would also refuse a missing one, but
 * without a body, and would accept the first of several.
 */
export function requireHost(): Middleware {
  return (request) => {
    const hosts = request.headersDistinct['host'] ?? [];
    if (hosts.length === 1 || (hosts.length === 0 && request.httpVersion === '1.0')) return;
    const found = hosts.length === 0 ? 'missing' : 'given more than once';
    throw refuse('INVALID_FIELD', `host is ${found}, want the name of this server in this header`, {
      details: { field: 'host' },
    });
  };
}
