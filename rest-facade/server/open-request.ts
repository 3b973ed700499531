import { randomUUID } from 'node:crypto';
import { callerGone, refuse } from '../../runtime/errors/refusal.js';
import type { IsTrustedProxy } from '../../runtime/net/addresses.js';
import { isRequestId } from '../../runtime/observe/request-id.js';
import { clientAddressOf } from '../request/client-address.js';
import type { Handle } from './begin-in-turns.js';
import { setContext } from './request-context.js';

/** Time after the deadline for the client to read the response. */
const takeAnswerMs = 5_000;

/**
 * Opens a request: its id (the caller's if harmless, otherwise a new one; returned with every response), the
 * address of its caller, its deadline, and the signal that ends all work for it. Its clock started when it
 * arrived, so waiting for its turn counts.
 */
export function openRequest(deps: {
  limits: { requestTimeoutMs: number };
  isTrustedProxy: IsTrustedProxy;
}): Handle {
  const { requestTimeoutMs } = deps.limits;
  return (request, response, arrivedAt) => {
    const deadline = arrivedAt + requestTimeoutMs;
    const given = request.headers['x-request-id'];
    const id = isRequestId(given) ? given : randomUUID();
    const controller = new AbortController();
    let timer: NodeJS.Timeout;
    const onDeadline = () => {
      const message = `the request took longer than ${requestTimeoutMs} ms, try again`;
      const details = { limit: String(requestTimeoutMs) };
      controller.abort(refuse('DEADLINE', message, { details }));
      // A client that reads its response too slowly is disconnected.
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
      // Created on demand: in a flood, most requests are refused before that.
      signal: () => controller.signal,
      traceparent: undefined,
      route: undefined,
      refusal: undefined,
    });
  };
}
