import type { ServerResponse } from 'node:http';
import type { Refusal } from '../runtime/refusal.js';
import { createSlot } from '../runtime/slot.js';

/** What is known of one HTTP request while it is answered. */
export interface RequestContext {
  readonly requestId: string;
  /** Of whom it came from, for the fair shares of the budget and of failed passwords, and for the log. */
  readonly clientAddress: string;
  /** When its headers had been read; monotonic, milliseconds. */
  readonly arrivedAt: number;
  /** When the answer must be ready, by the clock as it goes now: it may have been set meanwhile. */
  readonly deadline: () => Date;
  /**
   * Aborted when the caller goes away or the deadline passes, with the Refusal to answer. No getter: V8 keeps
   * that of an object literal, and the request with all its buffers, until its next full collection.
   */
  readonly signal: () => AbortSignal;
  /** W3C `traceparent` that goes on to the core, where the request is traced. */
  traceparent: string | undefined;
  /** Template of the path, for the log. */
  route: string | undefined;
  /** Why the request was refused, for the log. */
  refusal: Refusal | undefined;
}

const slot = createSlot<ServerResponse, RequestContext>();

export function setContext(response: ServerResponse, context: RequestContext): void {
  slot.set(response, context);
}

/** nginx's number for a caller who went away before its answer was out. */
const clientClosed = 499;

/** How a request ended; to be asked once its response is closed. */
export function outcomeOf(response: ServerResponse): {
  readonly status: number;
  /** `OK` where it was answered. */
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
