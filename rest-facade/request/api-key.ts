import type { IncomingMessage } from 'node:http';
import { refuse } from '../../runtime/errors/refusal.js';

/** Longer than any key that the core issues. */
const maxKeyLength = 256;

/**
 * The API key of a request. The core decides whether it is valid; only keys that cannot be forwarded as
 * metadata are refused here.
 * @throws Refusal MISSING_API_KEY, INVALID_API_KEY
 */
export function readApiKey(request: IncomingMessage): string {
  const values = request.headersDistinct['apikey'] ?? [];
  const key = values[0] ?? '';
  if (key === '')
    throw refuse('MISSING_API_KEY', 'apikey is missing, want an API key in this header', {
      details: { field: 'apikey' },
    });
  const mistake = mistakeIn(values, key);
  if (mistake !== undefined)
    throw refuse('INVALID_API_KEY', `apikey ${mistake}, want one API key`, {
      details: { field: 'apikey' },
    });
  return key;
}

/** Without the key, which is a secret. */
function mistakeIn(values: readonly string[], key: string): string | undefined {
  if (values.length > 1) return `is given ${values.length} times`;
  if (key.length > maxKeyLength) return `has ${key.length} characters`;
  if (!/^[\x21-\x7e]+$/.test(key)) return 'has blanks or is not ASCII';
  return undefined;
}
