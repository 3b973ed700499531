import type { IncomingMessage } from 'node:http';
import { refuse } from './errors.js';

/** Longer than any key that the core issues. */
const maxKeyLength = 256;

/**
 * The API key of a request. Whether it is valid is the core's to say; here is refused what cannot be
 * sent on as metadata.
 * @throws Refusal MISSING_API_KEY, INVALID_API_KEY
 */
export function readApiKey(request: IncomingMessage): string {
  const values = request.headersDistinct['apikey'] ?? [];
  const key = values[0] ?? '';
  if (key === '')
    throw refuse('MISSING_API_KEY', 'apikey is missing, want an API key in this header', {
      details: { field: 'apikey' },
    });
  if (values.length > 1 || key.length > maxKeyLength || !/^[\x21-\x7e]+$/.test(key))
    throw refuse('INVALID_API_KEY', 'apikey is malformed, want one API key', {
      details: { field: 'apikey' },
    });
  return key;
}
