import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express';
import { asRefusal, refuse, refuseField } from '../../runtime/errors/refusal.js';
import { createFairBudget } from '../../runtime/limits/fair-budget.js';
import { createUnread } from '../../runtime/limits/unread.js';
import type { IsTrustedProxy } from '../../runtime/net/addresses.js';
import { hasTooManyHeaders, maxHeaders } from '../../runtime/net/create-http-server.js';
import { createConfig, requestLimitsOf } from '../config.js';
import { createThrottle } from '../core-client/throttle.js';
import type { Page } from '../pages/create-pages.js';
import { loadRpcs, type Rpc } from '../protos/rpcs.js';
import { groupRoutes } from '../request/choose-route.js';
import { createRoutes } from '../request/create-routes.js';
import { methodNotAllowed, noSuchRoute } from '../request/no-such-route.js';
import { badlyEncoded } from '../request/parse-target.js';
import type { Route } from '../request/route.js';
import { renderError } from '../response/http-error.js';
import { send } from '../response/send.js';
import { maxBatches } from './answer-batch.js';
import { setAnswerHeaders } from './answer-headers.js';
import type { OperationDependencies } from './ask-core.js';
import { handleOperation } from './handle-operation.js';
import { handleRpc } from './handle-rpc.js';
import { observeRequest, type Observers, unobserved } from './observe-request.js';
import { contextOf, openRequest } from './request-context.js';

interface RouterDependencies extends OperationDependencies, Observers {
  /** By default those of the service's protos. */
  readonly routes: readonly Route[];
  /** What browsers may call by Connect and gRPC-Web; by default those of the service's protos, with `routes` none. */
  readonly rpcs: readonly Rpc[];
  /** By path, without a key; by default none. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Origins whose pages may call the operations, `*` for all; by default none. */
  readonly corsOrigins: readonly string[];
  readonly isTls: boolean;
  readonly isDraining: () => boolean;
}

/** Without all but `core`, as the facade is without settings, only that nothing is logged. */
type RouterOptions = Pick<RouterDependencies, 'core'> & Partial<RouterDependencies>;

export interface AppOptions extends RouterOptions {
  /** Whose `x-forwarded-for` is trusted; by default nobody's. */
  readonly isTrustedProxy?: IsTrustedProxy;
}

export function createApp({ isTrustedProxy = () => false, ...options }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', isTrustedProxy);
  // Otherwise, Express itself would show the stack of an error that gets past the router.
  app.set('env', 'production');
  return app.use(createRouter(options));
}

/**
 * An Express router with the operations of the protos, to be mounted in any Express application, on a path of its own:
 * it answers everything below, what it does not know with an error.
 */
export function createRouter(options: RouterOptions): Router {
  const config = createConfig({});
  // Who gives fewer routes wants no other way to what they leave out.
  const rpcs = options.rpcs ?? (options.routes === undefined ? loadRpcs() : []);
  const deps: RouterDependencies = {
    routes: options.routes ?? createRoutes(rpcs),
    rpcs,
    budget: createFairBudget(config.REST_MAX_BUFFERED_BYTES),
    unread: createUnread(),
    batches: createFairBudget(maxBatches),
    throttle: createThrottle({ now: () => performance.now() }),
    limits: requestLimitsOf(config),
    pages: new Map(),
    corsOrigins: [],
    isTls: false,
    isDraining: () => false,
    ...unobserved,
    ...options,
  };
  const router = Router({ caseSensitive: true, strict: true });
  router.use(openRequest(deps.limits), observeRequest(deps), setAnswerHeaders(deps));
  if (deps.corsOrigins.length > 0) router.use(allowOrigins(deps.corsOrigins));
  router.use(limitHeaders, refuseProto, requireHost, servePages(deps.pages));
  for (const [template, routes] of groupRoutes(deps.routes, (route) => route.template)) {
    const byVerb = groupRoutes(routes, ({ verb }) => verb);
    const verbs = [...byVerb.keys()];
    // `{company}` is `:company` to Express.
    const own = router.route(template.replaceAll(/\{(\w+)\}/g, ':$1')).all(allowMethods(verbs));
    // Express would run GET for it, which can set a score.
    own.head((_request, _response, next) => next('route'));
    for (const [verb, candidates] of byVerb) own[verb.toLowerCase() as 'get'](handleOperation(deps, candidates));
  }
  for (const rpc of deps.rpcs) {
    // Browsers send no streams.
    if (rpc.requestStream || rpc.responseStream) continue;
    router
      .route(rpc.path)
      .all(allowMethods(['POST']))
      .post(handleRpc(deps, rpc));
  }
  return router.use(refuseUnknown, answerError);
}

