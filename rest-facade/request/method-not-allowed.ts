import { type Refusal, refuse } from '../../runtime/errors/refusal.js';

/** A method that a path does not take. @param allowed those that it takes */
export function methodNotAllowed(method: string, allowed: readonly string[]): Refusal {
  const wish = allowed.length > 0 ? allowed.join(' or ') : 'another';
  return refuse('METHOD_NOT_ALLOWED', `method is ${method}, want ${wish}`, {
    details: { method, allow: allowed.join(', ') },
  });
}
