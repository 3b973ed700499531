import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { callerGone, Refusal, refuse } from '../../runtime/errors/refusal.js';
import { withoutPort } from '../../runtime/net/addresses.js';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';
import { requestIdOf } from '../../runtime/observe/request-id.js';
import type { CallContext } from '../core-client/core-client.js';
import { toHttpStatus } from '../response/http-error.js';

export interface RequestContext {
  readonly requestId: string;
  /** Address of the caller, for the fair shares of the budget and of failed passwords, and for the log. */
  readonly clientAddress: string;
  /** When its headers had been read; monotonic, milliseconds. */
  readonly arrivedAt: number;
  /**
   * What its calls to the core have beside their messages. Their signal is aborted with the Refusal to send when the caller
   * goes away, time is up, or the server ends.
   */
  readonly callWith: (apiKey: string) => CallContext;
  /** W3C `traceparent` to send to the core, if the request is traced. */
  traceparent: string | undefined;
  /** Template of the path, for the log. */
  route: string | undefined;
  /** Methods of the routes that have its path. */
  allow: readonly string[];
  /** Why the request was refused, for the log. */
  refusal: Refusal | undefined;
}

/** Time after the deadline for the client to read the response. */
const takeAnswerMs = 5_000;

/** A request from its arrival on, which may have to wait for its turn. */
interface Arrival {
  /** Monotonic, milliseconds. */
  readonly at: number;
  readonly controller: AbortController;
}

const arrivals = createSymbolProperty<IncomingMessage, Arrival>();

/** Notes that a request has arrived, unless that is known. */
export function noteArrival(request: IncomingMessage): Arrival {
  const arrival = arrivals.get(request) ?? { at: performance.now(), controller: new AbortController() };
  arrivals.set(request, arrival);
  return arrival;
}

/** Ends the work for a request, begun or not: it is answered by this refusal, if no answer is under way yet. */
export function endRequest(request: IncomingMessage, refusal: Refusal): void {
  noteArrival(request).controller.abort(refusal);
}

const contexts = createSymbolProperty<ServerResponse, RequestContext>();

/**
 * Opens a request: its id (the caller's if harmless, otherwise a new one; returned with every response), the
 * address of its caller, its deadline, and the signal that ends all work for it. Its clock started when it
 * arrived, so waiting for its turn counts.
 */
export function openRequest({ requestTimeoutMs }: { requestTimeoutMs: number }): RequestHandler {
  return (request, response, next) => {
    const { at: arrivedAt, controller } = noteArrival(request);
    const deadline = arrivedAt + requestTimeoutMs;
    const requestId = requestIdOf(request.headers['x-request-id']);
    const clientAddress = clientAddressOf(request);
    let timer: NodeJS.Timeout;
    const onDeadline = () => {
      const message = `the request took longer than ${requestTimeoutMs} ms, try again`;
      const refusal = refuse('DEADLINE', message, { limit: requestTimeoutMs });
      controller.abort(refusal);
      // A client that reads its response too slowly is disconnected.
      timer = setTimeout(() => response.destroy(refusal), takeAnswerMs);
    };
    const leftMs = deadline - performance.now();
    if (leftMs > 0) timer = setTimeout(onDeadline, Math.ceil(leftMs));
    else onDeadline();
    response.once('close', () => {
      clearTimeout(timer);
      if (!response.writableFinished) controller.abort(callerGone());
    });
    response.setHeader('x-request-id', requestId);
    const context: RequestContext = {
      requestId,
      clientAddress,
      arrivedAt,
      callWith: (apiKey) => ({
        apiKey,
        requestId,
        clientAddress,
        traceparent: context.traceparent,
        deadline,
        // Node.js creates it on demand: in a flood, most requests are refused before that.
        signal: controller.signal,
      }),
      traceparent: undefined,
      route: undefined,
      allow: [],
      refusal: undefined,
    };
    contexts.set(response, context);
    next();
  };
}

/** By Express's `trust proxy`; what a trusted proxy forwards may be no address. */
function clientAddressOf({ ip, socket }: Request): string {
  const address = withoutPort(ip ?? '');
  return isIP(address) !== 0 ? address : (socket.remoteAddress ?? 'unknown');
}

export function contextOf(response: Response): RequestContext {
  return contexts.get(response) as RequestContext;
}

export type Outcome = ReturnType<typeof outcomeOf>;

/** How a request ended, `OK` if it succeeded; to be called once the response is closed. */
export function outcomeOf(response: Response) {
  const { refusal, arrivedAt } = contextOf(response);
  const seconds = (performance.now() - arrivedAt) / 1000;
  if (response.writableFinished) return { status: response.statusCode, reason: refusal?.reason ?? 'OK', seconds };
  // A connection that the server ended says why.
  const { errored } = response.req.socket;
  const { code, reason } = errored instanceof Refusal ? errored : callerGone();
  return { status: toHttpStatus(code, reason), reason, seconds };
}