/** Notes what a path takes, for OPTIONS, and for the refusal of other methods. */
function allowMethods(verbs: readonly string[]): RequestHandler {
  return (_request, response, next) => {
    const context = contextOf(response);
    context.allow = [...context.allow, ...verbs];
    next();
  };
}

/**
 * CORS, without cookies: keys are headers. Pages may send the headers that they ask for, and read all; a preflight is
 * answered like every OPTIONS.
 */
const allowOrigins = (origins: readonly string[]): RequestHandler =>
  cors({
    origin: origins.includes('*') ? '*' : [...origins],
    exposedHeaders: '*',
    maxAge: 600,
    preflightContinue: true,
  });

const limitHeaders: RequestHandler = (request, _response, next) => {
  if (!hasTooManyHeaders(request)) return next();
  const message = `the request has too many headers, want at most ${maxHeaders}`;
  throw refuse('INVALID_FIELD', message, { limit: maxHeaders });
};

/** With one of this name, `headersDistinct` throws in Node.js before 20.20.2. Delete with support for these. */
const refuseProto: RequestHandler = ({ rawHeaders }, _response, next) => {
  if (!rawHeaders.some((name, at) => at % 2 === 0 && name.toLowerCase() === '__proto__')) return next();
  throw refuseField('INVALID_FIELD', '__proto__', 'is a header, want no header of this name');
};

/**
 * HTTP/1.1 requires exactly one Host header (RFC 9112, 3.2). Node.js would also refuse a missing one, but
 * without a body, and would accept the first of several.
 */
const requireHost: RequestHandler = (request, _response, next) => {
  const hosts = request.headersDistinct['host'] ?? [];
  if (hosts.length === 1 || (hosts.length === 0 && request.httpVersion === '1.0')) return next();
  const found = hosts.length === 0 ? 'missing' : 'given more than once';
  throw refuseField('INVALID_FIELD', 'host', `is ${found}, want the name of this server in this header`);
};

function servePages(pages: ReadonlyMap<string, Page>): RequestHandler {
  const allow = ['GET', 'HEAD'];
  return async (request, response, next) => {
    const { method, path } = request;
    const page = pages.get(path);
    if (page === undefined) return next();
    if (!allow.includes(method)) throw methodNotAllowed(method, allow);
    // Only now: otherwise every method that the page does not support would add a series to the metrics.
    contextOf(response).route = path;
    send(response, await page(request.headers['if-none-match']));
  };
}

/** OPTIONS lists the methods of a path. HEAD is not among them. */
const refuseUnknown: RequestHandler = (request, response) => {
  const { allow } = contextOf(response);
  if (allow.length === 0) throw noSuchRoute(request.path);
  const verbs = [...new Set(allow)];
  if (request.method !== 'OPTIONS') throw methodNotAllowed(request.method, verbs);
  send(response, { status: 204, headers: { allow: [...verbs, 'OPTIONS'].join(', ') }, body: '' });
};

/** Everything thrown becomes an error body. */
// eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express knows such a handler by its four parameters.
const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  try {
    const context = contextOf(response);
    // By Express, of what it decodes: the variables of a path.
    context.refusal = asRefusal(error instanceof URIError ? badlyEncoded('path') : error);
    send(response, renderError(context.refusal, context.requestId));
  } catch {
    response.destroy();
  }
};
