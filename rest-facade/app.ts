import { randomUUID } from 'node:crypto';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { CoreClient } from './core-client.js';
import { methodNotAllowed, Refusal } from './errors.js';
import { createOperationHandler } from './handle-operation.js';
import { accessLog } from './middleware/access-log.js';
import { crossOrigin } from './middleware/cross-origin.js';
import { measure } from './middleware/measure.js';
import { requestId } from './middleware/request-id.js';
import { requireHost } from './middleware/require-host.js';
import { trace } from './middleware/trace.js';
import { securityHeaders } from './middleware/security-headers.js';
import type { Metrics } from './observe/metrics.js';
import type { Tracing } from '../runtime/tracing.js';
import type { Page } from './pages/create-pages.js';
import { contextOf } from './request-context.js';
import { send } from './send.js';
import { renderError } from './transcode/http-error.js';
import { splitTarget } from './transcode/parse-target.js';
import { matchPath } from './transcode/path-template.js';
import type { Route } from './transcode/rules.js';
import type { Throttle } from './throttle.js';
import type { ByteBudget } from '../runtime/byte-budget.js';

/** Everything the HTTP application needs. */
export interface AppDeps {
  readonly routes: readonly Route[];
  readonly pages: ReadonlyMap<string, Page>;
  readonly core: Pick<CoreClient, 'call'>;
  readonly budget: ByteBudget;
  readonly throttle: Throttle;
  readonly maxImageBytes: number;
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
  /** Origins whose pages may call the operations. */
  readonly corsOrigins: readonly string[];
  readonly metrics: Pick<Metrics, 'requestEnded'>;
  readonly tracing: Tracing;
  readonly log: Logger;
  /** Whether the application is served by TLS. */
  readonly isTls: boolean;
  /** Whether the process is about to stop. */
  readonly isDraining: () => boolean;
  /** Makes request ids. */
  readonly createId?: () => string;
}

/** The HTTP application: pages of its own without a key, and the operations of the protos. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Query strings are parsed by our own rules only.
  app.set('query parser', false);
  app.use(requestId({ createId: randomUUID, ...deps }));
  app.use(accessLog());
  app.use(measure(deps.metrics));
  app.use(trace(deps.tracing));
  app.use(securityHeaders(deps));
  app.use(crossOrigin(deps.corsOrigins));
  app.use(requireHost());
  app.use(servePages(deps.pages));
  app.use(answerOptions(deps.routes));
  app.use(createOperationHandler(deps) satisfies RequestHandler);
  app.use(handleError);
  return app;
}

/** By GET and HEAD. */
function servePages(pages: ReadonlyMap<string, Page>): RequestHandler {
  return async (request, response, next) => {
    const { path } = splitTarget(request.url);
    const page = pages.get(path);
    if (page === undefined) return next();
    contextOf(response).route = path;
    const allow = ['GET', 'HEAD'];
    if (!allow.includes(request.method)) throw methodNotAllowed(request.method, allow);
    send(request, response, await page({ ifNoneMatch: request.headers['if-none-match'] }));
  };
}

/**
 * OPTIONS tells the methods of a path. HEAD is not among them: it would run the operation, and one
 * of them sets a score by GET.
 */
function answerOptions(routes: readonly Route[]): RequestHandler {
  return (request, response, next) => {
    const { path } = splitTarget(request.url);
    const verbs = routes
      .filter(({ segments }) => matchPath(segments, path) !== undefined)
      .map(({ verb }) => verb);
    if (request.method !== 'OPTIONS' || verbs.length === 0) return next();
    response.statusCode = 204;
    response.setHeader('allow', [...new Set(verbs), 'OPTIONS'].join(', '));
    response.end();
  };
}

/** The last handler: everything thrown becomes an error body. */
// eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express knows it by its four parameters.
const handleError: ErrorRequestHandler = (error, request, response, _next) => {
  const context = contextOf(response);
  context.refusal = Refusal.from(error);
  send(request, response, renderError(context.refusal, context.requestId));
};
