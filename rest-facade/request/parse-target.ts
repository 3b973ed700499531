import { type Refusal, refuseField } from '../../runtime/errors/refusal.js';

/** A name and its value as it stood in a query string or a form. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/**
 * A request target without scheme and host, which a proxy may send (RFC 9112, 3.2.2). Whatever the scheme: Express would
 * have the whole target parsed by `url.parse`, which throws, and prints what it finds wrong, a password included.
 */
export function toOriginForm(target: string): string {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return local.startsWith('?') || local === '' ? `/${local}` : local;
}

/** No operation has half as many. 16 KiB may have thousands, which are kept until the body has come. */
const maxParameters = 64;

/**
 * Parses the query string of a request target: pairs in their order, `+` is a space, a bare name has an empty value.
 * Broken percent-encoding, which URLSearchParams would accept, is refused, since a guessed value may be a score.
 * @throws Refusal INVALID_FIELD
 */
export function parseQuery(target: string): NamedValue[] {
  const mark = target.indexOf('?');
  if (mark < 0) return [];
  const query = target.slice(mark);
  try {
    decodeURIComponent(query);
  } catch {
    throw badlyEncoded('query string');
  }
  const parameters = new URLSearchParams(query);
  if (parameters.size > maxParameters) {
    const clause = `has too many parameters, want at most ${maxParameters}`;
    throw refuseField('INVALID_FIELD', 'query string', clause, { limit: maxParameters });
  }
  return [...parameters].map(([name, value]) => ({ name, value }));
}

/** A broken escape, or bytes that are not UTF-8. @param where not the text itself, which may be a secret */
export function badlyEncoded(where: 'address' | 'path' | 'query string'): Refusal {
  return refuseField('INVALID_FIELD', where, 'is not well encoded, want percent-encoded UTF-8');
}
