import { Refusal } from '../../runtime/errors/refusal.js';
import { hasPicture, type Route } from '../request/rules.js';

/**
 * A refusal by the core in the caller's terms. The core names the field of its message; if the caller
 * filled that field under another name (`file`, `detection`, `x-company-password`), the refusal names what
 * was sent, in `details.field` and at the start of the sentence.
 */
export function nameAsSent(refusal: Refusal, route: Route): Refusal {
  const { field } = refusal.details;
  const sent = field === undefined ? undefined : nameInRequest(field, route);
  if (field === undefined || sent === undefined) return refusal;
  const message = refusal.message.startsWith(`${field} `)
    ? sent + refusal.message.slice(field.length)
    : refusal.message;
  return new Refusal(refusal.code, refusal.reason, message, {
    details: { ...refusal.details, field: sent },
    retryAfterSeconds: refusal.retryAfterSeconds,
    cause: refusal.cause,
  });
}

/** Undefined if the field uses its own name. */
function nameInRequest(field: string, { body, query, headers }: Route): string | undefined {
  if (hasPicture(body) && body.field === field) return body.sentAs;
  return [...query, ...headers].find((rule) => rule.field?.name === field)?.name;
}
