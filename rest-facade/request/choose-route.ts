import { QueryParameter_Presence as Presence } from '../../generated/imageanalysis/v1/rest.js';
import { invalidField, missingField, refuseField } from '../../runtime/errors/refusal.js';
import { onlyValue } from './field.js';
import type { NamedValue } from './parse-target.js';
import { type BodyRule, isChoice, type Route } from './route.js';

/** The routes of one verb and path. */
export type Candidates = readonly [Route, ...Route[]];

/** The routes that have something in common, such as their path, in their order. */
export function groupRoutes(routes: readonly Route[], keyOf: (route: Route) => string): Map<string, Candidates> {
  const groups = new Map<string, [Route, ...Route[]]>();
  for (const route of routes) {
    const group = groups.get(keyOf(route));
    if (group === undefined) groups.set(keyOf(route), [route]);
    else group.push(route);
  }
  return groups;
}

/**
 * Chooses between routes with the same verb and path by the presence of query parameters: with a value, or
 * bare (an empty value counts as none). So `GET /face_config_score` is two RPCs:
 *
 *     ?detection=0.8   SetDetectionScore
 *     ?detection       GetDetectionScore
 *     ?detection=      GetDetectionScore
 *
 * @throws Refusal MISSING_FIELD when the name is absent, REPEATED_FIELD when it is given twice
 */
export function chooseRoute(candidates: Candidates, query: readonly NamedValue[]): Route {
  for (const route of candidates) {
    const fits = route.query.filter(isChoice).every(({ name, presence }) => {
      const value = onlyValue(query, name);
      if (value === undefined) throw missingField(name, 'it in the query string');
      return (value !== '') === (presence === Presence.WITH_VALUE);
    });
    if (fits) return route;
  }
  // Who wrote the protos forgot one of the two.
  throw new Error(`${candidates[0].template} has no route for a query that is given so`);
}

/** The content types of bodies that may be of several kinds. */
const contentTypes: Readonly<Partial<Record<BodyRule['kind'], { readonly name: string; readonly form: RegExp }>>> = {
  multipart: { name: 'multipart/form-data', form: /^multipart\/form-data\s*(;|$)/i },
  raw: { name: 'image/*', form: /^image\//i },
  'data-url': { name: 'application/json', form: /^application\/json\s*(;|$)/i },
};

/** What a route takes. */
export function nameContentTypes(route: Route): string {
  return [route, ...route.variants].map(({ body }) => contentTypes[body.kind]?.name).join(' or ');
}

/**
 * The variant of a route for a body of this content type; by default the route itself, unless that takes a form.
 * @throws Refusal UNSUPPORTED_CONTENT_TYPE
 */
export function chooseVariant(route: Route, contentType = ''): Route {
  const chosen = [route, ...route.variants].find(({ body }) => contentTypes[body.kind]?.form.test(contentType));
  if (chosen !== undefined || route.body.kind !== 'multipart') return chosen ?? route;
  const [field, wish] = ['content-type', nameContentTypes(route)];
  if (contentType === '') throw refuseField('UNSUPPORTED_CONTENT_TYPE', field, `is missing, want ${wish}`);
  throw invalidField(field, contentType, wish, 'UNSUPPORTED_CONTENT_TYPE');
}
