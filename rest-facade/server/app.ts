import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { Refusal } from '../../runtime/errors/refusal.js';
import type { IsTrustedProxy } from '../../runtime/net/addresses.js';
import type { Tracing } from '../../runtime/observe/tracing.js';
import type { Page } from '../pages/create-pages.js';
import { methodNotAllowed } from '../request/method-not-allowed.js';
import { splitTarget } from '../request/parse-target.js';
import { matchPath, splitPath } from '../request/path-template.js';
import type { Route } from '../request/rules.js';
import { type HttpAnswer, renderError } from '../response/http-error.js';
import { send } from '../response/send.js';
import { accessLog } from './access-log.js';
import type { Handle } from './begin-in-turns.js';
import { crossOrigin } from './cross-origin.js';
import { createOperationHandler, type OperationDependencies } from './handle-operation.js';
import { measure } from './measure.js';
import type { Metrics } from './metrics.js';
import { openRequest } from './open-request.js';
import { contextOf } from './request-context.js';
import { requireHost } from './require-host.js';
import { securityHeaders } from './security-headers.js';
import { trace } from './trace.js';

/** Everything the HTTP application needs. */
export interface AppDependencies extends OperationDependencies {
  readonly pages: ReadonlyMap<string, Page>;
  /** Origins whose pages may call the operations. */
  readonly corsOrigins: readonly string[];
  /** Whose `x-forwarded-for` is trusted. */
  readonly isTrustedProxy: IsTrustedProxy;
  readonly metrics: Pick<Metrics, 'requestEnded'>;
  readonly tracing: Tracing;
  readonly log: Logger;
  /** Whether the application is served over TLS. */
  readonly isTls: boolean;
  /** Whether the process is about to stop. */
  readonly isDraining: () => boolean;
}

/** The HTTP application: its own pages, which need no key, and the operations of the protos. */
export function createApp(deps: AppDependencies): Handle {
  const open = openRequest(deps);
  const middlewares = [
    accessLog(deps.log),
    measure(deps.metrics),
    trace(deps.tracing),
    securityHeaders(deps),
    ...(deps.corsOrigins.length > 0 ? [crossOrigin(deps.corsOrigins)] : []),
    requireHost(),
  ];
  const operate = createOperationHandler(deps);

  const answer: Answer = async (request, response) => {
    for (const middleware of middlewares) middleware(request, response);
    const { path } = splitTarget(request.url ?? '/');
    const page = deps.pages.get(path);
    const verbs = request.method === 'OPTIONS' ? verbsOf(deps.routes, path) : [];
    if (page !== undefined) await servePage(path, page, request, response);
    else if (verbs.length > 0) send(request, response, tellVerbs(verbs));
    else await operate(request, response);
  };
  const answerOrRefuse: Answer = async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      // Everything thrown becomes an error body.
      const context = contextOf(response);
      context.refusal = Refusal.from(error);
      send(request, response, renderError(context.refusal, context.requestId));
    }
  };
  return (request, response, arrivedAt) => {
    open(request, response, arrivedAt);
    void answerOrRefuse(request, response);
  };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** By GET and HEAD. */
async function servePage(path: string, page: Page, ...[request, response]: Parameters<Answer>) {
  const allow = ['GET', 'HEAD'];
  const method = request.method ?? 'GET';
  if (!allow.includes(method)) throw methodNotAllowed(method, allow);
  // Only now: otherwise every method that the page does not support would add a series to the metrics.
  contextOf(response).route = path;
  send(request, response, await page({ ifNoneMatch: request.headers['if-none-match'] }));
}

const verbsOf = (routes: readonly Route[], path: string): string[] => {
  const parts = splitPath(path);
  return routes.flatMap(({ segments, verb }) => (matchPath(segments, parts) ? [verb] : []));
};

/**
 * OPTIONS lists the methods of a path. HEAD is not among them: it would run the operation, and one of
 * them sets a score by GET.
 */
function tellVerbs(verbs: readonly string[]): HttpAnswer {
  const allow = [...new Set(verbs), 'OPTIONS'].join(', ');
  return { status: 204, headers: { allow }, body: '' };
}
