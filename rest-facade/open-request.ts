import type { Handle } from './begin-in-turns.js';
import { clientAddressOf } from './client-address.js';
import { callerGone, refuse } from '../runtime/refusal.js';
import { setContext } from './request-context.js';
import { isRequestId } from '../runtime/request-id.js';
import type { IsTrustedProxy } from '../runtime/trusted-proxies.js';

/** After its deadline, for an answer to be taken. */
const takeAnswerMs = 5_000;

/**
 * Opens a request: its id (the caller's if harmless, else a new one; returned on every answer), the
 * address of its caller, its deadline, and the signal that ends all work for it. Its clock began when it
 * arrived: a wait for its turn is part of it.
 */
export function openRequest(deps: {
  createId: () => string;
  requestTimeoutMs: number;
  isTrustedProxy: IsTrustedProxy;
}): Handle {
  return (request, response, arrivedAt) => {
    const deadline = arrivedAt + deps.requestTimeoutMs;
    const given = request.headers['x-request-id'];
    const id = isRequestId(given) ? given : deps.createId();
    const controller = new AbortController();
    let timer: NodeJS.Timeout;
    const onDeadline = () => {
      const message = `the request took longer than ${deps.requestTimeoutMs} ms, try again`;
      const details = { limit: String(deps.requestTimeoutMs) };
      controller.abort(refuse('DEADLINE', message, { details }));
      // A caller who takes its answer drop by drop is cut off.
      timer = setTimeout(() => response.destroy(), takeAnswerMs);
    };
    const leftMs = deadline - performance.now();
    if (leftMs > 0) timer = setTimeout(onDeadline, Math.ceil(leftMs));
    else onDeadline();
    response.once('close', () => {
      clearTimeout(timer);
      if (!response.writableFinished) controller.abort(callerGone());
    });
    response.setHeader('x-request-id', id);
    setContext(response, {
      requestId: id,
      clientAddress: clientAddressOf(request, deps.isTrustedProxy),
      arrivedAt,
      deadline: () => new Date(Date.now() + deadline - performance.now()),
      // Made where it is asked for: of a flood most are refused before that.
      signal: () => controller.signal,
      traceparent: undefined,
      route: undefined,
      refusal: undefined,
    });
  };
}
