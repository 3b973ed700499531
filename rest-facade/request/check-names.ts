import { closestMatch } from 'leven';
import { clip, quote, type Refusal, refuse, refuseField } from '../../runtime/errors/refusal.js';
import type { RequestLimits } from '../config.js';
import type { NamedValue } from './parse-target.js';
import type { Route } from './route.js';

/**
 * Refuses what belongs in the body in the query string: if it were ignored, a company would get the default score
 * unnoticed. The message omits the values, since some are secrets.
 * @throws Refusal INVALID_FIELD
 */
export function checkQuery({ body, names, query: rules }: Route, query: readonly NamedValue[]): void {
  if (body.kind === 'none' || body.kind === 'raw') return;
  const stray = query.find(({ name }) => names.has(name) && !rules.some((rule) => rule.name === name));
  if (stray === undefined) return;
  const place = body.kind === 'multipart' ? 'a field of the form' : 'a member of the body';
  throw refuseField('INVALID_FIELD', stray.name, `is in the query string, want it as ${place}`);
}

/**
 * Refuses names that a route does not know, unless they are to be ignored: if a misspelt `min_score` were ignored, a
 * check would be off unnoticed. The refusal says which known name is nearest, if no more than half of it is wrong. Beside
 * a password, it does not repeat the unknown one: that is the rest of the password if an `&` in it was not encoded.
 * @throws Refusal UNKNOWN_FIELD
 */
export function checkNames(
  { names }: Pick<Route, 'names'>,
  given: readonly string[],
  { lenientFields }: RequestLimits,
): void {
  const unknown = lenientFields ? undefined : given.find((name) => !names.has(name));
  if (unknown !== undefined) throw unknownField(names, unknown);
}

export function unknownField(names: ReadonlySet<string>, unknown: string): Refusal {
  const isShown = !names.has('password');
  const shown = clip(unknown);
  const nearest = closestMatch(shown, [...names], { maxDistance: Math.floor(shown.length / 2) });
  const known = nearest === undefined ? 'a known field' : `a known field such as ${nearest}`;
  const wish = names.size === 0 ? 'no fields' : known;
  return refuse('UNKNOWN_FIELD', `${isShown ? `field ${quote(unknown)}` : 'a field'} is unknown, want ${wish}`, {
    details: { ...(isShown && { field: shown }), ...(nearest !== undefined && { nearest }) },
  });
}
