import { clientAddressOf } from '../client-address.js';
import { callerGone, refuse } from '../errors.js';
import { setContext } from '../request-context.js';
import { isRequestId } from '../../runtime/request-id.js';
import type { IsTrustedProxy } from '../../runtime/trusted-proxies.js';
import type { Middleware } from './middleware.js';

/** After its deadline, for an answer to be taken. */
const takeAnswerMs = 5_000;

/**
 * Opens a request: its id (the caller's if harmless, else a new one; returned on every answer), the
 * address of its caller, its deadline, and the signal that ends all work for it.
 */
export function requestId(deps: {
  createId: () => string;
  requestTimeoutMs: number;
  isTrustedProxy: IsTrustedProxy;
}): Middleware {
  return (request, response) => {
    const given = request.headers['x-request-id'];
    const id = isRequestId(given) ? given : deps.createId();
    const controller = new AbortController();
    let timer = setTimeout(() => {
      const message = `the request took longer than ${deps.requestTimeoutMs} ms, try again`;
      const details = { limit: String(deps.requestTimeoutMs) };
      controller.abort(refuse('DEADLINE', message, { details }));
      // A caller who takes its answer drop by drop is cut off.
      timer = setTimeout(() => response.destroy(), takeAnswerMs);
    }, deps.requestTimeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      if (!response.writableFinished) controller.abort(callerGone());
    });
    response.setHeader('x-request-id', id);
    const startedAt = performance.now();
    setContext(response, {
      requestId: id,
      clientAddress: clientAddressOf(request, deps.isTrustedProxy),
      startedAt,
      deadline: () => new Date(Date.now() + startedAt + deps.requestTimeoutMs - performance.now()),
      // Made where it is asked for: of a flood most are refused before that.
      signal: () => controller.signal,
      traceparent: undefined,
      route: undefined,
      refusal: undefined,
    });
  };
}
