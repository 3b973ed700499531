import type { ServerResponse } from 'node:http';
import type { Refusal } from '../../runtime/errors/refusal.js';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';

/** What is known about one HTTP request while it is answered. */
export interface RequestContext {
  readonly requestId: string;
  /** Address of the caller, for the fair shares of the budget and of failed passwords, and for the log. */
  readonly clientAddress: string;
  /** When its headers had been read; monotonic, milliseconds. */
  readonly arrivedAt: number;
  /** When the response must be ready, by the current system clock, which may have been set meanwhile. */
  readonly deadline: () => Date;
  /**
   * Aborted with the Refusal to send when the caller goes away or the deadline passes. Not a getter: V8 keeps the
   * getter of an object literal, and with it the request and all its buffers, until its next full collection.
   */
  readonly signal: () => AbortSignal;
  /** W3C `traceparent` to send to the core, if the request is traced. */
  traceparent: string | undefined;
  /** Template of the path, for the log. */
  route: string | undefined;
  /** Why the request was refused, for the log. */
  refusal: Refusal | undefined;
}

const slot = createSymbolProperty<ServerResponse, RequestContext>();

export function setContext(response: ServerResponse, context: RequestContext): void {
  slot.set(response, context);
}

/** nginx's status for a client that disconnected before its response was sent. */
const clientClosed = 499;

/** How a request ended; to be called once its response is closed. */
export function outcomeOf(response: ServerResponse): {
  readonly status: number;
  /** `OK` if it succeeded. */
  readonly reason: string;
  readonly seconds: number;
} {
  const { refusal, arrivedAt } = contextOf(response);
  const seconds = (performance.now() - arrivedAt) / 1000;
  if (!response.writableFinished) return { status: clientClosed, reason: 'CLIENT_CLOSED', seconds };
  return { status: response.statusCode, reason: refusal?.reason ?? 'OK', seconds };
}

/** The context that `openRequest` made. */
export function contextOf(response: ServerResponse): RequestContext {
  const context = slot.get(response);
  if (context === undefined) throw new Error('the request has no context yet');
  return context;
}
