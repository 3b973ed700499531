import { closestMatch } from 'leven';
import { clip, quote, refuse } from '../../runtime/errors/refusal.js';
import type { ParsedBody } from './bind-request.js';
import type { NamedValue } from './parse-target.js';
import { hasPicture, type Route } from './rules.js';

/**
 * Refuses names that a route does not know: if a misspelt `min_score` were ignored, a check would be off unnoticed.
 * The refusal says which known name is nearest.
 * @throws Refusal UNKNOWN_FIELD
 */
export function checkNames(
  route: Route,
  query: readonly NamedValue[],
  { fields = [], members = {} }: ParsedBody,
): void {
  const { body, openFields, pathFields, query: rules, headers } = route;
  const filled = [...rules, ...headers].flatMap(({ field }) => field ?? []);
  const known = new Set([...openFields, ...pathFields, ...rules, ...filled].map(({ name }) => name));
  if (hasPicture(body) && body.kind !== 'raw') known.add(body.sentAs);
  const given = [...[...query, ...fields].map(({ name }) => name), ...Object.keys(members)];
  const unknown = given.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const field = clip(unknown);
  const nearest = closestMatch(field, [...known]);
  const wish = nearest === undefined ? 'no fields' : `a known field such as ${nearest}`;
  throw refuse('UNKNOWN_FIELD', `field ${quote(unknown)} is unknown, want ${wish}`, {
    details: { field, ...(nearest !== undefined && { nearest }) },
  });
}
