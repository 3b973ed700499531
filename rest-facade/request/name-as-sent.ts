import { Refusal } from '../../runtime/errors/refusal.js';
import type { Route } from './route.js';

/**
 * A refusal by the core in the caller's terms. The core names the field of its message; if the caller
 * filled that field under another name (`file`, `detection`, `x-company-password`), the refusal names what
 * was sent, in `details.field` and at the start of the sentence.
 */
export function nameAsSent(refusal: Refusal, route: Route): Refusal {
  const { code, reason, message, details, retryAfterSeconds, cause } = refusal;
  const { field = '' } = details;
  const sent = route.sentAs.get(field);
  if (sent === undefined) return refusal;
  const named = message.startsWith(`${field} `) ? sent + message.slice(field.length) : message;
  return new Refusal(code, reason, named, { details: { ...details, field: sent }, retryAfterSeconds, cause });
}
