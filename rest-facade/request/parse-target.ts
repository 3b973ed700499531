import { refuse } from '../../runtime/errors/refusal.js';

/** A name and its value as it stood in a query string or a form. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** A request target as a path and a query string; a proxy may send it with scheme and host. */
function toOriginForm(target: string): string {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  return local.startsWith('?') || local === '' ? `/${local}` : local;
}

/** Splits a request target into its path and its query string. */
export function splitTarget(target: string): { path: string; query: string } {
  const local = toOriginForm(target);
  const mark = local.indexOf('?');
  return mark < 0
    ? { path: local, query: '' }
    : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

/**
 * Parses a query string: pairs in their order, `+` is a space, a bare name has an empty value.
 * Unlike URLSearchParams it refuses broken percent-encoding, since a guessed value may be a score.
 * @throws Refusal INVALID_FIELD
 */
export function parseQuery(query: string): NamedValue[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const mark = pair.indexOf('=');
      const [name, value] = mark < 0 ? [pair, ''] : [pair.slice(0, mark), pair.slice(mark + 1)];
      return {
        name: decodePart(name.replaceAll('+', ' '), 'query string'),
        value: decodePart(value.replaceAll('+', ' '), 'query string'),
      };
    });
}

/**
 * Decodes percent-encoding.
 * @param where named in the refusal; the text itself may be a secret and is not.
 * @throws Refusal INVALID_FIELD for a broken escape or bytes that are not UTF-8
 */
export function decodePart(text: string, where: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('INVALID_FIELD', `${where} is not well encoded, want percent-encoded UTF-8`, {
      details: { field: where },
    });
  }
}
