import { clip, missingField, quote, refuse } from '../../runtime/errors/refusal.js';
import { onlyValue } from './field.js';
import { methodNotAllowed } from './method-not-allowed.js';
import type { NamedValue } from './parse-target.js';
import { matchPath, splitPath } from './path-template.js';
import type { Route } from './rules.js';
import { showPath } from './show-path.js';

/** The routes for one verb and path, and the path's variables, still encoded. */
export interface RouteMatch {
  readonly routes: readonly [Route, ...Route[]];
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Finds the routes for a verb and a raw path.
 * @throws Refusal NO_SUCH_ROUTE, METHOD_NOT_ALLOWED
 */
export function findRoutes(routes: readonly Route[], verb: string, rawPath: string): RouteMatch {
  const parts = splitPath(rawPath);
  const matches = routes.flatMap((route) => {
    const variables = matchPath(route.segments, parts);
    return variables === undefined ? [] : [{ route, variables }];
  });
  if (matches.length === 0) {
    const path = showPath(rawPath);
    throw refuse('NO_SUCH_ROUTE', `path is ${quote(path)}, want one of those in /openapi.json`, {
      details: { field: 'path', value: clip(path) },
    });
  }
  const [first, ...rest] = matches.filter(({ route }) => route.verb === verb);
  if (first === undefined) {
    const allow = [...new Set(matches.map(({ route }) => route.verb))];
    throw methodNotAllowed(verb, allow);
  }
  return { routes: [first.route, ...rest.map(({ route }) => route)], variables: first.variables };
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
export function chooseRoute(match: RouteMatch, query: readonly NamedValue[]): Route {
  for (const route of match.routes) {
    const fits = route.query.every(({ name, presence }) => {
      if (presence === 'any') return true;
      const value = onlyValue(query, name);
      if (value === undefined) throw missingField(name, 'it in the query string');
      return (value !== '') === (presence === 'with-value');
    });
    if (fits) return route;
  }
  // A single route that requires a presence: the parameter is there, but not in the required form.
  const rule = match.routes[0].query.find(({ presence }) => presence !== 'any');
  const name = rule?.name ?? '';
  const mistake = rule?.presence === 'bare' ? 'has a value, want none' : 'is empty, want a value';
  throw refuse('INVALID_FIELD', `${name} ${mistake}`, { details: { field: name } });
}
