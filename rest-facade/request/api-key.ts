import type { IncomingMessage } from 'node:http';
import { refuseField } from '../../runtime/errors/refusal.js';

/** Longer than any key that the core issues. */
const maxKeyLength = 256;

/**
 * The API key of a request, in the header `apikey`, or by its other names `x-api-key` and `Authorization: Bearer`. The
 * core decides whether it is valid; only keys that cannot be forwarded as metadata are refused here.
 * @throws Refusal MISSING_API_KEY, INVALID_API_KEY, INVALID_FIELD
 */
export function readApiKey({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): string {
  const bearer = (headersDistinct['authorization'] ?? []).flatMap(
    // Of another scheme, it is for somebody else.
    (value) => /^Bearer +(.*)$/i.exec(value)?.[1] ?? [],
  );
  const given = [headersDistinct['apikey'] ?? [], headersDistinct['x-api-key'] ?? [], bearer];
  const [values = [], ...others] = given.filter(([key = '']) => key !== '');
  const key = values[0] ?? '';
  if (key === '') throw refuseField('MISSING_API_KEY', 'apikey', 'is missing, want an API key in this header');
  if (others.some(([other]) => other !== key))
    throw refuseField('INVALID_FIELD', 'apikey', 'is given twice with different values, want one');
  const mistake = mistakeIn([values, ...others], key);
  if (mistake !== undefined) throw refuseField('INVALID_API_KEY', 'apikey', `${mistake}, want one API key`);
  return key;
}

/** Without the key, which is a secret. */
function mistakeIn(given: readonly (readonly string[])[], key: string): string | undefined {
  const repeated = given.find(({ length }) => length > 1);
  if (repeated) return `is given ${repeated.length} times`;
  if (key.length > maxKeyLength) return `has ${key.length} characters`;
  if (!/^[\x21-\x7e]+$/.test(key)) return 'has blanks or is not ASCII';
  return undefined;
}
