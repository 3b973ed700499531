import { invalidField, type Refusal, refuse } from '../../runtime/errors/refusal.js';

export function noSuchRoute(rawPath: string): Refusal {
  return invalidField('path', showPath(rawPath), 'that of an operation', 'NO_SUCH_ROUTE');
}

/** A method that a path does not take. @param allowed those that it takes */
export function methodNotAllowed(method: string, allowed: readonly string[]): Refusal {
  const wish = allowed.length > 0 ? allowed.join(' or ') : 'another';
  const details = { method, allow: allowed.join(', ') };
  return refuse('METHOD_NOT_ALLOWED', `method is ${method}, want ${wish}`, { details });
}

/** Slashes included. */
const maxShownLength = 34;

/**
 * A path that no operation has, as the log and the refusal show it. It may contain a password or a key by mistake,
 * such as behind an `&` typed for a `?`. So only its first segment is shown, up to the first character that no path
 * of the service has, and of what looks like an API key only the public id.
 */
export function showPath(path: string): string {
  const [first = ''] = /^\/?[A-Za-z0-9._~-]*\/?/.exec(path) ?? [];
  const shown = first.replace(/(ia_[a-z0-9]{12}_).+/i, '$1').slice(0, maxShownLength);
  return shown === path ? path : `${shown}…`;
}
